// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"claudecoded/bench/load"
)

// record is as long as the frame of a small request.
const record = 48

// echoed keeps records in flight to a TCP echo, as the clients of other servers keep
// requests.
func echoed(ctx context.Context, port, clients, pipeline int, duration time.Duration) (load.Row, error) {
	ctx, cancel := context.WithTimeout(ctx, duration)
	defer cancel()
	trips := make([][]time.Duration, clients)
	errs := make([]error, clients)
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() { trips[i], errs[i] = bounce(ctx, port, pipeline) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return load.Row{}, err
		}
	}
	sorted := slices.Concat(trips...)
	slices.Sort(sorted)
	if len(sorted) == 0 {
		return load.Row{}, fmt.Errorf("nothing came back")
	}
	row := load.Row{Answers: int64(len(sorted))}
	row.Measured.P50 = float64(sorted[len(sorted)/2]) / float64(time.Microsecond)
	return row, nil
}

// bounce returns how long each record took to come back.
func bounce(ctx context.Context, port, pipeline int) (trips []time.Duration, err error) {
	conn, err := net.Dial("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	buffer := make([]byte, pipeline*record)
	sent := make([]time.Time, 0, pipeline)
	send := func(n int) error {
		for range n {
			sent = append(sent, time.Now())
		}
		_, err := conn.Write(buffer[:n*record])
		return err
	}
	if err := send(pipeline); err != nil {
		return nil, err
	}
	for rest := 0; len(sent) > 0; {
		n, err := io.ReadAtLeast(conn, buffer[rest:], record-rest)
		if err != nil {
			return trips, err
		}
		came := (rest + n) / record
		rest = (rest + n) % record
		for _, at := range sent[:came] {
			trips = append(trips, time.Since(at))
		}
		sent = slices.Delete(sent, 0, came)
		if ctx.Err() == nil {
			if err := send(came); err != nil {
				return trips, err
			}
		}
	}
	return trips, nil
}
