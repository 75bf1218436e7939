// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build soak

package soak

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"claudecoded/test/rig"
	"claudecoded/test/wire"
)

// maxMessage is how long a message of the daemon may be, in bytes.
const maxMessage = 16 << 20

// tally counts what all clients did together.
type tally struct{ answered, broadcasts, reported atomic.Int64 }

// client is one client after another, on the same goroutine.
type client struct {
	w     *world
	r     *rand.Rand
	until time.Time

	conn    *net.TCPConn
	in      *bufio.Reader
	next    int
	pending map[string][]string // what must be answered, by id
	pongs   []string            // payloads of pings that must come back, in order
	diffs   []int               // ids of openDiff calls, which nobody answers
	frames  []byte              // to be written
}

var errOver = errors.New("time is over")

// await gives the next read or write its time.
func (c *client) await(limit time.Duration) { _ = c.conn.SetDeadline(time.Now().Add(limit)) }

func (c *client) write(b []byte) error {
	for len(b) > 0 {
		n := len(b)
		if c.r.IntN(3) == 0 {
			n = min(n, 1+c.r.IntN(1<<c.r.IntN(17)))
		}
		c.await(2 * wire.Patience)
		if _, err := c.conn.Write(b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// flush writes the frames that were queued.
func (c *client) flush() error {
	frames := c.frames
	c.frames = c.frames[:0]
	return c.write(frames)
}

func (c *client) frame(first byte, payload string) {
	var key [4]byte
	if c.r.IntN(4) > 0 {
		key = [4]byte{byte(c.r.Uint32()), byte(c.r.Uint32()), byte(c.r.Uint32()), byte(c.r.Uint32())}
	}
	c.frames = append(c.frames, wire.Masked(first, payload, key)...)
}

// say queues a message, whole or in fragments with pings between.
func (c *client) say(text string) {
	if c.r.IntN(3) > 0 {
		c.frame(wire.Text, text)
		return
	}
	first := byte(wire.TextPart)
	for parts := 1 + c.r.IntN(5); parts > 0; parts-- {
		n := c.r.IntN(len(text) + 1)
		c.frame(first, text[:n])
		text, first = text[n:], wire.MorePart
		if c.r.IntN(2) == 0 {
			c.ping()
		}
	}
	c.frame(wire.LastPart, text)
}

func (c *client) ping() {
	payload := fmt.Sprintf("%x", c.r.Uint64())
	c.frame(wire.Ping, payload)
	c.pongs = append(c.pongs, payload)
}

// ask queues a request and notes the answer: all that follows the id.
func (c *client) ask(question, answer string) {
	id := strconv.Itoa(c.next)
	c.next++
	c.expect(id, answer)
	c.say(`{"jsonrpc":"2.0","id":` + id + `,` + question + `}`)
}

func (c *client) expect(id, answer string) { c.pending[id] = append(c.pending[id], answer) }

func text(s string) string { return `"result":{"content":[{"type":"text","text":"` + s + `"}]}}` }

func tool(name, arguments string) string {
	return `"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments + `}`
}

// request queues one request of any kind.
func (c *client) request() {
	switch c.r.IntN(12) {
	case 0:
		c.ask(`"method":"ping"`, `"result":{}}`)
	case 1:
		c.ask(`"method":"prompts/list"`, `"result":{"prompts":[]}}`)
	case 2, 3:
		questions := make([]string, 0, len(c.w.known))
		for q := range c.w.known {
			questions = append(questions, q)
		}
		slices.Sort(questions)
		q := questions[c.r.IntN(len(questions))]
		c.ask(q, c.w.known[q])
	case 4:
		path := filepath.Join(c.w.folder, "file")
		c.ask(tool("openFile", `{"filePath":"`+path+`"}`), text("Opened file: "+path))
	case 5:
		c.ask(tool("openFile", `{"filePath":"/no/file"}`),
			`"error":{"code":-32000,"message":"File operation error","data":"File not found: /no/file"}}`)
	case 6, 7:
		c.repeat(c.r.IntN(1 << c.r.IntN(17)))
	case 8:
		c.ask(tool("nothing", "{}"), `"error":{"code":-32601,"message":"Tool not found: nothing"}}`)
	case 9:
		c.ask(`"method":"no/such"`, `"error":{"code":-32601,"message":"Method not found","data":"Unknown method: no/such"}}`)
	case 10:
		c.expect("null", `"error":{"code":-32700,"message":"Parse error","data":"Invalid JSON"}}`)
		c.say(`{"jsonrpc":"2.0","id":` + strconv.Itoa(c.next) + `,"method":1e}`)
	case 11:
		c.diff()
	}
}

func (c *client) repeat(n int) {
	c.ask(tool("repeat", `{"n":`+strconv.Itoa(n)+`}`), text(rig.Repeated(n)))
}

// diff opens a diff, or cancels one: both stay without an answer.
func (c *client) diff() {
	if len(c.diffs) > 3 {
		c.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + strconv.Itoa(c.diffs[0]) + `}}`)
		c.diffs = c.diffs[1:]
		return
	}
	c.diffs = append(c.diffs, c.next)
	c.say(`{"jsonrpc":"2.0","id":` + strconv.Itoa(c.next) + `,` + tool("openDiff", "{}") + `}`)
	c.next++
}

// settled reads until everything is answered.
func (c *client) settled() error {
	for len(c.pending) > 0 || len(c.pongs) > 0 {
		if err := c.read(true); err != nil {
			return fmt.Errorf("with %d answers and %d pongs to come: %w", len(c.pending), len(c.pongs), err)
		}
	}
	return nil
}

// listen reads what comes of itself, for a while.
func (c *client) listen(lasting time.Duration, answer bool) error {
	for end := time.Now().Add(lasting); ; {
		_ = c.conn.SetDeadline(end)
		if _, err := c.in.Peek(1); errors.Is(err, os.ErrDeadlineExceeded) {
			return nil
		}
		if err := c.read(answer); err != nil {
			return err
		}
	}
}

// closed is the Close frame of the daemon.
type closed string

func (e closed) Error() string { return fmt.Sprintf("closed with %q", string(e)) }

// read reads one frame and checks that it was due. A ping is answered, if answer.
func (c *client) read(answer bool) error {
	c.await(2 * wire.Patience)
	first, b, err := wire.ReadFrame(c.in, maxMessage)
	if err != nil {
		return err
	}
	payload := string(b)
	switch first {
	case wire.Ping:
		if !answer {
			return nil
		}
		c.frame(wire.Pong, payload)
		return c.flush()
	case wire.Pong:
		if len(c.pongs) == 0 || c.pongs[0] != payload {
			return fmt.Errorf("a pong with %q, due are %.3q", payload, c.pongs)
		}
		c.pongs = c.pongs[1:]
		return nil
	case wire.Close:
		return closed(payload)
	case wire.Text:
		return c.message(payload)
	}
	return fmt.Errorf("a frame that begins with %X", first)
}

func (c *client) message(payload string) error {
	if rest, ok := strings.CutPrefix(payload, `{"jsonrpc":"2.0","method":"at_mentioned","params":{"n":`); ok {
		number, pad, _ := strings.Cut(rest, ",")
		if n, err := strconv.Atoi(number); err != nil || pad != `"pad":"`+rig.Repeated(n)+`"}}` {
			return fmt.Errorf("a broadcast of %d bytes: %.200q", len(payload), payload)
		}
		return nil
	}
	rest, _ := strings.CutPrefix(payload, `{"jsonrpc":"2.0","id":`)
	id, answer, _ := strings.Cut(rest, ",")
	due := c.pending[id]
	if len(due) == 0 || due[0] != answer {
		return fmt.Errorf("an answer of %d bytes: %.200q, due is %.200q", len(payload), payload, due)
	}
	c.w.answered.Add(1)
	if c.pending[id] = due[1:]; len(due) == 1 {
		delete(c.pending, id)
	}
	return nil
}
