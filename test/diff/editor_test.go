// Copyright (c) 2026 the claudecoded authors. MIT license.

package diff

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

//go:embed look.lua
var lookCode string

//go:embed reset.lua
var resetCode string

const (
	// patience is how long the editor or the client may take for one thing.
	patience = nvimtest.Patience
	// settled is how long an editor may take to come to rest.
	settled = nvimtest.Patience
	// columns and rows of the user interface leave room for messages and for diffs.
	columns, rows = 160, 48
)

// errStuck is an editor that waits for a key, or never comes back.
var errStuck = errors.New("the editor is stuck")

// editor is a Neovim with a user interface and a client, in which many cells run one after
// the other. Its calls return errors rather than end the test it was opened in.
type editor struct {
	*stage.Editor
	client *claude.Client
	lock   claude.Lock
	serial int // of the last proposal
}

func open(t *testing.T, nvim string, diffOpts map[string]any) *editor {
	t.Helper()
	e := &editor{Editor: stage.Open(t, stage.Options{
		Nvim: nvim, UI: true, Setup: map[string]any{"diff_opts": diffOpts},
	})}
	if err := e.TryResizeUI(columns, rows); err != nil {
		t.Fatal(err)
	}
	if err := nvimtest.WriteProgram(e.path("claude"), "#!/bin/sh\nexec cat\n"); err != nil {
		t.Fatal(err)
	}
	// Keys are typed all the time; that a diff does not open under them is not tested here.
	if err := e.lua(nil, `require("claudecode.moment").quiet_ms = 10`); err != nil {
		t.Fatal(err)
	}
	e.serve(t)
	return e
}

// serve starts the server, unless it runs, and connects a client, unless it is connected.
func (e *editor) serve(t *testing.T) {
	t.Helper()
	if e.client != nil {
		select {
		case <-e.client.Ended():
		default:
			return
		}
	}
	var client *claude.Client
	nvimtest.Eventually(t, "there is a server", func() bool {
		// One that was stopped may be stopping still, and its lock be there.
		err := e.lua(nil, `
			if not require("claudecode").state.port then
				require("claudecode").start(false)
			end
		`)
		if err != nil {
			t.Fatal(err)
		}
		if e.lock, err = claude.Find(stage.LockDir(e.Env), ""); err != nil {
			return false
		}
		client, err = claude.Dial(stage.Within(t), e.lock.Port, e.lock.AuthToken, claude.Options{})
		return err == nil
	})
	if _, _, err := client.Start(stage.Within(t)); err != nil {
		t.Fatal(err)
	}
	e.client = client
}

// leave closes the client.
func (e *editor) leave() {
	if e.client != nil {
		_ = e.client.Close()
	}
}

// lua runs code in the editor. An editor that does not answer is told apart from one that
// answers with an error.
func (e *editor) lua(result any, code string, args ...any) error {
	done := make(chan error, 1)
	go func() { done <- e.ExecLua(code, result, args...) }()
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
	}
	mode, err := e.Mode()
	return fmt.Errorf("%w: %v, %v", errStuck, mode, err)
}

// look is what a diff must leave as it was.
func (e *editor) look() (map[string]string, error) {
	var text string
	if err := e.lua(&text, lookCode); err != nil {
		return nil, err
	}
	seen := map[string]string{}
	for entry := range strings.SplitSeq(strings.TrimSuffix(text, "\x1e"), "\x1e") {
		name, value, _ := strings.Cut(entry, "\x1f")
		seen[name] = value
	}
	return seen, nil
}

// handles are the numbers of windows, tab pages and buffers in what was seen.
var handles = regexp.MustCompile(`\b\d+\b`)

// bare resets the editor and looks at it, with each handle as N, for they are never used again.
func (e *editor) bare() (map[string]string, error) {
	if err := e.lua(nil, resetCode); err != nil {
		return nil, err
	}
	seen, err := e.steady("n")
	same := map[string]string{}
	for name, value := range seen {
		if !strings.Contains(name, " option ") {
			value = handles.ReplaceAllString(value, "N")
		}
		same[handles.ReplaceAllString(name, "N")] = value
	}
	return same, err
}

// steady looks until two looks in a row are the same and the mode is the right one, for an
// editor and its terminals take a moment to start.
func (e *editor) steady(mode string) (seen map[string]string, err error) {
	err = eventually(func() error {
		last := seen
		var err error
		switch seen, err = e.look(); {
		case err != nil:
			return err
		case seen["mode"] != mode:
			return fmt.Errorf("the mode is %s", seen["mode"])
		case !maps.Equal(last, seen):
			return errors.New("the editor does not come to rest")
		}
		return nil
	})
	return seen, err
}

// typed presses keys, <> as in mappings.
func (e *editor) typed(keys string) error {
	n, err := e.Input(keys)
	if err == nil && n != len(keys) {
		err = fmt.Errorf("%d of %d bytes of keys were taken", n, len(keys))
	}
	return err
}

// path of a file of the project.
func (e *editor) path(name string) string { return filepath.Join(e.Project, name) }

// put writes a file of the project, or removes it if there is no text.
func (e *editor) put(name string, text *string) error {
	if text == nil {
		return os.RemoveAll(e.path(name))
	}
	return os.WriteFile(e.path(name), []byte(*text), 0o600)
}

// eventually polls until check is content, and returns its last complaint once that took too long.
func eventually(check func() error) error {
	deadline := time.Now().Add(settled)
	pause := time.Millisecond
	for {
		err := check()
		if err == nil || errors.Is(err, errStuck) || time.Now().After(deadline) {
			return err
		}
		<-time.After(pause)
		pause = min(2*pause, 50*time.Millisecond)
	}
}
