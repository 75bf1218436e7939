// Copyright (c) 2026 the claudecoded authors. MIT license.

package session

import (
	"testing"
	"time"

	"claudecoded/codec"
	"claudecoded/reactor/fake"
)

func TestLimits_AreTheDocumentedOnes(t *testing.T) {
	t.Parallel()
	unset := New(fake.New(), Config{}).cfg
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"WebSocket connections", defaultMaxClients, 64},
		{"HTTP connections", defaultMaxHTTP, 64},
		{"WebSocket connections of a server that is not told", unset.MaxClients, 64},
		{"HTTP connections of one", unset.MaxHTTP, 64},
		{"a request's body", bodyTimeout, time.Minute},
		{"a next request", idleTimeout, 5 * time.Minute},
		{"the first probe of a client that sends no more", firstProbe, 100 * time.Millisecond},
		{"the longest wait between two", lastProbe, 15 * time.Second},
		{"reading behind the last response", lingerTimeout, time.Second},
		{"bytes of a request's body", codec.MaxBody, 16 << 20},
		{"bytes of a chunk's line", codec.MaxChunkLine, 1 << 10},
		{"bytes of a trailer", codec.MaxTrailer, 4 << 10},
		{"connections without a handshake", maxPending, 512},
		{"handshake", defaultHandshakeTimeout, 10 * time.Second},
		{"ping", defaultPingInterval, 30 * time.Second},
		{"unsent bytes that pause reading", highWater, 8 << 20},
		{"unsent bytes that resume it", lowWater, 4 << 20},
		{"bytes of one piece of a write", maxPiece, 1 << 20},
		{"messages run in a turn", maxRun, 64},
		{"bytes of a request head", codec.MaxHead, 16 << 10},
		{"bytes of a message", codec.MaxMessage, 100 << 20},
		{"large messages that are not on the heap", maxSpans, 8},
		{"keeping the pages of the last", warmFor, 2 * time.Second},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}
