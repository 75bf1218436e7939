// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// field is a number of /proc/PID/status, in its unit there.
func field(path, name string) (int64, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			n, _, _ := strings.Cut(strings.TrimSpace(value), " ")
			return strconv.ParseInt(n, 10, 64)
		}
	}
	return 0, fmt.Errorf("%s has no %s", path, name)
}

// resident and peak are the memory of a process in bytes, now and at most.
func resident(pid int) (int64, error) { return kilobytes(pid, "VmRSS") }
func peak(pid int) (int64, error)     { return kilobytes(pid, "VmHWM") }

func kilobytes(pid int, name string) (int64, error) {
	n, err := field(fmt.Sprintf("/proc/%d/status", pid), name)
	return n << 10, err
}

// wakeups is how often the threads of a process went to sleep, which is how often they woke.
func wakeups(pid int) (sum int64, err error) {
	paths, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil {
		return 0, err
	}
	for _, path := range paths {
		n, err := field(path, "voluntary_ctxt_switches")
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// processor is how long a process ran, to a nanosecond.
func processor(pid int) (time.Duration, error) {
	paths, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil {
		return 0, err
	}
	var sum time.Duration
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return 0, err
		}
		ran, _, _ := bytes.Cut(text, []byte(" "))
		n, err := strconv.ParseInt(string(ran), 10, 64)
		if err != nil {
			return 0, err
		}
		sum += time.Duration(n)
	}
	return sum, nil
}

// machine says what this runs on, without its name.
func machine(cores int) string {
	model := runtime.GOARCH
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	kernel := runtime.GOOS
	var name unix.Utsname
	if unix.Uname(&name) == nil {
		kernel = "Linux " + unix.ByteSliceToString(name.Release[:])
	}
	return fmt.Sprintf("%s, %d cores, %s, %s", model, cores, kernel, runtime.Version())
}
