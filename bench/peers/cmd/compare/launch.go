// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"context"
	"fmt"
	"time"
)

const (
	// starts is how often each server is started in a round.
	starts = 7
	// settled is how long a server has done nothing by the time its memory is read.
	settled = time.Second
)

// launches starts the servers in turn, which is timed, and reads the memory of the last of
// each once it is idle.
func launches(ctx context.Context, b *bench, servers []string) (values, error) {
	took := map[string][]float64{}
	var last []*server
	defer func() {
		for _, s := range last {
			s.stop()
		}
	}()
	for i := range starts {
		for _, name := range servers {
			s, err := b.start(ctx, name)
			if err != nil {
				return nil, err
			}
			took[name] = append(took[name], float64(s.started.Microseconds())/1000)
			if i < starts-1 {
				s.stop()
			} else {
				last = append(last, s)
			}
		}
	}
	if err := pause(ctx, settled); err != nil {
		return nil, err
	}
	got := values{}
	for _, s := range last {
		n, err := resident(s.pid())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		got[s.name] = []float64{middle(took[s.name]), float64(n) / mib}
	}
	return got, nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
