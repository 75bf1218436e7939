// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"errors"
	"strconv"
	"strings"
	"testing"
)

// Each of these schemas is small, and would take years, or more memory than there is: the
// test ends, or the limit of all tests is reached.
func TestCheck_EndsWhateverTheSchema(t *testing.T) {
	t.Parallel()
	nested := func(n int, open, end string) string {
		return strings.Repeat(open, n) + `1` + strings.Repeat(end, n)
	}
	for name, c := range map[string]struct{ schema, arguments string }{
		"branches that refer to themselves": {
			`{"type":"object","$defs":{"n":{"oneOf":[
				{"type":"object","properties":{"c":{"$ref":"#/$defs/n"}},"required":["c"]},
				{"type":"object","properties":{"c":{"$ref":"#/$defs/n"}},"required":["c"]},
				{"type":"string"}]}},"properties":{"a":{"$ref":"#/$defs/n"}}}`,
			`{"a":` + nested(100, `{"c":`, `}`) + `}`,
		},
		"references that double": {
			`{"type":"object","$defs":{"d0":{"type":"integer"},` + doubling(40) + `},"properties":{"a":{"$ref":"#/$defs/d40"}}}`,
			`{"a":1}`,
		},
		"a pattern with many steps": {
			`{"type":"object","properties":{"a":{"pattern":"^([ab]{0,30}[ac]{0,30}){30}$"}}}`,
			`{"a":"` + strings.Repeat("a", 4<<20) + `"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := mustAccept(t, c.schema)
			if _, err := a.complete([]byte(c.arguments), visitsFor(len(c.arguments))); !errors.Is(err, errCost) {
				t.Errorf("%v", err)
			}
			// The next check has the whole time again.
			if _, err := a.complete([]byte(`{}`), maxVisits); err != nil {
				t.Error(err)
			}
		})
	}
}

// doubling is n schemas, each of which refers twice to the one before.
func doubling(n int) string {
	parts := make([]string, n)
	for i := range parts {
		ref := `{"$ref":"#/$defs/d` + strconv.Itoa(i) + `"}`
		parts[i] = `"d` + strconv.Itoa(i+1) + `":{"allOf":[` + ref + `,` + ref + `]}`
	}
	return strings.Join(parts, ",")
}

func TestPattern_IsBounded(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]error{
		`^[a-z]{1,200}$`:             nil,
		strings.Repeat(`x{1000}`, 3): nil,
		strings.Repeat(`x{1000}`, 5): errProgram,
		`(((a{30}){30})+)`:           nil,
	} {
		_, err := accept([]byte(`{"type":"object","properties":{"a":{"pattern":"` + pattern + `"}}}`))
		if (err == nil) != (want == nil) || err != nil && !strings.Contains(err.Error(), want.Error()) {
			t.Errorf("%s: %v, want %v", pattern, err, want)
		}
	}
}

func TestMeter_PassesOtherPanicsOn(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	defer func() {
		if r := recover(); r != boom {
			t.Errorf("recovered %v", r)
		}
	}()
	_ = new(meter).within(1, func() error { panic(boom) })
}

func TestVisits_AreInProportionToTheMessage(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]int{0: 16 << 10, 1 << 10: 20 << 10, 1 << 20: 2 << 20, 100 << 20: 2 << 20} {
		if got := visitsFor(size); got != want {
			t.Errorf("%d bytes: %d visits, want %d", size, got, want)
		}
	}
}
