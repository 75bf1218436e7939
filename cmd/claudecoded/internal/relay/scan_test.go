// Copyright (c) 2026 the claudecoded authors. MIT license.

package relay

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// value makes JSON values, as Go knows them.
func value(depth int) *rapid.Generator[any] {
	kinds := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.Float64Range(-1e6, 1e6).AsAny(),
		rapid.StringOf(rapid.RuneFrom([]rune("a\"\\{}[],: \n\u00e9"))).AsAny(),
	}
	if depth > 0 {
		kinds = append(kinds, rapid.SliceOfN(value(depth-1), 0, 4).AsAny(),
			rapid.MapOfN(rapid.StringOf(rapid.RuneFrom([]rune("ab\"\\{}"))), value(depth-1), 0, 4).AsAny())
	}
	return rapid.OneOf(kinds...)
}

// What encoding/json finds in an object is found, whatever blanks there are.
func TestObject_HasTheMembersThatAreWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := value(3).Draw(t, "value")
		text, err := json.Marshal(v)
		if rapid.Bool().Draw(t, "blanks") {
			text, err = json.MarshalIndent(v, " ", "\t")
		}
		if err != nil {
			t.Fatal(err)
		}
		var want map[string]json.RawMessage
		if json.Unmarshal(text, &want) != nil {
			want = nil
		}
		got := readObject(text)
		if diff := cmp.Diff(want, map[string]json.RawMessage(got)); diff != "" {
			t.Fatalf("%s: %s", text, diff)
		}
	})
	twice := readObject([]byte(`{"id":1,"\u0069d":"last","i\\":{"id":2}}`))
	if string(twice["id"]) != `"last"` || len(twice) != 2 || twice.member(`i\`).text("id") != "" {
		t.Errorf("%v", twice)
	}
}

func FuzzMessage(f *testing.F) {
	for _, line := range []string{hello, `[{"id":1,"method":"a"}]`, `{`, `"`, `{"id":1}`, alone("1", "tools/call", `"name":"x"`)} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		m, err := readMessage(line)
		if answer := m.failure(codeUnreachable, "why"); err == nil && answer != nil && !json.Valid(answer) {
			t.Errorf("%q is answered with %q", line, answer)
		}
	})
}
