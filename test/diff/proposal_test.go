// Copyright (c) 2026 the claudecoded authors. MIT license.

package diff

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"claudecoded/bench/claude"
)

// proposal is an edit that a client proposes and the answer it waits for.
type proposal struct {
	e      *editor
	client *claude.Client
	name   string // of the diff
	path   string
	text   string
	before *string // what is on disk, nil for no file
	answer chan answer
	// The window that the user walked into, and the one that was left for it.
	at, from int
}

type answer struct {
	items []string
	err   error
}

// propose calls openDiff and does not wait.
func (e *editor) propose(ctx context.Context, file, text string, before *string) *proposal {
	e.serial++
	p := &proposal{
		e: e, client: e.client, path: e.path(file), text: text, before: before,
		name: fmt.Sprintf("✻ [Claude Code] %s (%06x) ⧉", file, e.serial),
	}
	p.ask(ctx)
	return p
}

// ask calls openDiff; what an earlier call is answered is no longer waited for here.
func (p *proposal) ask(ctx context.Context) {
	asked := make(chan answer, 1)
	p.answer = asked
	go func() {
		result, err := p.client.Call(ctx, "openDiff", map[string]any{
			"old_file_path": p.path, "new_file_path": p.path, "new_file_contents": p.text, "tab_name": p.name,
		})
		var a answer
		for _, item := range result.Content {
			a.items = append(a.items, item.Text)
		}
		a.err = err
		asked <- a
	}()
}

// panes finds the windows of the diff, as everybody can: by the proposed buffer's variables.
const panes = `
	local name = ...
	for _, win in ipairs(vim.api.nvim_list_wins()) do
		local vars = vim.b[vim.api.nvim_win_get_buf(win)]
		if vars.claudecode_diff_tab_name == name then
			return { proposed = win, original = vars.claudecode_diff_target_win }
		end
	end
	return vim.empty_dict()
`

// shown waits until the proposal is on screen.
func (p *proposal) shown() error {
	return eventually(func() error {
		select {
		case a := <-p.answer:
			p.answer <- a
			return fmt.Errorf("%w: openDiff was answered %q, %v", errStuck, a.items, a.err)
		default:
		}
		var found map[string]int
		if err := p.e.lua(&found, panes, p.name); err != nil {
			return err
		}
		if found["proposed"] == 0 {
			return errors.New("no window shows the proposal")
		}
		return nil
	})
}

// walkIn goes to a window's tab page and from there into the window, and returns where from.
const walkIn = `
	local win = ...
	vim.api.nvim_set_current_tabpage(vim.api.nvim_win_get_tabpage(win))
	local from = vim.api.nvim_get_current_win()
	vim.api.nvim_set_current_win(win)
	return from
`

// walk puts the cursor into a pane of the diff, as the user does.
func (p *proposal) walk(pane string) error {
	var found map[string]int
	if err := p.e.lua(&found, panes, p.name); err != nil {
		return err
	}
	if found[pane] == 0 {
		return fmt.Errorf("the diff has no %s pane: %v", pane, found)
	}
	p.at = found[pane]
	return p.e.lua(&p.from, walkIn, p.at)
}

// answered waits for the answer and compares it.
func (p *proposal) answered(want []string) error {
	select {
	case a := <-p.answer:
		if want == nil {
			if a.err == nil {
				return fmt.Errorf("openDiff was answered %q", a.items)
			}
			return nil
		}
		if a.err != nil {
			return fmt.Errorf("openDiff: %w", a.err)
		}
		if diff := cmp.Diff(want, a.items); diff != "" {
			return fmt.Errorf("openDiff's answer (-want +got):\n%s", diff)
		}
		return nil
	case <-time.After(patience):
		return errors.New("openDiff is not answered")
	}
}

// refused waits for an error as the answer, with each of parts in it.
func (p *proposal) refused(parts ...string) error {
	select {
	case a := <-p.answer:
		var failed *claude.RPCError
		if !errors.As(a.err, &failed) {
			return fmt.Errorf("openDiff was answered %q, %v", a.items, a.err)
		}
		for _, part := range parts {
			if !strings.Contains(failed.Error(), part) {
				return fmt.Errorf("the error is %v, without %s", failed, part)
			}
		}
		return nil
	case <-time.After(patience):
		return errors.New("openDiff is not answered")
	}
}

// waits checks that there is no answer yet.
func (p *proposal) waits() error {
	select {
	case a := <-p.answer:
		p.answer <- a
		return fmt.Errorf("openDiff was answered %q, %v", a.items, a.err)
	default:
		return nil
	}
}

func (p *proposal) saved(text string) []string { return []string{"FILE_SAVED", text} }
func (p *proposal) rejected() []string         { return []string{"DIFF_REJECTED", p.name} }

// untouched checks that nobody wrote the file.
func (p *proposal) untouched() error {
	got, err := os.ReadFile(p.path)
	if p.before == nil {
		if !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("there is a file %s with %q, %v", p.path, got, err)
		}
		return nil
	}
	if err != nil || !bytes.Equal(got, []byte(*p.before)) {
		return fmt.Errorf("somebody wrote the file: %q, %v", got, err)
	}
	return nil
}

// call calls a tool, whose result is ignored by the real client.
func (p *proposal) call(ctx context.Context, tool string, arguments any) error {
	_, err := p.client.Call(ctx, tool, arguments)
	var failed *claude.RPCError
	if errors.As(err, &failed) {
		return nil
	}
	return err
}

// settle does what the real client does with an answer: it closes the diff twice, and if
// the user accepted it writes the file between two looks at the diagnostics.
func (p *proposal) settle(ctx context.Context, write *string) error {
	var errs []error
	tab := map[string]any{"tab_name": p.name}
	errs = append(errs, p.call(ctx, "close_tab", tab), p.call(ctx, "close_tab", tab))
	if write != nil {
		errs = append(errs,
			p.untouched(),
			p.call(ctx, "getDiagnostics", map[string]any{"uri": "file://" + p.path}),
			os.WriteFile(p.path, []byte(*write), 0o600),
			p.call(ctx, "getDiagnostics", nil))
	}
	return errors.Join(errs...)
}

// warm has a diff come and go, for what the first one loads stays loaded.
func (e *editor) warm(t *testing.T) error {
	ctx := within(t)
	if err := e.lua(nil, resetCode); err != nil {
		return err
	}
	p := e.propose(ctx, target, "new\n", nil)
	return errors.Join(p.shown(), p.settle(ctx, nil), p.answered(p.rejected()))
}

// lines is a text of n numbered lines.
func lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

// within is a context that ends with the test, and before patience runs out twice.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 4*patience)
	t.Cleanup(cancel)
	return ctx
}
