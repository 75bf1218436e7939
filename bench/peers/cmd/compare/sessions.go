// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"claudecoded/bench/claude"
)

const (
	// few and many are numbers of sessions: what one costs is the difference of what both do.
	few, many = 200, 1000
	// dialers connect at the same time.
	dialers = 8
)

// sessions are clients that have introduced themselves.
type sessions []*claude.Conn

// connect adds sessions until there are n.
func (all sessions) connect(ctx context.Context, s *server, n int) (sessions, error) {
	first := len(all)
	all = append(all, make(sessions, n-first)...)
	errs := make([]error, dialers)
	var next atomic.Int64
	var done sync.WaitGroup
	for i := range errs {
		done.Go(func() {
			for at := first + int(next.Add(1)) - 1; at < n && errs[i] == nil; at = first + int(next.Add(1)) - 1 {
				all[at], errs[i] = introduced(ctx, s.port, token)
			}
		})
	}
	done.Wait()
	return all, errors.Join(errs...)
}

func introduced(ctx context.Context, port int, token string) (*claude.Conn, error) {
	conn, err := claude.DialConn(ctx, port, token)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Introduce(); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

func (all sessions) close() {
	for _, conn := range all {
		if conn != nil {
			_ = conn.Close()
		}
	}
}

// footprint is what a server takes up.
type footprint struct{ heap, goroutines, resident float64 }

// footprint asks a server, which collects its garbage for that, and the system.
func (all sessions) footprint(s *server) (footprint, error) {
	text, err := called(all[0], "usage", `{}`)
	if err != nil {
		return footprint{}, err
	}
	var used struct{ Heap, Goroutines float64 }
	if err := json.Unmarshal([]byte(text), &used); err != nil {
		return footprint{}, fmt.Errorf("usage: %w", err)
	}
	n, err := resident(s.pid())
	return footprint{used.Heap, used.Goroutines, float64(n)}, err
}

// called calls a tool and returns the text it answers, of whatever else comes nothing.
func called(conn *claude.Conn, tool, arguments string) (string, error) {
	const id = 7
	if err := conn.WriteMessage(claude.CallText(id, tool, []byte(arguments))); err != nil {
		return "", err
	}
	for {
		text, err := conn.ReadMessage()
		if err != nil {
			return "", err
		}
		var m struct {
			ID     json.RawMessage
			Result claude.Result
		}
		if err := json.Unmarshal(text, &m); err != nil {
			return "", err
		}
		if string(m.ID) != strconv.Itoa(id) {
			continue
		}
		answer, err := m.Result.Text()
		if err != nil {
			return "", fmt.Errorf("%s: %w: %.200s", tool, err, text)
		}
		return answer, nil
	}
}

// idleSessions is what one more client costs that does nothing.
func idleSessions(ctx context.Context, _ *bench, s *server) ([]float64, error) {
	var all sessions
	defer func() { all.close() }()
	var seen []footprint
	for _, n := range []int{few, many} {
		var err error
		if all, err = all.connect(ctx, s, n); err != nil {
			return nil, err
		}
		now, err := all.footprint(s)
		if err != nil {
			return nil, err
		}
		seen = append(seen, now)
	}
	each := func(before, after float64) float64 { return (after - before) / (many - few) }
	return []float64{
		each(seen[0].heap, seen[1].heap), each(seen[0].goroutines, seen[1].goroutines),
		each(seen[0].resident, seen[1].resident),
	}, nil
}
