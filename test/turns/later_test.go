// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"testing"

	"claudecoded/test/nvimtest"
)

// Claude that has no diagnostics of a file does not ask for more of them once it wrote it.
func TestReview_KeepsWhatIsWrittenAfterAClaudeThatSaysNoMore(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.put("a.txt", "one\ntwo\nthree\n")
		d.prompt()
		d.announce(d.client, "a.txt")
		d.put("a.txt", "one\nTWO\nthree\n")
		d.soon(`require("claudecode").statusline():match("%d file.*") or ""`, "1 file changed, :ClaudeCodeReview")
		d.put("a.txt", "one\nTWO\nthree\nmine\n")
		d.Command("edit a.txt")
		d.keys(":ClaudeCodeRevert<CR>")
		d.holds("a.txt", "one\ntwo\nthree\nmine\n")
	})
}

// What others write in a work tree after the user looked is no command's of Claude's.
func TestRevert_OfTheTurnLeavesWhatCameAfterALook(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.put("tracked.txt", "one\n")
		d.repository()
		d.edits("a.txt", "a\n")
		d.put("tracked.txt", "two\n")
		d.review()
		d.expect(list+`:gsub("%s+", " ")`, " created a.txt +1 -0| modified tracked.txt +1 -1 by a command")
		d.keys("q")
		d.put("mine.txt", "mine\n")
		d.review()
		d.expect(list+`:gsub("%s+", " ")`, " created a.txt +1 -0| created mine.txt +1 -0 after you looked, maybe by another program"+
			"| modified tracked.txt +1 -1 by a command")
		d.Lua(nil, `vim.ui.select = function(items, options, on_choice)
			asked, offered = options.prompt, items
			on_choice(items[1], 1)
		end`)
		d.keys(":ClaudeCodeRevert!<CR>")
		d.says("Claude's changes of 2 files are taken back, not those of mine.txt")
		d.expect("asked", "Take back all that Claude changed?\n  remove  a.txt\n"+
			"  leave   mine.txt     (it changed after you looked, maybe by another program)\n  write   tracked.txt  (by a command)")
		d.expect("offered", `{ "Take it back", "Only what Claude wrote itself, no command", "Leave it as it is" }`)
		for name, want := range map[string]string{"a.txt": "no file", "tracked.txt": "one\n", "mine.txt": "mine\n"} {
			d.holds(name, want)
		}
	})
}

func TestRevert_OfTheTurnMayLeaveOutCommands(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.put("tracked.txt", "one\n")
		d.put("both.txt", "one\ntwo\nthree\n")
		d.repository()
		d.edits("a.txt", "a\n")
		d.put("tracked.txt", "two\n")
		d.put("both.txt", "one\ntwo\nthree\nanother program\n")
		d.edit(d.client, "both.txt", "ONE\ntwo\nthree\nanother program\n")
		d.Lua(nil, `vim.ui.select = function(items, options, on_choice)
			asked = options.prompt
			on_choice(items[2], 2)
		end`)
		d.keys(":ClaudeCodeRevert!<CR>")
		d.says("Claude's changes of 1 file are taken back")
		d.expect("asked", "Take back all that Claude changed?\n  remove  a.txt\n"+
			"  write   both.txt     (also by a command)\n  write   tracked.txt  (by a command)")
		d.holds("a.txt", "no file")
		d.holds("tracked.txt", "two\n")
		d.holds("both.txt", "ONE\ntwo\nthree\nanother program\n")
	})
}
