// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

const (
	// maxProblems is how many faults of a value are named, and maxProblem how many
	// bytes are said of each.
	maxProblems = 8
	maxProblem  = 256
)

// faults names the first things that are wrong, the innermost ones: those around them
// only say that something inside is. Where one of several schemas had to hold, what each
// of them misses is one fault.
func faults(err error) error {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return errors.New(cut(err.Error(), maxProblem))
	}
	problems := problemsOf(invalid)
	return errors.New(strings.Join(problems, "; "))
}

// problemsOf is sorted: the members of an object are checked in any order.
func problemsOf(e *jsonschema.ValidationError) (problems []string) {
	if len(e.Causes) == 0 {
		return []string{cut(place(e.InstanceLocation)+ruleOf(e.ErrorKind), maxProblem)}
	}
	for _, cause := range e.Causes {
		problems = append(problems, problemsOf(cause)...)
	}
	slices.Sort(problems)
	problems = slices.Compact(problems)
	if isChoice(e.ErrorKind) && len(problems) > 1 {
		return []string{cut("one of these: "+strings.Join(problems, ", or "), 2*maxProblem)}
	}
	return problems[:min(len(problems), maxProblems)]
}

func isChoice(k jsonschema.ErrorKind) bool {
	switch k.(type) {
	case *kind.AnyOf, *kind.OneOf:
		return true
	}
	return false
}

// ruleOf is what a value breaks, in words.
func ruleOf(k jsonschema.ErrorKind) string {
	text := (&jsonschema.ValidationError{ErrorKind: k}).Error()
	return strings.TrimPrefix(text, "at '': ")
}

// place is where in a value something is, as code would say it: "items[2].name: ".
func place(path []string) string {
	var b strings.Builder
	for _, step := range path {
		if _, err := strconv.Atoi(step); err == nil {
			b.WriteString("[" + step + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(step)
	}
	if b.Len() == 0 {
		return ""
	}
	return b.String() + ": "
}

// cut shortens text to limit bytes, between characters.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && text[limit]&0xC0 == 0x80 {
		limit--
	}
	return text[:limit] + "…"
}
