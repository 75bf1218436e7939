// Copyright (c) 2026 the claudecoded authors. MIT license.

package families

import (
	"fmt"
	"strings"
	"testing"
)

func TestBuffers_AreListedWithWhatIsKnownOfThem(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		path := e.edit("a [1].txt", "one\ntwo\n")
		e.keys("Ax<Esc>")
		e.eventually(`vim.bo.modified`)
		e.Command("badd later.txt")
		e.Command("split | terminal")
		got := decode[struct {
			Buffers []struct {
				Name                              *string
				Buftype                           string
				Modified, Loaded, Current, Listed bool
				Windows                           []int
			}
		}](t, e.want("buffers_list", args{"all": true}))
		seen := map[string]bool{}
		for _, b := range got.Buffers {
			switch {
			case b.Buftype == "terminal":
				seen["terminal"] = true
				if b.Name != nil {
					t.Errorf("the name of a terminal leaves: %s", *b.Name)
				}
			case b.Name != nil && *b.Name == path:
				seen["file"] = true
				if !b.Modified || !b.Loaded || !b.Current || len(b.Windows) != 1 {
					t.Errorf("%+v", b)
				}
			case b.Name != nil && strings.HasSuffix(*b.Name, "later.txt"):
				seen["later"] = true
				if b.Loaded || !b.Listed {
					t.Errorf("%+v", b)
				}
			}
		}
		if len(seen) != 3 {
			t.Errorf("only %v in %+v", seen, got)
		}
	})
}

func TestBuffers_AreReadAsTheyAreNow(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		path := e.edit("a.txt", "one\ntwo\nthree\n")
		e.keys("ggAx<Esc>")
		e.eventually(`vim.fn.getline(1) == "onex"`)
		for _, c := range []struct {
			args args
			want string
		}{
			{args{}, "onex\ntwo\nthree"},
			{args{"bufnr": 0}, "onex\ntwo\nthree"},
			{args{"path": path}, "onex\ntwo\nthree"},
			{args{"path": "a.txt", "start_line": 2}, "two\nthree"},
			{args{"start_line": 2, "end_line": 2, "numbered": true}, "     2\ttwo"},
			{args{"end_line": 99, "start_line": 3}, "three"},
		} {
			if got := e.want("buffers_read", c.args); got != c.want {
				t.Errorf("%v: %q, want %q", c.args, got, c.want)
			}
		}
		e.refused("buffers_read", args{"start_line": 4}, "start_line 4: the buffer has the lines 1 to 3")
		e.refused("buffers_read", args{"start_line": 3, "end_line": 2}, "end_line 2 is before start_line 3")
		e.refused("buffers_read", args{"bufnr": 99}, "There is no loaded buffer 99")
		e.refused("buffers_read", args{"path": "none.txt"}, "none.txt is not loaded in a buffer; nvim_buffers_open does that")
	})
}

func TestBuffers_ThatAreLongAreReadInParts(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		var text strings.Builder
		for i := range 5000 {
			fmt.Fprintf(&text, "line %d ä\n", i+1)
		}
		e.edit("long.txt", text.String())
		var lines []string
		for next := 1; next > 0; {
			part := strings.Split(e.want("buffers_read", args{"start_line": next}), "\n")
			last := part[len(part)-1]
			lines = append(lines, part[:len(part)-1]...)
			var more int
			if n, _ := fmt.Sscanf(last, "… %d more lines; read on with start_line %d", &more, &next); n != 2 {
				lines = append(lines, last)
				next = 0
			}
		}
		if got := strings.Join(lines, "\n") + "\n"; got != text.String() {
			t.Errorf("%d lines of %d bytes", len(lines), len(got))
		}
		e.edit("wide.txt", strings.Repeat("ä", 100_000)+"\nend\n")
		got := e.want("buffers_read", args{}, "more bytes)\nend")
		if len(got) > 70_000 || strings.ContainsRune(got, '\uFFFD') {
			t.Errorf("%d bytes", len(got))
		}
	})
}

func TestBuffers_OfSecretsAreNamedOnly(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		path := e.edit(".env", "TOKEN=hunter2\n")
		e.Command("new")
		e.keys("ihunter2<Esc>")
		e.eventually(`vim.fn.getline(1) == "hunter2"`)
		e.want("buffers_list", args{"all": true}, `"text_withheld":true`)
		e.refused("buffers_read", args{"path": path}, "The text of .env is withheld (selection_filter)")
		e.refused("buffers_read", args{}, "is no file whose text may leave the editor")
		e.refused("buffers_search", args{"pattern": "hunter", "path": path}, "withheld")
		e.refused("buffers_edit", args{"path": path, "edits": []args{{"old_text": "hunter2", "new_text": ""}}}, "withheld")
		found := e.want("buffers_search", args{"pattern": "hunter"}, ".env")
		e.want("quickfix_set", args{"items": []args{{"path": path, "line": 1, "text": "TOKEN=hunter2"}}})
		places := e.want("quickfix_read", args{}, ".env", `"text_withheld":true`)
		for _, text := range []string{found, places} {
			if strings.Contains(text, "hunter2") {
				t.Errorf("the secret left: %s", text)
			}
		}
	})
}

func TestBuffers_AreSearchedWithTheirUnsavedText(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		e.edit("b.txt", "Needle\n\\(x\n")
		path := e.edit("a.txt", strings.Repeat("hay\n", 3000)+"ä needle\n")
		e.keys("ggIneedle <Esc>")
		e.eventually(`vim.fn.getline(1) == "needle hay"`)
		type result struct {
			Matches []struct {
				Path         string
				Line, Column int
				Text         string
			}
			Truncated bool
		}
		got := decode[result](t, e.want("buffers_search", args{"pattern": "needle", "path": path}))
		if len(got.Matches) != 2 || got.Matches[0].Line != 1 || got.Matches[1].Line != 3001 || got.Matches[1].Column != 4 {
			t.Errorf("%+v", got)
		}
		for _, c := range []struct {
			args args
			want int
		}{
			{args{"pattern": "needle"}, 2},
			{args{"pattern": "needle", "ignore_case": true}, 3},
			{args{"pattern": `\<n\w\+e\>`, "regex": true}, 2},
			{args{"pattern": `\(x`}, 1},
			{args{"pattern": "hay", "limit": 7}, 7},
			{args{"pattern": "nothing"}, 0},
		} {
			got := decode[result](t, e.want("buffers_search", c.args))
			if len(got.Matches) != c.want || got.Truncated != (c.want == 7) {
				t.Errorf("%v: %d matches, truncated %v", c.args, len(got.Matches), got.Truncated)
			}
		}
		e.refused("buffers_search", args{"pattern": `\(x`, "regex": true}, "E54")
		e.refused("buffers_search", args{"pattern": ""}, "empty")
	})
}

func TestBuffers_AreOpenedWithoutAWindow(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		e.edit("a.txt", "a\n")
		b := e.Write("b $x [1].txt", "b\n")
		e.want("buffers_open", args{"path": b}, `"shown":false`)
		if eval[string](e, `vim.fn.expand("%:t")`) != "a.txt" || eval[int](e, `#vim.api.nvim_list_wins()`) != 1 {
			t.Error("a window changed")
		}
		e.want("buffers_read", args{"path": b}, "b")
		e.want("buffers_open", args{"path": b, "focus": true, "line": 1}, `"shown":true`)
		if got := eval[string](e, `vim.fn.expand("%:p")`); got != b {
			t.Errorf("the user sees %s", got)
		}
		e.refused("buffers_open", args{"path": "none.txt"}, "There is no such file: none.txt")
		e.refused("buffers_open", args{"path": e.Project}, "There is no such file")
	})
}

func TestBuffers_OfSecretsThatAreNotLoadedAreNotEdited(t *testing.T) {
	each(t, `{}`, func(t *testing.T, e *editor) {
		e.edit("a.txt", "one\n")
		secret := e.Write(".env", "TOKEN=hunter2\nTOKEN=hunter2\n")
		e.Lua(nil, watch)
		// Where and how often a text is there says what it is.
		edits := []args{{"old_text": "hunter2", "new_text": "x"}}
		e.refused("buffers_edit", args{"path": secret, "edits": edits}, "The text of .env is withheld (selection_filter)")
		e.refused("buffers_edit", args{"path": "a\x00b", "edits": edits}, "NUL")
		e.file(secret, "TOKEN=hunter2\nTOKEN=hunter2\n")
		if eval[int](e, `vim.fn.bufexists(...)`, secret) != 0 || len(eval[[]string](e, `seen`)) > 0 {
			t.Errorf("it left a buffer, or was seen: %v", eval[[]string](e, `seen`))
		}
		e.Lua(nil, `require("claudecode").state.config.selection_filter = function(buf)
			return vim.api.nvim_buf_get_name(buf):find("mine") and "path" or "full"
		end`)
		mine := e.Write("mine.txt", "one\n")
		e.refused("buffers_edit", args{"path": mine, "edits": edits}, "withheld")
		e.want("buffers_edit", args{"path": secret, "edits": []args{{"start_line": 1, "new_text": "x"}}})
	})
}
