// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Result is a whole run.
type Result struct {
	Date    string     `json:"date"`
	Machine string     `json:"machine"`
	Pinned  bool       `json:"pinned"`
	Rounds  int        `json:"rounds"`
	Seconds float64    `json:"seconds"`
	Quiet   float64    `json:"quiet_seconds"`
	Took    string     `json:"took"`
	Rows    []Measured `json:"rows"`
	// Profile says where the time goes under the first row's load.
	Profile string `json:"profile,omitempty"`
	// Against says how it agrees with a run before.
	AgainstDate string      `json:"against_date,omitempty"`
	Against     []agreement `json:"against,omitempty"`
}

// number writes a value with three digits that say something.
func number(v float64) string {
	switch {
	case v >= 1e6:
		return fmt.Sprintf("%.3g M", v/1e6)
	case v >= 1e4:
		return fmt.Sprintf("%.3g k", v/1e3)
	case v >= 1000:
		return fmt.Sprintf("%.0f", v)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// markdown is the page that the run is published as, with what a person has to say of it.
func (r Result) markdown(notes string, withPictures bool) string {
	var b strings.Builder
	where := "on the machine's one core"
	if r.Pinned {
		where = "on a core of its own, the load on the others"
	}
	fmt.Fprintf(&b, "# Side by side\n\nWritten by `make compare` on %s, in %s: %s.\n%d interleaved rounds, %g s for a measurement under load, %g s for"+
		" the idle ones;\neach server in a fresh process %s. The median of the rounds, and half of what\nlies between the lowest and the highest."+
		" Only ratios within one run mean something; a target's is the median of the\nrounds' ratios. The raw rounds are in [rounds.json](rounds.json).\n\n",
		r.Date, r.Took, r.Machine, r.Rounds, r.Seconds, r.Quiet, where)
	b.WriteString("| row | unit | ours | to reach |\n| --- | --- | --- | --- |\n")
	for _, m := range r.Rows {
		var verdicts []string
		for _, t := range m.Targets {
			verdicts = append(verdicts, m.verdict(t))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", m.Name, m.Unit, m.cell(ours), strings.Join(verdicts, "; "))
	}
	fmt.Fprintf(&b, "\n## All servers\n\n| row | %s |\n|%s\n", strings.Join(columns, " | "), strings.Repeat(" --- |", len(columns)+1))
	for _, m := range r.Rows {
		var cells []string
		for _, name := range columns {
			cells = append(cells, m.cell(name))
		}
		fmt.Fprintf(&b, "| %s | %s |\n", m.Name, strings.Join(cells, " | "))
	}
	b.WriteString(legend)
	if len(r.Against) > 0 {
		fmt.Fprintf(&b, "\n## Against the run of %s\n\nTwo runs agree in a row if the ranges of their rounds have something in common or are"+
			" less than %g %% apart.\n\n"+
			"| row | of | before (from to) | now (from to) | agree |\n| --- | --- | --- | --- | --- |\n", r.AgainstDate, 100*resolution)
		for _, a := range r.Against {
			b.WriteString(a.line())
		}
	}
	if notes != "" {
		fmt.Fprintf(&b, "\n## Notes\n\n%s\n", strings.TrimSpace(notes))
	}
	if r.Profile != "" {
		fmt.Fprintf(&b, "\n## Where the time goes\n\nA CPU profile of `claudecoded` at 10 × 16.\n\n```text\n%s```\n", r.Profile)
	}
	if withPictures {
		b.WriteString(shown)
	}
	return b.String()
}

const legend = `
` + "`claudecoded`" + ` parses and checks each message wholly, its token, origin and limits included; the others are the
smallest idiomatic servers on their libraries and answer the same bytes. ` + "`echo`" + ` is a bare TCP echo on the same loop,
` + "`trivial`" + ` a Go program that listens. ` + "`direct`" + ` is no server: the same function of the editor, called by go-client on
a pipe; for the tool call, its median and that of a trip to ` + "`echo`" + ` together; for the cursor, the same key with nobody
told; for the idle, a Neovim without the plugin. What Neovim's thread costs is the clock of that thread, read inside
Neovim. A session's heap is what is live after a collection, by the program's own account.
`

const shown = `
## Pictures

![How long answers took](latency.svg)

![Answers by requests in flight](pipeline.svg)

![Memory by clients](memory.svg)
`

// notes, in the folder of the page, holds what a person has to say of a run.
const notes = "notes.md"

// write leaves the page and the rounds in a folder, where the pictures are.
func (r Result) write(folder string, withPictures bool) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return fmt.Errorf("encoding the rounds: %w", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "rounds.json"), append(text, '\n'), 0o644); err != nil {
		return err
	}
	said, err := os.ReadFile(filepath.Join(folder, notes))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "README.md"), []byte(r.markdown(string(said), withPictures)), 0o644)
}

// read reads the rounds of a run.
func read(path string) (r Result, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}
