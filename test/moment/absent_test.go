// Copyright (c) 2026 the claudecoded authors. MIT license.

package moment

import (
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestUITool_WaitsForAUserInterfaceIfThereWasOne(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim)
		if err := d.DetachUI(); err != nil {
			t.Fatal(err)
		}
		call := d.openFile("f.txt")
		d.waits(1, "openFile (no user interface)")
		call.waiting()
		stage.Diagnostics(t, d.client, nil) // a tool that opens nothing
		if err := d.AttachUI(80, 24, map[string]any{"ext_linegrid": true}); err != nil {
			t.Fatal(err)
		}
		call.answers("Opened file: ")
	})
}

// TestUITool_IsNoticedInATerminal is about the mode in which SafeState is never triggered.
func TestUITool_IsNoticedInATerminal(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := open(t, nvim)
		d.inClaude()
		if err := d.DetachUI(); err != nil {
			t.Fatal(err)
		}
		calls := []*pending{d.openFile("a.txt", "makeFrontmost", false), d.openFile("b.txt", "makeFrontmost", false)}
		d.waits(2, "no user interface")
		if err := d.AttachUI(80, 24, map[string]any{"ext_linegrid": true}); err != nil {
			t.Fatal(err)
		}
		for _, call := range calls {
			call.answers("success")
		}
		if mode := eval[string](d, "vim.fn.mode()"); mode != "t" {
			t.Errorf("the mode became %q", mode)
		}
	})
}

func TestUITool_RunsWhereThereNeverWasAUserInterface(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		d := serve(stage.Open(t, stage.Options{Nvim: nvim}), t)
		d.openFile("f.txt").answers("Opened file: ")
	})
}
