// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"claudecoded/test/nvimtest"
)

func TestState_NamesThePromptThatHoldsCallsUp(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binary string) {
		for name, c := range map[string]struct{ keys, want, leave string }{
			"hit-enter": {":echo \"a\\nb\\nc\"\r", "waiting for your input (mode r)", "\r"},
			"more":      {":for i in range(99) | echo i | endfor\r", "waiting for your input (mode rm)", "q\r"},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				h, v := neovim(t, nvimtest.Options{Nvim: binary, UI: true})
				if _, err := v.Input(c.keys); err != nil {
					t.Fatal(err)
				}
				nvimtest.Eventually(t, "Neovim waits at the prompt", func() bool {
					mode, err := v.Mode()
					return err == nil && mode.Blocking
				})
				h.call(run(1, "return { done = true, result = 'ran' }"))
				h.eventually(t, "the state names the prompt", func() bool { return h.state == c.want })
				if h.isFinished(1) {
					t.Error("the call ran at the prompt")
				}
				if _, err := v.Input(c.leave); err != nil {
					t.Fatal(err)
				}
				if got := h.finished(t, 1); got != `"ran"` {
					t.Error(got)
				}
				h.eventually(t, "the state is well again", func() bool { return h.state == "" })
			})
		}
	})
}

func TestState_SaysSinceWhenNeovimDoesNotRespond(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binary string) {
		for name, block := range map[string]string{
			"busy Lua": "while not vim.uv.fs_stat(released) do end",
			"system":   "vim.fn.system({ 'sh', '-c', until_released, released })",
			"wait":     "vim.system({ 'sh', '-c', until_released, released }):wait()",
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				h, v := neovim(t, nvimtest.Options{Nvim: binary})
				released := filepath.Join(nvimtest.Dir(t), "released")
				lua(t, v, fmt.Sprintf(`
					local released, until_released = %q, 'until test -e "$0"; do sleep 0.05; done'
					vim.schedule(function() %s end)`, released, block))
				sent := time.Now()
				h.call(run(1, "return { done = true, result = 'ran' }"))
				h.eventually(t, "the state says so", func() bool { return len(h.quiet) > 0 })
				since := on(h, func() time.Time { return h.quiet[0] })
				if since.Before(sent) || time.Since(since) < quietAfter {
					t.Errorf("since %s after the call, seen after %s", since.Sub(sent), time.Since(sent))
				}
				if err := os.WriteFile(released, nil, 0o600); err != nil {
					t.Fatal(err)
				}
				if got := h.finished(t, 1); got != `"ran"` {
					t.Error(got)
				}
				h.eventually(t, "the state is well again", func() bool { return h.state == "" })
			})
		}
	})
}

// What a call's end says must be known before it ends, however short its time is.
func TestState_IsAskedForInTimeForTheCallThatWaitsTheLeast(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for name, test := range map[string]struct {
		left  []time.Duration // of each call; 0: no deadline
		since time.Duration   // before now Neovim was heard
		want  time.Duration
	}{
		"no deadline":             {[]time.Duration{0}, 0, probeAfter},
		"a long one":              {[]time.Duration{30 * time.Second}, 0, probeAfter},
		"the shortest of a tool":  {[]time.Duration{400 * time.Millisecond}, 0, 200 * time.Millisecond},
		"the shortest of several": {[]time.Duration{0, time.Minute, 300 * time.Millisecond, 600 * time.Millisecond}, 0, 150 * time.Millisecond},
		"after a silence":         {[]time.Duration{time.Second}, 400 * time.Millisecond, 100 * time.Millisecond},
		"heard since":             {[]time.Duration{400 * time.Millisecond}, -300 * time.Millisecond, 800 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &Bridge{calls: newTable()}
			for i, left := range test.left {
				var deadline time.Time
				if left > 0 {
					deadline = now.Add(left)
				}
				b.calls.unfinished[uint64(i)] = &call{probeBy: probeBy(now, deadline)}
			}
			if got := b.probeAt(now.Add(-test.since)).Sub(now); got != test.want {
				t.Errorf("after %v, want %v", got, test.want)
			}
		})
	}
}

func TestState_IsWellWhileAToolTakesLong(t *testing.T) {
	t.Parallel()
	h, e := scripted(t)
	h.call(named(1, "long"))
	e.next(t, "long")
	for range 2 { // probes go on as long as the call
		h.eventually(t, "nothing is heard", func() bool { return h.state == notResponding })
		e.probe <- struct{}{}
		h.eventually(t, "nvim_get_mode was answered", func() bool { return h.state == "" })
	}
	e.answer(t, object{"done": true})
	h.finished(t, 1)
	h.eventually(t, "nothing is watched any more", func() bool { return h.bridge.health.timer == nil })
}

func TestState_AnyMessageIsASignOfLife(t *testing.T) {
	t.Parallel()
	h, e := scripted(t)
	h.call(named(1, "long"))
	h.eventually(t, "nothing is heard", func() bool { return h.state == notResponding })
	tell(t, e, "workspace_folders", object{"folders": array{}})
	h.eventually(t, "the message was heard", func() bool { return h.state == "" })
}
