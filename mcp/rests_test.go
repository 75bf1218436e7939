// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// longWorld has the tool long, whose answers show limit bytes, and a session.
func longWorld(t *testing.T, limit int) (w *world, session string) {
	w = newWorld(t)
	w.server.SetCatalogue([]Tool{{Name: "long", InputSchema: []byte(`{"type":"object"}`), ResultLimit: limit}})
	return w, w.begin("2025-11-25")
}

// call is the result of a call that the editor, if it is asked, ends with value.
func (w *world) call(session, tool, arguments, value string) string {
	w.t.Helper()
	f := w.post(session, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments))
	if len(w.open) > 0 {
		w.finish(w.open[0].Token, Outcome{Result: []byte(value)})
	}
	var reply struct{ Result json.RawMessage }
	if err := json.Unmarshal([]byte(f.said[0]), &reply); err != nil {
		w.t.Fatal(err)
	}
	return string(reply.Result)
}

// textsOf are the texts of a result's blocks.
func textsOf(t testing.TB, result string) (texts []string) {
	t.Helper()
	var r struct{ Content []struct{ Text string } }
	if err := json.Unmarshal([]byte(result), &r); err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Content {
		texts = append(texts, c.Text)
	}
	return texts
}

var goesOn = regexp.MustCompile(`(?s)^(.*)\n\n\[The result goes on: these were (\d+) of its (\d+) bytes\. To read on, call nvim_result_rest with (\{.*\})\]$`)

func quote(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

func TestLongResult_IsReadOnToItsEnd(t *testing.T) {
	t.Parallel()
	for _, limit := range []int{1, 7, 100, 5000} {
		w, session := longWorld(t, limit)
		want := strings.Repeat("aä€🤭\n\"", 300)
		var got strings.Builder
		text := textsOf(t, w.call(session, "nvim_long", "{}", quote(want)))[0]
		for {
			m := goesOn.FindStringSubmatch(text)
			if m == nil {
				got.WriteString(text)
				break
			}
			if !utf8.ValidString(m[1]) || len(m[1]) > max(limit, utf8.UTFMax) {
				t.Fatalf("a page of %d bytes: %q", len(m[1]), m[1])
			}
			got.WriteString(m[1])
			if m[2] != fmt.Sprint(got.Len()) || m[3] != fmt.Sprint(len(want)) {
				t.Fatalf("%d bytes so far, and it says %q", got.Len(), m[0][len(m[1]):])
			}
			text = textsOf(t, w.call(session, "nvim_result_rest", m[4], ""))[0]
		}
		if got.String() != want {
			t.Errorf("limit %d: %d bytes came of %d", limit, got.Len(), len(want))
		}
	}
}

func TestLongResult_ShowsSoMuchUnlessTheToolSaysHowMuch(t *testing.T) {
	t.Parallel()
	w, session := longWorld(t, 0)
	fits := strings.Repeat("x", 48<<10)
	if got := textsOf(t, w.call(session, "nvim_long", "{}", quote(fits)))[0]; got != fits {
		t.Errorf("%d bytes come as %d", len(fits), len(got))
	}
	m := goesOn.FindStringSubmatch(textsOf(t, w.call(session, "nvim_long", "{}", quote(fits+"y")))[0])
	if m == nil || m[1] != fits {
		t.Errorf("one byte more is shown: %d parts", len(m))
	}
}

func TestRest_ThatIsNotThereIsNamedByABeginning(t *testing.T) {
	t.Parallel()
	w, session := longWorld(t, 10)
	id := strings.Repeat("i", 4*maxProblem)
	got := textsOf(t, w.call(session, "nvim_result_rest", `{"id":"`+id+`","offset":0}`, ""))[0]
	if !strings.Contains(got, id[:maxProblem]+"…") || strings.Contains(got, id[:maxProblem+1]) {
		t.Error(got)
	}
}

func TestLongResult_KeepsWhatIsNoText(t *testing.T) {
	t.Parallel()
	w, session := longWorld(t, 10)
	const image = `{"type":"image","mimeType":"image/png","data":"aGk="}`
	for _, c := range []struct{ value, want string }{
		{`"0123456789"`, `{"content":[{"type":"text","text":"0123456789"}]}`},
		{`{"structuredContent":{"a":"0123456789"}}`, `{"content":[{"type":"text","text":"{\"a\":\"0123456789\"}"}],"structuredContent":{"a":"0123456789"}}`},
		{`{"content":[` + image + `,{"type":"text","text":"0123456789"}]}`, `{"content":[` + image + `,{"type":"text","text":"0123456789"}]}`},
	} {
		if got := w.call(session, "nvim_long", "{}", c.value); got != c.want {
			t.Errorf("%s\n got %s\nwant %s", c.value, got, c.want)
		}
	}
	got := w.call(session, "nvim_long", "{}", `{"isError":true,"content":[{"type":"text","text":"0123456"},`+image+`,{"type":"text","text":"abcdefg"}]}`)
	if texts := textsOf(t, got); len(texts) != 2 || !strings.HasPrefix(texts[0], "0123456\n\na\n\n[The result goes on: these were 10 of its 16 bytes.") ||
		!strings.Contains(got, image) || !strings.Contains(got, `"isError":true`) {
		t.Errorf("got %s", got)
	}
}

func TestLongResult_OfAToolWithoutALimitIsWhole(t *testing.T) {
	t.Parallel()
	w, session := longWorld(t, -1)
	text := strings.Repeat("x", 2*shownText)
	if got := textsOf(t, w.call(session, "nvim_long", "{}", quote(text)))[0]; got != text {
		t.Errorf("%d bytes", len(got))
	}
	if listed := string(w.server.tools.list(statelessDialect)); strings.Contains(listed, restTool) {
		t.Errorf("listed %s", listed)
	}
}

func TestRests_AreBounded(t *testing.T) {
	t.Parallel()
	r, c := newRests(), &call{client: &client{name: "mcp_1", profile: &stateful}, of: &Tool{Name: "long"}}
	for i := range maxRests + 1 {
		r.keep(fmt.Sprint(i), []byte("text"), 4, c)
	}
	if len(r.all) != maxRests || r.all[0].id != "1" || r.bytes != 4*maxRests {
		t.Errorf("%d kept, %d bytes, the first is %s", len(r.all), r.bytes, r.all[0].id)
	}
	r.keep("large", make([]byte, maxRestBytes-4), 4, c)
	if len(r.all) != 2 || r.bytes != maxRestBytes {
		t.Errorf("%d kept, %d bytes", len(r.all), r.bytes)
	}
	r.keep("larger", make([]byte, maxRestBytes+1), 4, c)
	if len(r.all) != 2 {
		t.Error("more than the whole room was kept")
	}
}

func TestRest_SaysWhatIsWrongWithAQuestion(t *testing.T) {
	t.Parallel()
	w, session := longWorld(t, 10)
	w.server.rests.newID = func() string { return "one" }
	w.call(session, "nvim_long", "{}", `"0123456789ä"`)
	for arguments, want := range map[string]string{
		`{"id":"two","offset":0}`:    `there is no result "two" of yours any more`,
		`{"id":"one","offset":12}`:   "offset is behind the end: the result has 12 bytes",
		`{"id":"one","offset":1e9}`:  "offset is behind the end",
		`{"id":"one","offset":-1}`:   "offset: minimum: got -1, want 0",
		`{"id":"one"}`:               "missing property 'offset'",
		`{"id":"one","offset":11}`:   "ä", // not in the middle of a character
		`{"id":"one","offset":10.0}`: "ä",
	} {
		result := w.call(session, "nvim_result_rest", arguments, "")
		if got := textsOf(t, result)[0]; !strings.Contains(got, want) || strings.Contains(result, `"isError":true`) == (want == "ä") {
			t.Errorf("%s: %s", arguments, result)
		}
	}
}

const ofOne = `{"id":"one","offset":10}`

// longResult is a world whose session has a long result, with the id one.
func longResult(t *testing.T, rules ...Rule) (w *world, session string) {
	w, session = longWorld(t, 10)
	w.server.rests.newID = func() string { return "one" }
	w.server.SetPolicy(NewPolicy(rules))
	w.call(session, "nvim_long", "{}", `"0123456789abc"`)
	return w, session
}

func TestRest_IsReadByWhoGotTheBeginning(t *testing.T) {
	t.Parallel()
	w, session := longResult(t)
	other := w.begin("2025-11-25")
	if got := w.call(other, "nvim_result_rest", ofOne, ""); !strings.Contains(got, "there is no result") {
		t.Errorf("another session reads %s", got)
	}
	stateless := w.postStateless("1", "tools/call", `"name":"nvim_result_rest","arguments":`+ofOne)
	if got := strings.Join(stateless.said, ""); !strings.Contains(got, "there is no result") {
		t.Errorf("who has no session reads %s", got)
	}
	if got := textsOf(t, w.call(session, "nvim_result_rest", ofOne, ""))[0]; got != "abc" {
		t.Errorf("its own session reads %s", got)
	}
	w.server.endSession(w.server.sessions.all[0])
	if left := w.server.rests; len(left.all) != 0 || left.bytes != 0 {
		t.Errorf("%d results and %d bytes are left of who left", len(left.all), left.bytes)
	}
}

// TestRest_WithoutASessionIsReadOverAnyConnection: such a client has nothing but its name.
func TestRest_WithoutASessionIsReadOverAnyConnection(t *testing.T) {
	t.Parallel()
	w, session := longWorld(t, 10)
	w.server.rests.newID = func() string { return "one" }
	w.postStateless("1", "tools/call", `"name":"nvim_long","arguments":{}`)
	w.finish(w.open[0].Token, Outcome{Result: []byte(`"0123456789abc"`)})
	f := w.postStateless("2", "tools/call", `"name":"nvim_result_rest","arguments":`+ofOne)
	if got := strings.Join(f.said, ""); !strings.Contains(got, "abc") {
		t.Errorf("it reads %s", got)
	}
	if got := w.call(session, "nvim_result_rest", ofOne, ""); !strings.Contains(got, "there is no result") {
		t.Errorf("a session reads %s", got)
	}
}

func TestRest_KeepsToTheRulesOfItsCall(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		rules []Rule
		want  string
	}{
		"none":                 {nil, "abc"},
		"denied since":         {[]Rule{about(Deny, "nvim_long")}, "nvim_long was denied by"},
		"under its other name": {[]Rule{about(Deny, "long")}, "nvim_long was denied by"},
		"asked since":          {[]Rule{about(Ask, "nvim_*")}, "abc"},
		"all others denied":    {[]Rule{about(Deny, "*"), about(Allow, "nvim_long")}, "abc"},
		"a path since":         {[]Rule{about(Deny, "nvim_*", "/x/**")}, "which ones it is of is not known"},
		"others' paths":        {[]Rule{about(Deny, "other", "/x/**")}, "abc"},
		"itself":               {[]Rule{about(Deny, "nvim_result_rest")}, "nvim_result_rest was denied by"},
		"itself, unprefixed":   {[]Rule{about(Deny, "result_rest")}, "nvim_result_rest was denied by"},
		"itself, asked":        {[]Rule{about(Ask, "nvim_result_rest")}, "no user interface"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, session := longResult(t)
			w.server.SetPolicy(NewPolicy(row.rules))
			if got := textsOf(t, w.call(session, "nvim_result_rest", ofOne, ""))[0]; !strings.Contains(got, row.want) {
				t.Errorf("it answers %q, not %q", got, row.want)
			}
		})
	}
}

// TestRest_OfAFileKeepsToTheRulesOfThatFile: which files a call stood for is remembered.
func TestRest_OfAFileKeepsToTheRulesOfThatFile(t *testing.T) {
	t.Parallel()
	w, session := longWorld(t, 10)
	w.server.rests.newID = func() string { return "one" }
	w.server.SetPolicy(NewPolicy([]Rule{about(Deny, "nvim_*", "/y/**")}))
	w.post(session, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nvim_long","arguments":{}}}`)
	w.server.Resolved(w.open[0].Token, []string{"/x/a"}, "")
	w.finish(w.open[1].Token, Outcome{Result: []byte(`"0123456789abc"`)})
	w.open = nil
	if got := textsOf(t, w.call(session, "nvim_result_rest", ofOne, ""))[0]; got != "abc" {
		t.Errorf("it answers %q", got)
	}
	w.server.SetPolicy(NewPolicy([]Rule{about(Deny, "nvim_*", "/x/**")}))
	if got := textsOf(t, w.call(session, "nvim_result_rest", ofOne, ""))[0]; !strings.Contains(got, "denied by nvim_*[/x/**]") {
		t.Errorf("it answers %q", got)
	}
}

func TestTool_OfTheServersOwnNameIsLeftOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if left := w.server.SetCatalogue([]Tool{{Name: restTool}}); len(left) != 1 || left[0].Err != errReserved {
		t.Errorf("left out %v", left)
	}
}
