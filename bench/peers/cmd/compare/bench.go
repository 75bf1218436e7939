// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// bench measures, with the load on other cores than the servers.
type bench struct {
	bin, plugin, nvim string
	time, quiet       time.Duration
	cores             int
	serving           *unix.CPUSet
	loading           unix.CPUSet
}

// rounds measures every work once a round. Within a work the servers have their turns
// right after each other, so that what disturbs the machine disturbs all; each round
// begins with another of them.
func (b *bench) rounds(ctx context.Context, works []work, rounds int) (Result, error) {
	began := time.Now()
	result := Result{Date: began.UTC().Format("2006-01-02 15:04 MST"), Machine: machine(b.cores), Pinned: b.serving != nil,
		Rounds: rounds, Seconds: b.time.Seconds(), Quiet: b.quiet.Seconds()}
	for _, w := range works {
		for _, r := range w.rows {
			result.Rows = append(result.Rows, Measured{row: r, Values: values{}})
		}
	}
	for round := range rounds {
		at := 0
		for _, w := range works {
			started := time.Now()
			got, err := b.turn(ctx, w, rotated(w.servers, round))
			if err != nil {
				return result, fmt.Errorf("%s: %w", w.rows[0].Name, err)
			}
			for name, row := range got {
				for i, value := range row {
					if math.IsNaN(value) { // a row that is not about this server
						continue
					}
					into := result.Rows[at+i].Values
					into[name] = append(into[name], value)
				}
			}
			at += len(w.rows)
			fmt.Fprintf(os.Stderr, "round %d of %d, %.1f s: %s\n", round+1, rounds, time.Since(started).Seconds(), w.rows[0].Name)
		}
	}
	result.Took = time.Since(began).Round(time.Second).String()
	return result, nil
}

// hung is how long a round of a work may take besides what it is told to wait: then its
// processes are killed, which ends everything that waits for them.
const hung = 3 * time.Minute

func (b *bench) turn(ctx context.Context, w work, servers []string) (values, error) {
	ctx, cancel := context.WithTimeout(ctx, hung+b.quiet+time.Duration(2*len(servers))*b.time)
	defer cancel()
	return w.round(ctx, b, servers)
}

func rotated(names []string, by int) []string {
	by %= len(names)
	return append(append([]string{}, names[by:]...), names[:by]...)
}
