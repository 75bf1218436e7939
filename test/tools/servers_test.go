// Copyright (c) 2026 the claudecoded authors. MIT license.

package tools

import (
	_ "embed"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

//go:embed fake_server.lua
var fakeServer string

// checked is an editor with a language server that is one with the test.
type checked struct {
	*stage.Editor
	t *testing.T
}

// check opens f.fake, with one error, in an editor with a server that behaves as the Lua
// says, and waits until it is done with it.
func check(t *testing.T, nvim, behaviour string) *checked {
	t.Helper()
	e := &checked{stage.Open(t, stage.Options{Nvim: nvim}), t}
	e.Lua(nil, `server = load((...))() require("claudecode.tools").setup()`, fakeServer)
	e.Lua(nil, behaviour+" server.run()")
	e.Write("f.fake", "error old\n")
	e.Command("edit f.fake")
	if !strings.Contains(behaviour, "mute") && !strings.Contains(behaviour, "starting") {
		e.ask(e.uri("f.fake"), 20000)
		e.expect("f.fake: old")
	}
	return e
}

func (e *checked) uri(name string) map[string]any {
	return map[string]any{"uri": "file://" + e.Project + "/" + name}
}

// change writes a file as another program does, at another time than before.
func (e *checked) change(name, text string) {
	e.t.Helper()
	path := e.Write(name, text)
	var before time.Time
	if info, err := os.Stat(path); err == nil {
		before = info.ModTime()
	}
	if err := os.Chtimes(path, before, before.Add(time.Second)); err != nil {
		e.t.Fatal(err)
	}
}

// ask calls getDiagnostics with so many milliseconds to answer.
func (e *checked) ask(arguments map[string]any, ms int) {
	e.t.Helper()
	if arguments == nil {
		arguments = map[string]any{}
	}
	e.Lua(nil, `
		local args, ms = ...
		require("claudecode.tools.get_diagnostics").timeout = ms
		local function took(outcome)
			answer = vim.json.encode(outcome.error and { error = outcome.error } or { result = outcome.result })
		end
		answer = ""
		local outcome = require("mcp-tools.registry").execute("getDiagnostics", args, { on_done = took })
		task = outcome.task_id
		if not outcome.pending then
			took(outcome)
		end
	`, arguments, ms)
}

// answer is what getDiagnostics answered, empty until it does: name: messages of each file,
// or the error.
func (e *checked) answer() string {
	e.t.Helper()
	var text string
	e.Lua(&text, `return answer`)
	if text == "" {
		return ""
	}
	var got struct {
		Error  *struct{ Message, Data string }
		Result struct{ Content []struct{ Text string } }
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		e.t.Fatal(err)
	}
	if got.Error != nil {
		return got.Error.Message + ": " + got.Error.Data
	}
	var files []struct {
		URI         string
		Diagnostics []struct{ Message string }
	}
	if err := json.Unmarshal([]byte(got.Result.Content[0].Text), &files); err != nil {
		e.t.Fatal(err)
	}
	lines := []string{}
	for _, file := range files {
		var messages []string
		for _, d := range file.Diagnostics {
			messages = append(messages, d.Message)
		}
		lines = append(lines, strings.TrimPrefix(file.URI, "file://"+e.Project+"/")+": "+strings.Join(messages, ", "))
	}
	return "[" + strings.Join(lines, "; ") + "]"
}

// expect waits for the answer.
func (e *checked) expect(want string) {
	e.t.Helper()
	var got string
	nvimtest.Eventually(e.t, "getDiagnostics answers", func() bool { got = e.answer(); return got != "" })
	if !strings.HasPrefix(want, "Diagnostics not ready: ") {
		want = "[" + want + "]"
	}
	if diff := cmp.Diff(want, got); diff != "" {
		e.t.Error(diff)
	}
}

const (
	notReady = "Diagnostics not ready: fakels has not reported on the current text yet"
	left     = "Diagnostics not ready: fakels left before it reported on the current text"
	// forever, in milliseconds, is longer than a test may take.
	forever = 600000
)

// reporting is every way in which a server tells what it found.
var reporting = map[string]string{
	"with versions":                      `server.publish = "versions"`,
	"with versions, clears at the close": `server.publish = "versions" server.clears = true`,
	"without versions":                   `server.publish = "plain"`,
	"without versions, clears":           `server.publish = "plain" server.clears = true`,
	"on request":                         `server.publish = false`,
	"at once, with versions":             `server.at_once = true`,
	"at once, without versions":          `server.at_once, server.publish, server.clears = true, "plain", true`,
}

func TestGetDiagnostics_AreThoseOfTheTextOnDisk(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for name, behaviour := range reporting {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				e := check(t, nvim, behaviour)
				for _, arguments := range []map[string]any{e.uri("f.fake"), nil} {
					for _, text := range []string{"new", "newer"} {
						e.change("f.fake", "fine\nerror "+text+"\n")
						e.ask(arguments, 20000)
						e.expect("f.fake: " + text)
					}
				}
			})
		}
	})
}

func TestGetDiagnostics_KnowThatAnErrorIsGone(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for _, name := range []string{"with versions", "with versions, clears at the close", "without versions, clears", "on request"} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				e := check(t, nvim, reporting[name])
				e.change("f.fake", "fine\n")
				e.ask(nil, 20000)
				e.expect("")
			})
		}
	})
}

func TestGetDiagnostics_WaitForTheServer(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for name, behaviour := range reporting {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				e := check(t, nvim, behaviour)
				e.Lua(nil, `server.held = true`)
				e.change("f.fake", "error new\n")
				e.ask(nil, 20000)
				nvimtest.Eventually(t, "the server has read it", func() bool {
					var kept int
					e.Lua(&kept, `return #server.kept`)
					return kept > 0
				})
				// What it reports on an older text, or because of the close, is no answer.
				e.Lua(nil, `
					if server.publish == "versions" then
						server.report(vim.uri_from_bufnr(0), "error stale", 0)
						server.report(vim.uri_from_bufnr(0), "error stale")
					end
				`)
				if got := e.answer(); got != "" {
					t.Errorf("answered at once: %s", got)
				}
				e.Lua(nil, `server.release()`)
				e.expect("f.fake: new")
			})
		}
	})
}

func TestGetDiagnostics_OfAServerThatIsLateAreAnError(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for name, behaviour := range reporting {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				e := check(t, nvim, behaviour)
				e.Lua(nil, `server.mute = true`)
				e.change("f.fake", "fine\n")
				for _, arguments := range []map[string]any{nil, e.uri("f.fake"), nil} {
					e.ask(arguments, 150)
					e.expect(notReady)
				}
				// Silence for long is all that this server has to say.
				e.Lua(nil, `require("claudecode.language_servers").patience_ms = 1`)
				e.ask(nil, 20000)
				nvimtest.Eventually(t, "it answers", func() bool { return e.answer() != "" })
				if got := e.answer(); strings.Contains(got, "not ready") {
					t.Error(got)
				}
			})
		}
	})
}

func TestGetDiagnostics_OfAServerThatNeverSpokeAreAnError(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := check(t, nvim, `server.mute = true`)
		e.ask(e.uri("f.fake"), 100)
		e.expect(notReady)
		// Nothing changed, so what is known of all files is not waited for.
		e.ask(nil, 20000)
		e.expect("")
	})
}

func TestGetDiagnostics_OfAServerThatChecksWhatWasSaved(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for _, publish := range []string{"versions", "plain"} {
			t.Run(publish, func(t *testing.T) {
				t.Parallel()
				e := check(t, nvim, `server.on_save, server.publish = true, "`+publish+`"`)
				saved := func(want ...string) {
					t.Helper()
					var got []string
					e.Lua(&got, `return server.saved`)
					if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
						t.Errorf("the texts that were saved: %s", diff)
					}
				}
				saved()
				e.change("f.fake", "error new\n")
				e.ask(e.uri("f.fake"), 20000)
				e.expect("f.fake: new")
				e.ask(nil, 20000)
				e.expect("f.fake: new")
				saved("error new\n")
				// Somebody else had it read again.
				e.change("f.fake", "error newer\n")
				e.Command("checktime")
				e.ask(nil, 20000)
				e.expect("f.fake: newer")
				saved("error new\n", "error newer\n")
				// What the user wrote is told by Neovim, what the user did not write by nobody.
				e.Lua(nil, `vim.api.nvim_buf_set_lines(0, 0, -1, true, { "error mine" }) vim.cmd("silent write")`)
				e.ask(nil, 20000)
				e.expect("f.fake: mine")
				e.Lua(nil, `
					local document = server.documents[vim.uri_from_bufnr(0)]
					vim.api.nvim_buf_set_lines(0, 0, -1, true, { "error typed" }) -- told at once, or after a while
					assert(vim.wait(20000, function() return server.documents[vim.uri_from_bufnr(0)] ~= document end, 1))
				`)
				e.ask(e.uri("f.fake"), 300)
				e.expect(notReady)
				saved("error new\n", "error newer\n", "error mine\n")
			})
		}
	})
}

// broken are autocommands that fail. A :throw while a file is read keeps it from being read.
const broken = `
	vim.api.nvim_create_autocmd({ "BufReadPre", "BufReadPost", "FileType", "BufEnter", "FileChangedShell" }, {
		callback = function() error("broken") end,
	})
	vim.api.nvim_create_autocmd({ "BufEnter", "BufWinEnter", "FileChangedShellPost" }, { command = "throw 'broken'" })
`

func TestGetDiagnostics_SurviveAutocommandsThatFail(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := check(t, nvim, `server.publish = "versions"`)
		e.Lua(nil, broken)
		e.change("f.fake", "error new\n")
		e.ask(e.uri("f.fake"), 20000)
		e.expect("f.fake: new")
		e.Write("g.fake", "error g\n")
		e.ask(e.uri("g.fake"), 20000)
		e.expect("g.fake: g")
		// One that keeps the file from being read leaves nothing behind, or the old text, which
		// stays no answer.
		e.Lua(nil, `vim.api.nvim_create_autocmd("BufReadPre", { command = "throw 'broken'" })`)
		e.change("f.fake", "error newer\n")
		for range 2 {
			e.ask(e.uri("f.fake"), 20000)
			e.expect("Diagnostics not ready: " + e.Project + "/f.fake cannot be read again: " + `BufReadPre Autocommands for "*": broken`)
		}
		e.Write("h.fake", "error h\n")
		e.ask(e.uri("h.fake"), 20000)
		nvimtest.Eventually(t, "it answers", func() bool { return e.answer() != "" })
		if got := e.answer(); !strings.HasPrefix(got, "File not open: ") {
			t.Error(got)
		}
		var loaded bool
		e.Lua(&loaded, `return vim.fn.bufloaded(vim.fn.getcwd() .. "/h.fake") == 1`)
		if loaded {
			t.Error("a file that could not be read is loaded")
		}
	})
}

func TestGetDiagnostics_LeaveTheEditorAsItWas(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		for name, option := range map[string]string{"autoread": "set autoread", "noautoread": "set noautoread"} {
			t.Run(name, func(t *testing.T) {
				e := check(t, nvim, `server.publish = "versions"`)
				e.Write("other.txt", "1\n2\n3\n")
				e.change("f.fake", "a\nb\nc\nd\n")
				for _, command := range []string{
					"checktime", option, "split", "normal! 3Gl", "wincmd w", "edit other.txt", "normal! G",
				} {
					e.Command(command)
				}
				look := `
					local wins = vim.tbl_map(function(win)
						return { vim.api.nvim_win_get_buf(win), vim.api.nvim_win_get_cursor(win) }
					end, vim.api.nvim_list_wins())
					return vim.inspect({ wins, vim.api.nvim_get_current_win(), vim.fn.bufnr(), vim.fn.getreg('"'), vim.fn.mode() })
				`
				var before, after string
				e.Lua(&before, look)
				e.change("f.fake", "a\nb\nerror c\nd\n")
				e.ask(nil, 20000)
				e.expect("f.fake: c")
				e.Lua(&after, look)
				if diff := cmp.Diff(before, after); diff != "" {
					t.Error(diff)
				}
			})
		}
	})
}

func TestGetDiagnostics_LoadAFileThatAServerServes(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := check(t, nvim, `server.publish = "versions"`)
		e.Write("g.fake", "error g\n")
		e.ask(e.uri("g.fake"), 20000)
		e.expect("g.fake: g")
		var state string
		e.Lua(&state, `
			local buf = vim.fn.bufnr(vim.fn.getcwd() .. "/g.fake")
			return vim.inspect({ vim.bo[buf].buflisted, vim.api.nvim_buf_is_loaded(buf), #vim.fn.win_findbuf(buf), vim.fn.bufname() })
		`)
		if want := `{ false, true, 0, "f.fake" }`; state != want {
			t.Errorf("%s, not %s", state, want)
		}
		e.change("g.fake", "error again\n")
		e.ask(e.uri("g.fake"), 20000)
		e.expect("g.fake: again")
		for _, name := range []string{"no.fake", "other.txt", "../outside.fake"} {
			if name != "no.fake" {
				e.Write(name, "error x\n")
			}
			e.ask(e.uri(name), 20000)
			nvimtest.Eventually(t, "it answers", func() bool { return e.answer() != "" })
			if got := e.answer(); !strings.HasPrefix(got, "File not open: ") {
				t.Errorf("%s: %s", name, got)
			}
		}
	})
}

func TestGetDiagnostics_KeepFewFilesThatNobodyOpened(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := check(t, nvim, `server.publish = "versions"`)
		e.Lua(nil, `require("claudecode.background").max_loaded = 2`)
		for _, name := range []string{"1.fake", "2.fake", "3.fake", "4.fake"} {
			e.Write(name, "error "+name+"\n")
			e.ask(e.uri(name), 20000)
			e.expect(name + ": " + name)
		}
		var loaded []string
		e.Lua(&loaded, `
			return vim.iter(vim.api.nvim_list_bufs()):filter(vim.api.nvim_buf_is_loaded):map(function(buf)
				return vim.fs.basename(vim.api.nvim_buf_get_name(buf))
			end):totable()
		`)
		if diff := cmp.Diff([]string{"f.fake", "3.fake", "4.fake"}, loaded); diff != "" {
			t.Error(diff)
		}
	})
}
