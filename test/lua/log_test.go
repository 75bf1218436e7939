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

// places are what a user types before messages come, and the mode that leads to.
var places = map[string]struct{ keys, mode string }{
	"normal":                        {"", "n"},
	"insert":                        {"ihello", "i"},
	"terminal":                      {":vsplit | terminal cat<CR>i", "t"},
	"terminal that prints":          {":terminal yes<CR>i", "t"},
	"without a message area":        {":set cmdheight=0<CR>", "n"},
	"terminal and no message area":  {":set cmdheight=0 | terminal cat<CR>i", "t"},
	"normal, with lazy redraws":     {":set lazyredraw<CR>", "n"},
	"command line":                  {":echo", "c"},
	"visual, and a narrow showcmd":  {":set columns=30<CR>v", "v"},
	"replace, with two status rows": {":set laststatus=3 | split<CR>R", "R"},
}

func TestLog_NeverStopsTheEditorAtAPrompt(t *testing.T) {
	rows := map[string]string{
		"many lines":    `for i = 1, 5 do log.error("init", i) log.info("init", i) end`,
		"a long line":   `log.error("init", ("x"):rep(1000)) log.info("init", ("y"):rep(1000))`,
		"a text":        `log.warn("init", "1\n2\n3")`,
		"over a prompt": `vim.api.nvim_echo({ { "before" } }, true, {}) log.error("init", "after")`,
		"turn by turn":  `log.error("init", "one") vim.schedule(function() log.error("init", "two") end)`,
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for name, place := range places {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				e := start(t, nvim, options{ui: true})
				e.lua(nil, "vim.notify = builtin_notify")
				if _, err := e.Input(place.keys); err != nil {
					t.Fatal(err)
				}
				e.eventually(`vim.api.nvim_get_mode().mode == ...`, place.mode)
				for row, code := range rows {
					e.lua(nil, `
						local log = require("claudecode.log")
					`+code+`
						flushed = false
						vim.schedule(function()
							vim.schedule(function()
								vim.schedule(function()
									flushed = true
								end)
							end)
						end)
					`)
					nvimtest.Eventually(t, "the lines were printed", func() bool {
						mode, err := e.Mode()
						if err != nil || mode.Blocking {
							t.Fatalf("%s: mode %+v, %v", row, mode, err)
						}
						return value[bool](e, "return flushed")
					})
					if mode, err := e.Mode(); err != nil || mode.Mode != place.mode {
						t.Errorf("%s: mode %+v, %v", row, mode, err)
					}
				}
			})
		}
	})
}

// Neovim's own vim.notify raises an error where a script waits, or names the script.
func TestLog_IsNoErrorOfAScriptThatWaits(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{ui: true})
		got := value[[]string](e, `
			vim.notify = builtin_notify
			vim.cmd("function! Wait()\n sleep 50m\n return 'went on'\n endfunction")
			vim.v.errmsg = ""
			require("claudecode.log").error("init", "meanwhile")
			return { vim.fn.Wait(), vim.v.errmsg }
		`)
		if diff := cmp.Diff([]string{"went on", ""}, got); diff != "" {
			t.Error(diff)
		}
		if _, err := e.Input(`:lua require("claudecode.log").error("init", "typed")<CR>:call Wait()<CR>`); err != nil {
			t.Fatal(err)
		}
		nvimtest.Eventually(t, "it is told", func() bool {
			mode, err := e.Mode()
			if err != nil || mode.Blocking {
				t.Fatalf("mode %+v, %v", mode, err)
			}
			return value[bool](e, `return vim.fn.execute("messages"):find("[ERROR] typed", 1, true) ~= nil`)
		})
	})
}

func TestLog_ShowsAMessageAreaWhereThereIsNone(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{ui: true})
		e.lua(nil, `
			vim.o.cmdheight = 0
			require("claudecode.clock").after = function(ms, callback)
				later = callback
			end
			require("claudecode.log").info("init", "x")
		`)
		e.eventually(`later ~= nil and vim.o.cmdheight == 1`)
		e.lua(nil, `later()`)
		e.eventually(`vim.o.cmdheight == 0`)
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

func TestLog_OfToolsNeverAsksForENTER(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{ui: true})
		e.lua(nil, `
			vim.notify = builtin_notify
			require("mcp-tools").setup({ [("x"):rep(200)] = 1, tools = { dap = true }, permissions = { ["nvim_*"] = ("x"):rep(200) } })
		`)
		for _, part := range []string{"Unknown option xx", "[mcp-tools] tools.dap: ", `permissions["nvim_*"]: the action must`} {
			e.eventually(`vim.fn.execute("messages"):find(..., 1, true) ~= nil`, part)
			if mode, err := e.Mode(); err != nil || mode.Blocking {
				t.Fatalf("mode %+v, %v", mode, err)
			}
		}
		if whole := value[string](e, `return table.concat(require("claudecode.log").recent(), " ")`); !strings.Contains(whole, strings.Repeat("x", 200)+" ") {
			t.Errorf("checkhealth has only %q", whole)
		}
		e.lua(nil, `
			vim.notify = function(text, level, more)
				table.insert(notified, { level = level, text = text .. " by " .. more.title })
			end
			require("claudecode.log").tools("info", ("y"):rep(200))
		`)
		if got := e.notices(1)[0]; got != "[mcp-tools] "+strings.Repeat("y", 200)+" by mcp-tools" {
			t.Errorf("another notify got %q", got)
		}
	})
}
