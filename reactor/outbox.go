// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import "bytes"

// outbox is one connection's write queue: a list of pieces, one for each buffer,
// of which the last of a write carries its done. Every operation costs the same
// however long the queue is, so a long queue drains in linear time.
type outbox struct {
	pieces  []piece
	head    int    // pieces[:head] are written
	lent    int    // pieces[head:head+lent] are with a writer and may not change
	begun   bool   // some bytes of pieces[head] are written
	base    uint64 // the number of pieces[0] since the accept
	queued  int
	written uint64
}

type piece struct {
	bytes []byte
	done  func(error)
	last  bool // of its write
}

// finish receives the done of each write that ended, in order.
type finish func(done func(error), err error)

// add queues one write. Its id is the number of its first piece, plus one.
func (o *outbox) add(bufs [][]byte, done func(error)) WriteID {
	o.compact()
	id := WriteID(o.base + uint64(len(o.pieces)) + 1)
	for _, b := range bufs {
		o.queued += len(b)
		o.pieces = append(o.pieces, piece{bytes: b})
	}
	if len(bufs) == 0 {
		o.pieces = append(o.pieces, piece{})
	}
	last := &o.pieces[len(o.pieces)-1]
	last.done, last.last = done, true
	return id
}

// replace swaps a write's bytes. The number of pieces stays: what does not fit
// is joined into the last one.
func (o *outbox) replace(id WriteID, bufs [][]byte) bool {
	if id == 0 || uint64(id)-1 < o.base {
		return false
	}
	at := uint64(id) - 1 - o.base
	first := uint64(o.head + o.lent)
	if at < first || at >= uint64(len(o.pieces)) || (o.begun && at == uint64(o.head)) {
		return false
	}
	for i := int(at); ; i++ {
		p := &o.pieces[i]
		o.queued -= len(p.bytes)
		p.bytes = nil
		if p.last && len(bufs) > 1 {
			p.bytes = bytes.Join(bufs, nil)
		} else if len(bufs) > 0 {
			p.bytes, bufs = bufs[0], bufs[1:]
		}
		o.queued += len(p.bytes)
		if p.last {
			return true
		}
	}
}

// gather appends the next bytes to write to bufs: at most limit bytes of at most
// maxWriteBufs pieces, which it returns too.
func (o *outbox) gather(bufs [][]byte, limit int) (out [][]byte, pieces, size int) {
	for i := o.head; i < len(o.pieces) && pieces < maxWriteBufs && size < limit; i++ {
		b := o.pieces[i].bytes
		b = b[:min(len(b), limit-size)]
		if last := len(bufs) - 1; last >= 0 && follows(bufs[last], b) {
			bufs[last] = bufs[last][:len(bufs[last])+len(b)]
		} else if len(b) > 0 {
			bufs = append(bufs, b)
		}
		size += len(b)
		pieces++
	}
	return bufs, pieces, size
}

// follows reports whether b lies right behind a, where a may be extended to.
func follows(a, b []byte) bool {
	return len(b) > 0 && cap(a)-len(a) >= len(b) && &a[:len(a)+1][len(a)] == &b[0]
}

// advance notes that n bytes were written, and ends the writes that are complete.
func (o *outbox) advance(n int, ended finish) {
	defer o.compact()
	o.queued -= n
	o.written += uint64(n)
	for o.head < len(o.pieces) {
		p := &o.pieces[o.head]
		if n < len(p.bytes) {
			p.bytes = p.bytes[n:]
			o.begun = o.begun || n > 0
			return
		}
		n -= len(p.bytes)
		o.pop(ended, nil)
	}
}

// drop empties the queue; each write still in it ends with err.
func (o *outbox) drop(err error, ended finish) {
	o.queued, o.lent = 0, 0
	for o.head < len(o.pieces) {
		o.pop(ended, err)
	}
	o.compact()
}

func (o *outbox) pop(ended finish, err error) {
	p := o.pieces[o.head]
	o.pieces[o.head] = piece{}
	o.head++
	o.begun = false
	if p.done != nil {
		ended(p.done, err)
	}
}

// compact reclaims the written pieces once they are more than half of the list,
// and gives a long list back once it is empty.
func (o *outbox) compact() {
	if o.head == 0 || 2*o.head < len(o.pieces) {
		return
	}
	o.base += uint64(o.head)
	rest := o.pieces[:0]
	if o.head == len(o.pieces) && cap(rest) > maxKept {
		rest = nil
	}
	rest = append(rest, o.pieces[o.head:]...)
	clear(o.pieces[len(rest):])
	o.pieces, o.head = rest, 0
}
