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
	kept       [][]byte // if not nil, the messages are kept
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
	if b.kept != nil {
		b.kept = append(b.kept, text)
	}
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

// unmasked is a frame of n bytes that reading does not change.
func unmasked(first byte, n int) []byte {
	b := binary.BigEndian.AppendUint64([]byte{first, 127}, uint64(n))
	return append(b, bytes.Repeat([]byte("x"), n)...)
}

// Time must be linear: within one benchmark, ns/byte at 8 times the size is at most
// 1.5 times as much. To compare the work and not the processor's caches, every size
// passes and keeps about as many bytes an iteration.
func perByte(b *testing.B, size int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(size), "ns/byte")
}

func BenchmarkMessages_SmallFramesInOneRead(b *testing.B) {
	for _, count := range []int{500, 4000} { // 64 KiB, the most one read has
		stream := bytes.Repeat(unmasked(0x81, 6), count)
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			c := newBare(b, nil)
			for b.Loop() {
				c.messages = 0
				c.feed(stream, len(stream))
				if c.messages != count {
					b.Fatal(c.messages)
				}
			}
			perByte(b, len(stream))
		})
	}
}

func BenchmarkMessages_OneFrame(b *testing.B) {
	const most = 100 << 20
	for _, read := range []int{64 << 10, 1 << 10} {
		for _, size := range []int{12 << 20, most} {
			b.Run(fmt.Sprintf("%dMiB-in-%dKiB", size>>20, read>>10), func(b *testing.B) {
				header, payload := unmasked(0x81, size)[:10], make([]byte, read)
				c := newBare(b, nil)
				for b.Loop() {
					c.kept = make([][]byte, 0, most/size)
					for range most / size {
						c.turn(header)
						for range size / read {
							c.turn(payload)
						}
					}
					if len(c.kept) != most/size {
						b.Fatal(len(c.kept))
					}
				}
				perByte(b, most/size*size)
			})
		}
	}
}

func BenchmarkMessages_Fragments(b *testing.B) {
	for _, count := range []int{8 << 10, 64 << 10} {
		stream := bytes.Repeat(unmasked(0x00, 64), count)
		stream[0] |= 0x01
		stream[len(stream)-len(unmasked(0x00, 64))] |= 0x80
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			c := newBare(b, nil)
			for b.Loop() {
				c.feed(stream, 64<<10)
			}
			perByte(b, len(stream))
		})
	}
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
			perByte(b, size)
		})
	}
}
