// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

// readBody feeds a body in pieces of at most size bytes and says what came of it.
func readBody(length, size int, discard bool, p []byte) (outcome string, b Body) {
	b = NewBody(&Request{Length: length}, discard)
	used := 0
	for used < len(p) && !b.Done() {
		n, ref := b.Feed(p[used:min(used+size, len(p))])
		used += n
		if ref != nil {
			return fmt.Sprint(ref.Status), b
		}
	}
	if !b.Done() {
		return "more", b
	}
	return fmt.Sprintf("%q then %q", b.Bytes(), p[used:]), b
}

var bodies = []struct {
	length int
	sent   string
	want   string
}{
	{NoLength, "GET", `"" then "GET"`},
	{0, "GET", `"" then "GET"`},
	{3, "abcGET", `"abc" then "GET"`},
	{3, "ab", "more"},
	{Chunked, "0\r\n\r\nGET", `"" then "GET"`},
	{Chunked, "3\r\nabc\r\n0\r\n\r\nGET", `"abc" then "GET"`},
	{Chunked, "1\r\na\r\n0B\r\nbcdefghijkl\r\n000\r\n\r\n", `"abcdefghijkl" then ""`},
	{Chunked, "3;x=\"y\"\r\nabc\r\n0 ;z\r\nTrailer: x\r\nEmpty:\r\n\r\nGET", `"abc" then "GET"`},
	{Chunked, "3\r\nabc\r\n0\r\n", "more"},
	{Chunked, "3\r\nabc\r\n", "more"},
	{Chunked, "3\r\nabcd\r\n", "400"},
	{Chunked, "3\r\nabc0\r\n\r\n", "400"},
	{Chunked, "3\nabc\n0\n\n", "400"},
	{Chunked, "3\r\nabc\n0\r\n\r\n", "400"},
	{Chunked, "3\r\nabc\r\n0\r\n\n", "400"},
	{Chunked, "3\rabc\r\n", "400"},
	{Chunked, "3\r\rabc\r\n", "400"},
	{Chunked, "\r\n", "400"},
	{Chunked, ";x\r\n", "400"},
	{Chunked, "0x3\r\nabc\r\n", "400"},
	{Chunked, "+3\r\nabc\r\n", "400"},
	{Chunked, "-3\r\nabc\r\n", "400"},
	{Chunked, " 3\r\nabc\r\n", "400"},
	{Chunked, "3 \r\nabc\r\n", "400"},
	{Chunked, "3_0\r\n", "400"},
	{Chunked, "g\r\n", "400"},
	{Chunked, "3;\x00\r\n", "400"},
	{Chunked, "1000001\r\n", "413"},
	{Chunked, "3\r\nabc\r\nfffffe\r\n", "413"},
	{Chunked, "7fffffffffffffff\r\n", "413"},
	{Chunked, "10000000000000003\r\nabc\r\n", "413"},
	{Chunked, "0\r\nno colon\r\n\r\n", "400"},
	{Chunked, "0\r\ncolon\r\n\r\n", "400"},
	{Chunked, "0\r\n folded: x\r\n\r\n", "400"},
	{Chunked, "0\r\nX: y\nZ: a\r\n\r\n", "400"},
}

func TestBody_IsTheSameHoweverItIsCut(t *testing.T) {
	t.Parallel()
	for _, c := range bodies {
		for size := 1; size <= max(1, len(c.sent)); size++ {
			if got, _ := readBody(c.length, size, false, []byte(c.sent)); got != c.want {
				t.Errorf("%q in pieces of %d: %s, want %s", c.sent, size, got, c.want)
			}
		}
	}
}

func TestBody_BoundsLinesAndTrailer(t *testing.T) {
	t.Parallel()
	chunkLine := func(n int) string { return "0;" + strings.Repeat("x", n-len("0;\r\n")) + "\r\n" }
	trailer := func(n int) string { return "0\r\nX: " + strings.Repeat("x", n-len("X: \r\n\r\n")) + "\r\n\r\n" }
	for name, c := range map[string]struct{ sent, want string }{
		"a chunk line of the limit":          {chunkLine(MaxChunkLine) + "\r\n", `"" then ""`},
		"a chunk line over it":               {chunkLine(MaxChunkLine + 1), "400"},
		"a chunk line that never ends":       {strings.Repeat("0", MaxChunkLine+1), "400"},
		"a chunk line that may still end":    {strings.Repeat("0", MaxChunkLine), "more"},
		"a trailer of the limit":             {trailer(MaxTrailer), `"" then ""`},
		"a trailer over it":                  {trailer(MaxTrailer + 1), "431"},
		"a trailer of many fields":           {"0\r\n" + strings.Repeat("X: y\r\n", MaxTrailer), "431"},
		"a trailer that never ends its line": {"0\r\n" + strings.Repeat("x", MaxTrailer+1), "431"},
	} {
		for _, size := range []int{1, 100, 1 << 20} {
			if got, _ := readBody(Chunked, size, false, []byte(c.sent)); got != c.want {
				t.Errorf("%s, in pieces of %d: %s, want %s", name, size, got, c.want)
			}
		}
	}
}

func TestBody_OfTheLimitIsRead(t *testing.T) {
	t.Parallel()
	want := bytes.Repeat([]byte("x"), MaxBody)
	chunked := AppendChunk(AppendChunk(AppendChunk(nil, want[:1]), want[1:]), nil)
	for _, c := range []struct {
		length int
		sent   []byte
	}{{MaxBody, want}, {Chunked, chunked}} {
		b := NewBody(&Request{Length: c.length}, false)
		for sent := c.sent; len(sent) > 0; {
			n, ref := b.Feed(sent[:min(len(sent), 64<<10)])
			if ref != nil {
				t.Fatal(ref)
			}
			sent = sent[n:]
		}
		if !b.Done() || !bytes.Equal(b.Bytes(), want) || b.Buffered() > MaxBody+MaxChunkLine {
			t.Errorf("length %d: %d bytes, %d kept", c.length, len(b.Bytes()), b.Buffered())
		}
	}
}

func TestBody_KeepsNothingThatItWasOnlyPromised(t *testing.T) {
	t.Parallel()
	for _, length := range []int{MaxBody, Chunked} {
		b := NewBody(&Request{Length: length}, false)
		if n, ref := b.Feed([]byte("ffffff\r\nabc")); n != 11 || ref != nil {
			t.Fatal(n, ref)
		}
		if n := b.Buffered(); n > 2*minBody {
			t.Errorf("length %d: %d bytes kept", length, n)
		}
	}
}

// Who sent as much is trusted with what was announced: it is made room for at once, and once.
func TestBody_HasRoomForAllOnceSoMuchCame(t *testing.T) {
	t.Parallel()
	const all = 2*reserve + 1
	half := make([]byte, reserve/2)
	b := NewBody(&Request{Length: all}, false)
	for came := 0; came < all; came += len(half) {
		if n := b.Buffered(); came < reserve && n > max(2*came, minBody) || came > reserve && n != all {
			t.Errorf("after %d bytes there is room for %d", came, n)
		}
		if _, ref := b.Feed(half[:min(len(half), all-came)]); ref != nil {
			t.Fatal(ref)
		}
	}
	if !b.Done() || b.Buffered() != all {
		t.Errorf("%d bytes kept", b.Buffered())
	}
}

func TestBody_WholeInOneReadIsNotCopied(t *testing.T) {
	t.Parallel()
	p := []byte("abcGET")
	b := NewBody(&Request{Length: 3}, false)
	if _, ref := b.Feed(p); ref != nil || &b.Bytes()[0] != &p[0] {
		t.Errorf("%q, %v", b.Bytes(), ref)
	}
}

func TestBody_DiscardedIsReadAndNotKept(t *testing.T) {
	t.Parallel()
	for _, c := range bodies {
		whole, _ := readBody(c.length, 1<<10, false, []byte(c.sent))
		_, behind, done := strings.Cut(whole, " then ")
		if done {
			whole = `"" then ` + behind
		}
		got, b := readBody(c.length, 2, true, []byte(c.sent))
		if got != whole || cap(b.data) > 0 {
			t.Errorf("%q: %s, want %s, %d bytes kept", c.sent, got, whole, cap(b.data))
		}
	}
}

func TestBody_OfSmallChunksTakesLinearTime(t *testing.T) {
	t.Parallel()
	p := bytes.Repeat([]byte("1\r\nx\r\n"), 1<<20)
	start := time.Now()
	if got, _ := readBody(Chunked, 64<<10, false, p); got != "more" {
		t.Error(got)
	}
	if took := time.Since(start); took > time.Minute {
		t.Errorf("took %v", took)
	}
}

// FuzzBody: however the bytes of a body are cut, it is the same body and ends at the
// same byte, and what is kept never exceeds what came.
func FuzzBody(f *testing.F) {
	for i, c := range bodies {
		f.Add([]byte(c.sent), int16(c.length), uint16(i))
	}
	f.Fuzz(func(t *testing.T, p []byte, length int16, size uint16) {
		if length < NoLength {
			return
		}
		want, _ := readBody(int(length), len(p)+1, false, p)
		got, b := readBody(int(length), 1+int(size), false, p)
		if got != want {
			t.Errorf("in pieces of %d: %s, whole: %s", 1+int(size), got, want)
		}
		if n := b.Buffered(); n > 4*len(p)+minBody+64 {
			t.Errorf("%d bytes kept of %d", n, len(p))
		}
	})
}
