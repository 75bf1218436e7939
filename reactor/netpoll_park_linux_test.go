// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !poll_opt

package reactor

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

var _ = func() bool {
	children["calm"], children["heavy"] = calm, heavy
	return true
}()

// calmTurns is how many turns the loop of calm has, one at a time.
const calmTurns = 20

// TestNetpoll_TurnOfACalmLoopWakesTheProcessOnce counts in a child how often threads went to
// sleep. One that waits in a system call of its own has some sixty for each turn.
func TestNetpoll_TurnOfACalmLoopWakesTheProcessOnce(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=calm")
	out, err := cmd.CombinedOutput()
	woken := 0
	if _, scanned := fmt.Sscan(string(out), &woken); err != nil || scanned != nil {
		t.Fatalf("%v, %v\n%s", err, scanned, out)
	}
	if woken == 0 || woken > 4*calmTurns {
		t.Errorf("%d wakes in %d turns", woken, calmTurns)
	}
}

// calm runs a loop with turns that are far apart and prints how often the process went to
// sleep in them.
func calm() {
	l, err := NewNetpoll(Options{})
	if err != nil {
		panic(err)
	}
	left, before := 3+calmTurns, 0 // the first ones are not calm yet
	var next func()
	next = func() {
		switch left {
		case calmTurns:
			before = sleeps()
		case 0:
			fmt.Println(sleeps() - before)
			l.Stop()
			return
		}
		left--
		l.AfterFunc(3*calmAfter, next)
	}
	l.Post(next)
	_ = l.Run()
}

// sleeps is how often the threads of this process went to sleep.
func sleeps() (sum int) {
	paths, _ := filepath.Glob("/proc/self/task/*/status")
	for _, path := range paths {
		text, _ := os.ReadFile(path)
		_, after, _ := strings.Cut(string(text), "\nvoluntary_ctxt_switches:")
		n := 0
		_, _ = fmt.Sscan(after, &n)
		sum += n
	}
	return sum
}

// heavyTurns is how many turns the loop of heavy has.
const heavyTurns = 50

// TestNetpoll_LeavesOthersTheirShareOfOneProcessor keeps a child's loop, which was parked
// long enough for Go's monitor to sleep, in turns that seem late because each takes long.
func TestNetpoll_LeavesOthersTheirShareOfOneProcessor(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=heavy", "GOMAXPROCS=1")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	port, others := 0, -1
	if _, err := fmt.Fscan(out, &port); err != nil {
		t.Fatal(err)
	}
	c := dial(t, port)
	<-time.After(20 * calmAfter)
	over := make(chan error)
	go func() {
		_, err := fmt.Fscan(out, &others)
		over <- err
	}()
	for ready := true; ready; {
		_, _ = c.Write([]byte("x")) // fails at the end
		select {
		case err = <-over:
			ready = false
		case <-time.After(calmAfter / 10):
		}
	}
	if waited := cmd.Wait(); err != nil || waited != nil {
		t.Fatal(err, waited)
	}
	if others < heavyTurns/2 {
		t.Errorf("another goroutine ran %d times in %d turns", others, heavyTurns)
	}
}

// heavy runs a loop that another goroutine shares the processor with, and prints its port,
// then how often that one ran.
func heavy() {
	l, err := NewNetpoll(Options{})
	if err != nil {
		panic(err)
	}
	var others atomic.Int32
	l.Post(func() {
		ln, err := l.Listen(PortRange{}, func(Conn) Events { return &laborer{l: l, others: &others} })
		if err != nil {
			panic(err)
		}
		fmt.Println(ln.Port())
	})
	_ = l.Run()
	fmt.Println(others.Load())
}

// laborer takes long for whatever comes, and starts a goroutine each time.
type laborer struct {
	mute
	l      Loop
	others *atomic.Int32
	turns  int
}

func (e *laborer) Data([]byte) {
	go e.others.Add(1)
	for began := time.Now(); time.Since(began) < calmAfter*6/5; {
	}
	if e.turns++; e.turns == heavyTurns {
		e.l.Stop()
	}
}

func TestNetpoll_OnlyACalmLoopIsParked(t *testing.T) {
	t.Parallel()
	l := startPoll(t)
	port := listen(t, l, newEchoer)
	c := dial(t, port)
	parked := func() (is bool) {
		on(t, l, func() { is = l.parking.file != nil })
		return is
	}
	for range 3 {
		for {
			<-time.After(2 * calmAfter)
			if echoes(c); parked() {
				break
			}
		}
		for deadline := time.Now().Add(patience); parked(); {
			if !echoes(c) || time.Now().After(deadline) {
				t.Fatal("parked in a hurry")
			}
		}
	}
}

func TestParking_KnowsCalmFromHurry(t *testing.T) {
	t.Parallel()
	var p parking
	now := epoch
	turn := func(after time.Duration) bool {
		now = now.Add(after)
		p.turned(now)
		return p.calm
	}
	for i := range 3 {
		if !turn(calmAfter) {
			t.Fatalf("a late turn is no calm, in round %d", i)
		}
		for j := range maxHurried {
			if !turn(calmAfter - 1) {
				t.Fatalf("%d turns ended the calm", j+1)
			}
		}
		if turn(calmAfter - 1) {
			t.Error("still calm in a hurry")
		}
	}
}

// TestParking_BeginsOnlyWhereTheRuntimePolls: an ordinary file is nothing to wait for.
func TestParking_BeginsOnlyWhereTheRuntimePolls(t *testing.T) {
	t.Parallel()
	var p parking
	if p.begin(-1, nil) {
		t.Error("began with no descriptor")
	}
	file, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if p.begin(int(file.Fd()), nil) {
		t.Error("began with a file")
	}
	p.end()
}
