// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
)

// repository makes one of the project's files.
func (d *desk) repository() {
	d.t.Helper()
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "."},
		{"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "first"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = d.Project, d.Env
		if out, err := cmd.CombinedOutput(); err != nil {
			d.t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
}

// The user writes a copy, a part and a line more, which a look with git takes for a command's.
func TestRevert_LeavesWhatTheUserWroteUnderAnotherName(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.put("mine.txt", "one\ntwo\n")
		d.put("log.txt", "one\n")
		d.repository()
		d.edits("a.txt", "a\n")
		d.Command("edit mine.txt")
		d.keys(":w copy.txt<CR>:1w part.txt<CR>:2w >> log.txt<CR>")
		d.holds("copy.txt", "one\ntwo\n")
		d.holds("part.txt", "one\n")
		d.holds("log.txt", "one\ntwo\n")
		d.answer()
		d.keys(":ClaudeCodeRevert!<CR>")
		d.says("taken back")
		d.expect("asked", "Take back all that Claude changed?\n  remove  a.txt")
		for name, want := range map[string]string{"copy.txt": "one\ntwo\n", "part.txt": "one\n", "log.txt": "one\ntwo\n"} {
			d.holds(name, want)
		}
	})
}

// The user saves a line of their own between two changes of one prompt.
func TestRevert_LeavesWhatTheUserSavedBetweenTwoChanges(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.changes("a.txt", numbered(40, nil), numbered(40, map[int]string{3: "new\n"}), "b.txt", "one\n", "two\n")
		d.Command("edit a.txt")
		d.keys(":20s/.*/mine/<CR>:w<CR>:edit b.txt<CR>ccmine<Esc>:w<CR>")
		d.holds("a.txt", numbered(40, map[int]string{3: "new\n", 20: "mine\n"}))
		d.holds("b.txt", "mine\n")
		d.edit(d.client, "a.txt", numbered(40, map[int]string{3: "new\n", 20: "mine\n", 30: "new\n"}))
		d.edit(d.client, "b.txt", "mine, and Claude's\n")
		d.answer()
		d.keys(":ClaudeCodeRevert!<CR>")
		d.says("Claude's changes of 1 file are taken back, not those of b.txt")
		d.holds("a.txt", numbered(40, map[int]string{20: "mine\n"}))
		d.holds("b.txt", "mine, and Claude's\n")
		d.keys(":ClaudeCodeRevert<CR>")
		d.says("b.txt: the text before was not kept: you changed it between changes of Claude's")
	})
}

// Of what is known by name only nobody can tell whether it is as it was.
func TestRevert_SaysWhatItCannotKnow(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.put(".env", "A=1\n")
		huge := strings.Repeat("x", 33<<20)
		d.edits(".env", "A=2\n", "new/.env", "B=1\n", "huge.txt", huge, "a.txt", "a\n")
		d.review()
		d.soon(list+`:gsub("%s+", " ")`, " modified .env secret| created a.txt +1 -0| created huge.txt| created new/.env")
		for range 3 {
			d.keys("]c")
		}
		d.keys("q")
		d.answer()
		d.keys(":ClaudeCodeRevert!<CR>")
		d.says("Claude's changes of 1 file are taken back, not those of ")
		const unknown = "(whether it was changed since is not known: its text is not kept)"
		d.expect("asked", "Take back all that Claude changed?\n  leave   .env      (the text before was not kept: it may hold secrets)\n"+
			"  remove  a.txt\n  leave   huge.txt  "+unknown+"\n  leave   new/.env  "+unknown)
		d.holds("a.txt", "no file")
		d.holds(".env", "A=2\n")
		d.holds("new/.env", "B=1\n")
	})
}

// Lines are those of what is shown: what was written since may have moved them.
func TestRevert_OfLinesTakesNothingBackThatIsNotShown(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *desk, layout string) {
		d.put("a.txt", numbered(40, nil))
		after := numbered(40, map[int]string{3: "new\n", 30: "new\n"})
		d.edits("a.txt", after)
		d.review()
		moved := strings.Repeat("more\n", 27) + after
		d.put("a.txt", moved)
		d.keys("]cdo")
		d.says("a.txt: it changed")
		d.holds("a.txt", moved)
		// It is shown now.
		d.soon(`table.concat(vim.api.nvim_buf_get_lines(0, 0, 1, true))`, "more")
	})
}

func TestRevert_OfLinesDoesNotTakeBackAFileThatHasNone(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		for name, c := range map[string]struct{ before, after string }{
			"binary": {"\x00a\nb\n", "\x00a\nB\n"},
			"mac":    {"a\rb\rc\r", "A\rb\rC\r"},
		} {
			d.changes(name, c.before, c.after)
			d.Command("edit ++ff=" + map[bool]string{true: "mac", false: "unix"}[name == "mac"] + " " + name)
			d.keys(":2ClaudeCodeRevert<CR>")
			d.says(name + ": its lines are not")
			d.holds(name, c.after)
			d.keys(":ClaudeCodeRevert<CR>")
			d.holds(name, c.before)
		}
	})
}

// Between the question and its answer a file changes.
func TestRevert_OfTheTurnNamesTheFileThatStopsIt(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.replaces("a.txt", "b.txt", "c.txt")
		d.asks()
		d.put("b.txt", "three\n")
		d.Lua(nil, "answer()")
		d.says("b.txt: the file is not as it was expected to be")
		d.holds("a.txt", "two\n")
		d.holds("b.txt", "three\n")
	})
}

// Between the question and its answer the user types.
func TestRevert_OfTheTurnLeavesWhatIsTypedMeanwhile(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.changes("a.txt", "one\n2\n3\nfour\n", "ONE\n2\n3\nfour\n")
		d.Command("edit a.txt")
		d.asks()
		d.keys("GAmine<Esc>")
		d.soon(`lines_of("a.txt")`, "ONE|2|3|fourmine")
		d.Lua(nil, "answer()")
		d.says(taken)
		d.soon(`lines_of("a.txt")`, "one|2|3|fourmine")
		d.holds("a.txt", "ONE\n2\n3\nfour\n")
		d.expect("vim.bo.modified", "true")
	})
}

// Between the question and its answer the user opens a file and types.
func TestRevert_OfTheTurnLeavesWhatIsOpenedAndTypedMeanwhile(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.replaces("a.txt", "b.txt")
		d.asks()
		d.Command("edit a.txt")
		d.keys("Amine<Esc>")
		d.soon(`lines_of("a.txt")`, "twomine")
		d.Lua(nil, "answer()")
		d.says("Claude's changes of 1 file are taken back, not those of a.txt")
		d.holds("b.txt", "one\n")
		d.holds("a.txt", "two\n")
		d.expect(`lines_of("a.txt")`, "twomine")
	})
}

// Folders and links come in the way of what is taken back.
func TestRevert_LeavesWhatCameInTheWay(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		for _, name := range []string{"folder", "link", "gone", "in/it"} {
			d.put(name, "one\n")
		}
		d.put("target", "target\n")
		d.edits("folder", "two\n", "link", "two\n", "gone", "two\n", "in/it", "no file", "new", "two\n")
		for _, err := range []error{
			os.Remove(d.path("folder")), os.MkdirAll(d.path("folder/users"), 0o700),
			os.Remove(d.path("link")), os.Symlink("target", d.path("link")),
			os.Remove(d.path("gone")), os.Remove(d.path("in")), os.Remove(d.path("new")),
			os.WriteFile(d.path("in"), []byte("a file\n"), 0o600), os.Mkdir(d.path("new"), 0o700),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		d.answer()
		d.keys(":ClaudeCodeRevert!<CR>")
		d.soon("asked ~= nil", "true")
		d.holds("target", "target\n")
		d.holds("in", "a file\n")
		d.holds("gone", "no file")
		if info, err := os.Lstat(d.path("link")); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("the link is %v, %v", info, err)
		}
		d.says("in/it: making its folder: not a directory; taken back: 0 files")
	})
}

func TestRevert_OfTheOlderPromptFirstLeavesTheNewer(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.put("a.txt", numbered(20, nil))
		d.edits("a.txt", numbered(20, map[int]string{3: "first\n"}), "new.txt", "1\n2\n3\n")
		d.edits("a.txt", numbered(20, map[int]string{3: "first\n", 12: "second\n"}), "new.txt", "1\n2\n3\n4\n")
		d.answer()
		d.review("2")
		d.keys(":ClaudeCodeRevert!<CR>")
		d.says("Claude's changes of 1 file are taken back, not those of new.txt")
		d.holds("a.txt", numbered(20, map[int]string{12: "second\n"}))
		d.holds("new.txt", "1\n2\n3\n4\n")
		d.keys("q")
		d.keys(":ClaudeCodeRevert!<CR>")
		d.says("Claude's changes of 2 files are taken back")
		d.holds("a.txt", numbered(20, nil))
		d.holds("new.txt", "1\n2\n3\n")
	})
}

// A command renames a file, and the user goes on in the new one.
func TestRevert_OfARenamedFileLeavesWhatTheUserWroteInIt(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.put("a.txt", "one\n")
		d.repository()
		d.edits("other.txt", "x\n")
		if err := os.Rename(d.path("a.txt"), d.path("b.txt")); err != nil {
			t.Fatal(err)
		}
		d.wrote(d.client)
		d.review()
		d.keys("q")
		d.Command("edit b.txt")
		d.keys("omine<Esc>:w<CR>")
		d.holds("b.txt", "one\nmine\n")
		d.answer()
		d.keys(":ClaudeCodeRevert!<CR>")
		d.says("Claude's changes of 2 files are taken back")
		d.holds("a.txt", "one\n")
		d.holds("b.txt", "one\nmine\n")
		d.holds("other.txt", "no file")
	})
}

// Buffers of any format have changes that are not written when a file is taken back.
func TestRevert_InABufferKeepsItsFormatAndCanBeUndone(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		for name, c := range map[string]struct{ before, after, want, undone string }{
			"Latin-1":     {"\xe9\n2\n3\n4\n", "\xe8\n2\n3\n4\n", "\xe9\n2\n3\n4!\n", "\xe8\n2\n3\n4!\n"},
			"CRLF":        {"1\r\n2\r\n3\r\n4\r\n", "x\r\n2\r\n3\r\n4\r\n", "1\r\n2\r\n3\r\n4!\r\n", "x\r\n2\r\n3\r\n4!\r\n"},
			"BOM":         {"\ufeff1\n2\n3\n4\n", "\ufeffx\n2\n3\n4\n", "\ufeff1\n2\n3\n4!\n", "\ufeffx\n2\n3\n4!\n"},
			"no end":      {"1\n2\n3\n4", "x\n2\n3\n4", "1\n2\n3\n4!", "x\n2\n3\n4!"},
			"new end":     {"1\n2\n3\n4\n5\n6", "1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4!\n5\n6", "1\n2\n3\n4!\n5\n6\n"},
			"an end less": {"1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n5\n6", "1\n2\n3\n4!\n5\n6\n", "1\n2\n3\n4!\n5\n6"},
		} {
			d.changes(name, c.before, c.after)
			d.Lua(nil, "vim.cmd.edit(vim.fn.fnameescape(...)) vim.bo.fixendofline = false", name)
			d.keys(":4<CR>A!<Esc>:ClaudeCodeRevert<CR>")
			d.says(name + ": Claude's change is taken back in the buffer")
			d.holds(name, c.after)
			d.keys(":w<CR>")
			d.holds(name, c.want)
			d.keys("u:w<CR>")
			d.holds(name, c.undone)
		}
	})
}

// It is no time to write when nobody knows any more what was looked at.
func TestRevert_WritesNothingOnceTheServerIsGone(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.replaces("a.txt")
		d.asks()
		d.keys(":ClaudeCodeStop<CR>")
		d.soon(`require("claudecode.server").get_status().running`, "false")
		d.Lua(nil, "answer()")
		d.says("a.txt: no server runs: :ClaudeCodeStart starts it; taken back: 0 files")
		d.holds("a.txt", "two\n")
	})
}

func TestRevert_OfManyFilesAsksInOneScreen(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim, nil)
		d.Command("set columns=80 lines=24")
		var files []string
		for i := range 30 {
			files = append(files, fmt.Sprintf("%s/file%02d.txt", strings.Repeat("folder/", 10), i), "a\n")
		}
		d.edits(files...)
		d.put(files[58], "mine\n")
		d.Command("ClaudeCodeRevert!")
		// Whatever waits for a key is in the way of the answer.
		d.eventually("it asks", func() (string, bool) {
			mode, err := d.Mode()
			return fmt.Sprint(mode, err), err == nil && (mode.Blocking || mode.Mode == "c")
		})
		d.keys("1<CR>")
		d.holds(files[0], "no file")
		d.holds(files[58], "mine\n")
	})
}

func TestReview_WithNoRoomLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, d *desk, _ string) {
		d.put("a.txt", "one\n")
		d.Command("edit a.txt")
		d.edits("a.txt", "two\n")
		d.Command("set lines=3")
		d.soon("vim.o.lines", "3")
		before := d.value("state()")
		d.keys(":ClaudeCodeReview<CR>")
		d.says("Not enough room")
		d.expect("shape()", "*1 a.txt")
		d.expect("state()", before)
	})
}
