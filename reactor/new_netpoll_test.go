// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build linux && !netconn && !poll_opt

package reactor

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

var _ = func() bool {
	children["refused"] = refused
	return true
}()

func TestNew_IsGnetsPoller(t *testing.T) {
	t.Parallel()
	l, log := start(t, New)
	if _, ok := l.(*pollLoop); !ok || log.String() != "" {
		t.Errorf("%T, log:\n%s", l, log)
	}
}

// TestNew_ServesWithoutAPollerWhereOneIsRefused has the kernel refuse a child its timerfd.
func TestNew_ServesWithoutAPollerWhereOneIsRefused(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=refused")
	out, err := cmd.CombinedOutput()
	text := string(out)
	if err != nil || !strings.HasSuffix(text, "\necho: true\n") || strings.Count(text, "\n") != 2 ||
		!strings.Contains(text, "level=WARN") || !strings.Contains(text, "timerfd_create: operation not permitted") {
		t.Errorf("%v\n%s", err, text)
	}
}

// refused runs a loop that gets no timerfd, and says whether it echoes.
func refused() {
	refuse(unix.SYS_TIMERFD_CREATE)
	l, err := New(Options{Logger: slog.New(slog.NewTextHandler(os.Stdout, nil))})
	if err != nil {
		panic(err)
	}
	port := make(chan int)
	l.Post(func() {
		ln, err := l.Listen(PortRange{}, newEchoer)
		if err != nil {
			panic(err)
		}
		port <- ln.Port()
	})
	go func() { _ = l.Run() }()
	c, err := connect(<-port)
	if err != nil {
		panic(err)
	}
	_, _ = fmt.Fprintln(os.Stdout, "echo:", echoes(c))
}

// refuse has a system call fail in all threads of this process from now on (seccomp(2)).
func refuse(call uint32) {
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}, // the call's number
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: call, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		panic(err)
	}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		panic(errno)
	}
}
