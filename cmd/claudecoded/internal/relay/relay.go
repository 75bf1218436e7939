// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package relay is an MCP server on a pair of pipes (MCP, "stdio") that hands every message
// on to the server of a running editor, which speaks Streamable HTTP, in the revisions with
// sessions and in those without. Editors may come, go and come back under a client that
// stays. It is a plain blocking client of the server.
package relay

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"
)

const (
	// maxLine is how many bytes a message of the client may have. The server takes 16 MiB
	// and refuses what is longer with an answer that has the request's id.
	maxLine = 64 << 20
	// lastAnswers is how long answers that are due are waited for once the client sends
	// no more.
	lastAnswers = time.Second
	// endGrace bounds the end: a client that reads no more holds up whoever writes to it.
	endGrace = time.Second
)

// Config is what Run needs.
type Config struct {
	// Find finds the editor. It is told the process id of the one before, or 0. Its error
	// is what the client is told.
	Find func(before int) (Endpoint, error)
	// Changed says that Find may find another editor; may be nil.
	Changed <-chan struct{}
	// Version is this program's.
	Version string
	// Log takes no content and no token.
	Log *slog.Logger
}

type relay struct {
	ctx    context.Context
	cfg    Config
	keeper *keeper
	calls  calls
	others sync.WaitGroup
	// listening is done when the client sends no more, which ends its subscriptions.
	listening context.Context

	write sync.Mutex
	out   io.Writer
	quit  context.CancelCauseFunc
}

// errClientGone says that the client reads no more.
var errClientGone = errors.New("the client is gone")

// Run relays until in ends, out breaks or ctx is done. The first is no error. What it
// started has ended when it returns, except for a read of in.
func Run(ctx context.Context, in io.Reader, out io.Writer, cfg Config) error {
	ctx, quit := context.WithCancelCause(ctx)
	defer quit(nil)
	r := &relay{ctx: ctx, cfg: cfg, out: out, quit: quit}
	listening, deaf := context.WithCancel(ctx)
	defer deaf()
	r.listening = listening
	r.calls.all = map[string]*call{}
	r.keeper = newKeeper(ctx, cfg, r.emit)
	r.others.Go(func() { r.keeper.watch(ctx) })
	read := make(chan error, 1)
	go func() { read <- r.read(in) }()
	var err error
	select {
	case err = <-read:
		deaf()
		within(ctx, lastAnswers, r.calls.wg.Wait)
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	quit(nil)
	within(context.Background(), endGrace, func() {
		r.calls.wg.Wait()
		r.others.Wait()
		r.keeper.stop()
	})
	if errors.Is(err, io.EOF) || errors.Is(err, context.Canceled) || errors.Is(err, errClientGone) {
		return nil
	}
	return err
}

// within waits for f, for at most a time.
func within(ctx context.Context, limit time.Duration, f func()) {
	done := make(chan struct{})
	go func() {
		f()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	case <-time.After(limit):
	}
}

// read takes the client's messages, one a line.
func (r *relay) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for r.ctx.Err() == nil {
		line, err := readLine(lines, maxLine)
		switch {
		case errors.Is(err, errTooLong):
			r.emit(fault(codeInvalidRequest, fmt.Sprintf("the message has more than %d bytes", maxLine)))
		case err != nil:
			return err
		case len(line) > 0:
			r.take(line)
		}
	}
	return context.Cause(r.ctx)
}

// take serves one message. Only initialize is waited for: what follows it needs its
// session.
func (r *relay) take(line []byte) {
	m, err := readMessage(line)
	switch {
	case errors.Is(err, errParse):
		r.emit(fault(codeParse, err.Error()))
	case err != nil:
		r.emit(fault(codeInvalidRequest, err.Error()))
	case m.method == "initialize" && m.request() && !m.stateless():
		r.initialize(m)
	case m.method == "ping" && m.request() && !m.stateless():
		r.emit(m.answers(`"result":{}`))
	case m.method == "notifications/initialized":
		r.keeper.initialized() // the editor was told with initialize
	case m.method == "notifications/cancelled":
		r.cancelled(m)
	case m.request():
		r.begin(m)
	default:
		if l, _, err := r.keeper.try(r.ctx); err == nil {
			_ = l.tell(r.ctx, m.text)
		}
	}
}

func (r *relay) initialize(m message) {
	answer, err := r.keeper.begin(r.ctx, m)
	if err != nil {
		r.cfg.Log.Warn("no editor", "error", err)
		answer = r.without(m, err)
	}
	r.emit(answer)
}

func (r *relay) begin(m message) {
	until, serve := r.ctx, r.serve
	if m.method == "subscriptions/listen" && m.stateless() {
		until, serve = r.listening, r.subscribe
	}
	ctx, cancel := context.WithCancel(until)
	c, err := r.calls.begin(m, cancel)
	if err != nil {
		cancel()
		refusal := m.failure(codeInvalidRequest, err.Error())
		if errors.Is(err, errTwice) { // with the id it would be taken for the first one's answer
			refusal = fault(codeInvalidRequest, err.Error())
		}
		r.emit(refusal)
		return
	}
	go func() {
		defer r.calls.end(c)
		defer cancel()
		serve(ctx, c)
	}()
}

// emit writes one message to the client. Any goroutine.
func (r *relay) emit(text []byte) {
	if len(text) == 0 {
		return
	}
	line := append(oneLine(text), '\n')
	r.write.Lock()
	defer r.write.Unlock()
	if _, err := r.out.Write(line); err != nil {
		r.quit(errClientGone)
	}
}
