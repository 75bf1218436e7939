// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"syscall"
)

// maxPort is the highest TCP port number; a range is cut there.
const maxPort = 65535

// PortError is why no port of a range could be bound.
type PortError struct {
	Range PortRange
	Err   error // of the last port that was tried; nil if the range is empty
}

// Error has the texts that users know from the editor plugin; the name in
// parentheses is the system error's symbol.
func (e *PortError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("No available ports in range %d-%d", e.Range.Min, e.Range.Max)
	}
	return fmt.Sprintf("No free port in %d-%d (%s)", e.Range.Min, e.Range.Max, errorName(e.Err))
}

// Unwrap gives errors.Is the system error, for example syscall.EADDRINUSE.
func (e *PortError) Unwrap() error { return e.Err }

// All yields each port of the range exactly once, ascending from a random offset
// and around, so that editors started together rarely try the same port first.
func (r PortRange) All() iter.Seq[int] {
	low, high := r.Min, min(r.Max, maxPort)
	if r != (PortRange{}) {
		low = max(low, 1)
	}
	return func(yield func(int) bool) {
		if low > high {
			return
		}
		n := high - low + 1
		for i, offset := 0, rand.IntN(n); i < n; i++ {
			if !yield(low + (offset+i)%n) {
				return
			}
		}
	}
}

// bindFirst calls bind for the ports of the range until one takes it. Binding is
// the probe: a port found free first could be taken by the time it is bound.
func bindFirst(r PortRange, bind func(port int) error) error {
	var last error
	for port := range r.All() {
		if last = bind(port); last == nil {
			return nil
		}
	}
	return &PortError{Range: r, Err: last}
}

func errorName(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		if name := errnoName(errno); name != "" {
			return name
		}
	}
	return err.Error()
}
