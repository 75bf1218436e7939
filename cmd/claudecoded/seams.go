// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"fmt"
	"time"

	"claudecoded/mcp"
	"claudecoded/nvimbridge"
	"claudecoded/nvimbridge/turns"
)

// sink is where the protocol sends to: the server, while there is one.
type sink struct{ d *daemon }

func (s sink) Send(client uint64, payload []byte) bool {
	return s.d.server != nil && s.d.server.Send(client, payload)
}

func (s sink) Give(client uint64, payload []byte) bool {
	return s.d.server != nil && s.d.server.Give(client, payload)
}

func (s sink) Broadcast(payload []byte, written func(int)) bool {
	return s.d.server != nil && s.d.server.Broadcast(payload, written)
}

func (s sink) BroadcastLatest(payload []byte, written func(int)) bool {
	return s.d.server != nil && s.d.server.BroadcastLatest(payload, written)
}

// clients is who the server reports to: the protocol, and the editor's mirror of it.
type clients struct{ d *daemon }

func (c clients) Open(client uint64) {
	c.d.protocol.Open(client)
	c.d.editor.ClientOpened(client)
}

func (c clients) Message(client uint64, text []byte) {
	c.d.tidier.received(len(text))
	c.d.protocol.Message(client, text)
}

func (c clients) Closed(client uint64, code int, reason string) {
	c.d.protocol.Closed(client, code, reason)
	c.d.editor.ClientClosed(client, code, reason)
}

// web answers HTTP requests: the protocol does.
func (d *daemon) web(r mcp.HTTPRequest, w mcp.HTTPWriter) {
	d.tidier.received(len(r.Body))
	d.protocol.ServeHTTP(r, w)
}

// host is the daemon as an editor sees it.
type host struct{ d *daemon }

var _ nvimbridge.Host = host{}

func (h host) Catalogue(tools []mcp.Tool) { h.d.setTools(tools) }

func (h host) Start(o nvimbridge.StartOptions) { h.d.start(o) }

func (h host) Stop() { h.d.leave("told to stop") }

func (h host) Broadcast(id int64, method string, params []byte) {
	written := func(n int) { h.d.editor.Written(id, n) }
	if !h.d.protocol.BroadcastNotification(method, params, written) {
		written(0)
	}
}

func (h host) Send(client uint64, method string, params []byte) {
	h.d.protocol.Notify(client, method, params)
}

func (h host) Respond(client uint64, id []byte, o mcp.Outcome) {
	h.d.protocol.Respond(client, id, o)
}

func (h host) Finish(token uint64, o mcp.Outcome) { h.d.protocol.Finish(token, o) }

func (h host) Progress(token uint64, progress, total float64, message string) {
	h.d.protocol.Progress(token, progress, total, message)
}

func (h host) Waiting(token uint64, reason string) { h.d.protocol.Waiting(token, reason) }

func (h host) EditorState(state string, since time.Time) { h.d.protocol.EditorState(state, since) }

func (h host) Turns() *turns.Keeper { return h.d.turns }

func (h host) Lock(on bool) { h.d.serveClaude(on) }

func (h host) WorkspaceFolders(folders []string) {
	h.d.turns.Folders(folders)
	h.d.wanted.options.WorkspaceFolders = folders
	if h.d.lock == nil && h.d.listed == nil {
		h.d.folders = folders
		return
	}
	h.d.lock.update(folders)
	h.d.listed.update(folders)
}

func (h host) Gone(err error) {
	// On a command line somebody waits for a port.
	if h.d.started != nil && h.d.server == nil && !h.d.leaving {
		h.d.failure = fmt.Errorf("the editor ended before it was ready: %w", err)
	}
	h.d.abandon(fmt.Sprintf("the editor is gone: %v", err))
}
