// Copyright (c) 2026 the claudecoded authors. MIT license.

package relay

import "context"

// subscription is a subscriptions/listen of 2026-07-28, which outlives the editors that
// serve it.
type subscription struct {
	message message
	// acknowledged says that the client has its first message, the only one of its kind.
	acknowledged bool
	emit         func([]byte)
}

// subscribe serves a subscription until it is cancelled.
func (r *relay) subscribe(ctx context.Context, c *call) {
	s := subscription{message: c.message, emit: r.emit}
	for ctx.Err() == nil {
		l, err := r.keeper.get(ctx)
		if err != nil {
			s.acknowledge()
			r.keeper.await(ctx)
			continue
		}
		err = l.ask(ctx, c.message, c.written, s.take)
		switch {
		case ctx.Err() != nil:
		case err == nil && !s.acknowledged:
			return // it was refused, and the client knows why
		default:
			r.keeper.lose(l, err)
		}
	}
}

// take takes a message of the editor's. What tells of its beginning and of its end is about
// that editor and not about the subscription.
func (s *subscription) take(text []byte, answers bool) {
	o := readServed(text)
	switch {
	case o.text("method") == "notifications/subscriptions/acknowledged" && s.acknowledged:
		s.changed()
	case answers && s.acknowledged:
	default:
		s.acknowledged = s.acknowledged || o["method"] != nil
		s.emit(text)
	}
}

func (s *subscription) meta() string {
	return `"_meta":{"` + metaSubscription + `":` + string(s.message.ids[0]) + `}`
}

// acknowledge begins the subscription although there is no editor.
func (s *subscription) acknowledge() {
	if s.acknowledged {
		return
	}
	s.acknowledged = true
	honoured := `{}`
	if s.message.params.listens {
		honoured = `{"toolsListChanged":true}`
	}
	s.emit([]byte(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{` +
		s.meta() + `,"notifications":` + honoured + `}}`))
}

func (s *subscription) changed() {
	if s.message.params.listens {
		s.emit([]byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{` + s.meta() + `}}`))
	}
}
