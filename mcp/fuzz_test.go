// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

var corpus = []string{
	`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"c","version":"1"}}}`,
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"openFile","arguments":{"filePath":"a"},"_meta":{"progressToken":1}}}`,
	`{"jsonrpc":"2.0","id":1.0.1,"method":"ping"}`, `{"id":1,"id":"\u0031","\u0069d":null}`, `{"params":{"name":"a"},"params":[]}`,
	`{"a":"\ud83e\udd2d.md"}`, `{"a":"\ud83e"}`, `{"a":"\u0000"}`, `[[[[`, `[1,1,1]`, `{"a":tru}`, `"\`, ` { } `, `{"":{"":[]}}`, `-`, `01`, `{"a":1,}`,
	`{"jsonrpc":"2.0","id":false,"method":"ping"}`, `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`,
	`{"params":{"n\u0061me":1,"name":2}}`, `{"id\u0100":null}`, `{"id":1,"i\u0064\ud83d\ude00":2}`, `{"id":{},"method":[]}`, "{\"a\x00\":1}", `[{"id":1}]`,
}

// FuzzGuard compares the guard with encoding/json: what is JSON, and what the
// members are. Lone surrogates are the one difference, beside the bounds.
func FuzzGuard(f *testing.F) {
	for _, text := range corpus {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { agrees(t, text) })
}

// FuzzGuard's inputs are seldom JSON; these are, or miss it by one byte.
func TestGuard_AgreesWithEncodingJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		text := anyJSON(r, 4)
		if rapid.Bool().Draw(r, "broken") {
			at := rapid.IntRange(0, len(text)-1).Draw(r, "at")
			by := rapid.SampledFrom([]string{"", "\\", "\"", "}", "]", "{", ",", ":", "0", " "}).Draw(r, "by")
			text = text[:at] + by + text[at+1:]
		}
		agrees(r, []byte(text))
	})
}

func anyJSON(r *rapid.T, depth int) string {
	space := rapid.SampledFrom([]string{"", "", "", " ", "\n\t"})
	list := func(item func() string) string {
		var items []string
		for range rapid.IntRange(0, 4).Draw(r, "n") {
			items = append(items, space.Draw(r, "space")+item()+space.Draw(r, "space"))
		}
		return strings.Join(items, ",")
	}
	kind := rapid.IntRange(0, 3).Draw(r, "kind")
	switch {
	case kind < 2 && depth > 0:
		return "{" + list(func() string {
			name := rapid.SampledFrom([]string{"params", "name", "id", `\u0069d`, "par\u0061ms", "_meta", "method", "pid", "", "x"})
			return `"` + name.Draw(r, "name") + `"` + space.Draw(r, "space") + ":" + space.Draw(r, "space") + anyJSON(r, depth-1)
		}) + "}"
	case kind == 2 && depth > 0:
		return "[" + list(func() string { return anyJSON(r, depth-1) }) + "]"
	default:
		return rapid.SampledFrom([]string{
			"0", "-1.5e+3", "true", "false", "null", `""`, `"a}]"`, `"\\"`, `"\""`, `"\ud83e\udd2d"`, `"\ud83e"`, `"\udd2d"`, `"\u12"`, "01", "1.", "tru",
		}).Draw(r, "scalar")
	}
}

// agrees compares the guard with encoding/json on one text.
func agrees(t rapid.TB, text []byte) {
	if !utf8.Valid(text) {
		t.Skip("transports refuse it")
	}
	var m message
	err := m.scan(text)
	valid := json.Valid(text)
	switch {
	case err == errBounds:
		return
	case err == errSurrogate:
		// A text may break another rule further on.
		if valid && !decodesToReplacement(text) {
			t.Fatalf("no lone surrogate in %q", text)
		}
		return
	case (err == nil) != valid:
		t.Fatalf("%q: %v, but valid is %v", text, err, valid)
	case err != nil:
		return
	case decodesToReplacement(text) && !bytes.ContainsRune(text, utf8.RuneError) && !bytes.Contains(bytes.ToLower(text), []byte(`\ufffd`)):
		t.Fatalf("a lone surrogate passed in %q", text)
	}
	var top, params map[string]json.RawMessage
	if json.Unmarshal(text, &top) != nil {
		top = nil // not an object
	} else if json.Unmarshal(top["params"], &params) != nil {
		params = nil
	}
	compare(t, text, &m, topMembers, top)
	compare(t, text, &m, paramMembers, params)
	for name, value := range top {
		if got := member(trimSpace(text), name); isPlain(name) && !bytes.Equal(got, value) {
			t.Fatalf("%q: member %q is %q, want %q", text, name, got, value)
		}
	}
}

func compare(t rapid.TB, text []byte, m *message, table []memberSlot, want map[string]json.RawMessage) {
	for _, entry := range table {
		if got := m.at[entry.slot]; !bytes.Equal(got, want[entry.name]) {
			t.Fatalf("%q: %s is %q, want %q", text, entry.name, got, want[entry.name])
		}
	}
}

// decodesToReplacement reports whether a string of text means U+FFFD, which is
// what encoding/json makes of a lone surrogate.
func decodesToReplacement(text []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(text))
	for {
		token, err := dec.Token()
		if err != nil {
			return false
		}
		if s, ok := token.(string); ok && strings.ContainsRune(s, utf8.RuneError) {
			return true
		}
	}
}

// isPlain is what isText asks of a name.
func isPlain(name string) bool {
	return strings.IndexFunc(name, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) < 0 && len(name) < 40
}

// FuzzEnvelope sends anything to a server: it is answered at most once, with
// JSON, with the id it came with, and the next request is served.
func FuzzEnvelope(f *testing.F) {
	for _, text := range corpus {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !utf8.Valid(text) {
			t.Skip("transports refuse it")
		}
		w := ideWorld(t, ideTool("openFile"))
		reply := w.say(string(text))
		if len(w.sent[1]) > 1 {
			t.Fatalf("%q was answered %d times", text, len(w.sent[1]))
		}
		var in map[string]json.RawMessage
		if json.Unmarshal(text, &in) != nil {
			in = nil
		}
		if reply != "" {
			var out struct {
				JSONRPC string
				ID      json.RawMessage
				Result  json.RawMessage
				Error   *struct{ Code int }
			}
			if err := json.Unmarshal([]byte(reply), &out); err != nil || out.JSONRPC != "2.0" {
				t.Fatalf("%q: answered %q: %v", text, reply, err)
			}
			if (out.Result == nil) == (out.Error == nil) {
				t.Fatalf("%q: neither result nor error, or both: %q", text, reply)
			}
			if string(out.ID) != "null" && !bytes.Equal(out.ID, in["id"]) {
				t.Fatalf("%q: answered with id %s", text, out.ID)
			}
			if out.Result != nil && !bytes.Equal(out.ID, in["id"]) {
				t.Fatalf("%q: a result with id %s", text, out.ID)
			}
		}
		if got, want := w.say(`{"jsonrpc":"2.0","id":"next","method":"ping"}`), withID(`"next"`, `"result":{}}`); got != want {
			t.Fatalf("after %q: %s", text, got)
		}
	})
}
