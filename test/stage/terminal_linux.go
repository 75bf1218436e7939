// Copyright (c) 2026 the claudecoded authors. MIT license.

package stage

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"claudecoded/test/nvimtest"
)

// Terminal runs a program in a terminal of its own.
type Terminal struct {
	*Process
	Screen *Buffer
	// Control is the terminal's other side: written to, it types; closed, it hangs up.
	Control *os.File
}

// InTerminal runs a program in a terminal of 24 lines and 120 columns. It is asked to end
// with the test at the latest.
func InTerminal(t testing.TB, dir string, env []string, name string, args ...string) *Terminal {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	number, err := prepare(control)
	if err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	term := &Terminal{&Process{t: t, Cmd: cmd, Exited: make(chan struct{})}, &Buffer{}, control}
	go func() {
		_ = cmd.Wait()
		close(term.Exited)
	}()
	read := make(chan struct{})
	go func() {
		defer close(read)
		piece := make([]byte, 4096)
		for {
			n, err := control.Read(piece)
			_, _ = term.Screen.Write(piece[:n])
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		nvimtest.End(cmd.Process, term.Exited)
		select {
		case <-read: // ends with the last process in the terminal
		case <-time.After(nvimtest.Patience):
		}
		_ = control.Close() // hangs up on one that was left by a test that failed
		<-read
		if t.Failed() {
			t.Logf("the terminal showed:\n%s", term.Screen)
		}
	})
	return term
}

// prepare unlocks a terminal, gives it its size, and returns its number. Fd would make
// the file one whose Close waits for its reader.
func prepare(control *os.File) (number int, err error) {
	raw, err := control.SyscallConn()
	if err != nil {
		return 0, err
	}
	failed := raw.Control(func(fd uintptr) {
		if number, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN); err != nil {
			return
		}
		if err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); err != nil {
			return
		}
		err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 120})
	})
	return number, errors.Join(failed, err)
}

// Shows waits until a text was shown.
func (term *Terminal) Shows(text string) {
	term.t.Helper()
	nvimtest.Eventually(term.t, "the terminal shows "+text, func() bool {
		return strings.Contains(term.Screen.String(), text)
	})
}

// Types presses keys.
func (term *Terminal) Types(keys string) {
	term.t.Helper()
	if _, err := term.Control.WriteString(keys); err != nil {
		term.t.Fatal(err)
	}
}

// Exits waits for the end of the program and checks its exit code.
func (term *Terminal) Exits(want int) {
	term.t.Helper()
	nvimtest.Eventually(term.t, "the program ends", func() bool {
		select {
		case <-term.Exited:
			return true
		default:
			return false
		}
	})
	if code := term.Cmd.ProcessState.ExitCode(); code != want {
		term.t.Errorf("exit code %d", code)
	}
}
