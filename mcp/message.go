// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import "bytes"

// maxID is how many bytes of JSON text an id or a progress token may have. It
// is kept for every call in flight and echoed in every reply.
const maxID = 4096

// message is one JSON-RPC 2.0 message while it is dispatched. Everything in it
// but method points into the text it was read from.
type message struct {
	at [numSlots][]byte
	// id is the JSON text to answer with. It is nil if there is nothing to
	// answer, and null if the message is malformed and named no usable id.
	id []byte
	// method is the unescaped name; it reuses its buffer.
	method []byte
	// response says that the message answers us and has no method.
	response bool
}

// slot names a member that the server reads.
type slot int

const (
	slotNone slot = iota - 1
	slotVersion
	slotID
	slotMethod
	slotResult
	slotError
	// The members of params follow params itself: see scanner.enter.
	slotParams
	slotName
	slotArguments
	slotMeta
	slotRequestID
	slotProtocol
	slotClientInfo
	slotPID
	numSlots
)

type memberSlot struct {
	name string
	slot slot
}

var (
	topMembers = []memberSlot{
		{"jsonrpc", slotVersion}, {"id", slotID}, {"method", slotMethod}, {"params", slotParams},
		{"result", slotResult}, {"error", slotError},
	}
	paramMembers = []memberSlot{
		{"name", slotName}, {"arguments", slotArguments}, {"_meta", slotMeta}, {"requestId", slotRequestID},
		{"protocolVersion", slotProtocol}, {"clientInfo", slotClientInfo}, {"pid", slotPID},
	}
)

// findSlot looks up a quoted member name; names are compared unescaped.
func findSlot(table []memberSlot, quoted []byte) slot {
	name := quoted[1 : len(quoted)-1]
	for i := range table {
		if string(name) == table[i].name {
			return table[i].slot
		}
	}
	if bytes.IndexByte(name, '\\') < 0 {
		return slotNone
	}
	for _, m := range table {
		if isText(quoted, m.name) {
			return m.slot
		}
	}
	return slotNone
}

// read parses and classifies text. A non-nil error is the reply of a message
// that is not a valid JSON-RPC 2.0 request, notification or response; it is
// always sent, with m.id, because a malformed message has no right to silence.
func (m *message) read(text []byte) *Error {
	m.id, m.method, m.response = jsonNull, m.method[:0], false
	switch err := m.scan(text); {
	case err == errBounds:
		return errInvalidRequest
	case err != nil:
		return errParse
	}
	kind := idKind(m.at[slotID])
	if kind == idValue {
		m.id = m.at[slotID]
	}
	// A batch or a scalar has no members, so it fails the version check.
	if !isText(m.at[slotVersion], "2.0") || kind == idInvalid {
		return errInvalidRequest
	}
	switch method := m.at[slotMethod]; {
	case isString(method):
		m.method = appendText(m.method, method, maxMethod)
	case method != nil:
		return errInvalidRequest
	case m.at[slotResult] != nil || m.at[slotError] != nil:
		m.response = true
	default:
		return errInvalidRequest
	}
	if kind == idAbsent {
		m.id = nil
	}
	return nil
}

// maxMethod is how many bytes of a method or tool name are looked at; longer
// ones are unknown, and quoted cut.
const maxMethod = 256

const (
	idAbsent = iota
	idValue
	idInvalid
)

// idKind sorts ids: strings, numbers and null are answered with the bytes they
// came in, an absent one and false make a notification (Lua's truth, by which
// this protocol grew up). JSON-RPC 2.0 section 4 allows no other type, so true,
// arrays, objects and ids above maxID are invalid and never echoed.
func idKind(id []byte) int {
	switch {
	case len(id) == 0 || string(id) == "false":
		return idAbsent
	case len(id) <= maxID && (isString(id) || isNumber(id) || isNull(id)):
		return idValue
	default:
		return idInvalid
	}
}

// forget lets go of the text, which may be large.
func (m *message) forget() {
	m.at = [numSlots][]byte{}
	m.id = nil
}
