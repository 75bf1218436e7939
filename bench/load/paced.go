// Copyright (c) 2026 the claudecoded authors. MIT license.

package load

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"claudecoded/bench/claude"
)

// schedule is what the sender and the reader of one paced connection share.
type schedule struct {
	conn *claude.Conn
	// free holds the ids that no request in flight has.
	free chan int
	// due is when the request with an id was to be sent, in Unix nanoseconds.
	due []atomic.Int64
}

// paced sends on a schedule, with at most depth requests in flight. An answer's time
// counts from when its request was due, so that a server that stops for a moment is
// charged with every request that should have been sent meanwhile.
func (c *client) paced(ctx context.Context, conn *claude.Conn, depth int, text request) error {
	s := &schedule{conn, make(chan int, depth), make([]atomic.Int64, depth)}
	for id := range depth {
		s.free <- id
	}
	sending := make(chan error, 1)
	go func() {
		err := s.send(ctx, time.Duration(float64(time.Second)/c.Rate), text)
		if err != nil {
			_ = conn.Close()
		}
		sending <- err
	}()
	reading := s.receive(c.series.observe)
	_ = conn.Close()
	if err := <-sending; reading == nil || !errors.Is(reading, claude.ErrProtocol) && err != nil {
		return err
	}
	return reading
}

// send writes each request when it is due, or when there is room for it. The last one,
// whose id is the depth, is one that every server answers; it ends the reader.
func (s *schedule) send(ctx context.Context, interval time.Duration, text request) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for next := time.Now(); ; next = next.Add(interval) {
		timer.Reset(time.Until(next))
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		select {
		case id := <-s.free:
			if ctx.Err() != nil {
				s.free <- id
				return s.conn.WriteMessage(method("ping")(len(s.due)))
			}
			s.due[id].Store(next.UnixNano())
			if err := s.conn.WriteMessage(text(id)); err != nil {
				return err
			}
		case <-ctx.Done():
			return s.conn.WriteMessage(method("ping")(len(s.due)))
		}
	}
}

// receive takes answers until the last one came and none is missing.
func (s *schedule) receive(observe func(time.Duration)) error {
	for ended := false; !ended || len(s.free) < cap(s.free); {
		text, err := s.conn.ReadMessage()
		if err != nil {
			return err
		}
		id, ok, err := answered(text)
		switch {
		case err != nil:
			return err
		case !ok:
		case id == len(s.due) && !ended:
			ended = true
		case id < 0 || id >= len(s.due) || s.due[id].Load() == 0:
			return fmt.Errorf("%w: an answer to %d, which was not asked", claude.ErrProtocol, id)
		default:
			observe(time.Since(time.Unix(0, s.due[id].Swap(0))))
			s.free <- id
		}
	}
	return nil
}

// answered is the id that a message answers with a result; ok is false for one that
// answers nothing.
func answered(text []byte) (id int, ok bool, err error) {
	var m struct {
		ID     *int
		Method string
		Result *struct{ IsError bool }
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return 0, false, fmt.Errorf("%w: a message: %v", claude.ErrProtocol, err)
	}
	if m.Method != "" {
		return 0, false, nil
	}
	if m.ID == nil || m.Result == nil || m.Result.IsError {
		return 0, false, fmt.Errorf("%w: not a result: %.200s", claude.ErrProtocol, text)
	}
	return *m.ID, true, nil
}
