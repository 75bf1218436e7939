// Copyright (c) 2026 the claudecoded authors. MIT license.

// Command compare measures the program side by side with the smallest servers on other
// libraries, and its calls of an editor with the same calls made directly, in interleaved
// rounds of one run. It writes a table, the raw rounds and plots. Only ratios within a run
// mean something: absolute times differ between machines and from one run to the next.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/alecthomas/kong"
)

type options struct {
	Bin     string   `type:"existingdir" help:"The folder of the servers' binaries." placeholder:"DIR"`
	Plugin  string   `type:"existingdir" default:"." help:"The folder of the plugin, for Neovim."`
	Nvim    string   `default:"nvim" help:"The Neovim to measure with." placeholder:"FILE"`
	Rounds  int      `default:"5" help:"Rounds (${default})."`
	Seconds float64  `default:"1.5" help:"How long a measurement of a server takes that load is put on (${default})."`
	Quiet   float64  `default:"30" help:"For how many seconds the idle are watched (${default}); what is counted is scaled to 30."`
	Rows    []string `help:"Only the works with a row whose name contains one of these." placeholder:"TEXT,..."`
	Servers []string `help:"Besides the program itself only these." placeholder:"NAME,..."`
	List    bool     `help:"List the works, their rows and servers, and measure nothing."`
	Plots   bool     `default:"true" negatable:"" help:"Draw the plots, which need runs of their own (with --out)."`
	Profile bool     `default:"true" negatable:"" help:"Profile the first row, in a run of its own (with --out)."`
	From    string   `type:"existingfile" help:"Measure nothing; take the rounds of this file." placeholder:"rounds.json"`
	Against string   `type:"existingfile" help:"Say of each row whether this run and that file's agree within their spread." placeholder:"rounds.json"`
	Out     string   `type:"path" help:"Where README.md, rounds.json and the plots are written; without it the table goes to standard output." placeholder:"DIR"`
}

func main() {
	var o options
	kong.Parse(&o, kong.Name("compare"))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := o.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "compare:", err)
		os.Exit(1)
	}
}

func (o *options) run(ctx context.Context) error {
	if o.List {
		return list(os.Stdout)
	}
	b, result, err := o.result(ctx)
	if err != nil {
		return err
	}
	if o.Against != "" {
		before, err := read(o.Against)
		if err != nil {
			return err
		}
		result.Against = agreements(before, result)
		result.AgainstDate = before.Date
	}
	if o.Out == "" {
		_, err := fmt.Print(result.markdown("", false))
		return err
	}
	if b != nil && o.Plots {
		if err := b.draw(ctx, o.Out); err != nil {
			return err
		}
	}
	if b != nil && o.Profile {
		if result.Profile, err = b.profile(ctx); err != nil {
			return err
		}
	}
	return result.write(o.Out, o.Plots)
}

// result measures, or takes what was measured before; then there is no bench.
func (o *options) result(ctx context.Context) (*bench, Result, error) {
	if o.From != "" {
		r, err := read(o.From)
		return nil, r, err
	}
	switch {
	case runtime.GOOS != "linux":
		return nil, Result{}, fmt.Errorf("what a process costs is read from /proc, which %s has not", runtime.GOOS)
	case o.Bin == "" || o.Rounds < 1 || o.Seconds <= 0 || o.Quiet <= 0:
		return nil, Result{}, fmt.Errorf("--bin is needed, and rounds and seconds must be more than 0")
	}
	b := &bench{bin: o.Bin, plugin: o.Plugin, nvim: o.Nvim, time: seconds(o.Seconds), quiet: seconds(o.Quiet)}
	if err := b.pin(); err != nil {
		return nil, Result{}, err
	}
	chosen, err := choose(works(), o.Rows, o.Servers)
	if err != nil {
		return nil, Result{}, err
	}
	result, err := b.rounds(ctx, chosen, o.Rounds)
	return b, result, err
}
