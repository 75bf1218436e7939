// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import (
	"testing"
)

func TestLimits_AreTheDocumentedOnes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"bytes of one Data call", maxRead, 64 << 10},
		{"bytes of a connection in a turn", maxConnRead, 256 << 10},
		{"bytes of all connections in a turn", maxTurnRead, 4 << 20},
		{"posted closures run in a turn", maxPosted, 1024},
		{"connections that wait for accept", Backlog, 128},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}
