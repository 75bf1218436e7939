// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build soak

package rfc6455

import (
	"fmt"
	"strings"
	"testing"

	"claudecoded/test/wire"
)

// There is time: every size comes in every chop, up to a hundred thousand writes.
func init() { maxWrites = 100_000 }

func TestFragments_ThereMayBe65536OfALongMessage(t *testing.T) {
	const count, n = 65536, 256
	c := open(t)
	send := manyParts(wire.Binary, count, n)
	want := wire.Plain(wire.Binary, strings.Repeat(body(n), count))
	for _, chop := range []int{0, 1000, 64 << 10} {
		c.SendIn(chop, send)
		c.Expect(want)
	}
	c.Leave()
}

func TestLimits_TheLongestMessageIsEchoed(t *testing.T) {
	message := body(maxMessage)
	for kind, first := range kinds {
		for parts := 1; parts <= 100; parts *= 10 {
			t.Run(fmt.Sprintf("%s in %d parts", kind, parts), func(t *testing.T) {
				c := open(t)
				for i := range parts {
					head := byte(wire.MorePart)
					if i == 0 {
						head = first &^ 0x80
					}
					if i == parts-1 {
						head |= 0x80
					}
					c.Send(wire.Frame(head, message[i*maxMessage/parts:(i+1)*maxMessage/parts]))
				}
				c.Expect(wire.Plain(first, message))
				c.Leave()
			})
		}
	}
}
