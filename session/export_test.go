// Copyright (c) 2026 the claudecoded authors. MIT license.

package session

// The bounds, for the tests that name them.
const (
	MaxHeld    = maxHeld
	MaxPending = maxPending
	MaxRun     = maxRun
	HighWater  = highWater
	LowWater   = lowWater
	HighWrites = highWrites
	LowWrites  = lowWrites
	MaxPiece   = maxPiece

	HandshakeTimeout = defaultHandshakeTimeout
	FirstProbe       = firstProbe
	LastProbe        = lastProbe
	BodyTimeout      = bodyTimeout
	IdleTimeout      = idleTimeout
	LingerTimeout    = lingerTimeout
	DropGrace        = dropGrace

	MaxSpans = maxSpans
	WarmFor  = warmFor
)

// Lent is how many large messages have a span.
func (s *Server) Lent() (n int) {
	for _, s := range s.large.all {
		if s.lent {
			n++
		}
	}
	return n
}

// Kept is how many bytes of pages the spans keep that are not lent.
func (s *Server) Kept() (n int) {
	for _, s := range s.large.all {
		if !s.lent {
			n += s.used
		}
	}
	return n
}

// Buffered is what the server keeps of what an open socket sent, in bytes.
func (s *Server) Buffered(number uint64) int {
	i, found := s.find(number)
	if !found {
		return 0
	}
	c := s.clients[i]
	n := len(c.held)
	if c.http != nil {
		n += cap(c.http.held) + c.http.body.Buffered()
	}
	for _, text := range c.fifo {
		n += len(text)
	}
	if c.reader != nil {
		n += c.reader.Buffered()
	}
	return n
}

// Listed is how many messages and broadcasts of a client there is room for.
func (s *Server) Listed(number uint64) (messages, broadcasts int) {
	i, _ := s.find(number)
	return cap(s.clients[i].fifo), cap(s.clients[i].deliveries)
}
