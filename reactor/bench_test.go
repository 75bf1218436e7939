// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import (
	"io"
	"testing"
	"time"
)

func eachBench(b *testing.B, f func(b *testing.B, newLoop func(Options) (Loop, error))) {
	for name, newLoop := range implementations {
		b.Run(name, func(b *testing.B) { f(b, newLoop) })
	}
}

// BenchmarkEcho is one small message there and back.
func BenchmarkEcho(b *testing.B) {
	eachBench(b, func(b *testing.B, newLoop func(Options) (Loop, error)) {
		l, _ := start(b, newLoop)
		c := dial(b, listen(b, l, newEchoer))
		for b.Loop() {
			if !echoes(c) {
				b.Fatal("no echo")
			}
		}
	})
}

// BenchmarkBurst is 1000 small replies to one read.
func BenchmarkBurst(b *testing.B) {
	const replies = 1000
	frame := make([]byte, 60)
	eachBench(b, func(b *testing.B, newLoop func(Options) (Loop, error)) {
		l, _ := start(b, newLoop)
		c := dial(b, listen(b, l, func(c Conn) Events {
			return received(func([]byte) {
				for range replies {
					c.Write([][]byte{frame[:2], frame[2:]}, nil)
				}
			})
		}))
		in := make([]byte, replies*len(frame))
		b.SetBytes(int64(len(in)))
		for b.Loop() {
			_, _ = c.Write([]byte("go"))
			if _, err := io.ReadFull(c, in); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkUpload is 16 MiB from a peer, in reads of the loop's size.
func BenchmarkUpload(b *testing.B) {
	const size = 16 << 20
	eachBench(b, func(b *testing.B, newLoop func(Options) (Loop, error)) {
		l, _ := start(b, newLoop)
		got := 0
		c := dial(b, listen(b, l, func(c Conn) Events {
			return received(func(p []byte) {
				if got += len(p); got == size {
					got = 0
					c.Write([][]byte{[]byte("x")}, nil)
				}
			})
		}))
		out, in := make([]byte, size), make([]byte, 1)
		b.SetBytes(size)
		for b.Loop() {
			_, _ = c.Write(out)
			if _, err := io.ReadFull(c, in); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkPost is one closure from another goroutine, there and back.
func BenchmarkPost(b *testing.B) {
	eachBench(b, func(b *testing.B, newLoop func(Options) (Loop, error)) {
		l, _ := start(b, newLoop)
		done := make(chan struct{})
		f := func() { done <- struct{}{} }
		for b.Loop() {
			l.Post(f)
			<-done
		}
	})
}

// BenchmarkTimers starts and stops one timer beside many.
func BenchmarkTimers(b *testing.B) {
	w := NewWheel(epoch)
	for i := range 10_000 {
		w.AfterFunc(time.Duration(i)*time.Second, func() {})
	}
	for b.Loop() {
		w.AfterFunc(30*time.Second, func() {}).Stop()
	}
}
