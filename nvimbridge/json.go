// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"fmt"
	"math"
	"strconv"

	"github.com/neovim/go-client/msgpack"
)

const (
	// maxDepth is how deep a value may nest, as in what clients send.
	maxDepth = 128
	// maxText is the largest JSON text that one value may become. It is twice what
	// any client accepts.
	maxText = 32 << 20
)

// walker turns one msgpack value into JSON text. Integers stay exact, floats get
// their shortest form, strings are repaired to UTF-8, and arrays stay arrays and
// maps maps, also when they are empty.
type walker struct {
	d    *msgpack.Decoder
	name string // what the place in an error starts with
	out  []byte
	path []step
	err  error // the first value that has no JSON form
}

// step is one level of nesting: an index or, if that is negative, the quoted key
// out[from:to]; no key is a level that has none yet.
type step struct{ index, from, to int }

var levelItself = step{index: -1}

// readField reads the value that d has just unpacked. The error is the channel's;
// a value without a JSON form is read to its end all the same.
func readField(d *msgpack.Decoder, name string) (field, error) {
	if isText(d.Type()) {
		return field{text: appendValid(nil, d.BytesNoCopy()), string: true}, nil
	}
	w := walker{d: d, name: name}
	if err := w.value(); err != nil {
		return field{}, err
	}
	if w.err != nil {
		return field{err: w.err}, nil
	}
	return field{text: w.out}, nil
}

func (w *walker) value() error {
	if w.err == nil && len(w.out) > maxText {
		w.refuse(fmt.Sprintf("more than %d MiB", maxText>>20))
	}
	if w.err != nil {
		return w.d.Skip()
	}
	switch d := w.d; d.Type() {
	case msgpack.Nil:
		w.out = append(w.out, "null"...)
	case msgpack.Bool:
		w.out = strconv.AppendBool(w.out, d.Bool())
	case msgpack.Int:
		w.out = strconv.AppendInt(w.out, d.Int(), 10)
	case msgpack.Uint:
		w.out = strconv.AppendUint(w.out, d.Uint(), 10)
	case msgpack.Float:
		w.float(d.Float())
	case msgpack.String, msgpack.Binary:
		w.out = appendQuoted(w.out, d.BytesNoCopy())
	case msgpack.ArrayLen:
		return w.container('[', ']', d.Len(), w.element)
	case msgpack.MapLen:
		return w.container('{', '}', d.Len(), w.member)
	default:
		w.refuse("a handle of Neovim's")
	}
	return nil
}

func (w *walker) float(f float64) {
	switch {
	case math.IsNaN(f):
		w.refuse("NaN")
	case math.IsInf(f, 0):
		w.refuse("an infinite number")
	default:
		format := byte('f')
		if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
			format = 'e' // as JavaScript does
		}
		w.out = strconv.AppendFloat(w.out, f, format, -1, 64)
	}
}

// container reads n entries with next, which gets the index of each.
func (w *walker) container(open, end byte, n int, next func(i int) error) error {
	if len(w.path) == maxDepth {
		w.refuse(fmt.Sprintf("nested deeper than %d levels", maxDepth))
		return w.d.Skip()
	}
	w.out = append(w.out, open)
	w.path = append(w.path, levelItself)
	for i := range n {
		if i > 0 && w.err == nil {
			w.out = append(w.out, ',')
		}
		if err := next(i); err != nil {
			return err
		}
	}
	w.path = w.path[:len(w.path)-1]
	w.out = append(w.out, end)
	return nil
}

func (w *walker) element(i int) error {
	w.path[len(w.path)-1] = step{index: i}
	if err := w.d.Unpack(); err != nil {
		return err
	}
	return w.value()
}

func (w *walker) member(int) error {
	level := len(w.path) - 1
	w.path[level] = levelItself
	if err := w.d.Unpack(); err != nil {
		return err
	}
	switch {
	case !isText(w.d.Type()):
		w.refuse("a key that is not a string")
		if err := w.d.Skip(); err != nil {
			return err
		}
	case w.err == nil:
		from := len(w.out)
		w.out = appendQuoted(w.out, w.d.BytesNoCopy())
		w.path[level] = step{index: -1, from: from, to: len(w.out)}
		w.out = append(w.out, ':')
	}
	if err := w.d.Unpack(); err != nil {
		return err
	}
	return w.value()
}

// refuse notes the first value without a JSON form, and where it is: result.items[2].
func (w *walker) refuse(what string) {
	if w.err != nil {
		return
	}
	place := []byte(w.name)
	for _, s := range w.path {
		switch {
		case s == levelItself:
		case s.index < 0:
			place = append(place, '.')
			place = append(place, w.out[s.from+1:s.to-1]...)
		default:
			place = append(place, '[')
			place = strconv.AppendInt(place, int64(s.index), 10)
			place = append(place, ']')
		}
	}
	w.err = fmt.Errorf("%s has no JSON form: %s", place, what)
}
