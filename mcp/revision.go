// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

// revision is a revision of the protocol that has sessions and initialize.
type revision struct {
	name string
	// batches says that a message may be an array of messages.
	batches bool
}

// revisions are those that initialize agrees on, newest first.
var revisions = []revision{
	{name: "2025-11-25"},
	{name: "2025-06-18"},
	{name: "2025-03-26", batches: true},
	{name: "2024-11-05", batches: true},
}

// revisionStateless is the first revision without sessions, and revisionUnsaid the one
// of a request that says none.
const (
	revisionStateless = "2026-07-28"
	revisionUnsaid    = "2025-03-26"
)

// The revisions that brought what a result or a tool may have.
const (
	revisionAudio      = "2025-03-26" // and annotations
	revisionStructured = "2025-06-18" // and links to resources, titles, _meta
	revisionIcons      = "2025-11-25"
)

// findRevision is the revision of that name, or nil.
func findRevision(name string) *revision {
	for i := range revisions {
		if revisions[i].name == name {
			return &revisions[i]
		}
	}
	return nil
}

// negotiated is the revision that a client asking for name is served by: that one, or
// the newest.
func negotiated(name string) *revision {
	if r := findRevision(name); r != nil {
		return r
	}
	return &revisions[0]
}

// The members of _meta by which a request of 2026-07-28 says what it is.
const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaClientInfo   = "io.modelcontextprotocol/clientInfo"
	metaSubscription = "io.modelcontextprotocol/subscriptionId"
	metaServerInfo   = "io.modelcontextprotocol/serverInfo"
)

// claim is the revision that a message's _meta names, as JSON text; nil if it names none
// or one that has sessions.
func (m *message) claim() []byte {
	claim := member(m.at[slotMeta], metaVersion)
	for _, r := range revisions {
		if isText(claim, r.name) {
			return nil
		}
	}
	return claim
}

// isStateless reports whether an MCP-Protocol-Version names a revision without sessions.
// The names are dates, so they sort.
func isStateless(version string) bool { return version >= revisionStateless }
