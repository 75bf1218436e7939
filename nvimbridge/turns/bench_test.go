// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// BenchmarkAnnounced is how long the answer to a client that is about to write a file is
// held, which may be 300 ms: of files of several sizes, while git looks at a thousand files
// and not, and without a keeper that keeps anything.
func BenchmarkAnnounced(b *testing.B) {
	for _, size := range []int{10 << 10, 1 << 20, MaxFile, 64 << 20} {
		for _, how := range []string{"without", "with", "busy"} {
			b.Run(fmt.Sprintf("%s/%dKiB", how, size>>10), func(b *testing.B) {
				k := keep(b, Options{Git: how == "busy"})
				k.write("f", strings.Repeat("0123456789abcde\n", size/16))
				if how == "busy" {
					k.git("init", "-q")
					for i := range 1000 {
						k.write(fmt.Sprint("d/", i), three)
					}
					k.commit()
				}
				if how == "without" {
					k.on(func() { k.open = false })
				}
				var held, longest time.Duration
				for b.Loop() {
					if how == "busy" {
						k.on(func() { k.Sampled(1, func() {}) })
					}
					k.prompt() // or the file is known
					began := time.Now()
					k.announce("f")
					took := time.Since(began)
					held, longest = held+took, max(longest, took)
				}
				b.ReportMetric(float64(held.Microseconds())/float64(b.N)/1000, "held-ms/op")
				b.ReportMetric(float64(longest.Microseconds())/1000, "max-ms")
				k.on(func() { k.open = true })
			})
		}
	}
}

// BenchmarkLook is how long git takes to tell what changed among many files.
func BenchmarkLook(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			k := keep(b, noGit)
			k.git("init", "-q")
			for i := range n {
				k.write(fmt.Sprintf("d%d/%d", i%100, i), three)
			}
			k.commit()
			p, err := take(k.reader(maxPicture), k.dir)
			k.must(err)
			for i := range 100 {
				k.write(fmt.Sprintf("d%d/%d", i%100, i), "x\n")
			}
			for b.Loop() {
				if changes, err := p.look(k.reader(maxLook), nil); err != nil || len(changes) != 100 {
					b.Fatal(len(changes), err)
				}
			}
		})
	}
}

// BenchmarkCountLines is of two files of the largest size that have next to nothing in
// common, the worst there is.
func BenchmarkCountLines(b *testing.B) {
	content := func(step int) []byte {
		var s strings.Builder
		for i := 1; s.Len() < MaxFile-16; i = (i*step + 7) % 99991 {
			fmt.Fprintf(&s, "%d\n", i%5003)
		}
		return []byte(s.String())
	}
	before, after := content(3), content(5)
	for b.Loop() {
		countLines(before, after)
	}
}
