// Copyright (c) 2026 the claudecoded authors. MIT license.

package explorers

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
)

func TestTreeAdd_MentionsWhatIsUnderTheCursor(t *testing.T) {
	each(t, func(d *desk, x explorer) {
		for _, name := range []string{"a.txt", "$b [x].txt", "sub", "two words"} {
			want := name
			if !strings.Contains(name, ".") {
				want += "/"
			}
			d.to(name)
			d.types("gt")
			d.sent("ClaudeCodeTreeAdd", want)
		}
		if !x.flat {
			d.to("c.txt")
			d.types("gt")
			d.sent("ClaudeCodeTreeAdd", "sub/c.txt")
		}
	})
}

// below is what follows the folder "sub" down to "a.txt".
func below(x explorer) []string {
	if x.flat {
		return []string{"sub/", "two words/", "$b [x].txt", "a.txt"}
	}
	return []string{"sub/", "sub/c.txt", "two words/", "two words/e f.txt", "$b [x].txt", "a.txt"}
}

func TestTreeAdd_MentionsTheLinesOfTheVisualArea(t *testing.T) {
	each(t, func(d *desk, x explorer) {
		lines := len(below(x)) - 1
		d.to("sub")
		d.types(fmt.Sprintf("V%djgt", lines))
		d.sent("ClaudeCodeTreeAdd_visual", below(x)...)
		var at string
		d.Lua(&at, `return vim.fn.getline(".")`)
		if !strings.HasSuffix(at, "a.txt") {
			d.t.Errorf("the cursor is on %q", at)
		}
		d.types(fmt.Sprintf("V%dkgt", lines)) // upwards
		d.sent("ClaudeCodeTreeAdd_visual", below(x)...)
		d.to("sub")
		d.types(fmt.Sprintf("V%dj:ClaudeCodeTreeAdd<CR>", lines))
		d.sent("ClaudeCodeTreeAdd", below(x)...)
	})
}

// What is there whatever is selected is not meant: the root, the parent, a banner, a message.
func TestTreeAdd_LeavesOutTheRootOfASelection(t *testing.T) {
	each(t, func(d *desk, x explorer) {
		d.to("a.txt")
		d.types(":%ClaudeCodeTreeAdd<CR>")
		d.sent("ClaudeCodeTreeAdd", append(below(x), "z.txt")...)
	})
}

func TestTreeAdd_MentionsWhatIsMarked(t *testing.T) {
	each(t, func(d *desk, x explorer) {
		for _, name := range []string{"$b [x].txt", "z.txt"} {
			d.to(name)
			d.Lua(nil, x.mark)
		}
		d.to("a.txt")
		d.types("gt")
		d.sent("ClaudeCodeTreeAdd", "$b [x].txt", "z.txt")
		d.types("Vgt") // an area says more exactly what is meant
		d.sent("ClaudeCodeTreeAdd_visual", "a.txt")
	}, "netrw", "nvim-tree", "neo-tree", "snacks")
}

func TestTreeAdd_MentionsOnlyFilesOfWhatIsMarked(t *testing.T) {
	each(t, func(d *desk, x explorer) {
		for _, name := range []string{"sub", "z.txt"} {
			d.to(name)
			d.Lua(nil, x.mark)
		}
		d.to("a.txt")
		d.types("gt")
		d.sent("ClaudeCodeTreeAdd", "z.txt")
	}, "nvim-tree", "neo-tree")
}

func TestSend_MentionsFilesInAnExplorer(t *testing.T) {
	each(t, func(d *desk, x explorer) {
		d.to("a.txt")
		d.types("gs")
		d.sent("ClaudeCodeSend->TreeAdd", "a.txt")
		d.to("$b [x].txt")
		d.types("Vjgs")
		d.sent("ClaudeCodeSend_visual->TreeAdd", "$b [x].txt", "a.txt")
	})
}

func TestTreeAdd_MentionsTwiceListedFilesOnce(t *testing.T) {
	each(t, func(d *desk, x explorer) {
		d.Lua(nil, `picker = require("snacks").picker.pick({ items = {
			{ file = "a.txt", cwd = root, text = "a.txt:1" },
			{ file = "z.txt", cwd = root, text = "z.txt" },
			{ file = root .. "/a.txt", text = "a.txt:7" },
			{ text = "no file" },
			{ file = "gone.txt", cwd = root, text = "gone.txt" },
		} })`)
		d.Command("%ClaudeCodeTreeAdd")
		d.sent("ClaudeCodeTreeAdd", "a.txt", "z.txt")
		if messages := d.Messages(); strings.Contains(messages, "not sent") {
			d.t.Error(messages)
		}
	}, "snacks")
}

// Old versions of mini.files answer with the name of the buffer that previews the file.
func TestTreeAdd_TakesNamesOfBuffersOfMiniFiles(t *testing.T) {
	each(t, func(d *desk, x explorer) {
		d.Lua(nil, `require("mini.files").get_fs_entry = function()
			return { fs_type = "file", name = "a.txt", path = "minifiles://12/" .. root .. "/a.txt" }
		end`)
		d.types("gt")
		d.sent("ClaudeCodeTreeAdd", "a.txt")
	}, "mini-files")
}

// The input of a picker has the focus while one is typing.
func TestTreeAdd_AsksThePickerOfTheInput(t *testing.T) {
	each(t, func(d *desk, x explorer) {
		d.to("a.txt")
		d.Lua(nil, `
			vim.api.nvim_set_current_win(picker.input.win.win)
			require("snacks").picker.pick({ items = { { file = root .. "/z.txt", text = "another" } } })
			vim.api.nvim_set_current_win(picker.input.win.win)
		`)
		d.types("gt")
		d.sent("ClaudeCodeTreeAdd", "a.txt")
	}, "snacks")
}

func TestTreeAdd_SendsManyFilesInOrder(t *testing.T) {
	each(t, func(d *desk, x explorer) {
		var want []string
		for i := range 40 {
			name := fmt.Sprintf("many%02d", i)
			want = append(want, name)
			if err := os.WriteFile(filepath.Join(d.root, name), nil, 0o600); err != nil {
				d.t.Fatal(err)
			}
		}
		d.Lua(nil, "vim.cmd.bwipeout() "+x.open)
		d.to("many00")
		d.types("V39jgt")
		d.sent("ClaudeCodeTreeAdd_visual", want...)
	}, "oil")
}

func TestTreeAdd_WaitsForAClient(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := sit(t, nvim)
		d.Command("ClaudeCodeStart")
		d.Lua(nil, explorers["oil"].open)
		d.to("$b [x].txt")
		d.types("Vjgt")
		d.connect()
		d.sent("ClaudeCodeTreeAdd_visual", "$b [x].txt", "a.txt")
	})
}
