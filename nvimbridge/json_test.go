// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/neovim/go-client/msgpack"
	"pgregory.net/rapid"
)

// pack encodes {result: v}, then a number by which a test sees that all of it was read.
func pack(t testing.TB, v any) []byte {
	t.Helper()
	var buf bytes.Buffer
	enc := msgpack.NewEncoder(&buf)
	for _, x := range []any{map[string]any{"result": v}, 42} {
		if err := enc.Encode(x); err != nil {
			t.Fatal(err)
		}
	}
	return buf.Bytes()
}

// unpack decodes what pack encoded.
func unpack(t testing.TB, data []byte) *message {
	t.Helper()
	dec := msgpack.NewDecoder(bytes.NewReader(data))
	var m *message
	if err := dec.Decode(&m); err != nil {
		t.Fatal(err)
	}
	var rest int
	if err := dec.Decode(&rest); err != nil || rest != 42 {
		t.Fatalf("the value was not read to its end: %v", err)
	}
	return m
}

type object = map[string]any
type array = []any

// handle8 is a buffer handle, msgpack extension type 0.
type handle8 struct{}

func (handle8) MarshalMsgPack(e *msgpack.Encoder) error { return e.PackExtension(0, []byte{1}) }

func TestMessage_KeepsEveryValueAsJSON(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]any{
		`null`:                       nil,
		`true`:                       true,
		`0`:                          0,
		`-1`:                         -1,
		`9007199254740993`:           9007199254740993,
		`-9223372036854775808`:       math.MinInt64,
		`18446744073709551615`:       uint64(math.MaxUint64),
		`1.5`:                        1.5,
		`0.1`:                        0.1,
		`-0`:                         math.Copysign(0, -1),
		`1e+21`:                      1e21,
		`1e-07`:                      1e-7,
		`0.000001`:                   1e-6,
		`1.7976931348623157e+308`:    math.MaxFloat64,
		`""`:                         "",
		`"a\"\\\u0000\u001f\n\r\tz"`: "a\"\\\x00\x1f\n\r\tz",
		`"ü€😀"`:                      "ü€😀",
		`"a�b"`:                      "a\xffb",
		`[]`:                         array{},
		`{}`:                         object{},
		`[[],{},[null]]`:             array{array{}, object{}, array{nil}},
		`{"k\n�":["x�"]}`:            object{"k\n\xc3": array{"x\xe2\x82"}},
		`["bin"]`:                    array{[]byte("bin")},
	} {
		o := unpack(t, pack(t, v)).outcome()
		if o.Err != nil || string(o.Result) != want {
			t.Errorf("%#v became %s %v, want %s", v, o.Result, o.Err, want)
		}
	}
}

func TestMessage_NamesThePlaceOfWhatIsNotJSON(t *testing.T) {
	t.Parallel()
	deep := any("x")
	for range maxDepth + 1 {
		deep = array{deep}
	}
	for want, v := range map[string]any{
		"result has no JSON form: NaN":                                                                  math.NaN(),
		"result[1] has no JSON form: an infinite number":                                                array{1, math.Inf(1), math.NaN()},
		"result.items[2].x has no JSON form: an infinite number":                                        object{"items": array{0, 1, object{"x": math.Inf(-1)}}},
		"result.buf has no JSON form: a handle of Neovim's":                                             object{"buf": handle8{}},
		"result[0] has no JSON form: a key that is not a string":                                        array{map[int]any{1: array{2, 3}}},
		"result" + strings.Repeat("[0]", maxDepth) + " has no JSON form: nested deeper than 128 levels": deep,
	} {
		o := unpack(t, pack(t, v)).outcome()
		if o.Err == nil || o.Err.Message != want {
			t.Errorf("%#v: %s %v, want %s", v, o.Result, o.Err, want)
		}
	}
}

func TestMessage_AcceptsTheDeepestValue(t *testing.T) {
	t.Parallel()
	deep := any(1)
	for range maxDepth {
		deep = array{deep}
	}
	if o := unpack(t, pack(t, deep)).outcome(); o.Err != nil {
		t.Error(o.Err)
	}
}

func TestMessage_BoundsTheTextOfAValue(t *testing.T) {
	t.Parallel()
	escaped := strings.Repeat("\x00", maxText/12+1) // half of it, as \u0000
	o := unpack(t, pack(t, array{escaped, escaped, 1})).outcome()
	if o.Err == nil || o.Err.Message != "result[2] has no JSON form: more than 32 MiB" {
		t.Errorf("%d bytes, %v", len(o.Result), o.Err)
	}
}

func TestWalker_KeepsNothingOfWhatFollowsARefusal(t *testing.T) {
	t.Parallel()
	data := pack(t, array{math.NaN(), strings.Repeat("x", 1<<20), array{1, object{"a": 2}}})
	dec := msgpack.NewDecoder(bytes.NewReader(data[len("\x81\xa6result"):]))
	if err := dec.Unpack(); err != nil {
		t.Fatal(err)
	}
	w := walker{d: dec}
	if err := w.value(); err != nil || w.err == nil || len(w.out) > 100 {
		t.Errorf("%d bytes, %v, %v", len(w.out), w.err, err)
	}
}

func TestMessage_OneBadValueSparesTheOthers(t *testing.T) {
	t.Parallel()
	var buf bytes.Buffer
	_ = msgpack.NewEncoder(&buf).Encode(object{"token": 7, "result": math.NaN()})
	var m *message
	if err := msgpack.NewDecoder(&buf).Decode(&m); err != nil {
		t.Fatal(err)
	}
	var token uint64
	if err := m.get("token", &token); err != nil || token != 7 {
		t.Errorf("token %d, %v", token, err)
	}
}

func TestMessage_AgreesWithEncodingJSON(t *testing.T) {
	t.Parallel()
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		kinds := []*rapid.Generator[any]{
			rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.Int64().AsAny(), rapid.Uint64().AsAny(),
			rapid.Float64().AsAny(), rapid.String().AsAny(),
		}
		if depth > 0 {
			kinds = append(kinds,
				rapid.SliceOfN(value(depth-1), 0, 4).AsAny(),
				rapid.MapOfN(rapid.String(), value(depth-1), 0, 4).AsAny())
		}
		return rapid.OneOf(kinds...)
	}
	rapid.Check(t, func(rt *rapid.T) {
		v := value(3).Draw(rt, "v")
		want, err := json.Marshal(v)
		o := unpack(t, pack(t, v)).outcome()
		if err != nil { // NaN or infinite
			if o.Err == nil {
				rt.Fatalf("accepted %#v", v)
			}
			return
		}
		if !reflect.DeepEqual(decoded(rt, o.Result), decoded(rt, want)) {
			rt.Fatalf("%s, want %s", o.Result, want)
		}
	})
}

func decoded(t rapid.TB, text []byte) (v any) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return normal(v)
}

// normal gives equal numbers one spelling.
func normal(v any) any {
	switch v := v.(type) {
	case json.Number:
		if f, err := v.Float64(); err == nil && strings.ContainsAny(string(v), ".eE") {
			return f
		}
	case array:
		for i := range v {
			v[i] = normal(v[i])
		}
	case object:
		for k := range v {
			v[k] = normal(v[k])
		}
	}
	return v
}
