// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"math"
	"time"
)

// Notify sends a JSON-RPC notification to one client. params is JSON text of an
// object; none, null and [] (Lua's empty table) are sent as {}. Members that are
// null are left out: clients take an absent member and drop the whole
// notification for a null one. It reports false if params is anything else, if
// the message is larger than the client takes, or if the client is not connected.
func (s *Server) Notify(client uint64, method string, params []byte) bool {
	c := s.clients[client]
	if c == nil {
		return false
	}
	b := s.notification(method, params, c.profile.maxMessage)
	return b != nil && s.sink.Give(client, b)
}

// BroadcastNotification is Notify for every connected client of the IDE socket:
// it reports whether at least one took it. If so, written (it may be nil) runs
// once after the last write, with the number of writes that succeeded.
func (s *Server) BroadcastNotification(method string, params []byte, written func(n int)) bool {
	b := s.notification(method, params, ide.maxMessage)
	switch {
	case b == nil:
		return false
	case method == latestWins:
		return s.sink.BroadcastLatest(b, written)
	}
	return s.sink.Broadcast(b, written)
}

// latestWins is the notification of which only the newest matters: a client that
// does not read must not collect every cursor movement.
const latestWins = "selection_changed"

// notification builds a message that nobody else holds, or nil.
func (s *Server) notification(method string, params []byte, limit int) []byte {
	params = trimSpace(params)
	switch {
	case len(params) == 0, isNull(params), isEmptyArray(params):
		params = emptyObject
	case checkJSON(params) != nil || !isObject(params):
		s.log.Warn("notification not sent: params is not a JSON object", "method", method, "bytes", len(params))
		return nil
	}
	b := make([]byte, 0, len(params)+len(method)+64)
	b = append(b, `{"jsonrpc":"2.0","method":`...)
	b = appendQuoted(b, method)
	b = append(b, `,"params":`...)
	b = append(appendWithoutNulls(b, params), '}')
	if len(b) > limit {
		s.log.Warn("notification not sent: too large", "method", method, "bytes", len(b), "limit", limit)
		return nil
	}
	return b
}

func appendWithoutNulls(dst, object []byte) []byte {
	dst = append(dst, '{')
	first := true
	for name, value := range members(object) {
		if isNull(value) {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(append(append(dst, name...), ':'), value...)
	}
	return append(dst, '}')
}

// progressEvery is the least time between two notifications/progress of a call, so a loop
// that reports each step cannot flood a client. Of what comes sooner the last is told
// then, or before the result.
const progressEvery = 20 * time.Millisecond

// progress is one report of a call in flight.
type progress struct {
	done, total float64
	message     string
}

// progressState is what a call has reported so far. A nil token means that the
// caller did not ask.
type progressState struct {
	token []byte
	done  float64
	at    time.Time
	// soon came too soon and is told when stopTimer's timer fires; nil if there is none.
	soon      *progress
	stopTimer func()
}

func newProgressState(token []byte) progressState {
	if len(token) > maxID || !isString(token) && !isNumber(token) {
		return progressState{}
	}
	return progressState{token: append([]byte(nil), token...), done: math.Inf(-1)}
}

// Progress reports how far a call has come, if its caller asked to know: done of
// total, which is 0 if unknown, and a message, which may be empty. A report that
// does not go forward or is not finite is dropped, as is one for a call that ended.
func (s *Server) Progress(token uint64, done, total float64, message string) {
	s.change(token, event{kind: progressed, progress: progress{done, total, message}})
}

// smallStep is what a call goes forward by that says nothing: too little to be seen.
const smallStep = 1e-6

// stillRuns reports a call that has said nothing for long: clients give up on a call
// without progress, whatever else its stream says.
func (s *Server) stillRuns(token uint64) {
	c := s.calls[token]
	if c == nil {
		return
	}
	last := &c.progress
	if s.clock.Now().Sub(last.at) < commentEvery {
		return
	}
	next := 0.0
	if !math.IsInf(last.done, 0) {
		next = max(last.done+smallStep, math.Nextafter(last.done, math.Inf(1)))
	}
	said := last.at
	s.report(c, progress{done: next})
	last.at = said // what the tool says next is not too soon
}

// report tells the caller, now or when enough time has passed.
func (s *Server) report(c *call, p progress) {
	last := &c.progress
	if last.token == nil || !(p.done > last.done) || math.IsInf(p.done, 0) { // NaN is not greater
		return
	}
	wait := progressEvery - s.clock.Now().Sub(last.at)
	if last.at.IsZero() || wait <= 0 {
		s.tell(c, p)
		return
	}
	if last.soon == nil {
		last.stopTimer = s.clock.AfterFunc(wait, func() { s.catchUp(c) })
	} else if p.done < last.soon.done {
		return
	}
	last.soon = &p
}

// catchUp tells what came too soon.
func (s *Server) catchUp(c *call) {
	if soon := c.progress.quiet(); soon != nil {
		s.tell(c, *soon)
	}
}

// quiet forgets what came too soon, and returns it.
func (p *progressState) quiet() (soon *progress) {
	if p.stopTimer != nil {
		p.stopTimer()
	}
	soon, p.soon, p.stopTimer = p.soon, nil, nil
	return soon
}

func (s *Server) tell(c *call, p progress) {
	last := &c.progress
	last.quiet()
	last.done, last.at = p.done, s.clock.Now()
	b := append(s.out[:0], `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`...)
	b = append(b, last.token...)
	b = appendNumber(append(b, `,"progress":`...), p.done)
	if p.total > 0 && !math.IsInf(p.total, 0) {
		b = appendNumber(append(b, `,"total":`...), p.total)
	}
	if p.message != "" {
		b = appendQuoted(append(b, `,"message":`...), p.message)
	}
	if b = append(b, "}}"...); len(b) <= c.client.profile.maxMessage {
		s.deliver(c.client, payload{text: b})
	}
}
