// Copyright (c) 2026 the claudecoded authors. MIT license.

package stage

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"claudecoded/bench/claude"
	"claudecoded/test/nvimtest"
)

// GoneWithin is how long after an editor died nothing is left. The promise is 2 s; the rest
// is for a machine that is busy.
const GoneWithin = 20 * time.Second

// LockDir is the folder of the lock files in an environment.
func LockDir(env []string) string {
	return filepath.Join(nvimtest.Lookup(env, "HOME"), ".claude", "ide")
}

// Find waits for the one lock file.
func Find(t testing.TB, env []string) claude.Lock {
	t.Helper()
	var lock claude.Lock
	nvimtest.Eventually(t, "there is a lock file", func() bool {
		var err error
		lock, err = claude.Find(LockDir(env), "")
		// One that an earlier server left may go while it is read.
		if err != nil && !errors.Is(err, claude.ErrNoServer) && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return err == nil
	})
	return lock
}

// Connect connects a client to the server of a lock file and introduces it.
func Connect(t testing.TB, lock claude.Lock) *claude.Client {
	t.Helper()
	client, err := claude.Dial(Within(t), lock.Port, lock.AuthToken, claude.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	if _, _, err := client.Start(Within(t)); err != nil {
		t.Fatal(err)
	}
	return client
}

// Diagnostics waits until getDiagnostics is answered: its time is short for a machine that is busy.
func Diagnostics(t testing.TB, client *claude.Client, arguments any) claude.Result {
	t.Helper()
	var result claude.Result
	nvimtest.Eventually(t, "getDiagnostics is answered", func() bool {
		var err error
		result, err = client.Call(Within(t), "getDiagnostics", arguments)
		var refused *claude.RPCError
		if err != nil && !errors.As(err, &refused) {
			t.Fatal(err)
		}
		return err == nil
	})
	return result
}

// Running tells a process that runs from one that ended, reaped or not.
func Running(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil || p.Signal(syscall.Signal(0)) != nil {
		return false
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return true
	}
	_, fields, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(fields, "Z")
}

// Exists tells whether there is a file.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// Listening tells whether a port of the loopback interface takes connections.
func Listening(port int) bool {
	conn, err := net.Dial("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

// ExpectGone checks that a daemon left in time, and left nothing behind.
func ExpectGone(t testing.TB, since time.Time, pid int, lock claude.Lock, client *claude.Client) {
	t.Helper()
	for what, gone := range map[string]func() bool{
		"the daemon": func() bool { return !Running(pid) },
		"the lock":   func() bool { return !Exists(lock.Path) },
		"the port":   func() bool { return !Listening(lock.Port) },
	} {
		nvimtest.Eventually(t, what+" is gone", gone)
	}
	if took := time.Since(since); took > GoneWithin {
		t.Errorf("it took %v", took)
	}
	ExpectShutDown(t, client)
}

// ExpectShutDown checks that the server said goodbye.
func ExpectShutDown(t testing.TB, client *claude.Client) {
	t.Helper()
	select {
	case <-client.Ended():
	case <-time.After(nvimtest.Patience):
		t.Fatal("the client is still connected")
	}
	var closed *claude.CloseError
	if !errors.As(client.Err(), &closed) || closed.Code != 1001 {
		t.Errorf("the connection ended with %v, not a Close frame of code 1001", client.Err())
	}
}
