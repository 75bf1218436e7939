// Copyright (c) 2026 the claudecoded authors. MIT license.

package load

import (
	"context"
	"slices"
)

// behaviour is one way in which a client spends its time. run returns when ctx is over or
// the connection is.
type behaviour struct {
	name, help string
	run        func(c *client, ctx context.Context) error
	// paced says that it is a stream of requests, which a rate puts on a schedule.
	paced bool
}

func behaviours() []behaviour {
	return []behaviour{
		{"ping", "requests that the server answers by itself", (*client).ping, true},
		{"list", "tools/list, a reply of several KiB", (*client).list, true},
		{"call", "calls of a tool, which needs the editor", (*client).call, true},
		{"prompt", "the calls that a prompt of Claude Code with one edit makes, one after the other", (*client).prompt, false},
		{"large", "large messages, each one frame", (*client).large, true},
		{"fragments", "large messages in fragments", (*client).fragments, false},
		{"handshake", "connects and leaves, again and again", (*client).handshake, false},
		{"churn", "connects, introduces itself, leaves, again and again", (*client).churn, false},
		{"idle", "stays connected and answers pings", (*client).idle, false},
		{"slow", "reads slowly what it asked for", (*client).slow, true},
		{"stall", "stops reading for a while, then reads everything", (*client).stall, false},
		{"reset", "connects and breaks off in the middle of a message", (*client).reset, false},
		{"http", "tools/list over MCP's Streamable HTTP", (*client).http, true},
		{"http-call", "calls of a tool over MCP's Streamable HTTP", (*client).httpCall, true},
	}
}

func find(name string) (behaviour, bool) {
	all := behaviours()
	i := slices.IndexFunc(all, func(b behaviour) bool { return b.name == name })
	if i < 0 {
		return behaviour{}, false
	}
	return all[i], true
}

// Names are the behaviours that there are.
func Names() []string {
	var names []string
	for _, b := range behaviours() {
		names = append(names, b.name)
	}
	return names
}

// Help is a line for each behaviour.
func Help() (lines []string) {
	for _, b := range behaviours() {
		lines = append(lines, b.name+": "+b.help)
	}
	return lines
}
