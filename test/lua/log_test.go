// Copyright (c) 2026 the claudecoded authors. MIT license.

package lua_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"claudecoded/test/nvimtest"
)

func TestLog_FormatsLines(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		e.lua(nil, `
			local log = require("claudecode.log")
			log.setup({ log_level = "debug" })
			log.error("init", "a", 1, { x = true }, false)
			log.warn("alone")
			log.info("init", "i")
			log.debug("init", "d")
			log.trace("init", "t")
		`)
		want := []string{
			"[ClaudeCode] [init] [ERROR] a 1 {\n  x = true\n} false",
			"[ClaudeCode] [WARN] alone",
			"[ClaudeCode] [init] [INFO] i",
			"[ClaudeCode] [init] [DEBUG] d",
		}
		if diff := cmp.Diff(want, value[[]string](e, `return require("claudecode.log").recent()`)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(want[:2], e.notices(2)); diff != "" {
			t.Error(diff)
		}
		e.eventually(`vim.fn.execute("messages"):find("[init] [DEBUG] d", 1, true) ~= nil`)
	})
}

func TestLog_KeepsABoundedHistory(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		got := value[[]string](e, `
			local log = require("claudecode.log")
			for i = 1, 60 do
				log.info("init", i)
			end
			return log.recent()
		`)
		if len(got) != 50 || got[0] != "[ClaudeCode] [init] [INFO] 11" {
			t.Errorf("%d lines, first %s", len(got), got[0])
		}
	})
}

func TestOneLine_FitsTheScreen(t *testing.T) {
	long := strings.Repeat("x", 200)
	rows := map[string]string{
		"short":                    "short",
		"two\nlines\t and \x1b[1m": "two lines and [1m",
		long:                       strings.Repeat("x", 67) + "…",
		strings.Repeat("漢", 100):   strings.Repeat("漢", 33) + "…",
		strings.Repeat("y", 68):    strings.Repeat("y", 68),
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{ui: true})
		if room := value[int](e, "return vim.v.echospace"); room != 68 {
			t.Fatalf("room for %d cells", room)
		}
		for text, want := range rows {
			if got := value[string](e, `return require("claudecode.log").one_line(...)`, text); got != want {
				t.Errorf("%q became %q", text, got)
			}
		}
	})
}

func TestLog_NeverStopsTheEditorAtAPrompt(t *testing.T) {
	rows := map[string]string{
		"many lines":    `for i = 1, 5 do log.error("init", i) log.info("init", i) end`,
		"a long line":   `log.error("init", ("x"):rep(1000)) log.info("init", ("y"):rep(1000))`,
		"a text":        `log.warn("init", "1\n2\n3")`,
		"over a prompt": `vim.api.nvim_echo({ { "before" } }, true, {}) log.error("init", "after")`,
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for name, code := range rows {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				e := start(t, nvim, options{ui: true})
				e.lua(nil, `
					vim.notify = builtin_notify
					local log = require("claudecode.log")
				`+code+`
					vim.schedule(function()
						flushed = true
					end)
				`)
				nvimtest.Eventually(t, "the lines were printed", func() bool {
					mode, err := e.Mode()
					if err != nil || mode.Blocking {
						t.Fatalf("mode %+v, %v", mode, err)
					}
					return value[bool](e, "return flushed == true")
				})
				mode, err := e.Mode()
				if err != nil || mode.Blocking {
					t.Errorf("mode %+v, %v", mode, err)
				}
			})
		}
	})
}

func TestLog_ShortensALineFromTheFront(t *testing.T) {
	rows := map[int]string{ // the message's length
		40: "[ClaudeCode] [init] [WARN] ",
		41: "[ClaudeCode] [init] [WARN] ",
		42: "[ClaudeCode] [WARN] ",
		48: "[ClaudeCode] [WARN] ",
		49: "[ClaudeCode] ",
		55: "[ClaudeCode] ",
		56: "",
		68: "",
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{ui: true})
		e.lua(nil, `vim.notify = builtin_notify`)
		for length, prefix := range rows {
			for _, level := range []string{"warn", "info"} {
				message := strings.Repeat("x", length)
				e.lua(nil, `
					vim.cmd("messages clear")
					require("claudecode.log")[(...)]("init", select(2, ...))
				`, level, message)
				prefix := strings.Replace(prefix, "WARN", strings.ToUpper(level), 1)
				want := "\n" + prefix + message
				e.eventually(`vim.fn.execute("messages") == ...`, want)
			}
		}
	})
}

func TestLog_CutsWithAHintOnlyForNeovimsOwnNotify(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{ui: true})
		long := strings.Repeat("x", 200)
		e.lua(nil, `require("claudecode.log").error("init", ...)`, long)
		if got := e.notices(1)[0]; !strings.HasSuffix(got, long) {
			t.Errorf("another notify got %q", got)
		}
		e.lua(nil, `
			vim.notify = builtin_notify
			require("claudecode.log").error("init", ...)
		`, long)
		e.eventually(`vim.fn.execute("messages"):find("xx… (:checkhealth claudecode)", 1, true) ~= nil`)
	})
}
