// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"testing"
)

func TestPortRange_YieldsEachPortOnceFromARandomOffset(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		r        PortRange
		low, len int
	}{
		{PortRange{10000, 10009}, 10000, 10},
		{PortRange{4711, 4711}, 4711, 1},
		{PortRange{0, 0}, 0, 1},
		{PortRange{0, 2}, 1, 2},
		{PortRange{-5, 3}, 1, 3},
		{PortRange{65530, 1 << 30}, 65530, 6},
		{PortRange{65536, 70000}, 0, 0},
		{PortRange{5, 4}, 0, 0},
	} {
		firsts := map[int]bool{}
		for range 200 {
			ports := slices.Collect(tt.r.All())
			if len(ports) != tt.len {
				t.Fatalf("%v: %v", tt.r, ports)
			}
			if tt.len == 0 {
				break
			}
			firsts[ports[0]] = true
			slices.Sort(ports)
			for i, port := range ports {
				if port != tt.low+i {
					t.Fatalf("%v: %v", tt.r, ports)
				}
			}
		}
		if tt.len > 1 && len(firsts) < 2 {
			t.Errorf("%v: always starts at the same port", tt.r)
		}
	}
}

func TestBindFirst_SaysWhyNoPortWasBound(t *testing.T) {
	t.Parallel()
	tried := 0
	taken := func(int) error {
		tried++
		return os.NewSyscallError("bind", syscall.EADDRINUSE)
	}
	for _, tt := range []struct {
		r     PortRange
		tries int
		text  string
	}{
		{PortRange{10001, 10000}, 0, "No available ports in range 10001-10000"},
		{PortRange{10000, 10003}, 4, "No free port in 10000-10003 (EADDRINUSE)"},
	} {
		tried = 0
		err := bindFirst(tt.r, taken)
		if err == nil || err.Error() != tt.text || tried != tt.tries {
			t.Errorf("%v: %d tries, %v", tt.r, tried, err)
		}
		if errors.Is(err, syscall.EADDRINUSE) != (tt.tries > 0) {
			t.Errorf("%v: errors.Is(EADDRINUSE) is wrong", tt.r)
		}
	}
}

func TestBindFirst_StopsAtTheFirstFreePortAndNamesTheLastError(t *testing.T) {
	t.Parallel()
	errs := []error{syscall.EACCES, syscall.EADDRINUSE, nil}
	tried := 0
	if err := bindFirst(PortRange{1, 9}, func(int) error { tried++; return errs[tried-1] }); err != nil || tried != 3 {
		t.Errorf("%v after %d tries", err, tried)
	}
	last := []error{syscall.EADDRINUSE, fmt.Errorf("listen: %w", syscall.EACCES)}
	tried = 0
	err := bindFirst(PortRange{1, 2}, func(int) error { tried++; return last[tried-1] })
	if err.Error() != "No free port in 1-2 (EACCES)" {
		t.Error(err)
	}
	err = bindFirst(PortRange{1, 1}, func(int) error { return errors.New("no such thing") })
	if err.Error() != "No free port in 1-1 (no such thing)" {
		t.Error(err)
	}
}
