// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// shownText is how many bytes of text one answer shows of a result, unless the tool
	// says another number: Claude Code writes a longer one, from 50,000 characters on,
	// to a file of which its model sees 2 KB, and other clients fill their context.
	shownText = 48 << 10
	// maxRests is how many long results are kept, and maxRestBytes how many bytes they
	// have. The oldest goes.
	maxRests     = 32
	maxRestBytes = 64 << 20
	// restTool is the name, without prefix, of the tool that shows the rest of them.
	restTool = "result_rest"
)

// restOfResults makes the tool by which a client reads on in a result that was cut. The
// server runs it, whatever the editor does.
func restOfResults() *Tool {
	t := &Tool{
		Name:  restTool,
		Title: "Rest of a result",
		Description: "Continue reading a long result of another tool. Its text ended with a note that says " +
			"with which arguments to call this.",
		InputSchema: []byte(`{"type":"object","properties":{` +
			`"id":{"type":"string","description":"The result, as the note names it"},` +
			`"offset":{"type":"integer","minimum":0,"description":"The byte to begin at, as the note says"}},` +
			`"required":["id","offset"],"additionalProperties":false}`),
		Annotations: []byte(`{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`),
		ResultLimit: -1,
	}
	t.made = &compiled{}
	t.made.accepts, t.made.err = accept(t.InputSchema)
	return t
}

// shown is how many bytes of text one answer shows of the tool's results; 0 is all.
func (t *Tool) shown() int {
	if t.ResultLimit == 0 {
		return shownText
	}
	return max(t.ResultLimit, 0)
}

// rests are the long results, oldest first.
type rests struct {
	all   []rest
	bytes int
	// newID makes an id that nobody can guess.
	newID func() string
}

// rest is a long result, and the call that it is of.
type rest struct {
	id    string
	text  []byte
	limit int
	owner string // may read on
	of    held
}

func newRests() rests { return rests{newID: func() string { return rand.Text()[:12] }} }

// keep stores a call's result unless it is nil.
func (r *rests) keep(id string, text []byte, limit int, c *call) {
	if text == nil || len(text) > maxRestBytes {
		return
	}
	of := held{tool: c.of, names: namesOf(c.of.Name, c.client.profile.prefix)}
	if c.held != nil {
		of.paths, of.resolved = c.held.paths, c.held.resolved
	}
	r.all = append(r.all, rest{id, text, limit, c.client.owner(), of})
	r.bytes += len(text)
	for len(r.all) > maxRests || r.bytes > maxRestBytes {
		r.bytes -= len(r.all[0].text)
		r.all = slices.Delete(r.all, 0, 1)
	}
}

// owner is who may read on in the results of a client: itself, and of those that are known
// by nothing but what they call themselves, each of that name.
func (c *client) owner() string {
	if strings.HasPrefix(c.name, prefixStateless) {
		return prefixStateless + " " + c.says()
	}
	return c.name
}

// forget drops the results of an owner that left.
func (r *rests) forget(owner string) {
	r.all = slices.DeleteFunc(r.all, func(one rest) bool {
		if one.owner == owner {
			r.bytes -= len(one.text)
		}
		return one.owner == owner
	})
}

// find is the result that a call of restTool names, or nil: those of others are not there.
func (r *rests) find(c *call, id string) *rest {
	i := slices.IndexFunc(r.all, func(one rest) bool { return one.id == id && one.owner == c.client.owner() })
	if i < 0 {
		return nil
	}
	return &r.all[i]
}

// readOn serves a call of restTool. It goes on with the call that the result is of, so the
// rules of that hold, as they are now: what they would ask was asked then, and what they deny
// is not read on. For restTool itself there are those rules that spell its name.
func (s *Server) readOn(c *call, arguments []byte) {
	names := namesOf(restTool, c.client.profile.prefix)
	names.exact = true
	c.held = &held{name: names.seen, names: names, tool: c.of, otherwise: c.of.Policy, arguments: arguments, resolved: true}
	from := s.rests.find(c, textOf(arguments, "id"))
	if from == nil {
		s.release(c) // which says so
		return
	}
	c.held.paths = from.of.paths
	if s.needsPaths(&from.of) {
		c.held.verdict = verdict{action: Deny}
		s.deny(c, fmt.Sprintf("the result of %s is not read on: a rule of the user's is about paths since, "+
			"and which ones it is of is not known. Call the tool again", from.of.names.seen))
		return
	}
	otherwise := verdict{action: from.of.otherwise}
	v := s.gate.policy.decide(from.of.names, from.of.paths, otherwise, func(string) bool { return true })
	if v.action == Deny {
		c.held.verdict = v
		s.deny(c, v.denial(from.of.names.seen))
		return
	}
	s.judge(c)
}

// read answers a call of restTool.
func (r *rests) read(c *call, arguments []byte) Outcome {
	id := textOf(arguments, "id")
	from := r.find(c, id)
	if from == nil {
		return Outcome{Err: ToolError(fmt.Sprintf("there is no result %q of yours any more: only the last %d are kept, "+
			"and for who got them. Call the tool that gave it again", cut(id, maxProblem), maxRests))}
	}
	offset, err := strconv.ParseFloat(string(member(arguments, "offset")), 64)
	if err == nil && offset < float64(len(from.text)) {
		begin := int(offset)
		for begin > 0 && !utf8.RuneStart(from.text[begin]) {
			begin--
		}
		part := page(from.text[begin:], from.limit)
		end := begin + len(part)
		if end < len(from.text) {
			part = append(slices.Clone(part), note(c.client.profile.prefix, id, end, len(from.text))...)
		}
		r := callResult{content: textContent(appendQuoted(nil, part))}
		return Outcome{Result: r.append(nil)}
	}
	return Outcome{Err: ToolError(fmt.Sprintf("offset is behind the end: the result has %d bytes", len(from.text)))}
}

// page is the first limit bytes of a text, cut between characters.
func page(text []byte, limit int) []byte {
	if len(text) <= limit {
		return text
	}
	end := limit
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	if end == 0 { // less than one character would never come to an end
		_, end = utf8.DecodeRune(text)
	}
	return text[:end]
}

// note is what a text ends with that goes on.
func note(prefix, id string, offset, total int) string {
	return fmt.Sprintf("\n\n[The result goes on: these were %d of its %d bytes. To read on, call %s%s with {\"id\":%q,\"offset\":%d}]",
		offset, total, prefix, restTool, id, offset)
}

// betweenBlocks is what stands between the texts of blocks when they are read on.
const betweenBlocks = "\n\n"

// cut shortens the text in content to the limit. What it all was is whole then; blocks of
// other kinds stay.
func (m *maker) cut(content []byte) []byte {
	var whole []byte
	n := 0
	for _, block := range members(content) {
		if !isText(member(block, "type"), "text") {
			continue
		}
		if n++; n > 1 {
			whole = append(whole, betweenBlocks...)
		}
		quoted := member(block, "text")
		whole = appendText(whole, quoted, len(quoted))
	}
	if len(whole) <= m.limit {
		return content
	}
	m.whole = whole
	shown := page(whole, m.limit)
	text := append(slices.Clone(shown), note(toolPrefix, m.id, len(shown), len(whole))...)
	first := true
	b := []byte{'['}
	for _, block := range members(content) {
		if isText(member(block, "type"), "text") {
			if !first {
				continue
			}
			first = false
			block = append(appendQuoted([]byte(`{"type":"text","text":`), text), '}')
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(b, block...)
	}
	return append(b, ']')
}
