// Copyright (c) 2026 the claudecoded authors. MIT license.

package families

import (
	"strings"
	"testing"
)

func TestExec_ReturnsWhatIsPrinted(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		e.edit("a.txt", "one\n")
		e.want("exec_ex", args{"command": "echo 'one'\necho 'two'"}, `"output":"one\ntwo"`)
		e.want("exec_ex", args{"command": "let g:x = 'ä'"}, `"output":""`)
		e.want("exec_lua", args{"code": `print("p") return { x = vim.g.x, n = { 1, 2 } }`}, `"output":"p"`, `"x":"ä"`)
		e.want("exec_lua", args{"code": `return print`}, `"result":"<function 1>"`)
		e.want("exec_lua", args{"code": `return nil`})
		e.refused("exec_ex", args{"command": "throw 'mine'"}, "mine")
		e.refused("exec_ex", args{"command": "NoSuchCommand"}, "E492: Not an editor command: NoSuchCommand")
		e.refused("exec_lua", args{"code": `error("mine")`}, "mine")
		e.refused("exec_lua", args{"code": `error({})`}, "")
		e.refused("exec_lua", args{"code": `return (`}, "exec_lua:1:")
	})
}

func TestExec_DoesNotWaitForKeys(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		e.edit("a.txt", "one\n")
		const asks = "It asked the user, and was interrupted"
		for _, command := range []string{
			`call input("Name? ")`, `call confirm("Sure?")`, `call getchar()`, `substitute/one/two/c`,
		} {
			e.refused("exec_ex", args{"command": command}, asks)
		}
		e.refused("exec_lua", args{"code": `return vim.fn.input("Name? ")`}, asks)
		// While its output is captured, Neovim 0.10 takes this for answered with 0.
		if _, err := e.tool(t.Context(), "exec_ex", args{"command": `call inputlist(["a", "b"])`}); err != nil && !strings.Contains(err.Error(), asks) {
			t.Error(err)
		}
		// No interrupt is left over for a question of the user's own.
		e.Lua(nil, `vim.schedule(function() typed = vim.fn.input("Mine? ") end)`)
		e.eventually(`vim.api.nvim_get_mode().mode == "c"`)
		e.keys("abc<CR>")
		e.eventually(`typed == "abc"`)
		e.Command("set confirm | call setline(1, 'changed')")
		e.refused("exec_ex", args{"command": "edit other.txt | quit"}, "E")
		if !eval[bool](e, `vim.o.confirm`) {
			t.Error("'confirm' is off")
		}
		e.eventually(`vim.api.nvim_get_mode().mode == "n"`)
	})
}

func TestExec_LetsWhatWaitsForSomethingElseFinish(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		e.edit("a.txt", "one\ntwo\n")
		e.want("exec_lua", args{"code": `
			vim.wait(200)
			vim.fn.system({ "sleep", "0.2" })
			vim.cmd("sleep 200m | normal! dd")
			return vim.fn.getline(1)`}, `"result":"two"`)
		// No key of ours is left over for the user.
		e.keys("iuser<Esc>")
		e.eventually(`vim.fn.getline(1) == "usertwo"`)
	})
}

func TestExec_BoundsItsOutput(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		for _, name := range []string{"output", "result"} {
			code := map[string]string{
				"output": `print(("ä"):rep(100000))`,
				"result": `return { f = print, text = ("ä"):rep(100000) }`,
			}[name]
			text := e.want("exec_lua", args{"code": code}, "ä")
			if len(text) > 60_000 || !strings.Contains(text, "To read on") {
				t.Errorf("%s: %d bytes, … %s", name, len(text), text[len(text)-200:])
			}
		}
		all := eval[string](e, `(function()
			local got
			require("mcp-tools.registry").get("exec_lua").execute(function(result) got = result end,
				{ code = 'print(("x"):rep(100000))' }, {})
			return got.output
		end)()`)
		if len(all) > 66_000 || !strings.HasSuffix(all, "… (34464 more bytes)") {
			t.Errorf("%d bytes, … %s", len(all), all[len(all)-40:])
		}
	})
}

func TestExec_IsAskedForUnlessAllowed(t *testing.T) {
	each(t, `{"permissions":{"nvim_buffers_*":"allow"}}`, func(t *testing.T, e *editor) {
		p := e.start("exec_lua", args{"code": `ran = true return 1`})
		e.eventually(`asked ~= nil and asked.prompt:find("nvim_exec_lua", 1, true) ~= nil`)
		if eval[bool](e, `ran == true`) {
			t.Error("it ran before the user was asked")
		}
		e.Lua(nil, `asked.answer(nil)`)
		if text, err := p.answer(); err == nil {
			t.Errorf("it ran: %s", text)
		}
		if eval[bool](e, `ran == true`) {
			t.Error("it ran although the user denied it")
		}
	})
}
