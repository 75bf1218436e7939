// Copyright (c) 2026 the claudecoded authors. MIT license.

package bench

import (
	_ "embed"
	"testing"
	"time"

	"claudecoded/test/nvimtest"
)

//go:embed proposals.lua
var proposals string

// proposalSteps are proposals of texts for that buffer, in the order in which they are made: Lua that
// begins one, and what is true once it is done. Of a reviewed one the diff itself is a step. floor is
// the step in which Neovim does by itself what cannot be divided of this one.
var proposalSteps = []struct{ name, begin, done, floor string }{
	{"checkpoint", `tool("undo_checkpoint", { name = "c", path = "big.txt" })`, `outcome`, ""},
	{"revert_unchanged", `tool("undo_revert", { name = "c" })`, `outcome`, ""},
	{"revert_changed", `change() tool("undo_revert", { name = "c" })`, `outcome`, ""},
	{"revert_changed_unsaved", `change() tool("undo_revert", { name = "c" }, false)`, `outcome`, ""},
	{"write_alone", `vim.api.nvim_buf_call(big, function() vim.cmd("silent write") end)`, `true`, ""},
	{"rename_1000_places", `propose(renamed(100), false)`, `outcome`, "set_1000_alone"},
	{"set_1000_alone", `set_alone(100)`, `true`, ""},
	{"rename_10000_places", `propose(renamed(10), false)`, `outcome`, "set_10000_alone"},
	{"set_10000_alone", `set_alone(10)`, `true`, ""},
	{"every_line", `propose(renamed(1), false)`, `outcome`, "set_all_alone"},
	{"set_all_alone", `set_all_alone()`, `true`, ""},
	{"revert_back", `tool("undo_revert", { name = "c" })`, `outcome`, "set_all_alone"},
	{"diff_alone", `diff_alone()`, `true`, ""},
	{"review_begin", `review(renamed(100))`, `diff_buffer()`, "diff_alone"},
	{"review_accept", `accept()`, `outcome`, "set_1000_alone"},
	{"revert_reviewed", `tool("undo_revert", { name = "c" })`, `outcome`, "set_1000_alone"},
	{"unified_begin", `review(renamed(100), "unified")`, `diff_buffer()`, ""},
	{"unified_accept", `accept()`, `outcome`, "set_1000_alone"},
	{"unified_reverted", `tool("undo_revert", { name = "c" })`, `outcome`, "set_1000_alone"},
}

// BenchmarkProposals measures, as BenchmarkFamilies does, for how long proposals of a text of 100 000
// lines keep Neovim from looking for input, beside what Neovim itself needs for what they do last:
// -of-floor is how many times as long as that the median is.
func BenchmarkProposals(b *testing.B) {
	eachNeovim(b, func(b *testing.B, binaryOfNvim string) {
		v, longest := openFamilies(b, binaryOfNvim)
		if err := v.ExecLua(proposals, nil); err != nil {
			b.Fatal(err)
		}
		held := map[string][]time.Duration{}
		for b.Loop() {
			for _, s := range proposalSteps {
				longest()
				if err := v.ExecLua("outcome = nil "+s.begin, nil); err != nil {
					b.Fatal(s.name, err)
				}
				nvimtest.Eventually(b, s.name, func() bool {
					var done bool
					if err := v.ExecLua("return ("+s.done+") and true or false", &done); err != nil {
						b.Fatal(s.name, err)
					}
					return done
				})
				held[s.name] = append(held[s.name], longest())
			}
		}
		reportHeld(b, held)
		for _, s := range proposalSteps {
			if s.floor != "" {
				b.ReportMetric(median(held[s.name])/median(held[s.floor]), s.name+"-of-floor")
			}
		}
	})
}
