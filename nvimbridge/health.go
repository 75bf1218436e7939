// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import "time"

const (
	// probeAfter is how long a call goes unanswered before nvim_get_mode is asked,
	// which Neovim answers even at a prompt that holds up everything else.
	probeAfter = 500 * time.Millisecond
	// probeShare: half of a call's time may pass before that, if it has less. The
	// error that ends it at its deadline is to name the prompt.
	probeShare = 2
	// quietAfter is how long Neovim is silent before it counts as not responding.
	// It is less than the shortest deadline of a tool.
	quietAfter = 250 * time.Millisecond
	// checkEvery is the pause between two looks at all this.
	checkEvery = 50 * time.Millisecond
)

// notResponding is the state of a Neovim that answers nothing at all.
const notResponding = "not responding"

// health follows whether Neovim answers, only while it has calls to answer.
type health struct {
	timer   *time.Timer
	last    time.Time // when Neovim was last heard
	probing bool
	state   string // what the host was told
}

func (h *health) stop() {
	if h.timer != nil {
		h.timer.Stop()
	}
}

// watch sees to it that check runs while calls are outstanding.
func (b *Bridge) watch() {
	if b.health.timer == nil && len(b.calls.outstanding) > 0 {
		b.health.timer = time.AfterFunc(checkEvery, func() { b.post(b.check) })
	}
}

// heard notes a sign of life. At a prompt only the answer to a call says that the
// user has left it.
func (b *Bridge) heard(answered bool) {
	b.health.last = time.Now()
	if answered || b.health.state == notResponding {
		b.tellState("", time.Time{})
	}
}

func (b *Bridge) check() {
	h := &b.health
	h.timer = nil
	if b.err != nil || len(b.calls.outstanding) == 0 {
		return
	}
	now, since := time.Now(), b.calls.outstanding[0].sent
	unheard := h.last.Before(since) || h.probing
	if h.last.After(since) {
		since = h.last
	}
	if unheard && now.Sub(since) >= quietAfter {
		b.tellState(notResponding, since)
	}
	if !h.probing && !now.Before(b.probeAt(since)) {
		b.probe()
	}
	b.watch()
}

// probeAt is when a Neovim that is silent since then is asked: early enough for
// whoever waits the least, if it was not heard after the call.
func (b *Bridge) probeAt(since time.Time) time.Time {
	at := since.Add(probeAfter)
	for _, c := range b.calls.unfinished {
		if by := c.probeBy; by.After(since) && by.Before(at) {
			at = by
		}
	}
	return at
}

// probeBy is when Neovim is asked at the latest for a call that comes now.
func probeBy(now, deadline time.Time) time.Time {
	if deadline.IsZero() {
		return deadline
	}
	return now.Add(deadline.Sub(now) / probeShare)
}

func (b *Bridge) probe() {
	b.health.probing = true
	b.send(item{method: "nvim_get_mode", args: []any{}, answered: func(m *message, err error) {
		b.health.probing = false
		if err != nil || len(b.calls.outstanding) == 0 {
			return
		}
		b.heard(false)
		state := ""
		if m.isTrue("blocking") {
			var mode string
			_ = m.get("mode", &mode)
			state = "waiting for your input (mode " + mode + ")"
		}
		b.tellState(state, time.Time{})
	}})
}

func (b *Bridge) tellState(state string, since time.Time) {
	if state != b.health.state {
		b.health.state = state
		b.host.EditorState(state, since)
	}
}
