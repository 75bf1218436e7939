// Copyright (c) 2026 the claudecoded authors. MIT license.

package reactor

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

var errDropped = errors.New("dropped")

func endNow(done func(error), err error) { done(err) }

// TestOutbox_AgreesWithAPlainList compares the queue with the obvious model under
// random writes, replacements and partial sends.
func TestOutbox_AgreesWithAPlainList(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		type write struct {
			id    WriteID
			bytes []byte
			begun bool
		}
		var (
			o           outbox
			model       []write
			sent, want  []byte
			ended       []WriteID
			added, next int
		)
		shared := make([]byte, 0, 1<<12)
		buffers := func(label string) (bufs [][]byte) {
			for range rapid.IntRange(0, 4).Draw(t, label) {
				next++
				b := bytes.Repeat([]byte{byte(next)}, rapid.IntRange(0, 9).Draw(t, "len"))
				if at := len(shared); rapid.Bool().Draw(t, "neighbour") && at+len(b) <= cap(shared) {
					shared = append(shared, b...)
					b = shared[at:]
				}
				bufs = append(bufs, b)
			}
			return bufs
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "op") {
			case 0, 1:
				bufs := buffers("bufs")
				var id WriteID
				id = o.add(bufs, func(error) { ended = append(ended, id) })
				model = append(model, write{id: id, bytes: bytes.Join(bufs, nil)})
				added++
			case 2:
				if len(model) == 0 {
					continue
				}
				i := rapid.IntRange(0, len(model)-1).Draw(t, "which")
				bufs := buffers("instead")
				if ok := o.replace(model[i].id, bufs); ok && model[i].begun {
					t.Fatal("replaced a write that had begun")
				} else if ok {
					model[i].bytes = bytes.Join(bufs, nil)
				} else if i > 0 {
					t.Fatal("refused to replace a write that waits")
				}
			case 3:
				limit := rapid.IntRange(1, 40).Draw(t, "limit")
				bufs, pieces, size := o.gather(nil, limit)
				offered := bytes.Join(bufs, nil)
				if len(offered) != size || size > limit || pieces > len(o.pieces) {
					t.Fatalf("gathered %d bytes, said %d, limit %d", len(offered), size, limit)
				}
				n := rapid.IntRange(0, size).Draw(t, "taken")
				sent = append(sent, offered[:n]...)
				o.advance(n, endNow)
				for left := n; len(model) > 0; model = model[1:] {
					if left < len(model[0].bytes) {
						want = append(want, model[0].bytes[:left]...)
						model[0].bytes = model[0].bytes[left:]
						model[0].begun = model[0].begun || left > 0
						break
					}
					want = append(want, model[0].bytes...)
					left -= len(model[0].bytes)
				}
			}
			queued := 0
			for _, w := range model {
				queued += len(w.bytes)
			}
			if o.queued != queued || o.written != uint64(len(sent)) {
				t.Fatalf("queued %d written %d, want %d %d", o.queued, o.written, queued, len(sent))
			}
		}
		if !bytes.Equal(sent, want) {
			t.Fatalf("sent %v, want %v", sent, want)
		}
		o.drop(errDropped, endNow)
		if len(ended) != added || !slices.IsSorted(ended) || o.queued != 0 {
			t.Fatalf("%d of %d writes ended, %d bytes queued after drop", len(ended), added, o.queued)
		}
	})
}

func TestOutbox_DropEndsEachWriteWithTheError(t *testing.T) {
	t.Parallel()
	var o outbox
	var errs []error
	done := func(err error) { errs = append(errs, err) }
	for range 3 {
		o.add([][]byte{[]byte("head"), []byte("body")}, done)
	}
	o.add([][]byte{[]byte("nobody asks")}, nil)
	o.advance(10, endNow)
	o.drop(errDropped, endNow)
	o.drop(errDropped, endNow)
	if !slices.Equal(errs, []error{nil, errDropped, errDropped}) {
		t.Errorf("%v", errs)
	}
}

func TestOutbox_LentPiecesAreNotReplaced(t *testing.T) {
	t.Parallel()
	var o outbox
	first := o.add([][]byte{[]byte("one")}, nil)
	second := o.add([][]byte{[]byte("two")}, nil)
	_, o.lent, _ = o.gather(nil, 3)
	if o.replace(first, nil) || !o.replace(second, nil) {
		t.Errorf("a lent piece was replaced, or a waiting one was not")
	}
}

func TestOutbox_GatherIsBounded(t *testing.T) {
	t.Parallel()
	var o outbox
	for range 2 * maxWriteBufs {
		o.add([][]byte{[]byte("x"), nil}, nil)
	}
	if bufs, pieces, _ := o.gather(nil, maxWrite); pieces != maxWriteBufs || len(bufs) != maxWriteBufs/2 {
		t.Errorf("%d pieces, %d buffers", pieces, len(bufs))
	}
	o = outbox{}
	o.add([][]byte{make([]byte, 3*maxWrite)}, nil)
	if _, _, size := o.gather(nil, maxWrite); size != maxWrite {
		t.Errorf("%d bytes", size)
	}
}

// TestOutbox_GivesALongQueueBack: a burst must not leave its list behind, and a
// queue that never empties must not grow for ever.
func TestOutbox_GivesALongQueueBack(t *testing.T) {
	t.Parallel()
	var o outbox
	for range 100_000 {
		o.add([][]byte{[]byte("x")}, nil)
	}
	o.advance(100_000, endNow)
	if cap(o.pieces) > maxKept {
		t.Errorf("an empty queue keeps room for %d pieces", cap(o.pieces))
	}
	o.add([][]byte{[]byte("xy")}, nil)
	for range 100_000 {
		o.add([][]byte{[]byte("xy")}, nil)
		o.advance(2, endNow)
	}
	if cap(o.pieces) > maxKept {
		t.Errorf("a queue of one has room for %d pieces", cap(o.pieces))
	}
}

func TestGather_OffersNeighboursInMemoryAsOne(t *testing.T) {
	t.Parallel()
	all := []byte("abcdefghij")
	for _, tt := range []struct {
		name  string
		bufs  [][]byte
		limit int
		want  []string
	}{
		{"neighbours", [][]byte{all[:2], all[2:5], all[5:]}, 100, []string{"abcdefghij"}},
		{"up to the limit", [][]byte{all[:2], all[2:5], all[5:]}, 4, []string{"abcd"}},
		{"with an empty one between", [][]byte{all[:2], {}, all[2:5]}, 100, []string{"abcde"}},
		{"a gap", [][]byte{all[:2], all[3:5]}, 100, []string{"ab", "de"}},
		{"the wrong order", [][]byte{all[2:5], all[:2]}, 100, []string{"cde", "ab"}},
		{"one that must not be extended", [][]byte{all[:2:2], all[2:5]}, 100, []string{"ab", "cde"}},
		{"one that may be extended by a part", [][]byte{all[:2:4], all[2:5]}, 100, []string{"ab", "cde"}},
	} {
		var o outbox
		for _, b := range tt.bufs {
			o.add([][]byte{b}, nil)
		}
		var got []string
		bufs, _, _ := o.gather(nil, tt.limit)
		for _, b := range bufs {
			got = append(got, string(b))
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
