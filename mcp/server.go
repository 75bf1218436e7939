// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package mcp is the protocol engine: JSON-RPC 2.0 and the Model Context
// Protocol, without any transport. Messages of clients come in as bytes; replies
// leave through a Sink and tool calls through an Editor.
//
// Everything in it belongs to the loop goroutine, and nothing in it waits.
package mcp

import (
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"time"
)

// ServerName is the serverInfo.name that clients are told by default.
const ServerName = "claudecode-neovim"

// Config is what a Server needs. Sink, Editor and Clock must be set.
type Config struct {
	Sink   Sink
	Editor Editor
	Clock  Clock
	// Post runs a function on the loop goroutine, in order, and reports false if the loop
	// has stopped. With it schemas are checked on another goroutine; without, at once.
	Post func(func()) bool
	// Ready, if set, hears once of each client that its first tools/list was
	// answered: Claude drops notifications that come before, or soon after.
	Ready func(client uint64)
	// Asker asks the user for permission. Nil: a call that needs it is refused.
	Asker Asker
	// Auditor, if set, hears of each call that ended.
	Auditor Auditor
	// Turns, if set, hears what clients of the IDE socket do to files.
	Turns Turns
	// Log gets no content of files, selections or arguments. Nil discards.
	Log *slog.Logger
	// Name and Version are the serverInfo of initialize; no Name is ServerName.
	Name, Version string
}

// Server serves every client of one editor. It implements the handler that a
// transport drives: Open, Message, Closed.
type Server struct {
	sink    Sink
	editor  Editor
	clock   Clock
	log     *slog.Logger
	ready   func(client uint64)
	auditor Auditor
	turns   Turns

	clients map[uint64]*client
	tools   catalogue
	// compiler belongs to what aside runs once there is a catalogue.
	compiler  compiler
	compiling bool
	coming    *coming // waits for the one that is being compiled
	aside     aside
	rests     rests
	calls     map[uint64]*call
	called    map[string]int // how often each tool was called
	gate      gatekeeper
	recent    recent
	// greetings holds each profile's initialize result.
	greetings map[*profile][]byte
	info      []byte // serverInfo

	sessions sessions
	feeds    []*feed // of subscriptions, oldest first
	pipes    []*pipe // oldest first

	// state and since are what EditorState last said.
	state string
	since time.Time

	last *client // who sent the last message, or nil
	in   message // scratch of Message
	out  []byte  // scratch of replies shorter than giveAway
}

// client is a connected client.
type client struct {
	id      uint64
	name    string // client_<id>
	profile *profile
	// speaks is the name of the revision that it is served by.
	speaks string
	info   ClientInfo
	listed bool     // a tools/list was answered
	calls  []uint64 // tokens of its calls in flight, oldest first
	out    outlet
	// session is the one its request belongs to, if its transport has sessions.
	session *session
	// used is how many bytes it was sent of what it takes, if that is for all answers.
	used int
}

// room is how many bytes the next answer may have.
func (c *client) room() int { return max(c.profile.maxMessage-c.used, leastRoom) }

func (c *client) dialect() dialect { return dialect{c.profile, c.speaks} }

// leastRoom is how many bytes an answer may have whatever came before it: there is
// always room for an error.
const leastRoom = 64 << 10

// flight are the tokens of the calls that the client may cancel: its own, or those of
// its whole session.
func (c *client) flight() []uint64 {
	if c.session != nil {
		return c.session.flight()
	}
	return c.calls
}

// ClientInfo is what a client told about itself.
type ClientInfo struct {
	ID uint64
	// Name, Version and Protocol are those of initialize, cut to 256 bytes.
	Name, Version, Protocol string
	// PID is the client's process from ide_connected, or 0.
	PID int
	// Initialized says that notifications/initialized came.
	Initialized bool
	// Calls is the number of its calls in flight.
	Calls int
}

// New returns a server with no clients and an empty catalogue.
func New(cfg Config) *Server {
	s := &Server{
		sink:      cfg.Sink,
		aside:     aside{post: cfg.Post},
		rests:     newRests(),
		editor:    cfg.Editor,
		clock:     cfg.Clock,
		log:       cfg.Log,
		ready:     cfg.Ready,
		auditor:   cfg.Auditor,
		turns:     cfg.Turns,
		gate:      gatekeeper{asker: cfg.Asker},
		clients:   make(map[uint64]*client),
		calls:     make(map[uint64]*call),
		called:    make(map[string]int),
		greetings: make(map[*profile][]byte),
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.ready == nil {
		s.ready = func(uint64) {}
	}
	if cfg.Name == "" {
		cfg.Name = ServerName
	}
	s.info, s.sessions = serverInfo(cfg.Name, cfg.Version), newSessions()
	for _, p := range profiles {
		s.greetings[p] = p.greeting(cfg.Name, cfg.Version)
	}
	s.tools, _ = newCatalogue(nil, nil)
	return s
}

// Open adds a client of the IDE WebSocket.
func (s *Server) Open(id uint64) {
	s.clients[id] = &client{
		id:      id,
		name:    "client_" + strconv.FormatUint(id, 10),
		profile: &ide,
		speaks:  ideProtocol,
		info:    ClientInfo{ID: id},
		out:     socket{s.sink, id},
	}
}

// Message serves one message of a client. text must be valid UTF-8; it is not
// kept, and may change afterwards. A client that Open did not name is ignored.
func (s *Server) Message(id uint64, text []byte) {
	c := s.last
	if c == nil || c.id != id {
		if c = s.clients[id]; c == nil {
			return
		}
		s.last = c
	}
	m := &s.in
	defer m.forget()
	if err := m.read(text); err != nil {
		s.fail(c, m.id, err)
		return
	}
	if m.response {
		return // we ask clients nothing, so there is nothing it could answer
	}
	s.dispatch(c, m)
}

// dispatch serves a request or notification that was read.
func (s *Server) dispatch(c *client, m *message) {
	handle, ok := c.profile.methods[string(m.method)]
	if !ok {
		detail := appendQuoted(nil, "Unknown method: "+string(m.method))
		s.fail(c, m.id, &Error{codeMethodNotFound, "Method not found", detail})
		return
	}
	handle(s, c, m)
}

// Closed forgets a client; its calls in flight end without a reply.
func (s *Server) Closed(id uint64, code int, reason string) {
	c := s.clients[id]
	if c == nil {
		return
	}
	delete(s.clients, id)
	s.last = nil
	s.log.Debug("client left", "client", c.name, "code", code, "reason", reason, "calls", len(c.calls))
	for _, token := range slices.Clone(c.calls) {
		s.change(token, event{kind: clientGone})
	}
	s.forgetGrants(c.name)
	if s.turns != nil {
		s.turns.Left(id)
	}
}

// Stop ends every call in flight: a pending diff is answered as rejected, any
// other call with an error. Streams of events end, too. The transport closes the clients afterwards, so
// that the answers leave before the Close frames.
func (s *Server) Stop() {
	for _, token := range slices.Sorted(maps.Keys(s.calls)) {
		s.change(token, event{kind: serverStop})
	}
	s.endFeeds()
}

// EditorState says why the editor does not run calls now, for the errors of
// calls that reach their deadline: "waiting for your input (mode r)", or "not
// responding". since, if not zero, adds for how long. An empty state says that
// the editor is well again.
func (s *Server) EditorState(state string, since time.Time) {
	s.state, s.since = state, since
}

// Clients lists the clients that are connected, in the order they came.
func (s *Server) Clients() []ClientInfo {
	infos := make([]ClientInfo, 0, len(s.clients))
	for _, id := range slices.Sorted(maps.Keys(s.clients)) {
		c := s.clients[id]
		info := c.info
		info.Calls = len(c.calls)
		infos = append(infos, info)
	}
	return infos
}
