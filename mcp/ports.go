// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import "time"

// Sink is where messages to clients go. Loop goroutine only.
type Sink interface {
	// Send sends one text message; payload is copied, so the caller may reuse
	// it. It reports false, and sends nothing, if the client is not connected.
	Send(client uint64, payload []byte) bool
	// Give is Send for a payload that is given away: it is not copied and must
	// not be changed afterwards.
	Give(client uint64, payload []byte) bool
	// Broadcast gives one payload to every connected client and reports whether
	// at least one took it. If so, written (it may be nil) runs once after the
	// last write finished, with the number of writes that succeeded.
	Broadcast(payload []byte, written func(n int)) bool
	// BroadcastLatest is Broadcast for a message that makes an older one of its
	// kind worthless: it takes the place of one of which no byte was written,
	// whose write then counts as failed.
	BroadcastLatest(payload []byte, written func(n int)) bool
}

// Editor runs tools. Its methods run on the loop goroutine and never wait; what
// comes of a call is reported to Server.Finish, on the loop goroutine, later.
type Editor interface {
	// Call starts a tool call. It ends in exactly one Server.Finish, unless
	// Cancel came first.
	Call(c Call)
	// Cancel tells the editor that nobody waits for the call any more: if it is
	// still queued it never runs. An unknown token is ignored.
	Cancel(token uint64)
}

// Call is one tool call on its way to the editor.
type Call struct {
	// Token names the call; it never repeats in one process.
	Token uint64
	// Tool is the registered name, without any profile's prefix.
	Tool string
	// Args is the JSON text of the arguments object. It belongs to the Call.
	Args []byte
	// Client is the id of the caller: client_<n> of the IDE, mcp_<n> of a session,
	// http_<n> of a connection without one.
	Client string
	// Deadline is when the caller stops waiting; zero means never.
	Deadline time.Time
	// UI says that the tool opens windows and must wait for a safe moment.
	UI bool
	// Resolve asks which files the call stands for instead of running it. The answer
	// goes to Server.Resolved, a failure to Server.Finish.
	Resolve bool
	// Paths is what that answer was, nil if it was not asked. A call that stands for others by now must not run.
	Paths []string
}

// Outcome is how a tool call ended: Err if it is not nil, else Result.
type Outcome struct {
	// Result is the JSON text of what the tool returned, already validated.
	Result []byte
	Err    *Error
}

// Error is a JSON-RPC error object.
type Error struct {
	Code    int
	Message string
	// Data is JSON text, or nil for none.
	Data []byte
}

// Error makes *Error an error; the text is the message alone.
func (e *Error) Error() string { return e.Message }

// Tool is one entry of the catalogue as the editor registered it.
type Tool struct {
	Name        string
	Title       string
	Description string
	// InputSchema is JSON text of a JSON Schema whose type is object. Empty: the
	// tool is callable but not listed.
	InputSchema []byte
	// OutputSchema is JSON text of a JSON Schema whose type is object, which results
	// must keep to. Empty: results are what they are.
	OutputSchema []byte
	// Annotations and Meta are JSON text of objects, Icons of an array, that clients
	// are told as they are, Meta as _meta. Empty: nothing.
	Annotations, Meta, Icons []byte
	// IDE puts the tool on the IDE WebSocket's list.
	IDE bool
	// IDEOnly keeps it from every other client: what Claude Code calls by itself is
	// nothing that a model should be offered.
	IDEOnly bool
	// UI says that the tool opens windows.
	UI bool
	// Timeout is the call deadline; zero means the profile's default, negative none.
	Timeout time.Duration
	// Policy is what is done with calls that no rule of the user's is about. If there are
	// PolicyArgs, it is for calls that give one of those arguments, and others are allowed;
	// null and "" give nothing.
	Policy     Action
	PolicyArgs []string
	// ResultLimit is how many bytes of text one answer shows of a result; zero means
	// the default, negative no limit. See restOfResults.
	ResultLimit int

	made *compiled
}

// Clock is the loop's clock. AfterFunc runs f on the loop goroutine.
type Clock interface {
	Now() time.Time
	AfterFunc(d time.Duration, f func()) (stop func())
}

// HTTPRequest is one whole request that a transport lets in: its origin, host and
// token were checked.
type HTTPRequest struct {
	Method      string
	Path, Query string
	// Header is the value of the field called name, in any case; the values of several
	// are joined with ", " (RFC 9110, 5.3).
	Header func(name string) (value string, ok bool)
	// Body is valid during the call only.
	Body []byte
	// Client is the number of the connection.
	Client uint64
}

// HeaderField is one field of a response's header.
type HeaderField struct{ Name, Value string }

// HTTPWriter answers one request, once: by Respond, or by Stream and what that returns.
// What comes too late does nothing. Loop goroutine only.
type HTTPWriter interface {
	// Respond answers with a body, which is given away.
	Respond(status int, header []HeaderField, body []byte)
	// Stream answers 200 with a stream of server-sent events, whose head leaves at once.
	Stream(header []HeaderField) HTTPStream
	// OnClose has f run once if the connection ends before the response is complete. A
	// later f takes its place.
	OnClose(f func())
}

// HTTPStream is the response to one request as a stream of server-sent events. Loop
// goroutine only.
type HTTPStream interface {
	// Event sends an event; data is copied. It reports false if the stream is over.
	Event(name string, data []byte) bool
	// Comment sends a line that clients ignore, and reports what Event would.
	Comment() bool
	// End completes the response.
	End()
	// OnClose has f run once if the connection ends before End, in place of the writer's.
	OnClose(f func())
}
