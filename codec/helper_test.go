// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gobwas/ws"
)

// key masks the frames that tests build; with noKey they are masked by zeroes.
var key, noKey = [4]byte{0x37, 0xfa, 0x21, 0x3d}, [4]byte{}

// appendClient appends a masked frame, with the shortest length encoding.
func appendClient(dst []byte, fin bool, op ws.OpCode, payload []byte, key [4]byte) []byte {
	at := len(dst)
	dst = AppendFrameHeader(dst, op, len(payload))
	dst[at+1] |= 0x80
	if !fin {
		dst[at] &^= 0x80
	}
	dst = append(dst, key[:]...)
	for i, c := range payload {
		dst = append(dst, c^key[i%4])
	}
	return dst
}

func text(s string) []byte { return appendClient(nil, true, ws.OpText, []byte(s), key) }

func frag(fin bool, op ws.OpCode, s string) []byte {
	return appendClient(nil, fin, op, []byte(s), key)
}

// announce is the header of a masked frame of n bytes.
func announce(op ws.OpCode, n uint64) []byte {
	h := binary.BigEndian.AppendUint64([]byte{0x80 | byte(op), 0xff}, n)
	return append(h, 0, 0, 0, 0)
}

// unhex reads hex bytes with blanks between them.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	p, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// maxShown is how many bytes of a payload are written out.
const maxShown = 4 << 10

// show writes an event in the notation of the tables, and a long one by its hash.
func show(ev Event) string {
	name := [...]string{"more", "text", "binary", "ping", "pong", "close"}[ev.Kind]
	if ev.Kind == Close {
		return fmt.Sprintf("close %d %q", ev.Code, ev.Reason)
	}
	if len(ev.Payload) > maxShown {
		return fmt.Sprintf("%s of %d bytes, %x", name, len(ev.Payload), sha256.Sum256(ev.Payload))
	}
	return fmt.Sprintf("%s %q", name, ev.Payload)
}

// feed gives the chunks to r, each in a buffer that is spoilt once it was consumed,
// and returns the events, the violation last.
func feed(t testing.TB, r *Reader, chunks ...[]byte) (events []string) {
	t.Helper()
	for _, chunk := range chunks {
		p := bytes.Clone(chunk)
		for rest := p; ; {
			ev, n, err := r.Next(rest)
			if n < 0 || n > len(rest) {
				t.Fatalf("Next consumed %d of %d bytes", n, len(rest))
			}
			rest = rest[n:]
			if err != nil {
				var v *Violation
				if !errors.As(err, &v) {
					t.Fatalf("the error %v is not a Violation", err)
				}
				return append(events, fmt.Sprintf("violation %d %s", v.Code, v.Rule))
			}
			if ev.Kind == NeedMore {
				if len(rest) > 0 {
					t.Fatalf("NeedMore with %d bytes not consumed", len(rest))
				}
				break
			}
			events = append(events, show(ev))
		}
		for i := range p {
			p[i] = 0xaa
		}
	}
	return events
}

// split cuts p into chunks of n bytes.
func split(p []byte, n int) (chunks [][]byte) {
	for len(p) > n {
		chunks, p = append(chunks, p[:n]), p[n:]
	}
	return append(chunks, p)
}

func join(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
