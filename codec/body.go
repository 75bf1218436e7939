// Copyright (c) 2026 the claudecoded authors. MIT license.

package codec

import (
	"bytes"
	"strconv"
	"strings"
)

const (
	// MaxBody is the largest body of a request, in bytes.
	MaxBody = 16 << 20
	// MaxChunkLine is the longest line that begins a chunk, in bytes.
	MaxChunkLine = 1 << 10
	// MaxTrailer is how many bytes of fields may follow the last chunk.
	MaxTrailer = 4 << 10

	// minBody is what a body's buffer starts with, and reserve the size from which it
	// is made as long as the body was announced: by then the client has sent as much.
	minBody = 4 << 10
	reserve = 1 << 20
)

var errBodyTooLarge = &Refusal{413, "Request body over 16 MiB"}

// bodyPhase is what of a chunked body comes next.
type bodyPhase uint8

const (
	bodyData    bodyPhase = iota // of the body, or of a chunk
	chunkEnd                     // the line end behind a chunk's data
	chunkLine                    // the line before it
	trailerLine                  // one behind the last chunk
	bodyDone
)

// Body collects the body of one request.
type Body struct {
	phase   bodyPhase
	chunked bool
	discard bool
	left    int // bytes of data to come
	size    int // bytes of data that came
	data    []byte
	line    []byte // that has not ended
	trailer int    // bytes of trailer that came
}

// NewBody returns a Body for a request's. With discard it is read and not kept.
func NewBody(r *Request, discard bool) Body {
	switch {
	case r.Length == Chunked:
		return Body{phase: chunkLine, chunked: true, discard: discard}
	case r.Length > 0:
		return Body{left: r.Length, discard: discard}
	}
	return Body{phase: bodyDone}
}

// Done reports whether the body is whole.
func (b *Body) Done() bool { return b.phase == bodyDone }

// Bytes is the body, once it is whole. It may be part of what Feed was given.
func (b *Body) Bytes() []byte { return b.data }

// Buffered is how many bytes the body keeps.
func (b *Body) Buffered() int { return cap(b.data) + cap(b.line) }

// Feed takes n bytes of p, all of them unless the body is whole by then. What is wrong
// with the chunks leaves no way to find the next request.
func (b *Body) Feed(p []byte) (n int, refusal *Refusal) {
	for rest := p; len(rest) > 0 && b.phase != bodyDone && refusal == nil; rest = p[n:] {
		var took int
		if b.phase == bodyData {
			took = b.take(rest)
		} else {
			took, refusal = b.takeLine(rest)
		}
		n += took
	}
	return n, refusal
}

// take keeps what p has of the data. Data that is whole in p is not copied.
func (b *Body) take(p []byte) int {
	p = p[:min(len(p), b.left)]
	b.left -= len(p)
	switch {
	case b.discard:
	case b.size == 0 && b.left == 0 && !b.chunked:
		b.data = p[:len(p):len(p)]
	default:
		b.grow(len(p))
		b.data = append(b.data, p...)
	}
	b.size += len(p)
	if b.left == 0 {
		b.phase = bodyDone
		if b.chunked {
			b.phase = chunkEnd
		}
	}
	return len(p)
}

// grow makes room for n bytes more. What was only announced is not made room for.
func (b *Body) grow(n int) {
	need := len(b.data) + n
	if need <= cap(b.data) {
		return
	}
	size := min(max(2*cap(b.data), need, minBody), MaxBody)
	if all := need + b.left; !b.chunked && (size >= reserve || size > all) {
		size = all
	}
	b.data = append(make([]byte, 0, size), b.data...)
}

// takeLine collects a line and judges it when it ends.
func (b *Body) takeLine(p []byte) (n int, refusal *Refusal) {
	limit := MaxChunkLine
	if b.phase == trailerLine {
		limit = MaxTrailer - b.trailer
	}
	i := bytes.IndexByte(p, '\n')
	if n = i + 1; i < 0 {
		n = len(p)
	}
	if len(b.line)+n > limit {
		if b.phase == trailerLine {
			return n, ErrHeadTooLarge
		}
		return n, badRequest("Chunk line too long")
	}
	b.line = append(b.line, p[:n]...)
	if i < 0 {
		return n, nil
	}
	line, ended := bytes.CutSuffix(b.line, []byte("\r\n"))
	if !ended || hasControl(string(line)) {
		return n, badRequest("Malformed line in a chunked body")
	}
	b.line = b.line[:0]
	return n, b.lineEnded(string(line), n)
}

func (b *Body) lineEnded(line string, n int) *Refusal {
	switch b.phase {
	case chunkEnd:
		if line != "" {
			return badRequest("Chunk longer than it said")
		}
		b.phase = chunkLine
	case chunkLine:
		return b.begin(line)
	case trailerLine:
		b.trailer += len(line) + len("\r\n")
		name, _, colon := strings.Cut(line, ":")
		switch {
		case line == "":
			b.phase = bodyDone
		case !colon || !isToken(name):
			return badRequest("Malformed trailer")
		}
	}
	return nil
}

// begin reads the line before a chunk: its size, and extensions, which mean nothing here
// (RFC 9112, 7.1.1).
func (b *Body) begin(line string) *Refusal {
	digits, _, extended := strings.Cut(line, ";")
	if extended {
		digits = strings.TrimRight(digits, " \t")
	}
	if digits == "" || strings.Trim(digits, "0123456789abcdefABCDEF") != "" {
		return badRequest("Malformed chunk size")
	}
	size, err := strconv.ParseUint(digits, 16, 31)
	switch {
	case err != nil || int(size) > MaxBody-b.size:
		return errBodyTooLarge
	case size == 0:
		b.phase = trailerLine
	default:
		b.phase, b.left = bodyData, int(size)
	}
	return nil
}

// hasControl reports control characters other than a tab (RFC 9110, 5.5).
func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7F })
}
