// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"fmt"

	"github.com/neovim/go-client/msgpack"
)

// maxExactDepth is how deep what an exact message says may nest.
const maxExactDepth = 8

// exact is a message whose strings keep their bytes: paths, and what files hold, need not
// be UTF-8. A nil one has no keys.
type exact struct {
	fields map[string]any // of nil, bool, int64, float64, string, []any and map[string]any
	size   int
	err    error
}

// UnmarshalMsgPack reads a map and nothing else, on R. As message's, it fails only if the
// channel does.
func (m *exact) UnmarshalMsgPack(d *msgpack.Decoder) error {
	value, err := m.value(d, maxExactDepth)
	if err != nil {
		return err
	}
	switch v := value.(type) {
	case map[string]any:
		m.fields = v
	case []any:
		if len(v) > 0 { // Lua's {} is an empty array
			m.err = errNotMap
		}
	default:
		m.err = errNotMap
	}
	return nil
}

// value reads the value that d has just unpacked. What cannot be in one is nil.
func (m *exact) value(d *msgpack.Decoder, depth int) (any, error) {
	m.size++
	if depth == 0 {
		return nil, d.Skip()
	}
	switch d.Type() {
	case msgpack.Bool:
		return d.Bool(), nil
	case msgpack.Int:
		return d.Int(), nil
	case msgpack.Uint:
		return int64(d.Uint()), nil //nolint:gosec // a number that large is wrong anyway
	case msgpack.Float:
		return d.Float(), nil
	case msgpack.String, msgpack.Binary:
		m.size += d.Len()
		return d.String(), nil
	case msgpack.ArrayLen:
		list := []any{}
		for range d.Len() {
			v, err := m.next(d, depth)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		return list, nil
	case msgpack.MapLen:
		table := map[string]any{}
		for range d.Len() {
			key, err := m.next(d, depth)
			if err != nil {
				return nil, err
			}
			v, err := m.next(d, depth)
			if err != nil {
				return nil, err
			}
			if name, ok := key.(string); ok {
				table[name] = v
			}
		}
		return table, nil
	case msgpack.Nil:
		return nil, nil
	default:
		return nil, d.Skip()
	}
}

func (m *exact) next(d *msgpack.Decoder, depth int) (any, error) {
	if err := d.Unpack(); err != nil {
		return nil, err
	}
	return m.value(d, depth-1)
}

// bytes is the message's size for the gate.
func (m *exact) bytes() int {
	if m == nil {
		return 0
	}
	return m.size
}

// table is what the message says.
func (m *exact) table() (map[string]any, error) {
	if m == nil {
		return nil, nil
	}
	return m.fields, m.err
}

// wanted is the value of a key, which must be there.
func wanted[T any](table map[string]any, key string) (T, error) {
	v, ok := table[key].(T)
	if ok {
		return v, nil
	}
	if table[key] == nil {
		return v, fmt.Errorf("%s is missing", key)
	}
	return v, fmt.Errorf("%s %w", key, errType)
}

// whole is wanted for a number: Lua's are floats if they come from a division.
func whole(table map[string]any, key string) (int64, error) {
	if f, ok := table[key].(float64); ok && f == float64(int64(f)) {
		return int64(f), nil
	}
	return wanted[int64](table, key)
}
