// Copyright (c) 2026 the claudecoded authors. MIT license.

package registry

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"claudecoded/test/stage"
)

// waits registers a tool that never answers, and says when nobody waits for it any more.
const waits = `
	_G.begun, _G.told = 0, 0
	local function wait(_, _, ctx)
		begun, _G.ctx = begun + 1, ctx
		ctx.on_cancel(function() told = told + 1 end)
	end
	tool("wait", wait, { ide = true })
	-- Long enough to begin on a machine that is busy: one that comes too late is not run.
	tool("short", wait, { ide = true, timeout = 2000 })
	tool("ok", function(cb) cb("ok") end, { ide = true })
`

// begins waits until the tool runs for the nth time.
func (s *scene) begins(n int) { s.t.Helper(); s.eventually(fmt.Sprintf("begun == %d", n)) }

// ends waits until the tool was told that nobody waits, once for each time.
func (s *scene) ends(n int) {
	s.t.Helper()
	s.eventually(fmt.Sprintf(`told == %d and ctx.cancelled() and require("mcp-tools.registry").pending_count() == 0`, n))
}

func TestCancellation_ReachesTheToolOverHTTP(t *testing.T) {
	t.Parallel()
	each(t, waits, func(t *testing.T, s *scene) {
		n := 0
		for _, revision := range revisions {
			c := s.client(revision)
			n++
			if !c.sessions() {
				s.leave(c, n)
				s.ends(n)
				continue
			}
			a, id := make(chan *answer, 1), c.lastID+1
			go func() { a <- c.call("nvim_wait", "{}") }()
			s.begins(n)
			c.notify("notifications/cancelled", fmt.Sprintf(`"requestId":%d`, id))
			if r := (<-a).reply(); r.Result != nil || r.Error != nil {
				t.Errorf("%s: answered %+v", revision, r)
			}
			s.ends(n)
		}
		// A session's end ends its calls too.
		c := s.client("2025-11-25")
		a := make(chan *answer, 1)
		go func() { a <- c.call("nvim_wait", "{}") }()
		s.begins(n + 1)
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodDelete, c.url(), nil)
		c.fill(request)
		response, err := c.http.Do(request)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatal(response, err)
		}
		_ = response.Body.Close()
		s.ends(n + 1)
		(<-a).close()
	})
}

// leave asks for the tool wait, and goes once it runs for the nth time.
func (s *scene) leave(c *client, n int) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(stage.Within(s.t))
	defer cancel()
	meta := ""
	if !c.sessions() {
		meta = "," + statelessMeta("")
	}
	body := `{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"nvim_wait","arguments":{}` + meta + `}}`
	request, _ := http.NewRequestWithContext(ctx, http.MethodPost, c.url(), strings.NewReader(body))
	request.Header.Set("Mcp-Method", "tools/call")
	request.Header.Set("Mcp-Name", "nvim_wait")
	c.fill(request)
	left := make(chan error, 1)
	go func() {
		response, err := c.http.Do(request)
		if err == nil {
			_ = response.Body.Close()
		}
		left <- err
	}()
	s.begins(n)
	cancel()
	if err := <-left; err == nil {
		s.t.Error("it was answered")
	}
}

func TestCancellation_ReachesTheToolOnTheIDESocket(t *testing.T) {
	t.Parallel()
	each(t, waits, func(t *testing.T, s *scene) {
		ide := stage.Connect(t, s.lock)
		ctx, cancel := context.WithCancel(stage.Within(t))
		go func() { _, _ = ide.Call(ctx, "wait", struct{}{}) }()
		s.begins(1)
		// Whatever id the call had, it is one of these.
		for id := range 20 {
			if err := ide.Notify("notifications/cancelled", map[string]any{"requestId": id}); err != nil {
				t.Fatal(err)
			}
		}
		s.ends(1)
		cancel()

		go func() { _, _ = ide.Call(stage.Within(t), "wait", struct{}{}) }()
		s.begins(2)
		if err := ide.Close(); err != nil {
			t.Fatal(err)
		}
		s.ends(2)
	})
}

func TestTimeout_OfAToolIsAnErrorAndTellsTheTool(t *testing.T) {
	t.Parallel()
	each(t, waits, func(t *testing.T, s *scene) {
		n := 0
		for _, revision := range []string{"2025-11-25", "2026-07-28"} {
			n++
			if got := s.client(revision).call("nvim_short", "{}").text(); got != "Error: nvim_short: no answer within 2s" {
				t.Errorf("%s: %s", revision, got)
			}
			s.ends(n)
		}
		_, err := stage.Connect(t, s.lock).Call(stage.Within(t), "short", struct{}{})
		if err == nil || !strings.Contains(err.Error(), "no answer within 2s") {
			t.Errorf("on the IDE socket: %v", err)
		}
		s.ends(n + 1)
	})
}

// Up to 2025-11-25 a connection that ends cancels nothing.
func TestLeaving_ASessionsResponseLetsTheToolGoOn(t *testing.T) {
	t.Parallel()
	each(t, waits, func(t *testing.T, s *scene) {
		c := s.client("2025-11-25")
		s.leave(c, 1)
		if got := c.call("nvim_ok", "{}").text(); got != "ok" {
			t.Error(got)
		}
		var told int
		if s.e.Lua(&told, "return told"); told != 0 {
			t.Error("the tool was cancelled")
		}
	})
}

func TestContext_SaysWhoCallsAndForHowLong(t *testing.T) {
	t.Parallel()
	each(t, `tool("who", function(cb, _, ctx)
		cb(ctx.client:gsub("%d+$", "n") .. " " .. (ctx.remaining_ms and math.ceil(ctx.remaining_ms / 10000) or "for ever"))
	end, { ide = true, timeout = 100000 })
	tool("endless", function(cb, _, ctx) cb(tostring(ctx.remaining_ms)) end, { timeout = 0 })`, func(t *testing.T, s *scene) {
		for _, revision := range revisions {
			c := s.client(revision)
			want := map[bool]string{true: "mcp_n 10", false: "http_n 10"}[c.sessions()]
			if got := c.call("nvim_who", "{}").text(); got != want {
				t.Errorf("%s: %q", revision, got)
			}
			if got := c.call("nvim_endless", "{}").text(); got != "nil" {
				t.Errorf("%s: %q without a limit", revision, got)
			}
		}
		result, err := stage.Connect(t, s.lock).Call(stage.Within(t), "who", struct{}{})
		if err != nil || len(result.Content) != 1 || result.Content[0].Text != "client_n 10" {
			t.Errorf("on the IDE socket: %+v, %v", result, err)
		}
	})
}

func TestProgress_GoesForwardAndEndsBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	each(t, `
		-- Each step waits until the client can have the last: what comes too soon is left out.
		tool("steps", function(cb, _, ctx)
			local n, timer = 0, vim.uv.new_timer()
			timer:start(0, 60, vim.schedule_wrap(function()
				n = n + 1
				if n <= 3 then
					ctx.progress(n * 10, 30, "step " .. n)
					ctx.progress(n, 30, "backward")
				elseif not timer:is_closing() then
					timer:close()
					cb("done")
					ctx.progress(99)
				end
			end))
		end)
		tool("flood", function(cb, _, ctx)
			for n = 1, 100000 do ctx.progress(n, 100000) end
			vim.schedule(function() cb("done") end)
		end)`, func(t *testing.T, s *scene) {
		for _, revision := range revisions {
			c := s.client(revision)
			a := c.callWithProgress("nvim_steps", "{}")
			if got := a.text(); got != "done" {
				t.Errorf("%s: %s", revision, got)
			}
			var got []string
			for _, n := range a.notes {
				got = append(got, fmt.Sprint(n.Params.Progress, " of ", n.Params.Total, ": ", n.Params.Message))
			}
			// A busy machine may run two steps at once.
			want := []string{"10 of 30: step 1", "20 of 30: step 2", "30 of 30: step 3"}
			if len(got) == 0 || !slices.IsSorted(got) || slices.ContainsFunc(got, func(one string) bool { return !slices.Contains(want, one) }) {
				t.Errorf("%s: %q", revision, got)
			}
			flood := c.callWithProgress("nvim_flood", "{}")
			if got := flood.text(); got != "done" || len(flood.notes) > 20 {
				t.Errorf("%s: %s after %d reports", revision, got, len(flood.notes))
			}
			if quiet := c.call("nvim_flood", "{}"); quiet.text() != "done" || len(quiet.notes) > 0 {
				t.Errorf("%s: progress that nobody asked for", revision)
			}
		}
	})
}
