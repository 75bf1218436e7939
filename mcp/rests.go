// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
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

// restOfResults is the tool by which a client reads on in a result that was cut. The
// server runs it, whatever the editor does.
var restOfResults = Tool{
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

func init() {
	restOfResults.made = &compiled{}
	restOfResults.made.accepts, restOfResults.made.err = accept(restOfResults.InputSchema)
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

type rest struct {
	id    string
	text  []byte
	limit int
}

func newRests() rests { return rests{newID: func() string { return rand.Text()[:12] }} }

// keep stores a result unless it is nil.
func (r *rests) keep(id string, text []byte, limit int) {
	if text == nil || len(text) > maxRestBytes {
		return
	}
	r.all = append(r.all, rest{id, text, limit})
	r.bytes += len(text)
	for len(r.all) > maxRests || r.bytes > maxRestBytes {
		r.bytes -= len(r.all[0].text)
		r.all = slices.Delete(r.all, 0, 1)
	}
}

// read answers a call of restTool.
func (r *rests) read(prefix string, arguments []byte) Outcome {
	id := textOf(arguments, "id")
	i := slices.IndexFunc(r.all, func(one rest) bool { return one.id == id })
	if i < 0 {
		return Outcome{Err: ToolError(fmt.Sprintf("there is no result %q any more: only the last %d are kept. "+
			"Call the tool that gave it again", cut(id, maxProblem), maxRests))}
	}
	offset, err := strconv.ParseFloat(string(member(arguments, "offset")), 64)
	if from := r.all[i]; err == nil && offset < float64(len(from.text)) {
		begin := int(offset)
		for begin > 0 && !utf8.RuneStart(from.text[begin]) {
			begin--
		}
		part := page(from.text[begin:], from.limit)
		end := begin + len(part)
		if end < len(from.text) {
			part = append(slices.Clone(part), note(prefix, id, end, len(from.text))...)
		}
		r := callResult{content: textContent(appendQuoted(nil, part))}
		return Outcome{Result: r.append(nil)}
	}
	return Outcome{Err: ToolError(fmt.Sprintf("offset is behind the end: the result has %d bytes", len(r.all[i].text)))}
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
