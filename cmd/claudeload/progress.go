// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"context"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// step is how often the bar moves.
const step = 100 * time.Millisecond

// progress shows on a terminal how much of the run is over, until what it returns is called.
func (o *options) progress(ctx context.Context, to io.Writer) (stop func()) {
	file, ok := to.(*os.File)
	if o.Quiet || !ok || !term.IsTerminal(int(file.Fd())) {
		return func() {}
	}
	bar := progressbar.NewOptions64(int64(o.Duration/step), progressbar.OptionSetWriter(to),
		progressbar.OptionSetDescription("loading"), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetPredictTime(true))
	ctx, cancel := context.WithCancel(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		ticker := time.NewTicker(step)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				// A terminal that cannot be written is no reason to stop measuring.
				_ = bar.Add(1)
			case <-ctx.Done():
				_ = bar.Finish()
				return
			}
		}
	})
	return func() { cancel(); done.Wait() }
}
