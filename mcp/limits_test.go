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
		{"MCP sessions", maxSessions, 64},
		{"idle time of a session", sessionIdle, 24 * time.Hour},
		{"until a slow answer is a stream", slowAnswer, 5 * time.Second},
		{"between the comments of a stream", commentEvery, 15 * time.Second},
		{"subscriptions", maxFeeds, 64},
		{"clients of HTTP with SSE", maxPipes, 64},
		{"messages of a batch", maxBatch, 256},
		{"rules of a policy", maxRules, 512},
		{"paths of a call", maxPaths, 1024},
		{"bytes of them", maxPathBytes, 256 << 10},
		{"calls that wait for the user", maxAsks, 64},
		{"bytes of their arguments", maxAskBytes, 64 << 20},
		{"permissions until a client leaves", maxGrants, 1024},
		{"time of the user to answer", askTimeout, 10 * time.Minute},
		{"calls that are remembered", maxRecent, 200},
		{"bytes of the answers to a POST", stateful.maxMessage, 16 << 20},
		{"and without a session", stateless.maxMessage, 16 << 20},
		{"deadline of a tool over HTTP", stateful.deadline, 300 * time.Second},
		{"and without a session", stateless.deadline, 300 * time.Second},
		{"openDiff over HTTP", stateful.rules["openDiff"].deadline([]byte(`{}`)), never},
		{"openDiff", ide.rules["openDiff"].deadline([]byte(`{}`)), never},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}
