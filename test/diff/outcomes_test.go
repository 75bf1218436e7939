// Copyright (c) 2026 the claudecoded authors. MIT license.

package diff

import (
	"context"
	"errors"
)

// layout is a way to show a proposal.
type layout struct {
	name    string
	options map[string]any
	newTab  bool
	unified bool
}

var layouts = []layout{
	{name: "vertical", options: map[string]any{"layout": "vertical"}},
	{name: "horizontal", options: map[string]any{"layout": "horizontal"}},
	{name: "unified", options: map[string]any{"layout": "unified"}, unified: true},
	{name: "vertical in a tab page", newTab: true, options: map[string]any{"layout": "vertical", "open_in_new_tab": true}},
	{name: "unified in a tab page", newTab: true, unified: true, options: map[string]any{"layout": "unified", "open_in_new_tab": true}},
}

// ending is what a client learns.
type ending int

const (
	saved ending = iota
	rejected
	silent // there is nobody to answer
)

// outcome is a way in which a review ends.
type outcome struct {
	name string
	// pane is where the cursor walks before the keys are typed; empty for where it was.
	pane string
	keys string
	// act happens after the keys.
	act  func(ctx context.Context, p *proposal) error
	want ending
	// edited is the text that the keys make of the proposal; nil for no change.
	edited func(string) string
	// alone is for keys that close the user's other windows too: only where there are none.
	alone bool
	// where tells whether the keys can be typed in a layout; nil is everywhere.
	where func(layout) bool
}

// twoPanes is for what happens in the original pane, which the unified layout has not.
func twoPanes(l layout) bool { return !l.unified }

func ownPage(l layout) bool { return l.newTab }

// stop is the outcome that ends the connection too.
const stop = ":ClaudeCodeStop"

var outcomes = []outcome{
	{name: ":w", pane: "proposed", keys: ":w<CR>"},
	{name: ":w after an edit", pane: "proposed", keys: "ggOmine<Esc>:w<CR>", where: twoPanes,
		edited: func(text string) string { return "mine\n" + text }},
	{name: ":wq", pane: "proposed", keys: ":wq<CR>"},
	{name: ":x", pane: "proposed", keys: ":x<CR>"},
	{name: "ZZ", pane: "proposed", keys: "ZZ"},
	{name: ":ClaudeCodeDiffAccept", pane: "proposed", keys: ":ClaudeCodeDiffAccept<CR>"},
	{name: ":ClaudeCodeDiffAccept in the original", pane: "original", keys: ":ClaudeCodeDiffAccept<CR>", where: twoPanes},
	{name: "leader da", pane: "proposed", keys: `\da`},
	{name: "leader da in the original", pane: "original", keys: `\da`, where: twoPanes},

	{name: "leader dq", pane: "proposed", keys: `\dq`, want: rejected},
	{name: "leader dq in the original", pane: "original", keys: `\dq`, want: rejected, where: twoPanes},
	{name: ":ClaudeCodeDiffDeny", pane: "proposed", keys: ":ClaudeCodeDiffDeny<CR>", want: rejected},
	{name: ":ClaudeCodeDiffDeny in the original", pane: "original", keys: ":ClaudeCodeDiffDeny<CR>", want: rejected, where: twoPanes},
	{name: ":q", pane: "proposed", keys: ":q<CR>", want: rejected},
	{name: ":q!", pane: "proposed", keys: ":q!<CR>", want: rejected},
	{name: "ZQ", pane: "proposed", keys: "ZQ", want: rejected},
	{name: ":close", pane: "proposed", keys: ":close<CR>", want: rejected},
	{name: "C-w c", pane: "proposed", keys: "<C-w>c", want: rejected},
	{name: ":bdelete!", pane: "proposed", keys: ":bdelete!<CR>", want: rejected},
	{name: ":bwipeout!", pane: "proposed", keys: ":bwipeout!<CR>", want: rejected},
	{name: ":tabclose", pane: "proposed", keys: ":tabclose<CR>", want: rejected, where: ownPage},
	{name: "C-w o elsewhere", keys: "<C-w>o", want: rejected, alone: true, where: func(l layout) bool { return !l.newTab }},

	{name: "close_tab", want: rejected, act: func(ctx context.Context, p *proposal) error {
		return p.call(ctx, "close_tab", map[string]any{"tab_name": p.name})
	}},
	{name: "closeAllDiffTabs", want: rejected, act: func(ctx context.Context, p *proposal) error {
		return p.call(ctx, "closeAllDiffTabs", nil)
	}},
	{name: ":ClaudeCodeCloseAllDiffs", keys: ":ClaudeCodeCloseAllDiffs<CR>", want: rejected},
	{name: "client gone", want: silent, act: func(_ context.Context, p *proposal) error { return p.client.Close() }},
	{name: stop, keys: ":ClaudeCodeStop<CR>", want: rejected},
	{name: "replaced", want: rejected, act: replace},
}

// replace proposes again under the same name, and leaves the second proposal to close_tab.
func replace(ctx context.Context, p *proposal) error {
	first := *p
	p.ask(ctx)
	if err := first.answered(first.rejected()); err != nil {
		return err
	}
	if err := p.shown(); err != nil {
		return err
	}
	return errors.Join(p.waits(), p.call(ctx, "close_tab", map[string]any{"tab_name": p.name}))
}
