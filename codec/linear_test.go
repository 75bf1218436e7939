// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/gobwas/ws"
)

// Time must be linear: within one benchmark, ns/byte at 8 times the size is at most
// 1.5 times as much. To compare the work and not the processor's caches, every size
// passes and keeps about as many bytes an iteration.

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

func perByte(b *testing.B, size int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(size), "ns/byte")
}

func BenchmarkReader_SmallFramesInOneRead(b *testing.B) {
	frame := appendClient(nil, true, ws.OpText, bytes.Repeat([]byte("x"), 50), noKey)
	for _, count := range []int{1000, 8000, 64000} {
		stream := bytes.Repeat(frame, count)
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			r, kept := NewReader(MaxMessage), make([][]byte, 0, count)
			for b.Loop() {
				if n := len(drain(b, r, stream, kept[:0])); n != count {
					b.Fatal(n)
				}
			}
			perByte(b, len(stream))
		})
	}
}

func BenchmarkReader_OneFrame(b *testing.B) {
	for _, read := range []int{64 << 10, 1 << 10} {
		for _, size := range []int{12 << 20, 100 << 20} {
			b.Run(fmt.Sprintf("%dMiB-in-%dKiB", size>>20, read>>10), func(b *testing.B) {
				header, payload := announce(ws.OpText, uint64(size)), make([]byte, read)
				count := MaxMessage / size
				for b.Loop() {
					r, kept := NewReader(MaxMessage), [][]byte(nil)
					for range count {
						kept = drain(b, r, header, kept)
						for range size / read {
							kept = drain(b, r, payload, kept)
						}
					}
					if len(kept) != count {
						b.Fatal(len(kept))
					}
				}
				perByte(b, count*size)
			})
		}
	}
}

func BenchmarkReader_Fragments(b *testing.B) {
	const size = 64
	fragment := appendClient(nil, false, ws.OpContinuation, bytes.Repeat([]byte("x"), size), noKey)
	for _, count := range []int{8 << 10, 64 << 10, 512 << 10} {
		stream := bytes.Repeat(fragment, count)
		stream[0] |= byte(ws.OpText)
		stream[len(stream)-len(fragment)] |= 0x80
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			for b.Loop() {
				r, kept := NewReader(MaxMessage), [][]byte(nil)
				for _, p := range split(stream, 64<<10) {
					kept = drain(b, r, p, kept)
				}
				if len(kept) != 1 {
					b.Fatal(len(kept))
				}
			}
			perByte(b, len(stream))
		})
	}
}

func BenchmarkAppendValidUTF8(b *testing.B) {
	for _, size := range []int{64 << 10, 512 << 10} {
		p := bytes.Repeat([]byte("latin caf\xe9 and é "), size/18)
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			var dst []byte
			for b.Loop() {
				dst = AppendValidUTF8(dst[:0], p)
			}
			perByte(b, len(p))
		})
	}
}
