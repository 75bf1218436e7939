// Copyright (c) 2026 the claudecoded authors. MIT license.

package relay

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxInFlight is how many requests of the client may wait for their answers.
	maxInFlight = 256
	// maxTries is how often a request is sent to an editor that goes away.
	maxTries = 3
	// A cancellation may overtake its request, which goes another way: it is sent so often,
	// with such a pause, while the request is still unanswered.
	cancelTries = 3
	cancelPause = 250 * time.Millisecond
)

var (
	errBusy  = errors.New("too many requests wait for their answers")
	errTwice = errors.New("another request with this id waits for its answer")
)

// call is a request that waits for its answer.
type call struct {
	message message
	cancel  context.CancelFunc
	// unwanted says that the client has cancelled it, so that it may end without an answer.
	unwanted atomic.Bool
	// sent is closed when the request was written, over when nothing comes any more.
	sent chan struct{}
	once sync.Once
	over chan struct{}
}

// calls are the requests in flight, by id. Any goroutine.
type calls struct {
	mu  sync.Mutex
	all map[string]*call
	n   int
	wg  sync.WaitGroup
}

// begin makes a call of a request, unless there is no room for it.
func (c *calls) begin(m message, cancel context.CancelFunc) (*call, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n >= maxInFlight {
		return nil, errBusy
	}
	for _, id := range m.ids {
		if c.all[string(id)] != nil {
			return nil, errTwice
		}
	}
	begun := &call{message: m, cancel: cancel, sent: make(chan struct{}), over: make(chan struct{})}
	for _, id := range m.ids {
		c.all[string(id)] = begun
	}
	c.n++
	c.wg.Add(1)
	return begun, nil
}

// answered frees the ids of a call: the client may use them again as soon as it has the
// answer.
func (c *calls) answered(done *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range done.message.ids {
		if c.all[string(id)] == done {
			delete(c.all, string(id))
		}
	}
}

func (c *calls) end(done *call) {
	c.answered(done)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n--
	close(done.over)
	c.wg.Done()
}

func (c *calls) find(id json.RawMessage) *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.all[string(id)]
}

func (c *call) written() { c.once.Do(func() { close(c.sent) }) }

// serve has the editor answer a request, whatever becomes of the editor meanwhile.
func (r *relay) serve(ctx context.Context, c *call) {
	m, due := c.message, c.message
	take := func(text []byte, answers bool) {
		if due.batch {
			due, _ = due.rest(text)
			answers = !due.request()
		}
		if answers {
			r.calls.answered(c)
		}
		r.emit(text)
	}
	var err error
	for range maxTries {
		var l *link
		if l, err = r.keeper.get(ctx); err != nil {
			break
		}
		err = l.ask(ctx, m, c.written, take)
		if err == nil || ctx.Err() != nil || c.unwanted.Load() {
			return
		}
		r.keeper.lose(l, err)
		if !errors.Is(err, errNotServed) && !m.harmless() {
			err = errors.New("the connection to Neovim broke during the call, which may have had its effect: " + err.Error())
			break
		}
	}
	if ctx.Err() == nil {
		take(r.without(due, err), true)
	}
}

// cancelled passes on that the client does not wait for a request any more. Up to
// 2025-11-25 the editor is told; afterwards the response's end tells it.
func (r *relay) cancelled(m message) {
	c := r.calls.find(m.params.target)
	if c == nil {
		return
	}
	c.unwanted.Store(true)
	if c.message.stateless() || c.message.batch {
		c.cancel()
		return
	}
	r.others.Go(func() {
		defer c.cancel()
		for range cancelTries {
			select {
			case <-c.sent:
			case <-c.over:
				return
			case <-time.After(cancelPause):
				continue // it waits for an editor, or for a connection
			}
			if l, _, err := r.keeper.try(r.ctx); err == nil {
				_ = l.tell(r.ctx, m.text)
			}
			select {
			case <-c.over:
				return
			case <-time.After(cancelPause):
			}
		}
	})
}
