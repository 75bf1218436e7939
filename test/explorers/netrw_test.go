// Copyright (c) 2026 the claudecoded authors. MIT license.

package explorers

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// netrw lists one name a line (0), with size and date (1), several names a line (2), a tree (3).
// To ask it moves the cursor, yanks and sets a mark, of which nothing may be seen.
func TestNetrw_TellsTheFilesOfEachListStyle(t *testing.T) {
	each(t, func(d *desk, x explorer) {
		for _, name := range []string{"exe", "link"} {
			path := filepath.Join(d.root, name)
			if err := map[string]func() error{
				"exe":  func() error { return os.WriteFile(path, nil, 0o700) },
				"link": func() error { return os.Symlink("z.txt", path) },
			}[name](); err != nil {
				d.t.Fatal(err)
			}
		}
		d.Lua(nil, `
			yanked = 0
			vim.api.nvim_create_autocmd("TextYankPost", { callback = function() yanked = yanked + 1 end })
		`)
		for style := range 4 {
			d.Lua(nil, `
				vim.cmd("tabnew | silent! tabonly | silent! %bwipeout")
				vim.g.netrw_liststyle, vim.g.netrw_sort_sequence = ..., "*"
				vim.cmd.edit(vim.fn.fnameescape(root))
			`, style)
			want := []string{"$b [x].txt", "a.txt", "exe", "link", "sub/", "two words/", "z.txt"}
			if style == 3 {
				d.to("sub")
				d.Lua(nil, `vim.cmd.normal("\r")`)
				want = slices.Insert(want, 5, "sub/c.txt")
			}
			d.Lua(nil, `vim.cmd("normal! ggma")`)
			d.Command("%ClaudeCodeTreeAdd")
			d.sent("ClaudeCodeTreeAdd", want...)
			for _, name := range want {
				d.Lua(nil, `vim.fn.search("\\%(--> \\)\\@<!\\V" .. vim.fn.fnamemodify((...):gsub("/$", ""), ":t"), "cw")`, name)
				d.types("gt")
				d.sent("ClaudeCodeTreeAdd", name)
			}
			var marked, yanked int
			d.Lua(&marked, `return vim.fn.line("'a")`)
			d.Lua(&yanked, `return yanked`)
			if marked != 1 || yanked != 0 {
				d.t.Errorf("in style %d the mark is at line %d, %d yanks were seen", style, marked, yanked)
			}
		}
	}, "netrw")
}
