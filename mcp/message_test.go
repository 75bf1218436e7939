// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"fmt"
	"strings"
	"testing"
)

// The handler that a transport drives.
var _ interface {
	Open(client uint64)
	Message(client uint64, text []byte)
	Closed(client uint64, code int, reason string)
} = (*Server)(nil)

const (
	parseError     = `"error":{"code":-32700,"message":"Parse error","data":"Invalid JSON"}}`
	invalidRequest = `"error":{"code":-32600,"message":"Invalid Request","data":"Not a valid JSON-RPC 2.0 request"}}`
)

func withID(id, rest string) string { return `{"jsonrpc":"2.0","id":` + id + `,` + rest }

func TestMessage_EchoesIDsAsTheBytesTheyCameIn(t *testing.T) {
	t.Parallel()
	w := ideWorld(t)
	for _, id := range []string{
		`0`, `-0`, `1.5`, `1.0`, `1e3`, `9007199254740993`, `123456789012345678901234567890`, `""`, `"x"`, `"\u0001\/"`, `"é✻"`,
		`"\ud83e\udd2d"`, `null`, `"` + strings.Repeat("x", maxID-2) + `"`,
	} {
		got := w.say(`{"id": ` + id + ` ,"jsonrpc":"2.0","method":"ping"}`)
		if want := withID(id, `"result":{}}`); got != want {
			t.Errorf("id %.50s: %.300s, want %.300s", id, got, want)
		}
	}
}

func TestMessage_AnswersEachKindOfMessage(t *testing.T) {
	t.Parallel()
	tooDeep := strings.Repeat("[", maxDepth+1)
	for _, c := range []struct{ name, text, want string }{
		{"not JSON", `{"jsonrpc":"2.0","id":1,"method":"ping"`, withID("null", parseError)},
		{"empty", ``, withID("null", parseError)},
		{"two values", `{"jsonrpc":"2.0","id":1,"method":"ping"}{}`, withID("null", parseError)},
		{"a number that is none", `{"jsonrpc":"2.0","id":1.0.1,"method":"ping"}`, withID("null", parseError)},
		{"a lone surrogate", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\ud800"}}`, withID("null", parseError)},
		{"too deep", tooDeep, withID("null", invalidRequest)},
		{"too deep with an id", `{"jsonrpc":"2.0","id":1,"method":"ping","params":` + tooDeep, withID("null", invalidRequest)},
		{"a number", `5`, withID("null", invalidRequest)},
		{"a boolean", `true`, withID("null", invalidRequest)},
		{"null", `null`, withID("null", invalidRequest)},
		{"a string", `"ping"`, withID("null", invalidRequest)},
		{"an empty batch", `[]`, withID("null", invalidRequest)},
		{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, withID("null", invalidRequest)},
		{"an empty object", `{}`, withID("null", invalidRequest)},
		{"no version", `{"id":1,"method":"ping"}`, withID("1", invalidRequest)},
		{"version 1.0", `{"jsonrpc":"1.0","id":"a","method":"ping"}`, withID(`"a"`, invalidRequest)},
		{"a number as version", `{"jsonrpc":2.0,"id":1,"method":"ping"}`, withID("1", invalidRequest)},
		{"a malformed notification", `{"method":"ping"}`, withID("null", invalidRequest)},
		{"an escaped version", `{"jsonrpc":"\u0032.0","id":1,"method":"p\u0069ng"}`, withID("1", `"result":{}}`)},
		{"no method", `{"jsonrpc":"2.0","id":1}`, withID("1", invalidRequest)},
		{"a number as method", `{"jsonrpc":"2.0","id":1,"method":1}`, withID("1", invalidRequest)},
		{"a number as method of a notification", `{"jsonrpc":"2.0","method":1}`, withID("null", invalidRequest)},
		{"a number as method beside a result", `{"jsonrpc":"2.0","id":1,"method":1,"result":{}}`, withID("1", invalidRequest)},
		{"an object as id", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, withID("null", invalidRequest)},
		{"an array as id", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, withID("null", invalidRequest)},
		{"true as id", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, withID("null", invalidRequest)},
		{"an id that is too long", `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", maxID-1) + `","method":"ping"}`, withID("null", invalidRequest)},
		{"false as id", `{"jsonrpc":"2.0","id":false,"method":"ping"}`, ``},
		{"false as id of an unknown method", `{"jsonrpc":"2.0","id":false,"method":"nope"}`, ``},
		{"a notification", `{"jsonrpc":"2.0","method":"ping"}`, ``},
		{"an unknown notification", `{"jsonrpc":"2.0","method":"notifications/nope"}`, ``},
		{"a call of an unknown tool as notification", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"nope"}}`, ``},
		{"a result", `{"jsonrpc":"2.0","id":1,"result":{}}`, ``},
		{"an error", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`, ``},
		{"an error with a null id", `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}`, ``},
		{"a null result", `{"jsonrpc":"2.0","id":1,"result":null}`, ``},
		{"an unknown method", `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`,
			withID("1", `"error":{"code":-32601,"message":"Method not found","data":"Unknown method: resources/list"}}`)},
		{"an empty method", `{"jsonrpc":"2.0","id":1,"method":""}`,
			withID("1", `"error":{"code":-32601,"message":"Method not found","data":"Unknown method: "}}`)},
		{"a method to be quoted", `{"jsonrpc":"2.0","id":1,"method":"a\"\\\u0007\n\/é"}`,
			withID("1", `"error":{"code":-32601,"message":"Method not found","data":"Unknown method: a\"\\\u0007\n/é"}}`)},
		{"a method that is long", `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("é", 1000) + `"}`,
			withID("1", `"error":{"code":-32601,"message":"Method not found","data":"Unknown method: `+strings.Repeat("é", maxMethod/2)+`"}}`)},
		{"a ping", `{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}`, withID("1", `"result":{}}`)},
		{"the prompts", `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`, withID("1", `"result":{"prompts":[]}}`)},
		{"initialized with an id", `{"jsonrpc":"2.0","id":1,"method":"notifications/initialized"}`, withID("1", `"result":{}}`)},
		{"ide_connected with an id", `{"jsonrpc":"2.0","id":1,"method":"ide_connected"}`, withID("1", `"result":{}}`)},
		{"cancelled with an id", `{"jsonrpc":"2.0","id":1,"method":"notifications/cancelled"}`, withID("1", `"result":{}}`)},
		{"a call without params", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`,
			withID("1", `"error":{"code":-32602,"message":"Invalid params","data":"params.name must be a string, the name of the tool"}}`)},
		{"a call of a number", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}`,
			withID("1", `"error":{"code":-32602,"message":"Invalid params","data":"params.name must be a string, the name of the tool"}}`)},
		{"a call of no tool", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no\"pe"}}`,
			withID("1", `"error":{"code":-32601,"message":"Tool not found: no\"pe"}}`)},
		{"arguments in an array", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"openFile","arguments":[]}}`,
			withID("1", `"error":{"code":-32602,"message":"Invalid params","data":"params.arguments must be an object"}}`)},
		{"a string as arguments", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"openFile","arguments":"{}"}}`,
			withID("1", `"error":{"code":-32602,"message":"Invalid params","data":"params.arguments must be an object"}}`)},
	} {
		w := ideWorld(t, ideTool("openFile"))
		if got := w.say(c.text); got != c.want {
			t.Errorf("%s:\n got %.400s\nwant %.400s", c.name, got, c.want)
		}
		if len(w.open) > 0 {
			t.Errorf("%s: the editor was called", c.name)
		}
		if got, want := w.say(`{"jsonrpc":"2.0","id":2,"method":"ping"}`), withID("2", `"result":{}}`); got != want {
			t.Errorf("%s: the next ping got %s", c.name, got)
		}
	}
}

func TestMessage_OfAnUnknownClientIsIgnored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.Message(9, []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	w.server.Closed(9, 1000, "")
	if len(w.lines) > 0 {
		t.Errorf("sent %q", w.lines)
	}
}

func TestMessage_KeepsNothingOfTheText(t *testing.T) {
	t.Parallel()
	w := ideWorld(t, ideTool("openFile"))
	w.say(withID("1", `"method":"tools/call","params":{"name":"openFile","arguments":{},"_meta":{"progressToken":1}}}`))
	for _, value := range append(w.server.in.at[:], w.server.in.id) {
		if value != nil {
			t.Fatal("a message of 100 MiB would stay until the next one")
		}
	}
}

func TestProgress_IsAskedForWithAStringOrANumber(t *testing.T) {
	t.Parallel()
	for token, want := range map[string]bool{
		`1`: true, `-1.5`: true, `""`: true, `"x"`: true, `"` + strings.Repeat("x", maxID-2) + `"`: true,
		``: false, `null`: false, `true`: false, `{}`: false, `[1]`: false, `"` + strings.Repeat("x", maxID-1) + `"`: false,
	} {
		if got := newProgressState([]byte(token)).token; (got != nil) != want || want && string(got) != token {
			t.Errorf("token %.20s is kept as %.20s", token, got)
		}
	}
}

func TestCall_GetsItsArgumentsAsTheyCame(t *testing.T) {
	t.Parallel()
	w := ideWorld(t, ideTool("openFile"))
	for i, c := range []struct{ params, want string }{
		{`{"name":"openFile"}`, `{}`},
		{`{"name":"openFile","arguments":null}`, `{}`},
		{`{"name":"openFile","arguments":{ "a" : 9007199254740993, "b":[{}], "c":"\ud83e\udd2d\u0000" }}`, `{ "a" : 9007199254740993, "b":[{}], "c":"\ud83e\udd2d\u0000" }`},
		{`{"n\u0061me":"\u006fpenFile","arguments":{}}`, `{}`},
	} {
		w.say(withID(fmt.Sprint(i), `"method":"tools/call","params":`+c.params+`}`))
		if got := string(w.open[i].Args); got != c.want {
			t.Errorf("%s: %s", c.params, got)
		}
	}
}

func TestCall_OfANotificationRunsUnanswered(t *testing.T) {
	t.Parallel()
	w := ideWorld(t, ideTool("openFile"))
	w.say(`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"openFile"}}`)
	w.say(`{"jsonrpc":"2.0","method":"notifications/cancelled"}`)
	if len(w.open) != 1 {
		t.Fatal("a cancellation of nothing cancelled it")
	}
	if got := w.finish(w.open[0].Token, Outcome{Err: ToolError("x")}); got != "" {
		t.Errorf("answered %s", got)
	}
}

func TestCalls_AreBoundedPerClient(t *testing.T) {
	t.Parallel()
	w := ideWorld(t, ideTool("openFile"))
	w.server.Open(2)
	for i := range 256 {
		w.callTool(fmt.Sprint(i), "openFile", "{}")
	}
	const call = `{"jsonrpc":"2.0","id":"more","method":"tools/call","params":{"name":"openFile"}}`
	want := withID(`"more"`, `"error":{"code":-32000,"message":"too many calls in flight","data":"too many calls in flight"}}`)
	if got := w.say(call); got != want {
		t.Errorf("call 257: %s", got)
	}
	w.server.Message(2, []byte(call))
	if len(w.open) != 257 {
		t.Errorf("another client's call was refused")
	}
	w.finish(w.open[0].Token, Outcome{Result: []byte(`1`)})
	if got := w.say(call); got != "" {
		t.Errorf("after one ended: %s", got)
	}
}

func TestClients_RemembersWhatTheyTold(t *testing.T) {
	t.Parallel()
	w := ideWorld(t)
	long := strings.Repeat("é", maxInfo)
	w.say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"` + long + `","version":"\u0031"}}}`)
	for _, pid := range []string{`-1`, `1.5`, `"7"`, `99999999999999999999`, `null`, `{}`} {
		w.say(`{"jsonrpc":"2.0","method":"ide_connected","params":{"pid":` + pid + `}}`)
	}
	got := w.server.Clients()[0]
	want := ClientInfo{ID: 1, Name: long[:maxInfo], Version: "1"}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestRespond_AnswersForWhoeverTookARequestOver(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, id string
		out      Outcome
		want     string
	}{
		{"a result", `7`, Outcome{Result: []byte(`{"a":1}`)}, withID("7", `"result":{"a":1}}`)},
		{"a null id", `null`, Outcome{Result: []byte(`null`)}, withID("null", `"result":null}`)},
		{"an error", `"x"`, Outcome{Err: &Error{Code: -1, Message: "m"}}, withID(`"x"`, `"error":{"code":-1,"message":"m"}}`)},
		{"an error without a code", `1`, Outcome{Err: &Error{Message: "m"}}, withID("1", `"error":{"code":-32000,"message":"m","data":"m"}}`)},
		{"true as id", `true`, Outcome{Result: []byte(`1`)}, ``},
		{"an object as id", `{}`, Outcome{Result: []byte(`1`)}, ``},
		{"an id that is too long", `"` + strings.Repeat("x", maxID) + `"`, Outcome{Result: []byte(`1`)}, ``},
		{"no id", ``, Outcome{Result: []byte(`1`)}, ``},
		{"too large", `1`, Outcome{Result: []byte(`"` + strings.Repeat("x", maxIDEMessage) + `"`)},
			withID("1", `"error":{"code":-32000,"message":"the answer has 16777252 bytes, and this client takes 16777216",`+
				`"data":"the answer has 16777252 bytes, and this client takes 16777216"}}`)},
	} {
		w := ideWorld(t)
		if w.server.Respond(2, []byte(c.id), c.out) {
			t.Errorf("%s: answered to a client that is not there", c.name)
		}
		sent := w.server.Respond(1, []byte(c.id), c.out)
		if got := w.since(0); got != c.want || sent != (c.want != "") {
			t.Errorf("%s:\n got %v %.200s\nwant %.200s", c.name, sent, got, c.want)
		}
	}
}
