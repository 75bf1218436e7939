// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"errors"
	"os"
	"slices"

	"claudecoded/bench/claude"
	"claudecoded/test/stage"
)

// prompt begins a turn, as Claude does.
func (d *desk) prompt() { d.promptOf(d.client) }

func (d *desk) promptOf(client *claude.Client) {
	d.t.Helper()
	if _, err := client.Call(stage.Within(d.t), "closeAllDiffTabs", map[string]any{}); err != nil {
		d.t.Fatal(err)
	}
}

// announce tells that a file is about to be written. There may be no diagnostics to be had.
func (d *desk) announce(client *claude.Client, name string) {
	d.t.Helper()
	_, err := client.Call(stage.Within(d.t), "getDiagnostics", map[string]any{"uri": "file://" + d.path(name)})
	d.tolerate(err)
}

// wrote asks for diagnostics, as Claude does after it wrote.
func (d *desk) wrote(client *claude.Client) {
	d.t.Helper()
	_, err := client.Call(stage.Within(d.t), "getDiagnostics", map[string]any{})
	d.tolerate(err)
}

// tolerate forgives an answer that is an error.
func (d *desk) tolerate(err error) {
	d.t.Helper()
	var answered *claude.RPCError
	if err != nil && !errors.As(err, &answered) {
		d.t.Fatal(err)
	}
}

// edits is a prompt in which Claude writes files, or removes them for which the text is "no file".
func (d *desk) edits(files ...string) {
	d.t.Helper()
	d.prompt()
	for i := 0; i < len(files); i += 2 {
		d.edit(d.client, files[i], files[i+1])
	}
}

// changes is a prompt in which Claude changes files: each is a name, the text before and the one after.
func (d *desk) changes(files ...string) {
	d.t.Helper()
	var edits []string
	for file := range slices.Chunk(files, 3) {
		d.put(file[0], file[1])
		edits = append(edits, file[0], file[2])
	}
	d.edits(edits...)
}

// replaces is a prompt in which Claude makes "two" of the one line "one" of files.
func (d *desk) replaces(names ...string) {
	d.t.Helper()
	var files []string
	for _, name := range names {
		files = append(files, name, "one\n", "two\n")
	}
	d.changes(files...)
}

// edit has a client write one file.
func (d *desk) edit(client *claude.Client, name, text string) {
	d.t.Helper()
	d.announce(client, name)
	if text == "no file" {
		if err := os.Remove(d.path(name)); err != nil {
			d.t.Fatal(err)
		}
	} else {
		d.put(name, text)
	}
	d.wrote(client)
}
