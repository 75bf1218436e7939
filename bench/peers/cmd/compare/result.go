// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"encoding/json"
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
	Rounds  int        `json:"rounds"`
	Seconds float64    `json:"seconds"`
	Works   []Measured `json:"works"`
}

// line says in short how a work went.
func (m Measured) line() string {
	parts := []string{fmt.Sprintf("%-34s %s", m.Work, m.cell(ours))}
	for _, t := range m.Targets {
		parts = append(parts, m.verdict(t))
	}
	return strings.Join(parts, "  ")
}

func (m Measured) cell(name string) string {
	if len(m.Values[name]) == 0 {
		return ""
	}
	return fmt.Sprintf("%s ± %.0f %%", number(m.median(name)), 50*m.spread(name))
}

// verdict is a target and what was reached of it.
func (m Measured) verdict(t target) string {
	sign, mark := "≥", "reached"
	if m.Less {
		sign = "≤"
	}
	if !m.reached(t) {
		mark = "**not reached**"
	}
	switch t.Peer {
	case atMost:
		return fmt.Sprintf("%s %s: %s", sign, number(t.Ratio), mark)
	case message:
		return fmt.Sprintf("%s %s ×: %s", sign, number(t.Ratio), mark)
	}
	return fmt.Sprintf("%.2f × %s, to reach %s %s: %s", m.ratio(t), t.Peer, sign, number(t.Ratio), mark)
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

// columns are the servers in the order of the table.
var columns = append(append([]string{}, webs...), "echo", "trivial")

// markdown is the page that the run is published as.
func (r Result) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Side by side\n\nWritten by `make compare` on %s: %s. %d interleaved rounds of %g s, each server in a\n"+
		"fresh process on a core of its own; the median of the rounds and half their spread. Only ratios within one run\n"+
		"mean something. The raw rounds are in [rounds.json](rounds.json).\n\n", r.Date, r.Machine, r.Rounds, r.Seconds)
	fmt.Fprintf(&b, "| work | unit | %s | targets |\n| --- | --- |%s --- |\n", strings.Join(columns, " | "),
		strings.Repeat(" --- |", len(columns)))
	for _, m := range r.Works {
		var cells, verdicts []string
		for _, name := range columns {
			cells = append(cells, m.cell(name))
		}
		for _, t := range m.Targets {
			verdicts = append(verdicts, m.verdict(t))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", m.Work, m.Unit, strings.Join(cells, " | "), strings.Join(verdicts, "; "))
	}
	b.WriteString(legend)
	return b.String()
}

const legend = `
` + "`claudecoded`" + ` parses and checks each message wholly, its token, origin and limits included; the others are the
smallest idiomatic servers on their libraries and answer the same bytes. ` + "`echo`" + ` is a bare TCP echo on the same loop,
` + "`trivial`" + ` a Go program that listens.

![How long answers took](latency.svg)

![Answers by requests in flight](pipeline.svg)

![Memory by clients](memory.svg)
`

func (r Result) write(folder string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the rounds: %w", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "rounds.json"), append(text, '\n'), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "README.md"), []byte(r.markdown()), 0o644)
}
