// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"time"

	"claudecoded/mcp"
)

// Host is the daemon as Neovim sees it. Its methods run on the loop goroutine and
// own what they are given.
type Host interface {
	// Catalogue replaces the tools.
	Catalogue(tools []mcp.Tool)
	// Start asks the daemon to listen. It is answered by Bridge.Ready or
	// Bridge.Failed, and may come again after Failed.
	Start(o StartOptions)
	// Stop asks the daemon to close its clients and go.
	Stop()
	// Broadcast sends a JSON-RPC notification to every client. It is answered by
	// Bridge.Written with the same id. params is valid JSON text.
	Broadcast(id int64, method string, params []byte)
	// Send sends a JSON-RPC notification to one client.
	Send(client uint64, method string, params []byte)
	// Respond answers a request of one client. id is valid JSON text of any kind.
	Respond(client uint64, id []byte, o mcp.Outcome)
	// Finish ends a call that Bridge.Call started, once.
	Finish(token uint64, o mcp.Outcome)
	// Progress reports how far a pending call is. A total of 0 is unknown.
	Progress(token uint64, progress, total float64, message string)
	// EditorState says why calls are not answered at the moment: waiting for the
	// user's input, or not responding since then. Empty: they are.
	EditorState(state string, since time.Time)
	// WorkspaceFolders replaces the folders of the lock file.
	WorkspaceFolders(folders []string)
	// Status describes the server; its Version, Protocol and PID are filled in.
	Status() Status
	// Gone reports, once, that Neovim closed the channel (io.EOF) or that it broke.
	Gone(err error)
}

// StartOptions are the keys of PROTOCOL.md's start. A key that Neovim left out
// has its zero value, but for Lock, which is then true.
type StartOptions struct {
	Protocol         int
	Version          string
	PortMin, PortMax int
	Token            string
	Lock             bool
	LockDir          string
	PID              int
	WorkspaceFolders []string
	IDEName          string
	PingInterval     time.Duration
	MaxClients       int
	AllowedHosts     []string
	ClientsCreated   uint64
	LogLevel         string
	LogFile          string
}

// Status answers PROTOCOL.md's status.
type Status struct {
	Running     bool           `msgpack:"running"`
	Port        int            `msgpack:"port"`
	ClientCount int            `msgpack:"client_count"`
	Clients     []ClientStatus `msgpack:"clients"`
	Version     string         `msgpack:"version"`
	Protocol    int            `msgpack:"protocol"`
	PID         int            `msgpack:"pid"`
	LockFile    string         `msgpack:"lock_file"`
}

// ClientStatus is one client of a Status.
type ClientStatus struct {
	// ID is the number n of client_<n>.
	ID    uint64 `msgpack:"id"`
	State string `msgpack:"state"`
	// ConnectedMS is for how long it has been connected, in milliseconds.
	ConnectedMS int64 `msgpack:"connected_ms"`
}
