// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestResult_BecomesACallToolResult(t *testing.T) {
	t.Parallel()
	const noResult = `"error":{"code":-32603,"message":"Internal error","data":"Tool handler returned unexpected format"}}`
	for _, c := range []struct{ result, want string }{
		{`{"content":[{"type":"text","text":"x"}],"isError":false}`, `"result":{"content":[{"type":"text","text":"x"}],"isError":false}}`},
		{` {"a":1, "content":[] } `, `"result":{"a":1, "content":[] }}`},
		{`"Opened \"a\" \u00e9\/"`, `"result":{"content":[{"type":"text","text":"Opened \"a\" \u00e9\/"}]}}`},
		{`9007199254740993`, `"result":{"content":[{"type":"text","text":"9007199254740993"}]}}`},
		{`false`, `"result":{"content":[{"type":"text","text":"false"}]}}`},
		{`{}`, `"result":{"content":[{"type":"text","text":"{}"}]}}`},
		{`[]`, `"result":{"content":[{"type":"text","text":"[]"}]}}`},
		{`{"content":"text"}`, `"result":{"content":[{"type":"text","text":"{\"content\":\"text\"}"}]}}`},
		{`{"content":[],"content":{}}`, `"result":{"content":[{"type":"text","text":"{\"content\":[],\"content\":{}}"}]}}`},
		{`{"a":{"content":[]}}`, `"result":{"content":[{"type":"text","text":"{\"a\":{\"content\":[]}}"}]}}`},
		{`["a\nb"]`, `"result":{"content":[{"type":"text","text":"[\"a\\nb\"]"}]}}`},
		{``, noResult},
		{` `, noResult},
		{`null`, noResult},
	} {
		w := ideWorld(t, ideTool("openFile"))
		call := w.callTool("1", "openFile", "{}")
		if got := w.finish(call.Token, Outcome{Result: []byte(c.result)}); got != withID("1", c.want) {
			t.Errorf("%s:\n got %s\nwant %s", c.result, got, withID("1", c.want))
		}
	}
}

func TestError_OfAToolPassesThrough(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  *Error
		want string
	}{
		{ToolError("a.lua:1: \"no\""), `"error":{"code":-32000,"message":"a.lua:1: \"no\"","data":"a.lua:1: \"no\""}}`},
		{&Error{Message: "boom"}, `"error":{"code":-32000,"message":"boom","data":"boom"}}`},
		{&Error{Message: "boom", Data: []byte(`1`)}, `"error":{"code":-32000,"message":"boom","data":1}}`},
		{&Error{Code: -32602, Message: "Invalid params", Data: []byte(`"Missing filePath parameter"`)},
			`"error":{"code":-32602,"message":"Invalid params","data":"Missing filePath parameter"}}`},
		{&Error{Code: -32001, Message: "File not open"}, `"error":{"code":-32001,"message":"File not open"}}`},
		{&Error{Code: 1, Message: "m", Data: []byte(`{"a":[1]}`)}, `"error":{"code":1,"message":"m","data":{"a":[1]}}}`},
		{&Error{Code: 1, Message: "m", Data: []byte(`oops"`)}, `"error":{"code":1,"message":"m","data":"oops\""}}`},
	} {
		w := ideWorld(t, ideTool("openFile"))
		call := w.callTool("1", "openFile", "{}")
		if got := w.finish(call.Token, Outcome{Result: []byte(`"ignored"`), Err: c.err}); got != withID("1", c.want) {
			t.Errorf("%+v:\n got %s\nwant %s", c.err, got, withID("1", c.want))
		}
	}
}

func TestNotify_RefusesWhatTheClientWouldNotTake(t *testing.T) {
	t.Parallel()
	w := ideWorld(t)
	params := []byte(`{"text":"` + strings.Repeat("x", maxIDEMessage) + `"}`)
	if w.server.Notify(1, "selection_changed", params) || w.server.BroadcastNotification("selection_changed", params, nil) {
		t.Error("sent more than 16 MiB")
	}
}

func TestReply_OfSixtyFourKiBIsGivenAway(t *testing.T) {
	t.Parallel()
	w := ideWorld(t, ideTool("openFile"))
	for _, n := range []int{giveAway - 100, giveAway, 4 * giveAway} {
		given := len(w.given)
		call := w.callTool("1", "openFile", "{}")
		sent := w.finish(call.Token, Outcome{Result: []byte(`"` + strings.Repeat("x", n) + `"`)})
		if gave := len(w.given) > given; gave != (len(sent) >= giveAway) {
			t.Errorf("%d bytes: given is %v", len(sent), gave)
		}
	}
}

func TestFinish_InsideTheCallAnswersAtOnce(t *testing.T) {
	t.Parallel()
	w := ideWorld(t, ideTool("openFile"))
	w.onCall = func(c Call) { w.server.Finish(c.Token, Outcome{Result: []byte(`"now"`)}) }
	got := w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"openFile"}}`)
	if want := withID("1", `"result":{"content":[{"type":"text","text":"now"}]}}`); got != want {
		t.Errorf("got %s", got)
	}
	if len(w.server.calls)+len(w.clock.timers) > 0 {
		t.Error("the call is still in flight")
	}
}

func TestCall_ThatPanicsInTheEditorIsAnInternalError(t *testing.T) {
	t.Parallel()
	w := ideWorld(t, ideTool("openFile"))
	w.onCall = func(Call) { panic("broken") }
	got := w.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"openFile"}}`)
	if !strings.HasPrefix(got, withID("1", `"error":{"code":-32603,"message":"Internal error","data":`)) {
		t.Errorf("got %s", got)
	}
	if got := w.say(`{"jsonrpc":"2.0","id":2,"method":"ping"}`); got != withID("2", `"result":{}}`) {
		t.Errorf("the next ping got %s", got)
	}
}

// Whatever is logged of a call names keys and sizes, never what they hold.
func TestLog_NamesKeysAndSizesNeverValues(t *testing.T) {
	t.Parallel()
	w := ideWorld(t, ideTool("openDiff"), ideTool("openFile"))
	call := w.callTool("1", "openDiff", `{"new_file_contents":"SECRET\n\u00e9","tags":["SECRET",2],"deep":{"SECRET":1},"n":4711,"b":true,"z":null}`)
	w.finish(call.Token, Outcome{Result: []byte(`{"content":[{"type":"text","text":"SECRET"}]}`)})
	call = w.callTool("2", "openFile", `{"filePath":"SECRET"}`)
	w.finish(call.Token, Outcome{Result: []byte(`"SECRET"`)})
	call = w.callTool("3", "openFile", `{}`)
	w.finish(call.Token, Outcome{Err: &Error{Code: -32001, Message: "no SECRET", Data: []byte(`"SECRET"`)}})
	w.say(`{"jsonrpc":"2.0","id":1,"method":"ping","params":"SECRET`)
	w.server.Notify(1, "selection_changed", []byte(`["SECRET"]`))
	w.clock.advance(time.Hour)
	w.server.Closed(1, 1000, "")

	log := w.log.String()
	if strings.Contains(log, "SECRET") || strings.Contains(log, "4711") {
		t.Errorf("the log shows values:\n%s", log)
	}
	for _, want := range []string{
		`tool=openDiff arguments="new_file_contents:9B tags:2 entries deep:1 entries n:number b:boolean z:null"`,
		`result="content:1 entries"`, `arguments=filePath:6B`, `result=6B`, `code=-32001 message_bytes=9`,
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %s:\n%s", want, log)
		}
	}
}

func TestLog_BoundsKeys(t *testing.T) {
	t.Parallel()
	b := []byte{'{'}
	for i := range 1000 {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `"`+strings.Repeat("k", 1000)+`":1`...)
	}
	line := sizes(append(b, '}'))
	if len(line) > maxLoggedKeys*(maxLoggedKey+len(":number "))+len(" …") {
		t.Errorf("%d bytes", len(line))
	}
}

func TestText_RoundTripsThroughQuotes(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for r := rune(0); r < 0x3000; r++ {
		all.WriteRune(r)
	}
	all.WriteString("🤭\U0010FFFF")
	text := all.String()
	quoted := appendQuoted(nil, text)
	var back string
	if err := json.Unmarshal(quoted, &back); err != nil || back != text {
		t.Errorf("appendQuoted: %v", err)
	}
	escaped, _ := json.Marshal(text)
	for _, q := range [][]byte{quoted, escaped, []byte(`"\ud83e\udd2d\"\\\/\b\f\n\r\t\u00e9"`)} {
		var want string
		if err := json.Unmarshal(q, &want); err != nil {
			t.Fatal(err)
		}
		if got := appendText(nil, q, 1<<20); string(got) != want {
			t.Errorf("appendText of %.60s differs", q)
		}
		if textLen(q) != len(want) {
			t.Errorf("textLen of %.60s is %d, want %d", q, textLen(q), len(want))
		}
	}
	for limit := range 10 {
		if got := appendText([]byte("p"), []byte(`"é\u00e9🤭"`), limit); !bytes.HasPrefix([]byte("péé🤭"), got) || len(got) > 1+limit {
			t.Errorf("limit %d: %q", limit, got)
		}
	}
}

// The helpers read validated JSON; anything else must not hurt them.
func TestMembers_OfAnythingStayInBounds(t *testing.T) {
	t.Parallel()
	for _, text := range []string{``, `"`, `{`, `[`, `{"`, `{"a`, `{"a":`, `[,`, `]`} {
		if got := sizes([]byte(text)); len(got) > 20 {
			t.Errorf("%s: %s", text, got)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		text := []byte(rapid.StringOfN(rapid.SampledFrom([]rune(`{}[]:," \u0d8a1t`)), 0, 40, -1).Draw(r, "text"))
		n := 0
		for name, value := range members(text) {
			n += len(name) + len(value)
		}
		if n > len(text) {
			r.Fatalf("%q: members have %d bytes", text, n)
		}
		_, _ = member(text, "a"), sizes(text)
		_, _ = appendIDEResult(nil, text)
		appendText(nil, text, 10)
	})
}
