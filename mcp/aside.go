// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"errors"
	"fmt"
)

const (
	// maxAside is how many checks wait at most, and maxAsideBytes how many bytes of
	// arguments and results they hold.
	maxAside      = 1024
	maxAsideBytes = 64 << 20
)

// errChecker is the fault of a check that panicked.
var errChecker = errors.New("the check failed inside the daemon")

// contain makes an error of a panic in what may run off the loop, where one would end the
// program.
func contain(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w (%T)", errChecker, r) // a text could quote content
	}
}

// aside runs what would take the loop too long, one after the other in the order in which
// it came, on a goroutine that lives as long as there is something to do. Its state
// belongs to the loop goroutine.
type aside struct {
	// post is Config.Post; nil runs everything at once.
	post    func(func()) bool
	jobs    []job
	bytes   int
	running bool
}

type job struct {
	size       int
	work, then func()
}

// measured runs a check that may take a number of visits: a small one at once, if none
// waits before it, and otherwise off the loop. It reports false if too much waits.
func (a *aside) measured(size int, check func(visits int) error, then func()) bool {
	idle := !a.running && len(a.jobs) == 0
	if size <= smallCheck && idle && !errors.Is(check(smallVisits), errCost) {
		then()
		return true
	}
	return a.do(size, func() { _ = check(visitsFor(size)) }, then)
}

// do has work run off the loop and then, after it, on the loop. It reports false, and runs
// neither, if too much waits. size is what they hold, in bytes.
func (a *aside) do(size int, work, then func()) bool {
	if len(a.jobs) >= maxAside || a.bytes+size > maxAsideBytes {
		return false
	}
	a.push(size, work, then)
	return true
}

// push is do without a bound.
func (a *aside) push(size int, work, then func()) {
	if a.post == nil {
		work()
		then()
		return
	}
	a.jobs = append(a.jobs, job{size, work, then})
	a.bytes += size
	a.next()
}

func (a *aside) next() {
	if a.running || len(a.jobs) == 0 {
		return
	}
	j := a.jobs[0]
	a.jobs[0] = job{}
	a.jobs = a.jobs[1:]
	a.running = true
	go func() {
		j.work()
		a.post(func() {
			a.running = false
			a.bytes -= j.size
			j.then()
			a.next()
		})
	}()
}
