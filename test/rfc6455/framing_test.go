// Copyright (c) 2026 the claudecoded authors. MIT license.

package rfc6455

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"claudecoded/test/wire"
)

// kinds are the two kinds of message, by the first byte of a frame.
var kinds = map[string]byte{"text": wire.Text, "binary": wire.Binary}

// block is text that no length in use is a multiple of, so that a byte at the wrong
// place shows.
var block = func() string {
	r := rand.New(rand.NewPCG(1, 1))
	b := make([]byte, 9973)
	for i := range b {
		b[i] = byte(' ' + r.IntN('~'-' '))
	}
	return string(b)
}()

// body is n bytes of ASCII.
func body(n int) string { return strings.Repeat(block, n/len(block)+1)[:n] }

// sizes are those at which the length field changes its form, and large ones.
var sizes = []int{0, 1, 125, 126, 127, 128, 65535, 65536, 65537, 1 << 20, 16 << 20}

// chops are the sizes of the writes that a frame comes in; 0 is all at once.
var chops = []int{0, 1, 2, 7 << 10, 64 << 10}

// maxWrites bounds how many writes a frame is chopped into; more of them are tried when
// there is time.
var maxWrites = 1000

func TestFraming_EchoesEverySizeHoweverItIsChopped(t *testing.T) {
	t.Parallel()
	for kind, first := range kinds {
		for _, n := range sizes {
			t.Run(fmt.Sprintf("%s of %d bytes", kind, n), func(t *testing.T) {
				message := body(n)
				send, want := wire.Frame(first, message), wire.Plain(first, message)
				c := open(t)
				for _, chop := range chops {
					if chop == 0 || len(send)/chop <= maxWrites {
						c.SendIn(chop, send)
						c.Expect(want)
					}
				}
				c.Leave()
			})
		}
	}
}

func TestFraming_UnmasksWithAnyKeyAndAcceptsUnmaskedFrames(t *testing.T) {
	t.Parallel()
	message := body(1000)
	want := wire.Plain(wire.Text, message)
	cases := []exchange{{"unmasked", want, want, false}}
	for _, key := range [][4]byte{{}, {0xFF, 0xFF, 0xFF, 0xFF}, {0, 0, 0, 1}, {0x12, 0x34, 0x56, 0x78}} {
		cases = append(cases, exchange{fmt.Sprintf("key % X", key), wire.Masked(wire.Text, message, key), want, false})
	}
	run(t, cases)
}

func TestFraming_AcceptsLengthsThatAreNotMinimal(t *testing.T) {
	t.Parallel()
	var cases []exchange
	for _, c := range []struct{ size, width int }{{0, 2}, {0, 8}, {5, 2}, {125, 2}, {125, 8}, {126, 8}, {65535, 8}} {
		message := body(c.size)
		cases = append(cases, exchange{
			fmt.Sprintf("%d in %d bytes", c.size, c.width),
			append(wire.Header(wire.Text, uint64(c.size), c.width), message...),
			wire.Plain(wire.Text, message), false,
		})
	}
	run(t, cases)
}

func TestFraming_AnswersEveryMessageOfOneWriteInOrder(t *testing.T) {
	t.Parallel()
	var send, want []byte
	for i := range 1000 {
		message := fmt.Sprintf("%d %s", i, body(i%300))
		first := []byte{wire.Text, wire.Binary}[i%2]
		send = append(send, wire.Frame(first, message)...)
		want = append(want, wire.Plain(first, message)...)
	}
	run(t, []exchange{{"1000 messages", send, want, false}})
}

// Thirty-two peers send a message in pieces that end in the middle of everything.
func TestFraming_KeepsTheBytesOfPeersApart(t *testing.T) {
	var peers sync.WaitGroup
	for i := range 32 {
		c := open(t)
		message := strings.Repeat(fmt.Sprintf("peer %02d;", i), 300<<10/8)
		peers.Go(func() {
			for at, frame := 0, wire.Frame(wire.Text, message); at < len(frame); at += 7 << 10 {
				if _, err := c.TCP.Write(frame[at:min(at+7<<10, len(frame))]); err != nil {
					t.Error(err)
					return
				}
			}
			first, got, err := wire.ReadFrame(c.TCP, 1<<20)
			if err != nil || first != wire.Text || string(got) != message {
				t.Errorf("peer %d got a frame %X of %d bytes, %v", i, first, len(got), err)
			}
		})
	}
	peers.Wait()
}
