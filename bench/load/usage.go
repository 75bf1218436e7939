// Copyright (c) 2026 the claudecoded authors. MIT license.

package load

import (
	"errors"
	"sync"
	"time"
)

// Cost is what a run cost the server's process.
type Cost struct {
	CPUSeconds   float64 `json:"cpu_seconds"`
	PerCPUSecond float64 `json:"answers_per_cpu_second"`
	// Resident memory in bytes: before the run, at most (looked at ten times a second),
	// and in the end.
	ResidentBefore int64 `json:"resident_before"`
	ResidentMost   int64 `json:"resident_most"`
	ResidentAfter  int64 `json:"resident_after"`
}

// ErrNoUsage means that this system does not tell what a process uses in a way that is
// known here.
var ErrNoUsage = errors.New("the CPU time and memory of a process can be read on Linux only")

// sampling is how often the memory is looked at.
const sampling = 100 * time.Millisecond

// usage is one look at a process.
type usage struct {
	cpu      time.Duration
	resident int64
}

// watcher looks at a process until it is stopped.
type watcher struct {
	pid    int
	before usage
	stopIt chan struct{}
	done   sync.WaitGroup
	most   int64
}

// watch starts to look at a process, or at none if pid is 0.
func watch(pid int) (*watcher, error) {
	if pid == 0 {
		return nil, nil
	}
	before, err := look(pid)
	if err != nil {
		return nil, err
	}
	w := &watcher{pid: pid, before: before, stopIt: make(chan struct{}), most: before.resident}
	w.done.Go(w.sample)
	return w, nil
}

func (w *watcher) sample() {
	ticker := time.NewTicker(sampling)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			// A process that ended is noticed by stop.
			if now, err := look(w.pid); err == nil {
				w.most = max(w.most, now.resident)
			}
		case <-w.stopIt:
			return
		}
	}
}

func (w *watcher) stop() (*Cost, error) {
	if w == nil {
		return nil, nil
	}
	close(w.stopIt)
	w.done.Wait()
	after, err := look(w.pid)
	if err != nil {
		return nil, err
	}
	return &Cost{
		CPUSeconds:     (after.cpu - w.before.cpu).Seconds(),
		ResidentBefore: w.before.resident,
		ResidentMost:   max(w.most, after.resident),
		ResidentAfter:  after.resident,
	}, nil
}
