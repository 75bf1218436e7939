// Copyright (c) 2026 the claudecoded authors. MIT license.

package session_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"time"

	"claudecoded/codec/linear"
	"claudecoded/reactor"
	"claudecoded/reactor/fake"
	"claudecoded/session"
)

// bare is one connected client on a loop and a connection that cost nothing, so
// that what is measured is the session alone.
type bare struct {
	*fake.Loop // its clock and timers
	server     *session.Server
	events     reactor.Events
	conn       bareConn
	deferred   []func()
	message    func(b *bare, text []byte)
	messages   int
}

// bareConn is a connection whose kernel takes everything at once.
type bareConn struct {
	reactor.Conn
	written uint64
	paused  bool
	done    []func(error)
}

func (c *bareConn) Write(bufs [][]byte, done func(error)) reactor.WriteID {
	for _, b := range bufs {
		c.written += uint64(len(b))
	}
	if done != nil {
		c.done = append(c.done, done)
	}
	return 1
}

func (c *bareConn) Queued() int     { return 0 }
func (c *bareConn) Written() uint64 { return c.written }
func (c *bareConn) PauseRead()      { c.paused = true }
func (c *bareConn) ResumeRead()     { c.paused = false }
func (c *bareConn) Close()          {}

type bareListener struct{}

func (bareListener) Port() int { return 1 }
func (bareListener) Close()    {}

func (b *bare) Listen(_ reactor.PortRange, accept func(reactor.Conn) reactor.Events) (reactor.Listener, error) {
	b.events = accept(&b.conn)
	return bareListener{}, nil
}

func (b *bare) Defer(f func()) { b.deferred = append(b.deferred, f) }

func (b *bare) Open(uint64)                {}
func (b *bare) Closed(uint64, int, string) {}
func (b *bare) Message(_ uint64, text []byte) {
	b.messages++
	if b.message != nil {
		b.message(b, text)
	}
}

func newBare(t testing.TB, message func(b *bare, text []byte)) *bare {
	t.Helper()
	b := &bare{Loop: fake.New(), message: message}
	b.server = session.New(b, session.Config{Log: slog.New(slog.NewTextHandler(io.Discard, nil)), PingInterval: time.Hour})
	if _, err := b.server.Listen(reactor.PortRange{}, b); err != nil {
		t.Fatal(err)
	}
	b.turn(request())
	if len(b.server.Clients()) != 1 {
		t.Fatal("not connected")
	}
	return b
}

// turn reads p, runs what was deferred and ends the writes.
func (b *bare) turn(p []byte) {
	if len(p) > 0 {
		b.events.Data(p)
	}
	if len(b.deferred) > 0 { // a turn defers one closure at most
		f := b.deferred[0]
		b.deferred = b.deferred[:0]
		f()
	}
	for _, done := range b.conn.done {
		done(nil)
	}
	clear(b.conn.done)
	b.conn.done = b.conn.done[:0]
}

// feed gives p to the client in reads of size bytes.
func (b *bare) feed(p []byte, size int) {
	for len(p) > 0 || b.conn.paused {
		n := 0
		if !b.conn.paused {
			n = min(len(p), size)
		}
		b.turn(p[:n])
		p = p[n:]
	}
}

// header is that of an unmasked frame of n bytes, which reading does not change.
func header(first byte, n int) []byte {
	return binary.BigEndian.AppendUint64([]byte{first, 127}, uint64(n))
}

func unmasked(first byte, n int) []byte {
	return append(header(first, n), bytes.Repeat([]byte("x"), n)...)
}

// Time must be linear: at eight times the size, a byte takes at most 1.5 times as long.
// Each benchmark reports that factor, and the factor of a plain copy of the same chunks
// into a fresh buffer, which shows what the machine's memory alone makes of it.

// compare reads streams of two sizes, each of as many messages as count says.
func compare(b *testing.B, small, large, read int, stream func(size int) [][]byte, count func(size int) int) {
	streams := map[int][][]byte{small: stream(small), large: stream(large)}
	linear.Compare(b, small, large, linear.Work{Name: "session", Run: func(size int) {
		c := newBare(b, nil)
		for _, p := range streams[size] {
			c.feed(p, read)
		}
		if c.messages != count(size) {
			b.Fatalf("%d messages", c.messages)
		}
	}}, linear.Copy(make([]byte, read)))
}

func one(int) int { return 1 }

// One read has 64 KiB at most. Every frame is 16 bytes long.
func BenchmarkMessages_SmallFramesInOneRead(b *testing.B) {
	const small, large, size = 8 << 10, 64 << 10, 16
	all := bytes.Repeat(unmasked(0x81, size-10), large/size)
	compare(b, small, large, large,
		func(size int) [][]byte { return [][]byte{all[:size]} },
		func(n int) int { return n / size })
}

func BenchmarkMessages_OneFrame(b *testing.B) {
	for _, read := range []int{64 << 10, 1 << 10} {
		b.Run("in-"+linear.Size(read), func(b *testing.B) {
			chunk := bytes.Repeat([]byte("x"), read)
			compare(b, 12<<20, 100<<20, read, func(size int) [][]byte {
				parts := [][]byte{header(0x81, size)}
				for range size / read {
					parts = append(parts, chunk)
				}
				return parts
			}, one)
		})
	}
}

// The larger message comes in 64 Ki fragments of 64 bytes.
func BenchmarkMessages_Fragments(b *testing.B) {
	const count, frame = 64 << 10, 64
	compare(b, count/8*frame, count*frame, 64<<10, func(size int) [][]byte {
		all := bytes.Repeat(unmasked(0x00, frame-10), size/frame)
		all[0] |= 0x01
		all[len(all)-frame] |= 0x80
		return [][]byte{all}
	}, one)
}

func BenchmarkSend(b *testing.B) {
	for _, size := range []int{50, 1000, 64 << 10, 4 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			c := newBare(b, nil)
			payload := bytes.Repeat([]byte("x"), size)
			b.ReportAllocs()
			for b.Loop() {
				c.server.Send(1, payload)
				c.turn(nil)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(size), "ns/byte")
		})
	}
}
