// Copyright (c) 2026 the claudecoded authors. MIT license.

package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"time"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// standInVar makes the test's own program a stand-in for Claude that writes into the
// folder it names.
const standInVar = "CLAUDE_STAND_IN"

// birth is what a stand-in knows when it starts.
type birth struct {
	PID  int
	Args []string
	Env  []string
	Dir  string
	At   int64
}

// standIn records how it was started, the sizes of its terminal and what is typed, until
// it is told to exit: by --exit CODE at once, by the byte ^D with code 0, by ^E with code 3.
// With --lines N it prints so many; with --stubborn it ignores all signals that ask it to
// end; with --lasting it goes on when nobody can type any more.
func standIn() {
	dir := os.Getenv(standInVar)
	args := os.Args[1:]
	if slices.Contains(args, "--stubborn") {
		signal.Ignore(syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT)
	}
	terminal(os.Stdin, "stty", "raw", "-echo")
	cwd, _ := os.Getwd()
	text, _ := json.Marshal(birth{os.Getpid(), args, os.Environ(), cwd, time.Now().UnixNano()})
	record := func(kind string) string { return filepath.Join(dir, fmt.Sprintf("claude.%d.%s", os.Getpid(), kind)) }
	if err := os.WriteFile(record("part"), text, 0o600); err != nil {
		panic(err)
	}
	_ = os.Rename(record("part"), record("birth"))
	if i := slices.Index(args, "--exit"); i >= 0 {
		code, _ := strconv.Atoi(args[i+1])
		os.Exit(code)
	}
	if i := slices.Index(args, "--lines"); i >= 0 {
		count, _ := strconv.Atoi(args[i+1])
		for n := range count {
			fmt.Printf("line %d\r\n", n+1)
		}
	}
	fmt.Print("\x1b[?2004hready")

	sizes := make(chan os.Signal, 16)
	signal.Notify(sizes, syscall.SIGWINCH)
	go func() {
		for {
			add(record("sizes"), []byte(terminal(os.Stdin, "stty", "size")))
			<-sizes
		}
	}()
	piece := make([]byte, 64*1024)
	for {
		n, err := os.Stdin.Read(piece)
		if err != nil {
			if slices.Contains(args, "--lasting") {
				<-time.After(2 * nvimtest.Patience)
			}
			os.Exit(0)
		}
		add(record("input"), piece[:n])
		switch {
		case bytes.ContainsRune(piece[:n], 4):
			os.Exit(0)
		case bytes.ContainsRune(piece[:n], 5):
			os.Exit(3)
		}
	}
}

func terminal(in *os.File, name string, args ...string) string {
	cmd := exec.Command(name, args...)
	cmd.Stdin = in
	out, _ := cmd.Output()
	return string(out)
}

func add(path string, piece []byte) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return // the test is over
	}
	_, _ = file.Write(piece)
	_ = file.Close()
}

// born lists the stand-ins that were started, in order.
func (d *desk) born() []birth {
	d.t.Helper()
	names, err := filepath.Glob(filepath.Join(d.dir, "claude.*.birth"))
	if err != nil {
		d.t.Fatal(err)
	}
	var all []birth
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			d.t.Fatal(err)
		}
		var one birth
		if err := json.Unmarshal(text, &one); err != nil {
			d.t.Fatal(err)
		}
		all = append(all, one)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].At < all[j].At })
	return all
}

// claude waits for the nth stand-in, from 1.
func (d *desk) claude(n int) birth {
	d.t.Helper()
	nvimtest.Eventually(d.t, fmt.Sprintf("Claude number %d runs", n), func() bool { return len(d.born()) >= n })
	return d.born()[n-1]
}

// ready is claude, once it takes keys.
func (d *desk) ready(n int) birth {
	d.t.Helper()
	one := d.claude(n)
	nvimtest.Eventually(d.t, "it measured its terminal", func() bool { return len(d.sizes(one)) > 0 })
	return one
}

func (d *desk) read(one birth, kind string) string {
	text, _ := os.ReadFile(filepath.Join(d.dir, fmt.Sprintf("claude.%d.%s", one.PID, kind)))
	return string(text)
}

// input is what was typed into a stand-in.
func (d *desk) input(one birth) string { return d.read(one, "input") }

// sizes are those of a stand-in's terminal, "lines columns", oldest first.
func (d *desk) sizes(one birth) []string {
	return strings.Fields(strings.ReplaceAll(d.read(one, "sizes"), " ", "x"))
}

// typed waits until a stand-in was typed a text, and nothing else.
func (d *desk) typed(one birth, want string) {
	d.t.Helper()
	nvimtest.Eventually(d.t, fmt.Sprintf("%q is typed", want), func() bool { return len(d.input(one)) >= len(want) })
	if got := d.input(one); got != want {
		d.t.Errorf("typed %q, not %q", got, want)
	}
}

// gone waits for the end of a stand-in.
func (d *desk) gone(one birth) {
	d.t.Helper()
	nvimtest.Eventually(d.t, "the process is gone", func() bool { return !stage.Running(one.PID) })
}

func (d *desk) killAll() {
	for _, one := range d.born() {
		if hardy := []string{"--stubborn", "--lasting"}; slices.ContainsFunc(one.Args, func(arg string) bool {
			return slices.Contains(hardy, arg)
		}) && stage.Running(one.PID) {
			_ = syscall.Kill(one.PID, syscall.SIGKILL)
		}
	}
}

// variable is what a stand-in has in its environment, and whether it has it.
func (one birth) variable(name string) (string, bool) {
	for i := len(one.Env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(one.Env[i], name+"="); ok {
			return value, true
		}
	}
	return "", false
}
