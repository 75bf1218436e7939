// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"claudecoded/bench/claude"
	"claudecoded/bench/peers/answer"
)

const (
	// listeners are told of mentions, burstLength of them in one go.
	listeners, burstLength = 10, 100
)

// burst has the server tell all clients of many things at once, again and again, and
// returns the deliveries per second of its CPU.
func burst(ctx context.Context, b *bench, s *server) ([]float64, error) {
	all, err := sessions(nil).connect(ctx, s, listeners)
	defer func() { all.close() }()
	if err != nil {
		return nil, err
	}
	ask := claude.CallText(7, "mentionMany", fmt.Appendf(nil, `{"times":%d}`, burstLength))
	before, err := processor(s.pid())
	if err != nil {
		return nil, err
	}
	bursts := 0
	for began := time.Now(); bursts == 0 || time.Since(began) < b.time; bursts++ {
		if err := all[0].WriteMessage(ask); err != nil {
			return nil, err
		}
		if err := all.told(); err != nil {
			return nil, err
		}
	}
	after, err := processor(s.pid())
	return []float64{float64(bursts*burstLength*listeners) / (after - before).Seconds()}, err
}

// told waits until each session has got a whole burst, and the first its answer.
func (all sessions) told() error {
	errs := make([]error, len(all))
	var done sync.WaitGroup
	for i, conn := range all {
		done.Go(func() { errs[i] = heard(conn, i == 0) })
	}
	done.Wait()
	return errors.Join(errs...)
}

func heard(conn *claude.Conn, asked bool) error {
	for mentions, answers := 0, 0; mentions < burstLength || asked && answers == 0; {
		text, err := conn.ReadMessage()
		switch {
		case err != nil:
			return err
		case string(text) == answer.Mention:
			mentions++
		case asked && bytes.Contains(text, []byte(`"text":"done"`)):
			answers++
		default:
			return fmt.Errorf("not a mention: %.200s", text)
		}
	}
	return nil
}
