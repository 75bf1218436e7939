// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// row is one line of the table.
type row struct {
	Name string `json:"row"`
	Unit string `json:"unit"`
	// Less says that a smaller value is better.
	Less bool `json:"less_is_better"`
	// Targets are the ratios to reach, ours over another's.
	Targets []target `json:"targets,omitempty"`
}

// target is a ratio between ours and another server that is to be reached: at least, or at
// most where less is better. A Peer of alone means the value itself.
type target struct {
	Peer  string  `json:"peer"`
	Ratio float64 `json:"ratio"`
}

// What a target can be about besides a server.
const (
	fastest = "the fastest peer"
	alone   = "itself"
)

// values are the rows of a work by server.
type values map[string][]float64

// work measures one round of some rows together.
type work struct {
	rows    []row
	servers []string
	round   func(ctx context.Context, b *bench, servers []string) (values, error)
}

var (
	libraries = []string{"gws", "coder", "gorilla", "nbio", "gnet"}
	webs      = append([]string{ours}, libraries...)
	// columns are all of the table.
	columns = append(append([]string{}, webs...), "echo", "trivial", direct)
)

const (
	more = false
	less = true
)

func works() []work {
	one := func(name, unit string, less bool, targets ...target) []row { return []row{{name, unit, less, targets}} }
	echoed := append(slices.Clone(webs), "echo")
	return []work{
		{one("small requests, 10 × 16", "answers per CPU-second", more, target{"gws", 5}), echoed, inTurn(perSecond("ping", 10, 16))},
		{one("small requests, 50 × 1", "answers per CPU-second", more, target{"gws", 1.15}, target{"echo", 0.9}), echoed, inTurn(perSecond("ping", 50, 1))},
		{one("small request, 1 × 1", "µs, median", less, target{"gws", 1}, target{"echo", 1.15}), echoed, inTurn(median("ping"))},
		{[]row{
			{"50 MiB in one frame", "ms of CPU", less, []target{{fastest, 1.2}}},
			{"50 MiB in one frame, peak", "× the message", less, []target{{alone, 1.3}}},
		}, webs, inTurn(large("large"))},
		{[]row{
			{"50 MiB in fragments of 1 MiB", "ms of CPU", less, []target{{fastest, 1.2}}},
			{"50 MiB in fragments, peak", "× the message", less, []target{{alone, 2.2}}},
		}, webs, inTurn(large("fragments"))},
		{one("handshakes", "per CPU-second", more, target{"gws", 1.4}), webs, inTurn(perSecond("handshake", 4, 1))},
		{[]row{
			{"idle session, heap", "bytes", less, []target{{alone, 2048}}},
			{"idle session, goroutines", "each", less, []target{{alone, 0}}},
			{"idle session, resident", "bytes", less, nil},
		}, webs, inTurn(idleSessions)},
		{one("broadcast burst, 10 clients", "deliveries per CPU-second", more, target{"gws", 8}), []string{ours, "gws", "gnet"}, inTurn(burst)},
		{[]row{
			{"from exec to the port line", "ms", less, []target{{"trivial", 2}}},
			{"resident when idle", "MiB", less, []target{{"trivial", 2}}},
		}, []string{ours, "gws", "trivial"}, launches},
		{[]row{
			{"tool call in the editor", "µs, median", less, []target{{direct, 1.15}}},
			{"tool call, Neovim's thread", "µs of CPU", less, []target{{direct, 1.3}}},
			{"tool over HTTP that ends after 5 ms", "ms, median", less, []target{{direct, 1.2}}},
		}, []string{ours, direct}, calls},
		{[]row{
			{"setup() and auto-start, Neovim's thread", "ms of CPU", less, []target{{alone, 4}}},
			{"setup() to the port", "ms", less, nil},
		}, []string{ours}, setups},
		{one("cursor moved, client told, Neovim's thread", "µs of CPU", less), []string{ours, direct}, pushes},
		{[]row{
			{"wakeups when idle, one client", "in 30 s", less, []target{{alone, 3}}},
			{"wakeups when idle, one client, in Neovim", "in 30 s", less, []target{{alone, 3}}},
			{"idle, one client, Neovim's thread", "ms of CPU per minute", less, nil},
		}, []string{ours, "gws", "gnet", direct}, idling},
	}
}

// choose leaves of the works those with a row whose name contains one of the texts, and of
// their servers ours and those named. Without texts or names it leaves all.
func choose(all []work, texts, names []string) ([]work, error) {
	for _, name := range names {
		if !slices.Contains(columns, name) {
			return nil, fmt.Errorf("there is no server %q; there are %s", name, strings.Join(columns, ", "))
		}
	}
	var chosen []work
	for _, w := range all {
		named := func(text string) bool {
			return slices.ContainsFunc(w.rows, func(r row) bool { return strings.Contains(r.Name, text) })
		}
		if len(texts) > 0 && !slices.ContainsFunc(texts, named) {
			continue
		}
		w.servers = slices.DeleteFunc(slices.Clone(w.servers), func(name string) bool {
			return len(names) > 0 && name != ours && !slices.Contains(names, name)
		})
		chosen = append(chosen, w)
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no row is named so; --list lists them")
	}
	return chosen, nil
}

func list(to io.Writer) error {
	for _, w := range works() {
		for i, r := range w.rows {
			mark := "  "
			if i == 0 {
				mark = "* "
			}
			if _, err := fmt.Fprintf(to, "%s%-44s %s\n", mark, r.Name, strings.Join(w.servers, " ")); err != nil {
				return err
			}
		}
	}
	return nil
}

// inTurn measures each server in a fresh process, one after the other.
func inTurn(measure func(ctx context.Context, b *bench, s *server) ([]float64, error)) func(context.Context, *bench, []string) (values, error) {
	return func(ctx context.Context, b *bench, servers []string) (values, error) {
		got := values{}
		for _, name := range servers {
			s, err := b.start(ctx, name)
			if err != nil {
				return nil, err
			}
			got[name], err = measure(ctx, b, s)
			s.stop()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		return got, nil
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
