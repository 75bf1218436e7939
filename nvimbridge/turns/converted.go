// Copyright (c) 2026 the claudecoded authors. MIT license.

package turns

import (
	"bytes"
	"context"
	"crypto/sha256"
	"strconv"
	"strings"
)

// To git a file may be as in the commit though a checkout would write it otherwise: with other
// line ends (gitattributes(5), text and eol), if an editor wrote them.

// onDisk is what was on disk of a file that git took for the commit's: as git would write it, unless
// the file now has lines that only ends tell from that. Then it had those, if the index knows
// it by as many bytes; or nothing tells what it had.
func (l *looking) onDisk(e entry, b blob, now State) blob {
	if b.content == nil || b.size == b.stored || now.text == nil || e.mode == linkMode {
		return b
	}
	as, differs := restyled(b.content, now.Bytes())
	if !differs {
		return b
	}
	if l.odd++; l.odd <= maxOdd {
		switch size, ok := l.own.indexed(l.reader.ctx, e.name); {
		case !ok || size == now.Size: // it may know the file as it is now
		case size == int64(len(as)):
			return blob{content: as, size: size, sum: sha256.Sum256(as), stored: b.stored}
		case size == b.size:
			return b
		}
	}
	return blob{size: b.size, why: Unreadable}
}

// restyled is a text with the line ends of another one that was made from it. differs says that
// there are lines that only ends tell apart.
func restyled(text, like []byte) (as []byte, differs bool) {
	if !fewLines(text) || !fewLines(like) {
		return text, false
	}
	lines, others := linesOf(text), linesOf(like)
	bare := func(lines [][]byte) (all [][]byte) {
		for _, line := range lines {
			line = bytes.ReplaceAll(line, []byte("\r"), nil)
			all = append(all, bytes.ReplaceAll(line, []byte{0}, nil)) // which a wider encoding has around it
		}
		return all
	}
	var plain int // lines of the other that have no carriage return, where these have one
	in := pairs(bare(lines), bare(others))
	for i, j := range in {
		if j >= 0 && !bytes.Equal(lines[i], others[j]) {
			lines[i], differs = others[j], true
			plain += 1 - bytes.Count(others[j], []byte("\r"))
		}
	}
	for i, j := range in {
		if j < 0 && differs && plain > 0 {
			lines[i] = bytes.Replace(lines[i], []byte("\r\n"), []byte("\n"), 1)
		}
	}
	return bytes.Join(lines, nil), differs
}

// indexed is how many bytes a file had when git last looked at it.
func (g git) indexed(ctx context.Context, name string) (size int64, ok bool) {
	out, err := g.output(ctx, nil, maxPath, "ls-files", "--debug", "-z", "--", name)
	if err != nil {
		return 0, false
	}
	_, rest, _ := strings.Cut(strings.TrimPrefix(string(out), name), "size: ")
	number, _, _ := strings.Cut(rest, "\t")
	size, err = strconv.ParseInt(number, 10, 64)
	return size, err == nil
}
