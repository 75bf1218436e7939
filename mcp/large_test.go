// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !race

// Texts of many megabytes, over which the race detector takes most of its time and finds what it
// finds with short ones.

package mcp

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// Each text made a JSON library allocate gigabytes, take seconds or end the process.
func TestGuard_IsLinearInTimeAndFreeInMemory(t *testing.T) {
	const size = 8 << 20
	deep := strings.Repeat("[", maxDepth)
	for _, c := range []struct {
		name, text string
		want       error
	}{
		{"open brackets", strings.Repeat("[", size), errBounds},
		{"balanced brackets", strings.Repeat("[", size/2) + strings.Repeat("]", size/2), errBounds},
		{"ones", "[" + strings.Repeat("1,", size/2) + "1]", errBounds},
		{"empty objects", "[" + strings.Repeat("{},", size/3) + "{}]", errBounds},
		{"a misspelt literal below 128 levels", deep + `txxx,"` + strings.Repeat("x", size) + `"` + strings.Repeat("]", 128), errSyntax},
		{"junk below 128 levels", deep + strings.Repeat("x", size), errSyntax},
		{"a huge string", `"` + strings.Repeat("x", size) + `"`, nil},
		{"a huge string without an end", `"` + strings.Repeat("x", size), errSyntax},
		{"a huge string of quotes", `"` + strings.Repeat(`\"`, size/2) + `"`, nil},
		{"a huge string of backslashes", `"` + strings.Repeat(`\`, size) + `"`, nil},
		{"a huge number", strings.Repeat("1", size), nil},
		{"a huge key", `{"` + strings.Repeat("k", size) + `":1}`, nil},
		{"a huge escaped key", `{"` + strings.Repeat(`\u006b`, size/6) + `":1}`, nil},
		{"duplicate params", `{"params":{` + strings.Repeat(`"name":0,`, maxValues/2) + `"name":1}}`, nil},
	} {
		text := []byte(c.text)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := time.Now()
		if err := checkJSON(text); err != c.want {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		// A quadratic pass over 8 MiB takes hours, so a limit that no load reaches will do.
		if took := time.Since(began); took > time.Minute {
			t.Errorf("%s: took %v", c.name, took)
		}
		runtime.ReadMemStats(&after)
		if grew := after.TotalAlloc - before.TotalAlloc; grew > 1<<20 {
			t.Errorf("%s: allocated %d bytes", c.name, grew)
		}
	}
}

func TestResult_AboveTheClientsLimitIsAnError(t *testing.T) {
	t.Parallel()
	overhead := len(withID("1", `"result":{"content":[{"type":"text","text":""}]}}`))
	text := func(n int) []byte { return []byte(`"` + strings.Repeat("x", n) + `"`) }
	for _, c := range []struct {
		name   string
		out    Outcome
		tooBig bool
	}{
		{"the limit", Outcome{Result: text(maxIDEMessage - overhead)}, false},
		{"one above", Outcome{Result: text(maxIDEMessage - overhead + 1)}, true},
		{"far above", Outcome{Result: text(maxIDEMessage * 2)}, true},
		{"above when quoted", Outcome{Result: []byte(`["` + strings.Repeat(`\n`, maxIDEMessage/3) + `"]`)}, true},
		{"an error", Outcome{Err: ToolError(strings.Repeat("x", maxIDEMessage/2))}, true},
	} {
		w := ideWorld(t, ideTool("openFile"))
		call := w.callTool("1", "openFile", "{}")
		got := w.finish(call.Token, c.out)
		if len(got) > maxIDEMessage {
			t.Errorf("%s: sent %d bytes", c.name, len(got))
		}
		if isError := strings.HasPrefix(got, withID("1", `"error":{"code":-32000,"message":"the answer has `)); isError != c.tooBig {
			t.Errorf("%s: got %.200s", c.name, got)
		}
		if got := w.say(`{"jsonrpc":"2.0","id":2,"method":"ping"}`); got != withID("2", `"result":{}}`) {
			t.Errorf("%s: the next ping got %.200s", c.name, got)
		}
		if cap(w.server.out) > 2*giveAway {
			t.Errorf("%s: %d bytes of scratch are kept", c.name, cap(w.server.out))
		}
	}
}

func TestAnswers_OfOnePOSTAreBoundedTogether(t *testing.T) {
	t.Parallel()
	w := httpWorld(newWorld(t), "big")
	id := w.begin("2025-03-26")
	call := func(n int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"nvim_big"}}`, n)
	}
	result := Outcome{Result: []byte(`"` + strings.Repeat("x", maxHTTPMessage/2) + `"`)}
	f := w.post(id, "["+call(1)+","+call(2)+","+call(3)+"]")
	for range 3 {
		w.finish(w.open[0].Token, result)
	}
	if got := strings.Count(f.said[0], `"error":{"code":-32000,"message":"the answer has `); got != 2 {
		t.Errorf("%d of 3 answers are errors", got)
	}
	if len(f.said[0]) > maxHTTPMessage+3*leastRoom {
		t.Errorf("%d bytes", len(f.said[0]))
	}
	f = w.post(id, call(4))
	w.finish(w.open[0].Token, Outcome{Result: []byte(`"` + strings.Repeat("x", maxHTTPMessage) + `"`)})
	if !strings.Contains(f.said[0], `"error":{"code":-32000`) {
		t.Errorf("said %.200s", f.said[0])
	}
}

func TestAnswers_OfOnePOSTLeaveRoomForAnError(t *testing.T) {
	t.Parallel()
	for left, want := range map[int]int{100 << 10: 100 << 10, 64 << 10: 64 << 10, 1: 64 << 10, -1: 64 << 10} {
		c := client{profile: &stateful, used: maxHTTPMessage - left}
		if got := c.room(); got != want {
			t.Errorf("%d bytes are left, and room for %d", left, got)
		}
	}
}

func TestCheck_AllowsEveryValueOfAMessage(t *testing.T) {
	t.Parallel()
	a := mustAccept(t, `{"type":"object","properties":{"a":{"type":"array","items":{"anyOf":[{"type":"integer"},{"type":"string"}]}}}}`)
	arguments := `{"a":[` + strings.Repeat("1,", maxValues-10) + `1]}`
	if err := checkJSON([]byte(arguments)); err != nil {
		t.Fatal(err)
	}
	if _, err := a.complete([]byte(arguments), visitsFor(len(arguments))); err != nil {
		t.Error(err)
	}
}
