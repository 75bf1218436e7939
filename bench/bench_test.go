// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package bench measures the program as its clients meet it: the built binary in a
// process of its own, real sockets, the real client's messages.
package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"claudecoded/bench/claude"
)

const (
	// token is what the clients of a benchmark present.
	token = "a token for benchmarks"
	// limit bounds one run of one benchmark.
	limit = 2 * time.Minute
)

// binary is the program, built once when a benchmark needs it.
var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "claudecoded")
	out, err := exec.Command("go", "run", "-exec", "cp", "claudecoded/cmd/claudecoded", path).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("building the program: %w\n%s", err, out)
	}
	return path, nil
})

// scratch is a folder for the whole run.
var scratch string

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "bench"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(scratch)
	os.Exit(code)
}

// serve starts the program with its stand-in for an editor and returns the port.
func serve(b testing.TB) int {
	b.Helper()
	port, _ := start(b)
	return port
}

func start(b testing.TB) (port, pid int) {
	b.Helper()
	path, err := binary()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(path, "serve", "--editor", "memory", "--no-lock", "--log-level", "warn")
	cmd.Env, cmd.Stderr = append(os.Environ(), "MCP_AUTH_TOKEN="+token), os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			b.Errorf("the program ended with %v", err)
		}
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if _, scanned := fmt.Sscanf(line, "MCP server listening on port %d\n", &port); scanned != nil {
		b.Fatalf("the program printed %q: %v", line, errors.Join(err, scanned))
	}
	return port, cmd.Process.Pid
}

// BenchmarkPing measures round trips of a request that the daemon answers by itself:
// clients, each with a number of requests in flight. ns/op is the time per request
// over all clients; p50 and p99 are what one request waits.
func BenchmarkPing(b *testing.B) {
	for _, load := range []struct{ clients, depth int }{{1, 1}, {50, 1}, {10, 16}} {
		b.Run(fmt.Sprintf("%dx%d", load.clients, load.depth), func(b *testing.B) {
			pipelines := connect(b, serve(b), load.clients, load.depth)
			b.ResetTimer()
			trips, err := run(pipelines, b.N)
			b.StopTimer()
			if err != nil {
				b.Fatal(err)
			}
			report(b, trips)
		})
	}
}

func connect(b testing.TB, port, clients, depth int) []*claude.Pipeline {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), limit)
	b.Cleanup(cancel)
	pipelines := make([]*claude.Pipeline, clients)
	for i := range pipelines {
		conn, err := claude.DialConn(ctx, port, token)
		if err != nil {
			b.Fatal(err)
		}
		// A run that hangs ends with the time.
		context.AfterFunc(ctx, func() { _ = conn.Close() })
		pipelines[i] = claude.NewPipeline(conn, "ping", depth)
	}
	return pipelines
}

// run shares total requests out among the pipelines and returns every round trip.
func run(pipelines []*claude.Pipeline, total int) ([]time.Duration, error) {
	trips := make([]time.Duration, total)
	var next atomic.Int64
	var all sync.WaitGroup
	errs := make([]error, len(pipelines))
	for i, p := range pipelines {
		share := total / len(pipelines)
		if i < total%len(pipelines) {
			share++
		}
		all.Go(func() {
			errs[i] = p.Run(share, func(trip time.Duration) { trips[next.Add(1)-1] = trip })
		})
	}
	all.Wait()
	return trips, errors.Join(errs...)
}

func report(b *testing.B, trips []time.Duration) {
	slices.Sort(trips)
	at := func(share float64) float64 {
		return float64(trips[int(share*float64(len(trips)-1))]) / float64(time.Microsecond)
	}
	b.ReportMetric(float64(len(trips))/b.Elapsed().Seconds(), "msgs/s")
	b.ReportMetric(at(0.50), "p50-µs")
	b.ReportMetric(at(0.99), "p99-µs")
}

func TestPing_AnswersEveryRequestOfEveryClient(t *testing.T) {
	const clients, depth, total = 3, 4, 100
	trips, err := run(connect(t, serve(t), clients, depth), total)
	if err != nil {
		t.Fatal(err)
	}
	for i, trip := range trips {
		if trip <= 0 {
			t.Errorf("round trip %d took %v", i, trip)
		}
	}
}
