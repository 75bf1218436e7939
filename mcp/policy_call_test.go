// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// guarded is a world with rules, whose user is asked and whose records are kept.
type guarded struct {
	*world
	asked     []Question
	withdrawn []uint64
	records   []Record
}

func (g *guarded) Ask(q Question)        { g.asked = append(g.asked, q) }
func (g *guarded) Withdraw(token uint64) { g.withdrawn = append(g.withdrawn, token) }
func (g *guarded) Audit(r Record)        { g.records = append(g.records, r) }

func guardedWorld(t *testing.T, rules ...Rule) *guarded {
	g := &guarded{world: ideWorld(t, ideTool("run"), ideTool("look"), ideTool("openDiff"))}
	g.server.gate.asker, g.server.auditor = g, g
	g.server.SetPolicy(NewPolicy(rules))
	return g
}

// request calls a tool that policy may hold.
func (g *guarded) request(id int, tool, arguments string) string {
	return g.say(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments))
}

func (g *guarded) expect(what, got string, want ...string) {
	g.t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			g.t.Errorf("%s: %q does not say %q", what, got, w)
		}
	}
	if len(want) == 0 && got != "" {
		g.t.Errorf("%s: %q", what, got)
	}
}

// answer is what client 1 is sent for the answer to the last question.
func (g *guarded) answer(a Answer) string {
	before := len(g.sent[1])
	g.server.Answer(g.asked[len(g.asked)-1].Token, a)
	return g.since(before)
}

func TestCall_ThatIsDeniedNeverReachesTheEditor(t *testing.T) {
	t.Parallel()
	g := guardedWorld(t, Rule{Tool: "run", Action: Deny, Label: `the rule "run"`})
	g.expect("the answer", g.request(1, "run", `{}`), `"id":1`, `denied by the rule \"run\"`, `{ [\"run\"] = \"allow\" }`)
	g.callTool("2", "look", `{}`)
	if len(g.open) != 1 || len(g.server.calls) != 1 {
		t.Errorf("open: %v", g.open)
	}
	if r := g.records[0]; r.Outcome != "denied" || r.Action != Deny || r.Rule != `the rule "run"` || r.In != 2 {
		t.Errorf("%+v", r)
	}
}

// TestCall_PassesPolicyOverEveryTransport has a tool denied under each of its names, and called
// in every way.
func TestCall_PassesPolicyOverEveryTransport(t *testing.T) {
	t.Parallel()
	for _, denies := range []string{"run", "nvim_run", "nvim_r*", "r*"} {
		g := guardedWorld(t, about(Deny, denies))
		session := g.begin("2025-11-25")
		g.request(1, "run", `{}`)
		for _, name := range []string{"run", "nvim_run"} {
			params := fmt.Sprintf(`"name":%q,"arguments":{}`, name)
			text := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + params + `}}`
			g.post(session, text)
			g.post(g.begin("2025-03-26"), "["+text+"]")
			g.post(session, `{"jsonrpc":"2.0","method":"tools/call","params":{`+params+`}}`) // nobody wants an answer
			g.postStateless("1", "tools/call", params)
			g.world.request("stream", "GET", "/sse", map[string]string{"accept": typeEvents}, "")
			g.world.request("say", "POST", "/messages?sessionId="+g.server.pipes[0].id, map[string]string{"content-type": typeJSON}, text)
		}
		if len(g.open) != 0 {
			t.Errorf("%s: the editor got %v", denies, g.open)
		}
		for _, r := range g.records {
			if r.Outcome != "denied" {
				t.Errorf("%s: %+v", denies, r)
			}
		}
		if len(g.records) < 9 {
			t.Errorf("%s: %d calls", denies, len(g.records))
		}
	}
}

func TestCall_DeniedByARuleThatIsWrongSaysSo(t *testing.T) {
	t.Parallel()
	g := guardedWorld(t, Rule{Tool: "run", Label: "permissions[1]", Invalid: "the action is odd"})
	g.expect("the answer", g.request(1, "run", `{}`), "permissions[1]", "invalid (the action is odd)")
}

func TestAsk_HoldsTheCallUntilTheUserAnswers(t *testing.T) {
	t.Parallel()
	g := guardedWorld(t, Rule{Tool: "run", Action: Ask, Label: "R"})
	g.expect("meanwhile", g.request(1, "run", `{"code":"x"}`))
	if len(g.open) != 0 || len(g.asked) != 1 {
		t.Fatalf("open %v, asked %v", g.open, g.asked)
	}
	want := Question{Token: g.asked[0].Token, Tool: "run", Client: "client_1", Arguments: `{"code":"x"}`, Size: 12, Rule: "R"}
	if got := fmt.Sprintf("%+v", g.asked[0]); got != fmt.Sprintf("%+v", want) {
		t.Errorf("asked %s", got)
	}
	if calls := g.server.InFlight(1); len(calls) != 1 || calls[0].Waits != waitsForUser {
		t.Errorf("the status says %+v", calls)
	}
	// The user's time is not the tool's.
	g.clock.advance(ideDeadline + time.Minute)
	g.expect("while the user thinks", g.since(0))
	g.answer(Once)
	if len(g.open) != 1 || !g.open[0].Deadline.Equal(g.clock.now.Add(ideDeadline)) {
		t.Fatalf("open %v", g.open)
	}
	if calls := g.server.InFlight(1); calls[0].Waits != "" {
		t.Errorf("the status says %+v", calls)
	}
	g.expect("the answer", g.finish(g.open[0].Token, Outcome{Result: []byte(`"done"`)}), `done`)
	if r := g.records[0]; r.Answer != "once" || r.Outcome != "ok" || r.Waited != ideDeadline+time.Minute || r.Action != Ask {
		t.Errorf("%+v", r)
	}
	g.request(2, "run", `{"code":"x"}`)
	if len(g.asked) != 2 {
		t.Error("once was more than once")
	}
}

func TestAsk_EndsWithoutAnAnswerInTime(t *testing.T) {
	t.Parallel()
	g := guardedWorld(t, Rule{Tool: "run", Action: Ask, Label: "R"})
	g.request(1, "run", `{}`)
	before := len(g.sent[1])
	g.clock.advance(askTimeout)
	g.expect("the answer", g.since(before), "did not answer within 10m0s", "R")
	if len(g.withdrawn) != 1 || g.records[0].Outcome != "unanswered" {
		t.Errorf("withdrawn %v, %+v", g.withdrawn, g.records)
	}
	g.expect("a late answer", g.answer(Once))
	if len(g.open) != 0 {
		t.Error("it ran all the same")
	}
}

func TestAsk_IsWithdrawnWithItsCall(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(g *guarded){
		"cancelled": func(g *guarded) {
			g.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		},
		"gone":    func(g *guarded) { g.server.Closed(1, 1000, "") },
		"stopped": func(g *guarded) { g.server.Stop() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := guardedWorld(t, Rule{Tool: "run", Action: Ask})
			g.request(1, "run", `{}`)
			end(g)
			g.answer(Once)
			if len(g.withdrawn) != 1 || len(g.open) != 0 || len(g.server.gate.asks) != 0 || len(g.clock.timers) != 0 {
				t.Errorf("withdrawn %v, open %v, waiting %v", g.withdrawn, g.open, g.server.gate.asks)
			}
			if r := g.records[0]; r.Outcome != name {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestAsk_OneQuestionIsOpenAtATime(t *testing.T) {
	t.Parallel()
	g := guardedWorld(t, Rule{Tool: "*", Action: Ask})
	for id := range 3 {
		g.request(id, "run", fmt.Sprintf(`{"n":%d}`, id))
	}
	g.request(3, "look", `{}`)
	g.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if len(g.asked) != 1 || len(g.withdrawn) != 0 {
		t.Fatalf("%d asked, %v withdrawn", len(g.asked), g.withdrawn)
	}
	g.answer(Once)
	g.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
	if len(g.asked) != 3 || g.asked[2].Tool != "look" || len(g.withdrawn) != 1 {
		t.Errorf("asked %v, withdrawn %v", g.asked, g.withdrawn)
	}
}

func TestAsk_ASessionsPermissionSettlesTheOthersAndLeavesWithTheClient(t *testing.T) {
	t.Parallel()
	g := guardedWorld(t, Rule{Tool: "*", Action: Ask, Label: "R"})
	for id, tool := range []string{"run", "look", "run"} {
		g.request(id, tool, `{}`)
	}
	g.answer(Session)
	if len(g.open) != 2 || g.open[1].Tool != "run" || len(g.asked) != 2 || g.asked[1].Tool != "look" {
		t.Fatalf("open %v, asked %v", g.open, g.asked)
	}
	g.answer(No)
	g.request(4, "run", `{"other":1}`)
	if len(g.open) != 3 || len(g.asked) != 2 {
		t.Error("it was asked again")
	}
	g.server.SetPolicy(NewPolicy([]Rule{{Tool: "run", Action: Deny, Label: "D"}}))
	g.expect("a rule that denies", g.request(5, "run", `{}`), "denied by D")
	g.server.SetPolicy(NewPolicy([]Rule{{Tool: "*", Action: Ask, Label: "R"}}))
	g.server.Open(2)
	g.server.Message(2, []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run"}}`))
	if len(g.asked) != 3 {
		t.Error("another client has the permission")
	}
	g.server.Closed(1, 1000, "")
	if len(g.server.gate.grants) != 0 {
		t.Error("permissions are left")
	}
}

// TestAsk_EachRuleIsAskedAbout: who always allows what one rule asks has not allowed what
// another asks of the same call.
func TestAsk_EachRuleIsAskedAbout(t *testing.T) {
	t.Parallel()
	for _, given := range []Answer{Always, Session} {
		g := guardedWorld(t, about(Ask, "look", "/a/**"), about(Ask, "look", "/b/**"))
		g.request(1, "look", `{}`)
		g.server.Resolved(g.open[0].Token, []string{"/a/x", "/b/y"}, "")
		g.answer(given)
		if len(g.asked) != 2 || g.asked[1].Rule == g.asked[0].Rule || len(g.open) != 1 {
			t.Fatalf("%v: asked %+v, open %v", given, g.asked, g.open)
		}
		g.answer(given)
		if len(g.asked) != 2 || len(g.open) != 2 || g.open[1].Resolve {
			t.Fatalf("%v: asked %+v, open %v", given, g.asked, g.open)
		}
		g.finish(g.open[1].Token, Outcome{Result: []byte(`"done"`)})
		if r := g.records[0]; r.Action != Ask || r.Answer != given.String() || r.Outcome != "ok" {
			t.Errorf("%+v", r)
		}
	}
}

func TestAsk_RevokedIsAskedAgain(t *testing.T) {
	t.Parallel()
	g := guardedWorld(t, Rule{Tool: "run", Action: Ask})
	g.request(1, "run", `{}`)
	g.answer(Session)
	g.server.Revoke()
	g.request(2, "run", `{}`)
	if len(g.asked) != 2 {
		t.Errorf("%d questions", len(g.asked))
	}
}

func TestAsk_OneRefusalSettlesTheSameCalls(t *testing.T) {
	t.Parallel()
	g := guardedWorld(t, Rule{Tool: "run", Action: Ask, Label: "R"})
	for id, arguments := range []string{`{"n":1}`, `{"n":2}`, `{"n":1}`} {
		g.request(id, "run", arguments)
	}
	got := g.answer(No)
	g.expect("the answers", got, `"id":0`, `"id":2`, "the user denied run", "because of R")
	if strings.Contains(got, `"id":1`) || len(g.asked) != 2 || g.asked[1].Arguments != `{"n":2}` || len(g.withdrawn) != 0 {
		t.Errorf("%s, asked %v", got, g.asked)
	}
}

func TestAsk_WithoutAUserIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	g := guardedWorld(t, Rule{Tool: "run", Action: Ask, Label: "R"})
	g.request(1, "run", `{}`)
	g.expect("nobody looks", g.answer(Unattended), "no user interface", "because of R", `[\"run\"] = \"allow\"`)
	g.server.gate.asker = nil
	g.expect("nobody can be asked", g.request(2, "run", `{}`), "no user interface")
}

func TestAsk_IsBounded(t *testing.T) {
	t.Parallel()
	g := guardedWorld(t, Rule{Tool: "run", Action: Ask})
	for id := range maxAsks {
		g.expect("held", g.request(id, "run", fmt.Sprintf(`{"n":%d}`, id)))
	}
	g.expect("one more", g.request(maxAsks, "run", `{}`), "64 calls wait for the user's permission already")
	for i := range maxGrants + 1 {
		g.server.remember(grant{client: fmt.Sprint(i)})
	}
	if n := len(g.server.gate.grants); n != maxGrants {
		t.Errorf("%d permissions are remembered", n)
	}
}

func TestAsk_HoldsSoManyBytes(t *testing.T) {
	t.Parallel()
	g := guardedWorld(t)
	denied := func(size int) bool {
		c := &call{client: g.server.clients[1], held: &held{name: "run", arguments: make([]byte, size)}}
		g.server.enter(c, &Tool{Name: "run"})
		g.server.enqueue(c)
		return g.server.calls[c.token] == nil
	}
	switch {
	case denied(maxAskBytes / 2), denied(maxAskBytes / 2):
		t.Error("denied with room for it")
	case !denied(1):
		t.Error("held without room for it")
	}
	g.server.Closed(1, 1000, "")
	g.server.Open(1)
	if denied(maxAskBytes) {
		t.Error("denied although nothing waits any more")
	}
}

func TestAsk_ShowsABeginningOfWhatIsLarge(t *testing.T) {
	t.Parallel()
	g := guardedWorld(t, Rule{Tool: "run", Action: Ask})
	arguments := `{"code":"` + strings.Repeat("ä", maxShown) + `"}`
	g.request(1, "run", arguments)
	if q := g.asked[0]; len(q.Arguments) > maxShown+len("…") || q.Size != len(arguments) || !strings.HasPrefix(arguments, strings.TrimSuffix(q.Arguments, "…")) {
		t.Errorf("%d bytes of %d", len(q.Arguments), q.Size)
	}
}

func TestPaths_AreAskedOfTheEditorFirst(t *testing.T) {
	t.Parallel()
	g := guardedWorld(t, Rule{Tool: "run", Action: Deny, Paths: []string{"**/.env*"}, Label: "P"}, Rule{Tool: "run", Action: Ask, Label: "R"})
	resolve := func(id int) Call {
		t.Helper()
		g.expect("meanwhile", g.request(id, "run", `{"path":"x"}`))
		c := g.open[len(g.open)-1]
		if !c.Resolve || string(c.Args) != `{"path":"x"}` || c.Deadline.IsZero() {
			t.Fatalf("%+v", c)
		}
		g.forget(c.Token)
		return c
	}
	before := len(g.sent[1])
	g.server.Resolved(resolve(1).Token, []string{"/p/x", "/p/.env"}, "")
	g.expect("a path that is denied", g.since(before), "denied by P")
	before = len(g.sent[1])
	g.server.Resolved(resolve(2).Token, nil, "the link is odd")
	g.expect("no paths", g.since(before), "not known: the link is odd")
	before = len(g.sent[1])
	g.server.Resolved(resolve(3).Token, []string{"/" + strings.Repeat("x", maxPath)}, "")
	g.expect("a long path", g.since(before), "more than 8192 bytes")
	before = len(g.sent[1])
	g.server.Resolved(resolve(4).Token, make([]string, maxPaths+1), "")
	g.expect("many paths", g.since(before), "more than 1024")
	before = len(g.sent[1])
	g.server.Resolved(resolve(40).Token, slices.Repeat([]string{"/" + strings.Repeat("x", maxPath-1)}, 33), "")
	g.expect("long paths", g.since(before), "more than 262144 bytes")

	c := resolve(5)
	g.server.Resolved(c.Token, []string{"/p/x"}, "")
	g.server.Resolved(c.Token, []string{"/p/y"}, "")
	if fmt.Sprint(g.asked[0].Paths) != "[/p/x]" {
		t.Fatalf("asked %v", g.asked)
	}
	g.answer(Once)
	if run := g.open[0]; run.Resolve || fmt.Sprint(run.Paths) != "[/p/x]" {
		t.Errorf("%+v", run)
	}
	g.finish(c.Token, Outcome{Result: []byte(`1`)})

	c = resolve(6)
	before = len(g.sent[1])
	g.server.Finish(c.Token, Outcome{Err: ToolError("editor is busy")})
	g.expect("the editor fails", g.since(before), "editor is busy")

	c = resolve(7)
	before = len(g.sent[1])
	g.clock.advance(ideDeadline)
	g.expect("the editor is silent", g.since(before), "no answer within")
}

func TestPaths_ThatAreNoneAreKnownToBeNone(t *testing.T) {
	t.Parallel()
	g := guardedWorld(t, Rule{Tool: "run", Action: Deny, Paths: []string{"**/.env*"}})
	g.request(1, "run", `{}`)
	g.server.Resolved(g.open[0].Token, nil, "")
	if run := g.open[len(g.open)-1]; run.Resolve || run.Paths == nil {
		t.Errorf("%+v", run)
	}
}

func TestPolicy_ANewOneJudgesWhatWaits(t *testing.T) {
	t.Parallel()
	g := guardedWorld(t, Rule{Tool: "*", Action: Ask})
	for id, tool := range []string{"run", "look", "openDiff"} {
		g.request(id, tool, `{}`)
	}
	before := len(g.sent[1])
	g.server.SetPolicy(NewPolicy([]Rule{
		{Tool: "run", Action: Deny, Label: "D"}, {Tool: "openDiff", Action: Ask}, {Tool: "openDiff", Action: Deny, Paths: []string{"/x"}},
	}))
	g.expect("what is denied now", g.since(before), `"id":0`, "denied by D")
	if len(g.withdrawn) != 1 || len(g.open) != 2 || g.open[0].Tool != "look" || !g.open[1].Resolve {
		t.Errorf("withdrawn %v, open %+v", g.withdrawn, g.open)
	}
}

func TestDefault_OfAToolIsItsOwnUnlessARuleSaysMore(t *testing.T) {
	t.Parallel()
	g := guardedWorld(t)
	exec := ideTool("exec")
	exec.Policy = Ask
	g.server.SetCatalogue([]Tool{exec})
	g.request(1, "exec", `{}`)
	if len(g.asked) != 1 || g.asked[0].Rule != "the default of exec" {
		t.Fatalf("asked %v", g.asked)
	}
	g.server.SetPolicy(NewPolicy([]Rule{{Tool: "exec", Action: Allow}}))
	if len(g.open) != 1 {
		t.Error("the rule does not count")
	}
}

// TestDefault_MayBeForSomeArgumentsOnly which a call gives by any spelling of their names.
func TestDefault_MayBeForSomeArgumentsOnly(t *testing.T) {
	t.Parallel()
	for arguments, asks := range map[string]bool{
		`{}`: false, `{"line":3}`: false, `{"condition":null}`: false, `{"condition":""}`: false, `{"in":{"condition":"x"}}`: false,
		`{"condition":"x"}`: true, `{"line":3, "log":"{x}"}`: true, `{"condition":"","log":"x"}`: true, `{"cond\u0069tion":"x"}`: true,
		`{"condition":"","condition":"x"}`: true, `{"condition":0}`: true,
	} {
		g := guardedWorld(t)
		tool := ideTool("stop")
		tool.Policy, tool.PolicyArgs = Ask, []string{"condition", "log"}
		g.server.SetCatalogue([]Tool{tool})
		g.request(1, "stop", arguments)
		if got := len(g.asked) == 1; got != asks || len(g.open) == 1 == asks {
			t.Errorf("%s: asked %v, open %v", arguments, g.asked, g.open)
		}
		if asks {
			g.answer(Session)
			g.request(2, "stop", `{"condition":"y"}`)
			if len(g.asked) != 1 || len(g.open) != 2 {
				t.Errorf("%s: asked %v, open %v", arguments, g.asked, g.open)
			}
		}
		g.server.SetPolicy(NewPolicy([]Rule{{Tool: "stop", Action: Deny, Label: "D"}}))
		g.expect("under a rule", g.request(3, "stop", `{}`), "denied by D")
	}
}

func TestRecent_RemembersTheNewest(t *testing.T) {
	t.Parallel()
	g := guardedWorld(t)
	for id := range maxRecent + 2 {
		g.finish(g.callTool(fmt.Sprint(id), "run", `{}`).Token, Outcome{Result: []byte(`"xyz"`)})
		g.clock.advance(time.Second)
	}
	g.finish(g.callTool("-1", "look", `{}`).Token, Outcome{Err: ToolError("no")})
	g.callTool("-2", "openDiff", `{}`)
	now, past, peers := g.server.Activity()
	if len(now) != 1 || now[0].Tool != "openDiff" || now[0].Client != "client_1" {
		t.Errorf("now %+v", now)
	}
	if len(past) != maxRecent || past[0].Tool != "look" || past[0].Outcome != "failed" || past[0].Out != 2 ||
		past[1].Outcome != "ok" || past[1].Out != 5 || !past[1].Began.After(past[2].Began) {
		t.Errorf("%d in the past, %+v", len(past), past[:3])
	}
	if len(peers) != 1 || peers[0].Client != "client_1" {
		t.Errorf("%+v", peers)
	}
}
