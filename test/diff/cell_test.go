// Copyright (c) 2026 the claudecoded authors. MIT license.

package diff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// cell is one meeting of a layout, a situation and an outcome.
type cell struct {
	layout
	situation
	outcome
}

// possible tells whether the keys can be typed, and mean what they do elsewhere.
func (c cell) possible() bool {
	switch {
	case c.where != nil && !c.where(c.layout):
		return false
	case c.outcome.alone && (c.crowd || c.situation.name == "other tab page"):
		return false
	case c.claude && (c.outcome.alone || c.pane == "original"):
		return false // the cursor is in the diff, and walks on to a window of the user's, where it stays
	}
	return true
}

// The file before, and as proposed: a line changed, one gone, some more at the end, and no
// final newline.
var (
	baseText     = lines(40)
	proposedText = strings.NewReplacer("line 3\n", "LINE 3\n", "line 35\n", "", "line 40\n", "line 40\nmore\nend").Replace(baseText)
)

// run plays a cell in an editor, which is as new before.
func (c cell) run(t *testing.T, e *editor) error {
	ctx := within(t)
	e.serve(t)
	before, disk, err := c.set(e)
	if err != nil {
		return fmt.Errorf("setting the scene: %w", err)
	}
	p := e.propose(ctx, target, proposedText, disk)
	if err := p.shown(); err != nil {
		return err
	}
	if !c.claude {
		if err := c.undisturbed(e, before); err != nil {
			return err
		}
	}
	if c.pane != "" {
		if err := p.walk(c.pane); err != nil {
			return err
		}
		walked(before, p)
	}
	if err := errors.Join(p.waits(), p.untouched()); err != nil {
		return err
	}
	return c.end(ctx, e, p, before)
}

// end has the review end, and compares what is left.
func (c cell) end(ctx context.Context, e *editor, p *proposal, before map[string]string) error {
	if err := e.typed(c.keys); err != nil {
		return err
	}
	if c.act != nil {
		if err := c.act(ctx, p); err != nil {
			return err
		}
	}
	text := p.text
	if c.edited != nil {
		text = c.edited(text)
	}
	want := map[ending][]string{saved: p.saved(text), rejected: p.rejected()}[c.want]
	if err := errors.Join(p.answered(want), p.untouched()); err != nil {
		return err
	}
	if c.want != saved {
		// At once, whatever the client does then.
		if err := c.same(e, before); err != nil {
			return err
		}
	}
	var write *string
	if c.want == saved {
		write = &text
	}
	// A server that was stopped ends the connection some time after its answer.
	if c.want != silent && c.outcome.name != stop {
		if err := p.settle(ctx, write); err != nil {
			return err
		}
	}
	if c.want == saved {
		before = written(before, p.path, text)
	}
	if err := c.same(e, before); err != nil {
		return fmt.Errorf("once the client was done: %w", err)
	}
	return c.once(p)
}

// once checks that no second answer came, at which the client would have hung up.
func (c cell) once(p *proposal) error {
	select {
	case <-p.client.Ended():
		if c.want != silent && c.outcome.name != stop {
			return fmt.Errorf("the connection ended: %w", p.client.Err())
		}
	default:
	}
	return nil
}

// set brings the editor into the situation and looks at it.
func (c cell) set(e *editor) (before map[string]string, disk *string, err error) {
	others := lines(35)
	if !c.fresh {
		disk = &baseText
	}
	if err := errors.Join(e.lua(nil, resetCode), e.put(target, disk), e.put(other, &others), e.put(third, &others)); err != nil {
		return nil, nil, err
	}
	err = e.lua(nil, scenery+c.lua, e.path(target), e.path(other), e.path(third))
	if err != nil {
		return nil, nil, err
	}
	if c.mode == "t" {
		if err := e.typed("i"); err != nil {
			return nil, nil, err
		}
	}
	before, err = e.steady(cmp.Or(c.mode, "n"))
	return before, disk, err
}

// undisturbed compares what belongs to the user while the proposal is on screen: where the
// cursor is, registers, marks, jumps.
func (c cell) undisturbed(e *editor, before map[string]string) error {
	after, err := e.look()
	if err != nil {
		return err
	}
	kept := map[string]string{}
	now := map[string]string{}
	for name, value := range before {
		if !ofLayout(name) {
			kept[name], now[name] = value, after[name]
		}
	}
	if diff := differences(kept, now); diff != "" {
		return fmt.Errorf("while it is on screen (-before +now):\n%s", diff)
	}
	return nil
}

// ofLayout tells whether something of the user's may differ while a diff is on screen: the
// arrangement of windows, how the original is shown, and its mappings.
func ofLayout(name string) bool {
	what, about, _ := strings.Cut(name, " ")
	switch what {
	case "window":
		_, about, _ = strings.Cut(about, " ")
		return strings.HasPrefix(about, "option ") || slices.Contains([]string{"size", "place", "view", "closed folds", "variables"}, about)
	case "buffer":
		_, about, _ = strings.Cut(about, " ")
		return about == "loaded" || strings.HasPrefix(about, "map ")
	case "tab":
		return about == "pages" || strings.HasSuffix(about, " layout")
	}
	// Diff mode adds to 'scrollopt', and a tab page that was made is the last one for a moment.
	return slices.Contains([]string{"autocommands", "global option scrollopt", "previous tab page"}, name)
}

// same waits until the editor is as before, and says what is not.
func (c cell) same(e *editor, before map[string]string) error {
	return eventually(func() error {
		after, err := e.look()
		if err != nil {
			return err
		}
		want := maps.Clone(before)
		for name, value := range want {
			if value == anything {
				want[name] = after[name]
			}
		}
		if diff := differences(want, after); diff != "" {
			return fmt.Errorf("the editor is not as it was (-before +after):\n%s", diff)
		}
		return nil
	})
}

// differences lists those of two looks, a line for each value that one of them has. While the
// editor comes to rest, many looks differ.
func differences(want, got map[string]string) string {
	var lines []string
	add := func(sign string, these, those map[string]string) {
		for name, value := range these {
			if other, known := those[name]; !known || other != value {
				lines = append(lines, fmt.Sprintf("%s %s: %q\n", name, sign, value))
			}
		}
	}
	add("-", want, got)
	add("+", got, want)
	slices.Sort(lines) // a name's - and + are neighbours
	return strings.Join(lines, "")
}

// walked changes what is expected to what the user did by walking into a window of the diff:
// the window and the tab page that were left for it are the ones before. In a window of his
// own, as one that shows the file may be, he stays. If he walked through another tab page of
// his own, he may be there or back, and what is current in it is Neovim's choice.
func walked(before map[string]string, p *proposal) {
	home := before["tab page"]
	before["previous tab page"] = anything
	before["tab page "+home+" previous window"] = anything
	from, through := before[fmt.Sprintf("window %d page", p.from)]
	if through && from != home {
		for _, name := range []string{"tab page", "window", "tab page " + from + " window", "tab page " + from + " previous window"} {
			before[name] = anything
		}
	}
	if page, own := before[fmt.Sprintf("window %d page", p.at)]; own {
		before["tab page"], before["window"] = page, strconv.Itoa(p.at)
		before["tab page "+page+" window"] = strconv.Itoa(p.at)
	}
}

// written is what the editor is like once the client wrote the file: buffers that were
// loaded from it have the new text, which is one more change, and nothing else differs.
func written(before map[string]string, path, text string) map[string]string {
	want := maps.Clone(before)
	for name, value := range before {
		if value != path || strings.Count(name, " ") != 1 || want[name+" loaded"] != "true" {
			continue
		}
		want[name+" text"] = strings.TrimSuffix(text, "\n")
		want[name+" option endofline"] = fmt.Sprintf("{ %t }", strings.HasSuffix(text, "\n"))
		for _, about := range []string{" undo", " changes", " marks of changes"} {
			want[name+about] = anything
		}
	}
	return want
}

// anything is a value that is as good as any other.
const anything = "\x00anything"
