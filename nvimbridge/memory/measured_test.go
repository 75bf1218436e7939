// Copyright (c) 2026 the claudecoded authors. MIT license.

package memory

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestMentionMany_TellsOfEachMentionWithinItsBound(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil)
	if got := b.text(t, "mentionMany", args{"times": 1}); got != `-32000 nobody can be told "nobody can be told"` {
		t.Error(got)
	}
	told := 0
	b.cfg.Broadcast = func(method string, params []byte) {
		if method != "at_mentioned" || !json.Valid(params) {
			t.Errorf("%s %s", method, params)
		}
		told++
	}
	for times, want := range map[int]int{0: 0, 1: 1, maxMentions: maxMentions, maxMentions + 1: 0} {
		told = 0
		got := b.text(t, "mentionMany", args{"times": times})
		if told != want || (got == "done") != (want > 0) {
			t.Errorf("%d: %d times, %s", times, told, got)
		}
	}
	if got := b.text(t, "mentionMany", nil); !strings.Contains(got, "times must be") {
		t.Error(got)
	}
}

func TestUsage_CountsTheHeapAndTheGoroutines(t *testing.T) {
	t.Parallel()
	var used struct{ Heap, Goroutines int }
	if err := json.Unmarshal([]byte(newBench(t, nil).text(t, "usage", nil)), &used); err != nil {
		t.Fatal(err)
	}
	if used.Heap < 1000 || used.Goroutines < 2 {
		t.Errorf("%+v", used)
	}
}
