// Copyright (c) 2026 the claudecoded authors. MIT license.

package families

import (
	"os"
	"strings"
	"testing"
)

func TestEdit_ReplacesTextsAndLines(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		for name, c := range map[string]struct {
			text  string
			edits []args
			want  string
		}{
			"a text":                    {"one\ntwo\n", []args{{"old_text": "two", "new_text": "2"}}, "one\n2\n"},
			"over lines":                {"one\ntwo\nthree\n", []args{{"old_text": "e\ntwo\nt", "new_text": "-"}}, "on-hree\n"},
			"all of them":               {"a-a\na\n", []args{{"old_text": "a", "new_text": "bb", "replace_all": true}}, "bb-bb\nbb\n"},
			"that overlaps with itself": {"aaa\n", []args{{"old_text": "aa", "new_text": "b", "replace_all": true}}, "ba\n"},
			"two on a line":             {"one two\n", []args{{"old_text": "two", "new_text": "2"}, {"old_text": "one", "new_text": "1"}}, "1 2\n"},
			"lines":                     {"1\n2\n3\n4\n", []args{{"start_line": 2, "end_line": 3, "new_text": "x"}}, "1\nx\n4\n"},
			"lines with their end":      {"1\n2\n3\n", []args{{"start_line": 2, "new_text": "x\ny\n"}}, "1\nx\ny\n3\n"},
			"no lines":                  {"1\n2\n3\n", []args{{"start_line": 1, "end_line": 2, "new_text": ""}}, "3\n"},
			"every line":                {"1\n2\n", []args{{"start_line": 1, "end_line": 2, "new_text": ""}}, ""},
			"an empty line":             {"1\n2\n", []args{{"start_line": 1, "new_text": "\n"}}, "\n2\n"},
			"before a line":             {"1\n2\n", []args{{"start_line": 2, "end_line": 1, "new_text": "x"}}, "1\nx\n2\n"},
			"behind the last":           {"1\n2", []args{{"start_line": 3, "end_line": 2, "new_text": "x"}}, "1\n2\nx"},
			"into nothing":              {"", []args{{"start_line": 1, "end_line": 0, "new_text": "x\ny"}}, "x\ny\n"},
			"a line into nothing":       {"", []args{{"start_line": 1, "end_line": 0, "new_text": "x"}}, "x\n"},
			"a NUL":                     {"1\x00\n2\n", []args{{"old_text": "1", "new_text": "\x00x"}}, "\x00x\x00\n2\n"},
			"no final line break":       {"1\n2", []args{{"old_text": "1", "new_text": "x"}}, "x\n2"},
			"takes the last one away":   {"1\n2\n", []args{{"old_text": "2\n", "new_text": "x"}}, "1\nx"},
			"adds it":                   {"1\n2", []args{{"old_text": "2", "new_text": "2\n"}}, "1\n2\n"},
			"the last line":             {"1\n2\n", []args{{"old_text": "2\n", "new_text": ""}}, "1\n"},
			"lines and texts":           {"1\n2\n3\n", []args{{"start_line": 3, "new_text": "x"}, {"old_text": "1\n2", "new_text": "y"}}, "y\nx\n"},
			"line ends of DOS":          {"1\r\n2\r\n", []args{{"old_text": "1\n2", "new_text": "x\ny"}}, "x\r\ny\r\n"},
			"mixed line ends":           {"1\r\n2\n3\r\n", []args{{"old_text": "2", "new_text": "x"}}, "1\r\nx\n3\r\n"},
			"a byte order mark":         {"\xef\xbb\xbfä\n", []args{{"old_text": "ä", "new_text": "ö"}}, "\xef\xbb\xbfö\n"},
			"Latin-1":                   {"\xe4\n", []args{{"old_text": "ä", "new_text": "ö"}}, "\xf6\n"},
		} {
			path := e.edit(strings.ReplaceAll(name, " ", "_")+".txt", c.text)
			e.want("buffers_edit", args{"path": path, "edits": c.edits}, `"saved":true`)
			if got := e.read(path); got != c.want {
				t.Errorf("%s: %q, want %q", name, got, c.want)
			}
			e.Command("silent! undo")
			e.Command("silent write")
			if got := e.read(path); got != c.text && got != c.text+"\n" {
				t.Errorf("%s: undone it is %q, was %q", name, got, c.text)
			}
		}
	})
}

func TestEdit_ThatIsNotClearChangesNothing(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		const text = "one\ntwo\none\n"
		path := e.edit("a.txt", text)
		for _, c := range []struct {
			edits []args
			want  string
		}{
			{[]args{{"old_text": "one", "new_text": "x"}}, "edits[0]: old_text is there 2 times (lines 1, 3): give more of its surroundings"},
			{[]args{{"old_text": "two", "new_text": "x"}, {"old_text": "Two", "new_text": "x"}}, "edits[1]: old_text is not in the text"},
			{[]args{{"old_text": "", "new_text": "x"}}, "edits[0]: old_text is empty"},
			{[]args{{"new_text": "x"}}, "edits[0]: an edit has new_text, and either old_text or start_line"},
			{[]args{{"old_text": "two", "start_line": 1, "new_text": "x"}}, "edits[0]: an edit has new_text"},
			{[]args{{"start_line": 4, "new_text": "x"}}, "edits[0]: the lines 4 to 4 are not in the text, which has 3 lines"},
			{[]args{{"start_line": 2, "end_line": 9, "new_text": "x"}}, "edits[0]: the lines 2 to 9 are not in the text"},
			{[]args{{"start_line": 1, "end_line": 2, "new_text": "x"}, {"old_text": "two", "new_text": "x"}}, "edits[1]: it overlaps with edits[0]"},
			{[]args{{"old_text": "ne\ntwo", "new_text": "x"}, {"old_text": "two\no", "new_text": "x"}}, "edits[1]: it overlaps with edits[0]"},
			{[]args{{"start_line": 1, "end_line": 0, "new_text": "x"}, {"start_line": 1, "end_line": 0, "new_text": "y"}}, "edits[1]: it overlaps with edits[0]"},
			{[]args{}, "edits"},
		} {
			e.refused("buffers_edit", args{"path": path, "edits": c.edits}, c.want)
		}
		e.file(path, text)
		if eval[bool](e, `vim.bo.modified`) {
			t.Error("the buffer changed")
		}
		e.Command("setlocal nomodifiable")
		fine := []args{{"old_text": "two", "new_text": "2"}}
		e.refused("buffers_edit", args{"path": path, "edits": fine}, "its buffer is not modifiable")
		e.Command("setlocal modifiable readonly")
		e.refused("buffers_edit", args{"path": path, "edits": fine}, "its buffer is read-only")
		e.refused("buffers_edit", args{"path": e.Project, "edits": fine}, "not a file")
	})
}

func TestEdit_KeepsWhatTheUserHasNotSaved(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		path := e.edit("a.txt", "one\ntwo\n")
		e.keys("ggAx") // and goes on typing
		e.eventually(`vim.fn.getline(1) == "onex"`)
		edits := []args{{"old_text": "two", "new_text": "2"}}
		e.want("buffers_edit", args{"path": path, "edits": edits, "save": false}, `"saved":false`)
		e.file(path, "one\ntwo\n")
		if got := e.want("buffers_read", args{}); got != "onex\n2" {
			t.Errorf("%q", got)
		}
		e.keys("<Esc>u")
		e.eventually(`vim.fn.getline(1) == "onex" and vim.fn.getline(2) == "two"`)
		e.keys("u")
		e.eventually(`vim.fn.getline(1) == "one"`)
	})
}

func TestEdit_OfANewFileMakesIt(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		e.want("buffers_edit", args{"path": "new/er/a.txt", "edits": []args{{"start_line": 1, "end_line": 0, "new_text": "x\n"}}})
		e.file(e.Project+"/new/er/a.txt", "x\n")
	})
}

func TestEdit_DoesNotWriteOverWhatSomebodyElseWrote(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		path := e.edit("a.txt", "one\ntwo\n")
		e.keys("ggAx<Esc>")
		e.eventually(`vim.bo.modified`)
		if err := os.WriteFile(path, []byte("somebody else's\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		e.refused("buffers_edit", args{"path": path, "edits": []args{{"old_text": "two", "new_text": "2"}}}, "unsaved changes, and was changed on disk")
		e.file(path, "somebody else's\n")
		// Without changes of its own the buffer has the new text first.
		e.Command("undo | set noautoread")
		e.want("buffers_edit", args{"path": path, "edits": []args{{"old_text": "else", "new_text": "kind"}}})
		e.file(path, "somebody kind's\n")
	})
}

// TestEdit_OfManyLinesKeepsWhatIsInTheOthers edits each other line, and looks at what belongs to
// places of the buffer.
func TestEdit_OfManyLinesKeepsWhatIsInTheOthers(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		path := e.edit("a.txt", strings.Repeat("one\ntwo\n", 100))
		e.Lua(nil, `
			buf, space = vim.api.nvim_get_current_buf(), vim.api.nvim_create_namespace("test")
			vim.api.nvim_buf_set_mark(buf, "a", 101, 1, {})
			vim.api.nvim_buf_set_mark(buf, "b", 102, 1, {})
			mark = vim.api.nvim_buf_set_extmark(buf, space, 101, 2, {})
			vim.fn.setqflist({ { bufnr = buf, lnum = 101 }, { bufnr = buf, lnum = 102 } })
			vim.api.nvim_win_set_cursor(0, { 102, 2 })
			vim.cmd.new()
		`)
		e.want("buffers_edit", args{"path": path, "edits": []args{
			{"old_text": "one", "new_text": "1 with é", "replace_all": true},
			{"start_line": 2, "end_line": 1, "new_text": "more"},
		}}, `"saved":true`)
		e.file(path, "1 with é\nmore\ntwo\n"+strings.Repeat("1 with é\ntwo\n", 99))
		const places = `vim.inspect({
			vim.api.nvim_buf_get_mark(buf, "a")[1], vim.api.nvim_buf_get_mark(buf, "b"),
			vim.api.nvim_buf_get_extmark_by_id(buf, space, mark, {}),
			vim.fn.getqflist()[1].lnum, vim.fn.getqflist()[2].lnum,
		}, { newline = "", indent = "" })`
		if got := eval[string](e, places); got != "{ 102, { 103, 1 }, { 102, 2 }, 102, 103 }" {
			t.Errorf("the places are %s", got)
		}
		e.Command("wincmd p")
		if got := eval[[]int](e, `vim.api.nvim_win_get_cursor(0)`); got[0] != 103 || got[1] != 2 {
			t.Errorf("the cursor is at %v", got)
		}
		e.Command("silent undo")
		if got := eval[int](e, `vim.fn.undotree().seq_cur`); got != 0 {
			t.Errorf("after one undo the text is that of change %d", got)
		}
	})
}
