// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

import (
	"bytes"
	"testing"

	"github.com/gobwas/ws"
)

// TestReader_UnmasksAtEveryAlignment compares with the byte loop of RFC 6455, 5.3,
// whole and in two reads that meet at each position of the key.
func TestReader_UnmasksAtEveryAlignment(t *testing.T) {
	t.Parallel()
	want := make([]byte, 1<<10)
	for i := range want {
		want[i] = byte(i*7 + i>>8)
	}
	buffer := make([]byte, 0, 2<<10)
	for align := range 8 {
		for n := 0; n <= len(want); n++ {
			stream := appendClient(buffer[:align], true, ws.OpBinary, want[:n], key)[align:]
			whole := bytes.Clone(stream)
			r := NewReader(MaxMessage)
			if ev, _, err := r.Next(stream); err != nil || !bytes.Equal(ev.Payload, want[:n]) {
				t.Fatalf("alignment %d, %d bytes: wrong payload, %v", align, n, err)
			}
			cut := min(len(whole), 8+(align+n)%13)
			if got := feed(t, r, whole[:cut], whole[cut:]); len(got) != 1 || got[0] != show(Event{Kind: Binary, Payload: want[:n]}) {
				t.Fatalf("alignment %d, %d bytes cut at %d: wrong payload", align, n, cut)
			}
		}
	}
}
