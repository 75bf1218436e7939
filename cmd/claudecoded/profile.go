// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build profile && unix

package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime/pprof"
	"syscall"
)

// profileVar names the file that a CPU profile is written to.
const profileVar = "CLAUDECODED_PROFILE"

// init profiles the program, for benchmarks, until SIGUSR1, which ends it.
func init() {
	path := os.Getenv(profileVar)
	if path == "" {
		return
	}
	file, err := os.Create(path)
	if err == nil {
		err = pprof.StartCPUProfile(file)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "claudecoded: no profile:", err)
		os.Exit(1)
	}
	enough := make(chan os.Signal, 1)
	signal.Notify(enough, syscall.SIGUSR1)
	go func() {
		<-enough
		pprof.StopCPUProfile()
		if err := file.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "claudecoded: no profile:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}()
}
