// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"testing"
	"time"
)

func TestLimits_AreTheDocumentedOnes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		got, want any
	}{
		{"JSON depth", maxDepth, 128},
		{"JSON values", maxValues, 262144},
		{"calls in flight of one client", maxInFlight, 256},
		{"tools whose calls are counted", maxCounted, 1024},
		{"bytes of a message to an IDE client", maxIDEMessage, 16 << 20},
		{"and the rule that applies it", ide.maxMessage, 16 << 20},
		{"deadline of an IDE tool", ide.deadline, 30 * time.Second},
		{"getDiagnostics of a file", ide.rules["getDiagnostics"].deadline([]byte(`{"uri":"file:///a"}`)), 400 * time.Millisecond},
		{"getDiagnostics of all", ide.rules["getDiagnostics"].deadline([]byte(`{}`)), 1800 * time.Millisecond},
		{"openDiff", ide.rules["openDiff"].deadline([]byte(`{}`)), never},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}
