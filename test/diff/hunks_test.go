// Copyright (c) 2026 the claudecoded authors. MIT license.

package diff

import (
	"strings"
	"testing"
)

// withoutFirstHunk is the proposal but for one of its changes.
var withoutFirstHunk = strings.Replace(proposedText, "LINE 3\n", "line 3\n", 1)

func TestHunks_AreObtainedAndPutInDiffMode(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string][2]string{
		"do": {"proposed", "3Gdo"},
		"dp": {"original", "3Gdp"},
	} {
		t.Run(name, func(t *testing.T) {
			inEach(t, layouts[0].options, func(r *review) {
				p := r.shows(proposedText)
				r.must(p.walk(keys[0]), r.typed(keys[1]), p.walk("proposed"))
				r.soon(`vim.fn.getline(3) == "line 3"`)
				r.must(r.typed(":w<CR>"), p.answered(p.saved(withoutFirstHunk)), p.settle(r.ctx, &withoutFirstHunk))
				r.soon(`#vim.api.nvim_list_wins() == 1 and vim.fn.getline("$") == "end"`)
			})
		})
	}
}

// unsaved changes the second line and does not save it.
func unsaved(r *review) {
	r.must(r.typed("2Gccunsaved<Esc>"))
	r.soon(`vim.bo.modified and vim.api.nvim_get_mode().mode == "n"`)
}

func TestModifiedBuffer_CanBeComparedUnsaved(t *testing.T) {
	t.Parallel()
	for _, l := range some(layouts[:3]) {
		t.Run(l.name, func(t *testing.T) {
			inEach(t, map[string]any{"layout": l.name, "on_modified": "diff_buffer"}, func(r *review) {
				unsaved(r)
				before, err := r.steady("n")
				r.must(err)
				p := r.shows(proposedText)
				r.must((cell{}).undisturbed(r.editor, before))
				r.must(p.walk("proposed"), r.typed(":w<CR>"), p.answered(p.saved(proposedText)))
				walked(before, p)
				r.must(p.settle(r.ctx, nil), (cell{}).same(r.editor, before))
			})
		})
	}
}
