// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package nvimbridge is Neovim as the editor that runs the tools: one msgpack-RPC
// channel, whose vocabulary is PROTOCOL.md.
//
// The loop goroutine owns all of a Bridge's state and never waits for Neovim. Two
// goroutines stand between them: R reads the channel and posts what it read to the
// loop; Q writes what Neovim did not take at once, and may block for as long as Neovim
// does not read.
package nvimbridge

import (
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/neovim/go-client/msgpack/rpc"

	"claudecoded/mcp"
)

// Protocol is the number of PROTOCOL.md.
const Protocol = 5

// closeWait bounds how long Close waits for R and Q. A read of a blocking stdin
// ends only with the process.
const closeWait = time.Second

// ErrClosed is what a request gets that Close cut short.
var ErrClosed = errors.New("nvimbridge: closed")

// Config is what every Bridge needs.
type Config struct {
	// Post runs a function on the loop goroutine, in order, and reports false if
	// the loop has stopped.
	Post func(func()) bool
	// Log never gets the content of a message. Nil discards.
	Log *slog.Logger
	// Version is the daemon's, as Neovim is told.
	Version string
}

// Bridge is one Neovim. Its methods run on the loop goroutine, except Serve,
// Attached and Close.
type Bridge struct {
	cfg   Config
	ep    *rpc.Endpoint
	in    *landing
	gate  *gate
	end   *ending
	child *child // nil unless this bridge started Neovim
	out   *outlet
	gone  chan struct{} // closed by lost
	quit  chan struct{} // closed by Close
	close sync.Once
	wg    sync.WaitGroup

	// The rest belongs to the loop goroutine.
	host   Host
	err    error // why Neovim is gone
	queue  []item
	calls  table
	health health
}

var _ mcp.Editor = (*Bridge)(nil)

// Embed speaks with the Neovim that started this process, over its stdin and
// stdout. What of them is an io.Closer is closed by Close.
func Embed(cfg Config, stdin io.Reader, stdout io.Writer) *Bridge {
	return newBridge(cfg, stdin, stdout, nil)
}

func newBridge(cfg Config, r io.Reader, w io.Writer, c *child) *Bridge {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	b := &Bridge{
		cfg:   cfg,
		child: c,
		out:   newOutlet(w),
		gone:  make(chan struct{}),
		quit:  make(chan struct{}),
		calls: newTable(),
	}
	b.gate = newGate(r, b.quit)
	b.end = newEnding(b.gate)
	b.in = &landing{r: b.end}
	// The library's log lines may quote values, so only their kind is logged.
	logf := func(format string, _ ...any) { cfg.Log.Debug("neovim channel", "event", format) }
	b.ep, _ = rpc.NewEndpoint(b.in, b.out, closers(r, w), rpc.WithLogf(logf)) // never fails
	b.register()
	return b
}

// Serve starts R and Q. It does not wait, and is called once, before anything else.
func (b *Bridge) Serve(host Host) {
	b.host = host
	b.wg.Go(func() {
		err := b.ep.Serve()
		if err == nil {
			err = io.EOF
		}
		b.ended(err)
	})
	b.wg.Go(b.write)
}

// Close leaves Neovim, or ends it if this bridge started it, and waits for that.
// It may be called from any goroutine but the loop's; Host.Gone is not called.
func (b *Bridge) Close() error {
	b.close.Do(func() { close(b.quit) })
	_ = b.ep.Close()
	if b.child != nil {
		b.child.end()
	}
	done := make(chan struct{})
	go func() {
		b.wg.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-time.After(closeWait):
		return errors.New("the neovim channel is still being read")
	}
}

// post runs f on the loop goroutine unless Close comes first.
func (b *Bridge) post(f func()) bool {
	return b.cfg.Post(func() {
		select {
		case <-b.quit:
		default:
			f()
		}
	})
}

// ended takes the end of the channel to the loop, behind what was read before it. If
// it was read to its end, that is the reason. Not on the loop goroutine.
func (b *Bridge) ended(err error) {
	if b.end.wait(b.quit) && errors.Is(err, errWriting) {
		err = io.EOF
	}
	b.post(func() { b.lost(err) })
}

// lost ends everything once: the calls in flight, then the host.
func (b *Bridge) lost(err error) {
	if b.err != nil {
		return
	}
	b.err = err
	close(b.gone)
	b.queue = nil
	b.health.stop()
	for _, c := range b.calls.clear() {
		b.host.Finish(c.Token, failed(errGone))
	}
	b.host.Gone(err)
}

type closeAll []io.Closer

func closers(streams ...any) closeAll {
	var all closeAll
	for _, s := range streams {
		if c, ok := s.(io.Closer); ok {
			all = append(all, c)
		}
	}
	return all
}

func (all closeAll) Close() error {
	var err error
	for _, c := range all {
		if e := c.Close(); err == nil {
			err = e
		}
	}
	return err
}
