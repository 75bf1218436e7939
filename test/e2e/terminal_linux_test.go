// Copyright (c) 2026 the claudecoded authors. MIT license.

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"claudecoded/test/nvimtest"
)

// terminal runs the program in a terminal of its own.
type terminal struct {
	*process
	screen *buffer
	keys   *os.File
}

func inTerminal(t *testing.T, env []string, args ...string) *terminal {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fd := int(control.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 120}); err != nil {
		t.Fatal(err)
	}
	tty, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	cmd := exec.Command(binary, args...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = env, tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	term := &terminal{&process{t: t, cmd: cmd, exited: make(chan struct{})}, &buffer{}, control}
	go func() {
		_ = cmd.Wait()
		close(term.exited)
	}()
	read := make(chan struct{})
	go func() {
		defer close(read)
		piece := make([]byte, 4096)
		for {
			n, err := control.Read(piece)
			_, _ = term.screen.Write(piece[:n])
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		nvimtest.End(cmd.Process, term.exited)
		<-read // ends with the last process in the terminal
		_ = control.Close()
		if t.Failed() {
			t.Logf("the terminal showed:\n%s", term.screen)
		}
	})
	return term
}

func (term *terminal) shows(text string) {
	term.t.Helper()
	nvimtest.Eventually(term.t, "the terminal shows "+text, func() bool {
		return strings.Contains(term.screen.String(), text)
	})
}

func (term *terminal) types(keys string) {
	term.t.Helper()
	if _, err := term.keys.WriteString(keys); err != nil {
		term.t.Fatal(err)
	}
}

func (term *terminal) exits(want int) {
	term.t.Helper()
	nvimtest.Eventually(term.t, "the program ends", func() bool {
		select {
		case <-term.exited:
			return true
		default:
			return false
		}
	})
	if code := term.cmd.ProcessState.ExitCode(); code != want {
		term.t.Errorf("exit code %d", code)
	}
}

func TestTerminal_ShowsHelpWithoutACommand(t *testing.T) {
	t.Parallel()
	term := inTerminal(t, environment(t))
	term.shows("Usage: claudecoded")
	term.exits(0)
	if strings.Contains(term.screen.String(), "echo") {
		t.Error("a hidden command is shown")
	}
}

func TestTerminal_DemoOffersToOpenNeovim(t *testing.T) {
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, binaryOfNvim string) {
		const question = "Open Neovim on the sample project"
		term := inTerminal(t, environment(t), "demo", "--nvim-bin", binaryOfNvim)
		term.shows(question)
		term.types("\r")
		term.exits(0)

		env := environment(t)
		term = inTerminal(t, env, "demo", "--nvim-bin", binaryOfNvim)
		term.shows(question)
		term.types("y\r")
		// Its home is the user's, so that their client finds it.
		lock := find(t, env)
		term.shows("Expected object key") // as virtual text
		client := connect(t, lock)
		term.types(":qa!\r")
		term.exits(0)
		expectShutDown(t, client)
	})
}
