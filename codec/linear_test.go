// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

import (
	"bytes"
	"testing"

	"github.com/gobwas/ws"

	"claudecoded/codec/linear"
)

// Time must be linear: at eight times the size, a byte takes at most 1.5 times as long.
// Each benchmark reports that factor, and the factor of a plain copy of the same chunks
// into a fresh buffer, which shows what the machine's memory alone makes of it.

// drain gives p to r and appends the payloads of what it read to kept.
func drain(b *testing.B, r *Reader, p []byte, kept [][]byte) [][]byte {
	for {
		ev, n, err := r.Next(p)
		if err != nil {
			b.Fatal(err)
		}
		if p = p[n:]; ev.Kind == NeedMore {
			return kept
		}
		kept = append(kept, ev.Payload)
	}
}

// compare reads streams of two sizes, each of as many messages as count says.
func compare(b *testing.B, small, large int, stream func(size int) [][]byte, count func(size int) int, plain linear.Work) {
	streams := map[int][][]byte{small: stream(small), large: stream(large)}
	linear.Compare(b, small, large, linear.Work{Name: "codec", Run: func(size int) {
		r, kept := NewReader(MaxMessage), make([][]byte, 0, count(size))
		for _, p := range streams[size] {
			kept = drain(b, r, p, kept)
		}
		if len(kept) != count(size) {
			b.Fatalf("%d messages", len(kept))
		}
	}}, plain)
}

func one(int) int { return 1 }

// x is n bytes of text.
func x(n int) []byte { return bytes.Repeat([]byte("x"), n) }

// Every frame is 64 bytes long.
func BenchmarkReader_SmallFramesInOneRead(b *testing.B) {
	const small, large, frame = 64 << 10, 512 << 10, 64
	all := bytes.Repeat(appendClient(nil, true, ws.OpText, x(frame-6), noKey), large/frame)
	compare(b, small, large,
		func(size int) [][]byte { return [][]byte{all[:size]} },
		func(size int) int { return size / frame },
		linear.Copy(all))
}

func BenchmarkReader_OneFrame(b *testing.B) {
	const small, large = 12 << 20, 100 << 20
	for _, read := range []int{64 << 10, 1 << 10} {
		b.Run("in-"+linear.Size(read), func(b *testing.B) {
			chunk := x(read)
			compare(b, small, large, func(size int) [][]byte {
				parts := [][]byte{announce(ws.OpText, uint64(size))}
				for range size / read {
					parts = append(parts, chunk)
				}
				return parts
			}, one, linear.Copy(chunk))
		})
	}
}

// The larger message comes in 64 Ki fragments of 64 bytes.
func BenchmarkReader_Fragments(b *testing.B) {
	const count, frame, read = 64 << 10, 64, 64 << 10
	fragment := appendClient(nil, false, ws.OpContinuation, x(frame-6), noKey)
	compare(b, count/8*frame, count*frame, func(size int) [][]byte {
		all := bytes.Repeat(fragment, size/frame)
		all[0] |= byte(ws.OpText)
		all[len(all)-frame] |= 0x80
		return split(all, read)
	}, one, linear.Copy(x(read)))
}

func BenchmarkAppendValidUTF8(b *testing.B) {
	const small, large = 64 << 10, 512 << 10
	p := bytes.Repeat([]byte("latin caf\xe9 and \xc3\xa9 "), large/18+1)[:large]
	dst := make([]byte, 0, 2*large)
	linear.Compare(b, small, large,
		linear.Work{Name: "repair", Run: func(size int) { AppendValidUTF8(dst, p[:size]) }},
		linear.Copy(p))
}
