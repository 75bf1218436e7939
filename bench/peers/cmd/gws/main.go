// Copyright (c) 2026 the claudecoded authors. MIT license.

// Command gws is the smallest idiomatic server on github.com/lxzan/gws.
package main

import (
	"net"
	"sync"

	"github.com/lxzan/gws"

	"claudecoded/bench/peers/answer"
)

type handler struct{ gws.BuiltinEventHandler }

// clients are those that a broadcast goes to.
var clients = struct {
	sync.RWMutex
	all map[*gws.Conn]struct{}
}{all: map[*gws.Conn]struct{}{}}

func (handler) OnOpen(conn *gws.Conn) {
	clients.Lock()
	defer clients.Unlock()
	clients.all[conn] = struct{}{}
}

func (handler) OnClose(conn *gws.Conn, _ error) {
	clients.Lock()
	defer clients.Unlock()
	delete(clients.all, conn)
}

func broadcast(text []byte) {
	broadcaster := gws.NewBroadcaster(gws.OpcodeText, text)
	defer broadcaster.Close()
	clients.RLock()
	defer clients.RUnlock()
	for conn := range clients.all {
		_ = broadcaster.Broadcast(conn)
	}
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

func (handler) OnPing(conn *gws.Conn, payload []byte) { _ = conn.WritePong(payload) }

func (handler) OnMessage(conn *gws.Conn, message *gws.Message) {
	defer message.Close()
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	reply, err := answer.Append((*buffer)[:0], message.Bytes(), true)
	*buffer = reply
	if err != nil {
		conn.WriteClose(1007, nil)
	} else if len(reply) > 0 {
		_ = conn.WriteMessage(gws.OpcodeText, reply)
	}
}

func main() {
	answer.Broadcast = broadcast
	server := gws.NewServer(handler{}, &gws.ServerOption{
		CheckUtf8Enabled:   true,
		ReadMaxPayloadSize: answer.MaxMessage,
		SubProtocols:       []string{answer.Subprotocol},
	})
	server.OnError = func(net.Conn, error) {} // a client that leaves in the middle
	answer.Fail(server.RunListener(answer.Listen()))
}
