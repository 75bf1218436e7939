// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package hunks tests what a diff is made of in real Neovims: texts in buffers, the original,
// hunks, and the layout that shows both in one buffer.
package hunks

import (
	"testing"

	"github.com/neovim/go-client/nvim"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestMain(m *testing.M) { stage.Main(m) }

// editor is a Neovim with a user interface and the plugin, which is not set up.
type editor struct {
	*nvim.Nvim
	t   *testing.T
	dir string
}

func start(t *testing.T, binary string) *editor {
	t.Helper()
	dir := nvimtest.Dir(t)
	e := &editor{Nvim: nvimtest.Start(t, nvimtest.Options{Nvim: binary, UI: true, Dir: dir}), t: t, dir: dir}
	e.lua(nil, `vim.o.termguicolors = true vim.cmd.redraw()`)
	return e
}

// lua runs code and stores what it returns in result, unless that is nil.
func (e *editor) lua(result any, code string, args ...any) {
	e.t.Helper()
	if err := e.ExecLua(code, result, args...); err != nil {
		e.t.Fatalf("%v\nin: %s", err, code)
	}
}

// value runs code that returns a T.
func value[T any](e *editor, code string, args ...any) T {
	e.t.Helper()
	var result T
	e.lua(&result, code, args...)
	return result
}
