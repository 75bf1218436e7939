// Copyright (c) 2026 the claudecoded authors. MIT license.

// Command compare measures the program side by side with the smallest servers on other
// libraries, in interleaved rounds of one run, and writes a table, the raw rounds and
// plots. Only ratios within a run mean something: absolute times differ between machines
// and from one run to the next.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
)

type options struct {
	Out    string        `default:"." help:"Where README.md, rounds.json and the plots are written." type:"path"`
	Bin    string        `required:"" help:"The folder of the servers' binaries." type:"existingdir"`
	Rounds int           `default:"5" help:"Rounds of each work with each server."`
	Time   time.Duration `default:"2s" help:"How long one measurement takes."`
	Only   string        `help:"Only the works whose names contain this."`
	Plots  bool          `default:"true" negatable:"" help:"Draw the plots, which need runs of their own."`
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
	if runtime.GOOS != "linux" {
		return fmt.Errorf("what a process costs is read from /proc, which %s has not", runtime.GOOS)
	}
	bench := &bench{bin: o.Bin, time: o.Time}
	if err := bench.pin(); err != nil {
		return err
	}
	result := Result{Date: time.Now().UTC().Format("2006-01-02"), Machine: machine(), Rounds: o.Rounds, Seconds: o.Time.Seconds()}
	for _, w := range works() {
		if !strings.Contains(w.name, o.Only) {
			continue
		}
		measured, err := bench.measure(ctx, w, o.Rounds)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		result.Works = append(result.Works, measured)
		fmt.Fprintln(os.Stderr, measured.line())
	}
	if err := result.write(o.Out); err != nil {
		return err
	}
	if !o.Plots {
		return nil
	}
	return bench.draw(ctx, filepath.Clean(o.Out))
}
