// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build soak

package soak

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"syscall"
	"time"

	"claudecoded/test/rig"
	"claudecoded/test/wire"
)

// act is something that a client does; some end its connection.
type act struct {
	name string
	odds int
	do   func(c *client) error
	ends bool
}

// acts are what clients do, and how often.
var acts = []act{
	{"call", 60, (*client).call, false},
	{"call and stall", 3, (*client).stall, false},
	{"flood", 1, (*client).flood, false},
	{"say much", 3, (*client).much, false},
	{"listen", 10, (*client).idle, false},
	{"leave", 5, (*client).leave, true},
	{"hang up", 3, (*client).hangUp, true},
	{"hang up in a call", 3, (*client).hangUpInACall, true},
	{"reset", 3, (*client).reset, true},
	{"half-close", 2, (*client).halfClose, true},
	{"break a rule", 3, (*client).breakARule, true},
	{"never pong", 1, (*client).neverPong, true},
}

// live connects and acts until the time is over.
func (c *client) live() error {
	for {
		err := c.connect()
		if err == nil {
			err = c.session()
		}
		if c.conn != nil {
			_ = c.conn.Close()
		}
		if err != nil || c.over() {
			if errors.Is(err, errOver) {
				err = nil
			}
			return err
		}
	}
}

func (c *client) over() bool {
	select {
	case <-c.w.ended:
		return true
	default:
		return time.Now().After(c.until)
	}
}

func (c *client) session() error {
	total := 0
	for _, a := range acts {
		total += a.odds
	}
	for {
		if c.over() {
			return c.leave()
		}
		n, a := c.r.IntN(total), 0
		for ; n >= acts[a].odds; a++ {
			n -= acts[a].odds
		}
		c.w.mu.Lock()
		c.w.acts[acts[a].name]++
		c.w.mu.Unlock()
		if err := acts[a].do(c); err != nil {
			return fmt.Errorf("%s: %w", acts[a].name, err)
		}
		if acts[a].ends {
			return nil
		}
	}
}

// connect upgrades, after a few connections that do not get that far, and sometimes with
// the first requests in the same write.
func (c *client) connect() error {
	request := wire.Request(rig.Token)
	for {
		dialer := net.Dialer{Timeout: wire.Patience}
		conn, err := dialer.Dial("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(c.w.d.Port)))
		if err != nil {
			return err
		}
		*c = client{w: c.w, r: c.r, until: c.until, conn: conn.(*net.TCPConn), in: bufio.NewReader(conn), pending: map[string][]string{}}
		if c.r.IntN(10) > 0 {
			break
		}
		if err := c.write(request[:c.r.IntN(len(request))]); err != nil {
			return err
		}
		if c.r.IntN(2) == 0 {
			_ = c.conn.SetLinger(0)
		}
		_ = c.conn.Close()
	}
	for range c.r.IntN(4) {
		c.request()
	}
	if err := c.write(append(request, c.frames...)); err != nil {
		return err
	}
	c.frames = nil
	got := make([]byte, len(wire.Accepted))
	c.await(2 * wire.Patience)
	if _, err := io.ReadFull(c.in, got); err != nil || string(got) != wire.Accepted {
		return fmt.Errorf("the handshake is answered with %q, %w", got, err)
	}
	return c.settled()
}

func (c *client) call() error {
	for range 1 + c.r.IntN(20) {
		c.request()
		if c.r.IntN(5) == 0 {
			c.ping()
		}
		if c.r.IntN(5) == 0 {
			if err := c.flush(); err != nil {
				return err
			}
		}
	}
	if err := c.flush(); err != nil {
		return err
	}
	return c.settled()
}

// stall lets answers wait for a while.
func (c *client) stall() error {
	for range 1 + c.r.IntN(10) {
		c.repeat(64 << 10)
	}
	if err := c.flush(); err != nil {
		return err
	}
	<-time.After(time.Duration(c.r.IntN(1000)) * time.Millisecond)
	return c.settled()
}

// flood asks for more than the daemon queues for anyone. One client at a time does: what
// many can ask for together keeps the daemon busy for longer than the others wait.
func (c *client) flood() error {
	if !c.w.flooding.TryLock() {
		return c.call()
	}
	defer c.w.flooding.Unlock()
	for range 100 {
		c.repeat(100 << 10)
	}
	if err := c.flush(); err != nil {
		return err
	}
	<-time.After(time.Duration(c.r.IntN(500)) * time.Millisecond)
	return c.settled()
}

func (c *client) much() error {
	c.ask(`"method":"ping","params":{"pad":"`+strings.Repeat("é", c.r.IntN(1<<20))+`"}`, `"result":{}}`)
	if err := c.flush(); err != nil {
		return err
	}
	return c.settled()
}

func (c *client) idle() error {
	return c.listen(time.Duration(c.r.IntN(300))*time.Millisecond, true)
}

// leave closes as RFC 6455 has it.
func (c *client) leave() error {
	body := wire.CloseBody(1000, "done")
	c.frame(wire.Close, body)
	if err := c.flush(); err != nil {
		return err
	}
	return c.readClose(body)
}

// readClose reads up to the Close frame with that body, and the end of the socket. Pings
// on the way are not answered any more.
func (c *client) readClose(body string) error {
	for {
		err := c.read(false)
		if err == nil {
			continue
		}
		if err != closed(body) {
			return fmt.Errorf("instead of the Close frame: %w", err)
		}
		break
	}
	if _, err := c.in.ReadByte(); err != io.EOF && !errors.Is(err, syscall.ECONNRESET) {
		return fmt.Errorf("after the Close frame: %v", err)
	}
	return nil
}

// hangUp leaves it to live to close the socket.
func (c *client) hangUp() error { return nil }

func (c *client) hangUpInACall() error {
	for range 1 + c.r.IntN(20) {
		c.request()
	}
	c.diff()
	n := c.r.IntN(len(c.frames) + 1)
	return c.write(c.frames[:n])
}

func (c *client) reset() error {
	if err := c.hangUpInACall(); err != nil {
		return err
	}
	return c.conn.SetLinger(0)
}

// halfClose says that nothing more comes; the daemon owes no answer then.
func (c *client) halfClose() error {
	if err := c.conn.CloseWrite(); err != nil {
		return err
	}
	c.await(2 * wire.Patience)
	_, err := io.Copy(io.Discard, c.in)
	return err
}

func (c *client) breakARule() error {
	broken := []struct {
		frame []byte
		code  int
	}{
		{wire.Frame(0x83, ""), 1002},
		{wire.Frame(0xC1, "x"), 1002},
		{wire.Frame(wire.LastPart, "x"), 1002},
		{wire.Frame(wire.Text, "\xC3\x28"), 1007},
		{wire.Frame(wire.Binary, "x"), 1003},
		{wire.Header(wire.Text, 1<<40, 8), 1009},
	}
	b := broken[c.r.IntN(len(broken))]
	if err := c.write(b.frame); err != nil {
		return err
	}
	failure := wire.Failure(b.code)
	return c.readClose(string(failure[2:]))
}

// neverPong is dropped by the keepalive, unless the time is over before. That takes long,
// so one client at a time does.
func (c *client) neverPong() error {
	if !c.w.mute.TryLock() {
		return c.leave()
	}
	defer c.w.mute.Unlock()
	for !c.over() {
		switch err := c.listen(time.Second, false); {
		case err == closed(wire.CloseBody(1011, "Keepalive timeout")):
			return nil
		case err != nil:
			return err
		}
	}
	return errOver
}
