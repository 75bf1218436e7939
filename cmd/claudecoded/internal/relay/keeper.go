// Copyright (c) 2026 the claudecoded authors. MIT license.

package relay

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// restartPatience is how long a request waits for an editor that was there a moment
	// ago: a server that died is back within that time.
	restartPatience = 5 * time.Second
	// retryPause is the pause between two looks meanwhile.
	retryPause = 100 * time.Millisecond
	// lookAgain is the pause between two looks for an editor when nothing tells that there
	// may be one.
	lookAgain = 5 * time.Second
)

// errLost is why there is no link right after there was one.
var errLost = errors.New("the connection to Neovim was lost a moment ago")

// keeper keeps the link to the editor: it looks for one when there is none and opens the
// client's session anew.
type keeper struct {
	ctx context.Context // the relay's
	cfg Config
	// dial makes a link that is not opened yet.
	dial func(context.Context, Endpoint) *link
	// emit takes what the server says of itself, and that the tools changed.
	emit func([]byte)
	// ready is closed when the client has said that it is initialized.
	ready chan struct{}
	// lost wakes the watch.
	lost chan struct{}
	feed sync.WaitGroup

	mu     sync.Mutex
	link   *link         // nil while there is none
	up     chan struct{} // closed while there is a link
	hello  *message      // the client's initialize
	pid    int           // of the last editor
	lostAt time.Time     // when it was lost
}

func newKeeper(ctx context.Context, cfg Config, emit func([]byte)) *keeper {
	return &keeper{
		ctx: ctx, cfg: cfg, dial: newLink, emit: emit,
		ready: make(chan struct{}), lost: make(chan struct{}, 1), up: make(chan struct{}),
	}
}

// get is the link to the editor. It waits if there was one a moment ago; otherwise the
// error says at once why there is none.
func (k *keeper) get(ctx context.Context) (*link, error) {
	for {
		l, until, err := k.try(ctx)
		if err == nil || time.Now().After(until) || ctx.Err() != nil {
			return l, err
		}
		select {
		case <-time.After(retryPause):
		case <-ctx.Done():
		}
	}
}

// try looks once. until is how long it makes sense to look again.
func (k *keeper) try(ctx context.Context) (l *link, until time.Time, err error) {
	l, again, until, err := k.tryLocked(ctx)
	if again {
		k.emitChanged()
	}
	return l, until, err
}

// tryLocked is try; again says that a session began that is not the client's first.
func (k *keeper) tryLocked(ctx context.Context) (l *link, again bool, until time.Time, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.link != nil {
		return k.link, false, time.Time{}, nil
	}
	err = errLost
	if time.Since(k.lostAt) >= retryPause { // a server may refuse again and again what led to the loss
		err = k.connect(ctx)
	}
	if err != nil {
		return nil, false, k.lostAt.Add(restartPatience), err
	}
	return k.link, k.hello != nil, time.Time{}, nil
}

// connect finds the editor and opens a link. With the mutex.
func (k *keeper) connect(ctx context.Context) error {
	at, err := k.cfg.Find(k.pid)
	if err != nil {
		return err
	}
	l := k.dial(k.ctx, at)
	if err := l.open(ctx, k.hello); err != nil {
		l.close()
		return err
	}
	k.cfg.Log.Debug("connected", "port", at.Port, "editor", at.PID)
	k.link, k.pid = l, at.PID
	close(k.up)
	if l.session != "" {
		k.feed.Go(func() { k.follow(l) })
	}
	return nil
}

// follow hands on what the server says, and notices its end.
func (k *keeper) follow(l *link) {
	select {
	case <-k.ready:
	case <-l.ctx.Done():
		return
	}
	if err := l.listen(k.emit); l.ctx.Err() == nil {
		k.lose(l, err)
	}
}

// lose says that a link is no use any more.
func (k *keeper) lose(l *link, why error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.link != l {
		return
	}
	k.cfg.Log.Debug("the editor's server is lost", "port", l.at.Port, "error", why)
	k.drop()
	k.lostAt = time.Now()
	select {
	case k.lost <- struct{}{}:
	default:
	}
}

// drop forgets the link. With the mutex.
func (k *keeper) drop() {
	if k.link != nil {
		k.link.end()
		k.link.hangUp()
		k.link, k.up = nil, make(chan struct{})
	}
}

// begin takes the client's initialize and is the server's answer to it.
func (k *keeper) begin(ctx context.Context, hello message) ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if old := k.link; old != nil {
		k.drop()
		old.close()
	}
	k.hello = &hello
	if err := k.connect(ctx); err != nil {
		return nil, err
	}
	return k.link.answer, nil
}

// initialized says that the client takes what the server says of itself.
func (k *keeper) initialized() {
	k.mu.Lock()
	defer k.mu.Unlock()
	select {
	case <-k.ready:
	default:
		close(k.ready)
	}
}

// greeting is the client's initialize; nil if it has none.
func (k *keeper) greeting() *message {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.hello
}

const toolsChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`

// emitChanged tells a client that has listed the tools that they are others.
func (k *keeper) emitChanged() {
	select {
	case <-k.ready:
		k.emit([]byte(toolsChanged))
	default:
	}
}

// await waits until there is a link.
func (k *keeper) await(ctx context.Context) {
	k.mu.Lock()
	up := k.up
	k.mu.Unlock()
	select {
	case <-up:
	case <-ctx.Done():
	}
}

// watch looks for an editor whenever there may be one, until ctx is done.
func (k *keeper) watch(ctx context.Context) {
	timer := time.NewTicker(lookAgain)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.lost:
			_, _ = k.get(ctx)
		case <-k.cfg.Changed:
			_, _, _ = k.try(ctx)
		case <-timer.C:
			_, _, _ = k.try(ctx)
		}
	}
}

// stop ends the session. ctx of all that was asked for is done.
func (k *keeper) stop() {
	k.mu.Lock()
	l := k.link
	k.drop()
	k.mu.Unlock()
	if l != nil {
		l.close()
	}
	k.feed.Wait()
}
