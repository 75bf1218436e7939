// Copyright (c) 2026 the claudecoded authors. MIT license.

package relay

import (
	"strings"
	"testing"

	"claudecoded/test/rig"
)

func TestRelay_WithoutAnEditorKeepsTheClientAndSaysWhy(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	if answer := s.greet(); idOf(t, answer) != "0" || !strings.Contains(answer, `"protocolVersion":"2025-11-25"`) ||
		!strings.Contains(answer, `"listChanged":true`) || !strings.Contains(answer, errNowhere.Error()) {
		t.Errorf("initialize: %s", answer)
	}
	for name, test := range map[string]struct{ line, want string }{
		"discover":         {alone("1", "server/discover", ""), `"resultType":"complete"`},
		"tools/list":       {`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}`},
		"tools/list alone": {alone("3", "tools/list", ""), `"tools":[]`},
		"a call":           {toolCall("4", "nvim_repeat", `{"n":1}`), errNowhere.Error()},
		"a call alone":     {alone("5", "tools/call", `"name":"nvim_repeat","arguments":{}`), errNowhere.Error()},
		"ping":             {`{"jsonrpc":"2.0","id":6,"method":"ping"}`, `"result":{}`},
	} {
		s.send(test.line)
		if got := s.next(); !strings.Contains(got, test.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
	s.silent()
	d := rig.Start(t, rig.Config{})
	s.move(d)
	s.tell()
	if got := s.next(); !changed(got) {
		t.Errorf("an editor came: %s", got)
	}
	s.send(toolCall("7", "nvim_repeat", `{"n":1}`))
	if got := s.next(); !strings.Contains(got, `"r"`) {
		t.Errorf("%s", got)
	}
}

func TestRelay_SubscriptionBeginsWithoutAnEditor(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.send(alone("1", "subscriptions/listen", `"notifications":{"toolsListChanged":true}`))
	if got := s.next(); !strings.Contains(got, "acknowledged") || !strings.Contains(got, `"notifications":{"toolsListChanged":true}`) ||
		!strings.Contains(got, `"io.modelcontextprotocol/subscriptionId":1`) {
		t.Errorf("%s", got)
	}
	s.move(rig.Start(t, rig.Config{}))
	s.tell()
	if got := s.next(); !strings.Contains(got, "tools/list_changed") || !strings.Contains(got, `"io.modelcontextprotocol/subscriptionId":1`) {
		t.Errorf("%s", got)
	}
	s.silent()
}

// A client that asks nothing hears of the next editor all the same.
func TestRelay_NoticesThatTheEditorOfAnIdleClientWent(t *testing.T) {
	t.Parallel()
	first, second := rig.Start(t, rig.Config{}), rig.Start(t, rig.Config{})
	s := start(t, first)
	s.greet()
	s.move(second)
	if err := first.Stop(nil); err != nil {
		t.Fatal(err)
	}
	if got := s.next(); !changed(got) {
		t.Errorf("%s", got)
	}
}

// Nothing needs to be told for a request to find an editor that came.
func TestRelay_RequestFindsAnEditorThatCame(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.greet()
	s.move(rig.Start(t, rig.Config{}))
	s.send(toolCall("1", "nvim_repeat", `{"n":1}`))
	if got := s.until(`"id":1`); !strings.Contains(got, `"r"`) {
		t.Errorf("%s", got)
	}
}

func TestRelay_GoesOnWithTheEditorThatComesBack(t *testing.T) {
	t.Parallel()
	first, second := rig.Start(t, rig.Config{}), rig.Start(t, rig.Config{})
	s := start(t, first)
	s.greet()
	s.send(alone(`"sub"`, "subscriptions/listen", `"notifications":{"toolsListChanged":true}`))
	s.until("acknowledged")
	s.send(toolCall("1", "nvim_openDiff", `{}`))
	openDiffs(t, first, 1)
	s.move(second)
	if err := first.Stop(nil); err != nil {
		t.Fatal(err)
	}
	// In any order: the diff ends somehow, and both subscribers hear of the tools.
	diff, legacy, modern := "", false, false
	for diff == "" || !legacy || !modern {
		line := s.next()
		switch {
		case strings.Contains(line, `"id":1`):
			diff = line
		case changed(line):
			legacy = true
		case strings.Contains(line, "acknowledged"), strings.Contains(line, `"id":"sub"`):
			t.Errorf("the subscription began or ended again: %s", line)
		case strings.Contains(line, `"io.modelcontextprotocol/subscriptionId":"sub"`):
			modern = true
		}
	}
	for id, line := range map[string]string{
		"2": toolCall("2", "nvim_repeat", `{"n":1}`),
		"3": alone("3", "tools/call", `"name":"nvim_repeat","arguments":{"n":1}`),
	} {
		s.send(line)
		if got := s.until(`"id":` + id); !strings.Contains(got, `"r"`) {
			t.Errorf("%s", got)
		}
	}
}

func TestRelay_WaitsForAnEditorThatWasThereAMomentAgo(t *testing.T) {
	t.Parallel()
	first, second := rig.Start(t, rig.Config{}), rig.Start(t, rig.Config{})
	s := start(t, first)
	s.greet()
	s.move(nil)
	if err := first.Stop(nil); err != nil {
		t.Fatal(err)
	}
	s.send(toolCall("1", "nvim_repeat", `{"n":1}`), `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	s.move(second)
	seen := map[string]string{}
	for len(seen) < 2 {
		if line := s.next(); !changed(line) {
			seen[idOf(t, line)] = line
		}
	}
	if !strings.Contains(seen["1"], `"r"`) || !strings.Contains(seen["2"], "nvim_repeat") {
		t.Errorf("%v", seen)
	}
}

func TestRelay_CallThatMayHaveRunIsNotRunAgain(t *testing.T) {
	t.Parallel()
	first, second := rig.Start(t, rig.Config{}), rig.Start(t, rig.Config{})
	cut := newCutter(t, first.Port)
	s := start(t, second)
	s.at.Store(&Endpoint{Port: cut.port, Token: rig.Token})
	s.greet()
	s.send(toolCall("1", "nvim_openDiff", `{}`))
	openDiffs(t, first, 1)
	s.move(second)
	cut.cut()
	if got := s.until(`"id":1`); !strings.Contains(got, "may have had its effect") {
		t.Errorf("%s", got)
	}
	openDiffs(t, second, 0)
}

func TestRelay_SaysThatTheTokenIsWrongWithoutSayingIt(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	s := start(t, nil)
	s.at.Store(&Endpoint{Port: d.Port, Token: "a-wrong-token-of-the-file"})
	s.greet()
	s.send(toolCall("1", "nvim_repeat", `{"n":1}`))
	if got := s.next(); !strings.Contains(got, "refuses the token") || strings.Contains(got, "a-wrong-token") {
		t.Errorf("%s", got)
	}
}

func TestRelay_TakesTheNewTokenOfAServerThatChangedIt(t *testing.T) {
	t.Parallel()
	d := rig.Start(t, rig.Config{})
	s := start(t, nil)
	s.at.Store(&Endpoint{Port: d.Port, Token: "the-old-token-of-the-file"})
	s.send(alone("1", "tools/list", ""))
	if got := s.next(); !strings.Contains(got, `"id":1`) {
		t.Errorf("%s", got)
	}
	s.move(d)
	s.send(alone("2", "tools/call", `"name":"nvim_repeat","arguments":{"n":1}`))
	if got := s.next(); !strings.Contains(got, `"r"`) {
		t.Errorf("%s", got)
	}
}
