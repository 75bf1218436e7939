// Copyright (c) 2026 the claudecoded authors. MIT license.

package load

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseMix(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, problem string
		want          Mix
	}{
		{"ping", "", Mix{{"ping", 1}}},
		{"ping=7, call=2.5,churn", "", Mix{{"ping", 7}, {"call", 2.5}, {"churn", 1}}},
		{"", `the behaviour "" is unknown`, nil},
		{"ping,pong", `the behaviour "pong" is unknown; there are ping, list,`, nil},
		{"ping,ping", "twice", nil},
		{"ping=0", `the weight of ping is "0"`, nil},
		{"ping=-1", "weight", nil},
		{"ping=NaN", "weight", nil},
		{"ping=Inf", "weight", nil},
		{"ping=x", "weight", nil},
	} {
		got, err := ParseMix(c.text)
		if (err == nil) != (c.problem == "") || err != nil && !strings.Contains(err.Error(), c.problem) {
			t.Errorf("%q: %v", c.text, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q: %s", c.text, diff)
		}
	}
}

func TestMix_GivesEachBehaviourItsShareAndAtLeastOneClient(t *testing.T) {
	t.Parallel()
	mix := Mix{{"ping", 7}, {"call", 2}, {"churn", 1}, {"idle", 0.001}}
	count := map[string]int{}
	for _, b := range mix.assign(101) {
		count[b.name]++
	}
	if diff := cmp.Diff(map[string]int{"ping": 70, "call": 20, "churn": 10, "idle": 1}, count); diff != "" {
		t.Error(diff)
	}
}

func TestBehaviours_AreNamedOnce(t *testing.T) {
	t.Parallel()
	names := Names()
	slices.Sort(names)
	if len(slices.Compact(slices.Clone(names))) != len(names) || len(Help()) != len(names) {
		t.Error(names)
	}
}
