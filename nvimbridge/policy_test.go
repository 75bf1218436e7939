// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"fmt"
	"strings"
	"testing"

	"claudecoded/mcp"
)

// rules is a list of them.
type rules []any

func TestPolicy_IsReadAndWhatCannotBeReadDenies(t *testing.T) {
	t.Parallel()
	deny := object{"tool": "nvim_*", "paths": []string{"**/.env*"}, "action": "deny", "label": "R"}
	for name, row := range map[string]struct {
		message any
		want    string
	}{
		"rules":              {object{"rules": rules{deny}, "audit": object{"file": "/a", "max_size": 7}}, "[{nvim_* [**/.env*] deny R }] {File:/a MaxSize:7}"},
		"none":               {object{"rules": rules{}}, "[] {File: MaxSize:0}"},
		"an unknown action":  {object{"rules": rules{object{"tool": "a", "action": "alow", "label": "R"}}}, `[{a [] deny R "alow" is none of allow, ask, deny}] {File: MaxSize:0}`},
		"an invalid one":     {object{"rules": rules{object{"tool": "a", "action": "deny", "label": "R", "invalid": "odd"}}}, `[{a [] deny R odd}] {File: MaxSize:0}`},
		"a rule that is odd": {object{"rules": rules{deny, 5}}, "[{* [] deny permissions the plugin sent rules that cannot be read} {nvim_* [**/.env*] deny R }] {File: MaxSize:0}"},
		"no rules":           {object{}, "[{* [] deny permissions the plugin sent rules that cannot be read}] {File: MaxSize:0}"},
		"rules that are odd": {object{"rules": "x"}, "[{* [] deny permissions the plugin sent rules that cannot be read}] {File: MaxSize:0}"},
		"an odd audit":       {object{"rules": rules{deny}, "audit": object{"file": 5}}, "[{* [] deny permissions the plugin sent rules that cannot be read}] {File: MaxSize:0}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, e := scripted(t)
			tell(t, e, "policy", row.message)
			h.eventually(t, "the policy came", func() bool { return h.policy != nil })
			got := on(h, func() string {
				return fmt.Sprintf("%v %s", h.policy.Rules(), strings.TrimPrefix(h.events[0], "policy, audit "))
			})
			if got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
		})
	}
}

func TestAsk_IsPushedAnsweredAndWithdrawn(t *testing.T) {
	t.Parallel()
	h, e := scripted(t)
	h.loop.do(func() {
		h.bridge.Ask(mcp.Question{Token: 7, Tool: "nvim_x", Client: "mcp_1", Name: "n", Arguments: "{", Size: 9, Rule: "R"})
		h.bridge.Withdraw(7)
	})
	e.pushed(t, "ask map[arguments:{ client:mcp_1 name:n paths:[] rule:R size:9 token:7 tool:nvim_x]")
	e.pushed(t, "ask_withdrawn 7")
	for _, answer := range []string{"once", "session", "always", "deny", "unattended", "whatever"} {
		tell(t, e, "permission", object{"token": 7, "answer": answer})
	}
	tell(t, e, "permission", object{"token": 7})
	tell(t, e, "permission", object{"answer": "once"})
	tell(t, e, "lock", object{})
	tell(t, e, "lock", object{"on": false})
	h.eventually(t, "lock is read", h.saw("lock false"))
	tell(t, e, "revoke", object{})
	h.eventually(t, "all were read", h.saw("revoke"))
	want := "[answer 7 once answer 7 session answer 7 always answer 7 deny answer 7 unattended answer 7 deny lock false revoke]"
	if got := on(h, func() string { return fmt.Sprint(h.events) }); got != want {
		t.Error(got)
	}
}

func TestResolve_AsksForThePathsOfACallAndHandsThemBack(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		answer object
		want   string
	}{
		"paths":   {object{"paths": []string{"/a", "/b c"}}, `resolved 1 ["/a" "/b c"] `},
		"none":    {object{"paths": []string{}}, `resolved 1 [] `},
		"failed":  {object{"error": "it broke"}, `resolved 1 [] it broke`},
		"nothing": {object{}, `resolved 1 [] paths is missing`},
		"odd":     {object{"paths": 5}, `resolved 1 [] paths has the wrong type`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, e := scripted(t)
			c := named(1, "look")
			c.Resolve = true
			h.call(c)
			e.next(t, "look")
			e.answer(t, row.answer)
			h.eventually(t, row.want, h.saw(row.want))
			// The same call may run now, under the same token.
			h.call(named(1, "look"))
			e.next(t, "look")
			e.answer(t, object{"done": true, "result": 1})
			if got := h.finished(t, 1); got != "1" {
				t.Error(got)
			}
		})
	}
}

func TestResolve_ThatIsCancelledIsForgotten(t *testing.T) {
	t.Parallel()
	h, e := scripted(t)
	c := named(1, "look")
	c.Resolve = true
	h.call(c)
	e.next(t, "look")
	h.loop.do(func() { h.bridge.Cancel(1) })
	e.pushed(t, "cancel 1")
	e.answer(t, object{"paths": []string{"/a"}})
	h.call(named(2, "next"))
	e.next(t, "next")
	e.answer(t, object{"done": true, "result": 1})
	h.finished(t, 2)
	if got := on(h, func() []string { return h.events }); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

func TestActivity_IsToldWithoutNil(t *testing.T) {
	t.Parallel()
	h, e := scripted(t)
	tell(t, e, "activity", object{"id": 3})
	e.pushed(t, "activity 3 map[clients:[] now:[] past:[]]")
	h.loop.do(func() {
		h.activity = Activity{
			Now:     []CallNow{{ClientName{"mcp_1", "n"}, CallStatus{Tool: "a", AgeMS: 5, Waiting: "w"}}},
			Past:    []CallPast{{ClientName: ClientName{"mcp_2", ""}, Tool: "b", AgoMS: 1, TookMS: 2, WaitedMS: 3, Outcome: "ok", Rule: "R", In: 4, Out: 5}},
			Clients: []ClientName{{"mcp_1", "n"}},
		}
	})
	tell(t, e, "activity", object{"id": 4})
	e.pushed(t, "activity 4 map[clients:[map[client:mcp_1 name:n]] now:[map[age_ms:5 client:mcp_1 name:n tool:a waiting:w]] "+
		"past:[map[ago_ms:1 bytes_in:4 bytes_out:5 client:mcp_2 name: outcome:ok rule:R took_ms:2 tool:b waited_ms:3]]]")
}
