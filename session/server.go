// Copyright (c) 2026 the claudecoded authors. MIT license.

package session

import (
	"cmp"
	"errors"
	"log/slog"
	"slices"
	"time"

	"claudecoded/codec"
	"claudecoded/reactor"
)

// What Listen refuses with: a server listens once.
var (
	ErrRunning = errors.New("session: server already running")
	ErrStopped = errors.New("session: server stopped")
)

const (
	defaultPingInterval     = 30 * time.Second
	defaultHandshakeTimeout = 10 * time.Second
	defaultMaxClients       = 64
	defaultMaxHTTP          = 64

	// maxPending is how many connections may be without a finished handshake,
	// apart from MaxClients: half an upgrade from many keeps nobody out.
	maxPending = 512
)

// Config is what a Server can be told. The zero value is usable.
type Config struct {
	// Token is what clients must present; empty lets everyone in.
	Token string
	// AllowedHosts are names the Host header may have besides the loopback's.
	AllowedHosts []string
	// PingInterval is the time between two ticks of the keepalive, 30 s by
	// default. A pong may be twice as late.
	PingInterval time.Duration
	// MaxClients is how many upgraded connections there may be, 64 by default.
	// The newest is refused with 503.
	MaxClients int
	// HTTP serves the requests that are HTTP's. Without it the server speaks the
	// WebSocket only.
	HTTP HTTPHandler
	// MaxHTTP is how many HTTP connections there may be, 64 by default. The newest is
	// refused with 503, unless one that has not presented the token can make room.
	MaxHTTP int
	// ClientsCreated is the last client number already given away.
	ClientsCreated uint64
	// MaxMessage is the largest message of a client in bytes, codec.MaxMessage
	// by default.
	MaxMessage int
	// HandshakeTimeout is how long a handshake may take, 10 s by default.
	HandshakeTimeout time.Duration
	// RunAsParsed runs each message when it was parsed, not at the turn's end:
	// a Close in the same read does not cancel what came before it. Binary
	// messages then go to a BinaryHandler.
	RunAsParsed bool
	// Log receives the server's lines, slog.Default by default.
	Log *slog.Logger
}

// Server is the server of both protocols: its listener and every connection. It belongs to
// the loop goroutine, and so do all its methods.
type Server struct {
	loop     reactor.Loop
	cfg      Config
	log      *slog.Logger
	handler  Handler
	binary   BinaryHandler // the handler, if it takes binary messages
	listener reactor.Listener
	created  uint64
	clients  []*client // whose socket is open, by number

	lastUpgrade UpgradeInfo

	large *spans

	ticker     *reactor.Timer
	lastTick   time.Time
	sinceFresh int // ticks since the last fresh stall window began

	busy      []*client // with messages to run at the turn's end
	spare     []*client // busy's storage in the next turn
	scheduled bool      // drain is deferred
	running   *client   // whose messages run
	onTurnEnd func()    // drain

	out    [2][]byte // the outer slice of a Write
	shared []byte    // frames of broadcasts
	slabs  spareSlabs

	refusing bool // WebSocket clients; see Admit
	stopped  bool
	grace    *reactor.Timer
	onStop   []func()
}

// New returns a server that does not listen yet.
func New(loop reactor.Loop, cfg Config) *Server {
	cfg.PingInterval = cmp.Or(cfg.PingInterval, defaultPingInterval)
	cfg.HandshakeTimeout = cmp.Or(cfg.HandshakeTimeout, defaultHandshakeTimeout)
	cfg.MaxClients = cmp.Or(cfg.MaxClients, defaultMaxClients)
	cfg.MaxHTTP = cmp.Or(cfg.MaxHTTP, defaultMaxHTTP)
	cfg.MaxMessage = cmp.Or(cfg.MaxMessage, codec.MaxMessage)
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	s := &Server{loop: loop, cfg: cfg, log: cfg.Log, created: cfg.ClientsCreated, large: newSpans(loop, cfg.MaxMessage)}
	s.onTurnEnd = s.drain
	return s
}

// Listen binds a port of the range on 127.0.0.1, accepts clients for h and starts
// the keepalive. If it fails as reactor.Loop.Listen does, it may be called again.
func (s *Server) Listen(ports reactor.PortRange, h Handler) (port int, err error) {
	switch {
	case s.stopped:
		return 0, ErrStopped
	case s.listener != nil:
		return 0, ErrRunning
	}
	if s.listener, err = s.loop.Listen(ports, s.accept); err != nil {
		return 0, err
	}
	s.handler = h
	if s.cfg.RunAsParsed {
		s.binary, _ = h.(BinaryHandler)
	}
	s.startTicks()
	s.log.Debug("listening", "port", s.listener.Port(), "token_length", len(s.cfg.Token))
	return s.listener.Port(), nil
}

// keepaliveWindow is how old a pong may be, and how long a closing socket may go
// without writing.
func (s *Server) keepaliveWindow() time.Duration { return 2 * s.cfg.PingInterval }

// ClientsCreated is the number of the newest connection.
func (s *Server) ClientsCreated() uint64 { return s.created }

// ClientInfo describes one client.
type ClientInfo struct {
	ID          string // "client_" and the number
	Number      uint64
	State       string    // connecting, upgrading, connected or closing
	ConnectedAt time.Time // when its 101 was written; zero before
	LastPong    time.Time // or when it was connected; zero before
	Queued      int       // bytes the kernel has not taken yet
}

// Clients lists the clients of the WebSocket that have not left, oldest first, without
// probes.
func (s *Server) Clients() []ClientInfo {
	infos := make([]ClientInfo, 0, len(s.clients))
	for _, c := range s.clients {
		if !c.left && !c.probe && c.http == nil {
			infos = append(infos, ClientInfo{c.id(), c.number, c.state.String(), c.connectedAt, c.lastPong, c.conn.Queued()})
		}
	}
	return infos
}

// HTTPInfo describes one HTTP connection.
type HTTPInfo struct {
	Number uint64
	Since  time.Time // when its first request came
	Busy   bool      // a request is being answered, or a stream is open
}

// HTTPClients lists the HTTP connections that have not left, oldest first.
func (s *Server) HTTPClients() (infos []HTTPInfo) {
	for _, c := range s.clients {
		if !c.left && c.http != nil {
			infos = append(infos, HTTPInfo{c.number, c.http.since, c.http.exchange != nil})
		}
	}
	return infos
}

// connected finds a client that messages can be sent to.
func (s *Server) connected(number uint64) *client {
	if c := s.running; c != nil && c.number == number && c.state == connected {
		return c // who is answered at once
	}
	i, found := s.find(number)
	if !found || s.clients[i].state != connected {
		return nil
	}
	return s.clients[i]
}

func (s *Server) find(number uint64) (int, bool) {
	return slices.BinarySearchFunc(s.clients, number, func(c *client, n uint64) int {
		return cmp.Compare(c.number, n)
	})
}

// forget takes out a client whose socket closed.
func (s *Server) forget(c *client) {
	if i, found := s.find(c.number); found {
		s.clients = slices.Delete(s.clients, i, i+1)
	}
	s.stopIfDone()
}

// count is how many open sockets are of either kind.
func (s *Server) count() (webSocket, http int) {
	for _, c := range s.clients {
		switch {
		case c.upgraded:
			webSocket++
		case c.http != nil:
			http++
		}
	}
	return webSocket, http
}

// pending is how many open sockets have not shown yet what they are.
func (s *Server) pending() int {
	webSocket, http := s.count()
	return len(s.clients) - webSocket - http
}
