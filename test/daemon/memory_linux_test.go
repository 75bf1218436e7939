// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build !race

package daemon

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"claudecoded/test/nvimtest"
	"claudecoded/test/rig"
	"claudecoded/test/wire"
)

const (
	mib = 1 << 20
	// huge is the longest message a client may send.
	huge = 100 * mib
	// given is what a daemon may keep after something large has gone.
	given = 2 * mib
)

// resident reads a number of bytes that the system keeps of the child: VmRSS is what it
// occupies, VmHWM the most it ever did.
func (c *child) resident(field string) int {
	c.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	if err != nil {
		c.t.Fatal(err)
	}
	found := regexp.MustCompile(field + `:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		c.t.Fatalf("no %s in %s", field, status)
	}
	n, err := strconv.Atoi(string(found[1]))
	if err != nil {
		c.t.Fatal(err)
	}
	return n << 10
}

func TestMemory_LengthsThatAreOnlyAnnouncedCostNothing(t *testing.T) {
	t.Parallel()
	child := startChild(t, enough)
	wire.Open(t, child.port, rig.Token).Leave()
	before := child.ask("heap")
	for range 50 {
		waits := wire.Open(t, child.port, rig.Token)
		waits.Send(wire.Header(wire.Text, huge, 8), []byte("{"))
		refused := wire.Open(t, child.port, rig.Token)
		refused.Send([]byte("\x82\xFF\x00\x00\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00"))
		refused.Expect(wire.Failure(1009))
		refused.ExpectEnd()
	}
	nvimtest.Eventually(t, "50 clients are left", func() bool { return child.ask("clients") == 50 })
	cost := child.ask("heap") - before
	t.Logf("50 announced messages of 100 MiB and 50 of 16 GiB cost %d bytes", cost)
	if cost > 2*mib {
		t.Errorf("100 announced messages cost %d bytes", cost)
	}
}

// pour writes a message of huge bytes in parts, with little memory.
func pour(c *wire.Conn, parts int) {
	const begin, end = `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"pad":"`, `"}}`
	chunk := bytes.Repeat([]byte("x"), 64<<10)
	for i := range parts {
		size, head, tail := huge/parts, "", ""
		first := byte(wire.MorePart)
		if i == 0 {
			first, head = wire.TextPart, begin
		}
		if i == parts-1 {
			first, tail = first|0x80, end
		}
		c.Send(wire.Header(first, uint64(size), 0), []byte(head))
		for left := size - len(head) - len(tail); left > 0; left -= len(chunk) {
			c.Send(chunk[:min(left, len(chunk))])
		}
		c.Send([]byte(tail))
	}
}

func TestMemory_AHugeMessageIsHeldOnceAndGivenBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ parts, tenths int }{
		"one frame": {1, 13}, "two fragments": {2, 22}, "a thousand fragments": {1000, 22},
	} {
		t.Run(name, func(t *testing.T) {
			child := startChild(t, enough)
			conn := wire.Open(t, child.port, rig.Token)
			answers(conn)
			before, base := child.ask("free"), child.resident("VmRSS")
			pour(conn, c.parts)
			conn.Expect(reply(1, "{}"))
			peak := child.resident("VmHWM") - base
			var kept, occupied int
			nvimtest.Eventually(t, "it is given back", func() bool { // it may be the next one's for a while
				kept, occupied = child.ask("free")-before, child.resident("VmRSS")-base
				return kept <= given && occupied <= 8*given
			})
			t.Logf("the peak is %.2f times the message, %d KiB are kept, %d KiB resident", float64(peak)/huge, kept>>10, occupied>>10)
			if peak > huge/10*c.tenths {
				t.Errorf("the peak is %d bytes", peak)
			}
			answers(conn)
		})
	}
}

// A client that asks for ever and never reads is held at the marks of its queue.
func TestMemory_OfAClientThatNeverReadsStaysAtTheMarks(t *testing.T) {
	t.Parallel()
	child := startChild(t, enough)
	c := wire.Dial(t, child.port, tiny)
	c.Upgrade(rig.Token)
	before, base := child.ask("free"), child.resident("VmRSS")
	requests := bytes.Repeat(say(call(1, "repeat", `{"n":20000}`)), 100)
	sent := 0
	asked := func() int { return sent / (len(requests) / 100) * 20000 }
	for end := time.Now().Add(wire.Patience); ; {
		if err := c.TCP.SetWriteDeadline(time.Now().Add(5 * time.Second)); err != nil {
			t.Fatal(err)
		}
		n, err := c.TCP.Write(requests)
		sent += n
		if errors.Is(err, os.ErrDeadlineExceeded) && (asked() >= 64*mib || time.Now().After(end)) {
			break // the daemon has stopped reading
		}
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal(err)
		}
	}
	cost, peak := child.ask("free")-before, child.resident("VmHWM")-base
	t.Logf("%d MiB of answers were asked for; %d KiB live, the peak is %d KiB", asked()/mib, cost>>10, peak>>10)
	if cost > 16*mib || peak > 48*mib {
		t.Errorf("%d bytes live, the peak is %d bytes", cost, peak)
	}
	if asked() < 64*mib {
		t.Errorf("only %d bytes were asked for: too few to mean anything", asked())
	}
	answers(wire.Open(t, child.port, rig.Token))
}
