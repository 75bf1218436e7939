// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"time"

	"claudecoded/mcp"
	"claudecoded/nvimbridge/turns"
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
	// Waiting says why a pending call has not begun: what keeps windows from
	// opening. Empty: it has.
	Waiting(token uint64, reason string)
	// EditorState says why calls are not answered at the moment: waiting for the
	// user's input, or not responding since then. Empty: they are.
	EditorState(state string, since time.Time)
	// WorkspaceFolders replaces the folders of the lock file.
	WorkspaceFolders(folders []string)
	// Lock says whether Claude Code is served: whether there is a lock file by which it finds
	// the editor, and whether clients of the IDE socket are let in. It is answered by
	// Bridge.Locked when the file is written or removed.
	Lock(on bool)
	// Status describes the server; its Version, Protocol and PID are filled in.
	Status() Status
	// Policy replaces the rules of what may run, and where the audit log goes.
	Policy(p *mcp.Policy, audit AuditOptions)
	// Answer is what the user answered to Bridge.Ask.
	Answer(token uint64, answer mcp.Answer)
	// Revoke takes back what the user allowed for a session.
	Revoke()
	// Resolved answers a Call that was to resolve; see mcp.Server.Resolved.
	Resolved(token uint64, paths []string, problem string)
	// Activity describes what clients do and did.
	Activity() Activity
	// Turns is what is remembered of the files that clients change. Never nil.
	Turns() *turns.Keeper
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
	// UptimeMS is how long the daemon has run, in milliseconds.
	UptimeMS int64 `msgpack:"uptime_ms"`
	// LastUpgrade is nil if nobody has tried to connect.
	LastUpgrade *UpgradeStatus `msgpack:"last_upgrade,omitempty"`
	// Guests are the clients of HTTP, and Connections their HTTP connections.
	Guests      []GuestStatus      `msgpack:"guests"`
	Connections []ConnectionStatus `msgpack:"connections"`
	// Called is how often each tool was called.
	Called map[string]int `msgpack:"called"`
	// LeftOut is why each tool is not offered that clients would choke on, by name.
	LeftOut map[string]string `msgpack:"left_out"`
}

// UpgradeStatus is how the last handshake ended.
type UpgradeStatus struct {
	Client   uint64 `msgpack:"client"`
	Accepted bool   `msgpack:"accepted"`
	Reason   string `msgpack:"reason"`
	AgoMS    int64  `msgpack:"ago_ms"`
}

// ClientStatus is one client of a Status.
type ClientStatus struct {
	// ID is the number n of client_<n>.
	ID    uint64 `msgpack:"id"`
	State string `msgpack:"state"`
	// ConnectedMS is for how long it has been connected, in milliseconds.
	ConnectedMS int64 `msgpack:"connected_ms"`
	// Unsent is what the system has not taken yet, in bytes.
	Unsent int `msgpack:"unsent"`
	// PongMS is how long ago it last answered a ping or was connected, in milliseconds.
	PongMS int64 `msgpack:"pong_ms"`
	// Name, Version and PID are what it told of itself.
	Name    string       `msgpack:"name"`
	Version string       `msgpack:"version"`
	PID     int          `msgpack:"pid"`
	Calls   []CallStatus `msgpack:"calls"`
}

// GuestStatus is one client of HTTP: a session, a stream with what is posted to it, or a
// connection that waits for an answer. Times are in milliseconds.
type GuestStatus struct {
	// ID is mcp_<n> of the first two, http_<n> of the third.
	ID       string       `msgpack:"id"`
	Name     string       `msgpack:"name"`
	Revision string       `msgpack:"revision"`
	AgeMS    int64        `msgpack:"age_ms"`
	HeardMS  int64        `msgpack:"heard_ms"`
	Calls    []CallStatus `msgpack:"calls"`
}

// ConnectionStatus is one HTTP connection.
type ConnectionStatus struct {
	ID    uint64 `msgpack:"id"`
	AgeMS int64  `msgpack:"age_ms"`
	// Busy says that it waits for an answer, or has a stream open.
	Busy bool `msgpack:"busy"`
}

// CallStatus is a call in flight.
type CallStatus struct {
	Tool  string `msgpack:"tool"`
	AgeMS int64  `msgpack:"age_ms"`
	// Waiting is what keeps it from running, empty if nothing does.
	Waiting string `msgpack:"waiting"`
}
