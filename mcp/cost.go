// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// leastVisits and visitsPerByte are how often one check may look at a value with a
	// schema: as often as any schema has reason to, in proportion to the message. A schema
	// that branches and refers to itself can ask for as many as there are atoms.
	leastVisits   = 16 << 10
	visitsPerByte = 4
	// maxVisits is how many they are at most: eight for each value that a message can hold.
	maxVisits = 8 * maxValues
	// smallVisits is how many are done on the loop, of what has smallCheck bytes at most:
	// well under a millisecond. To hand a check to another goroutine and back takes as long
	// as many of them.
	smallVisits = 1024
	smallCheck  = 4 << 10
	// maxProgram is how many instructions a pattern of a schema may have, compiled.
	maxProgram = 4096
	// stepsPerVisit is how many steps of a pattern cost as much as one visit.
	stepsPerVisit = 64
)

var (
	errCost    = errors.New("the schema takes too long to check them")
	errProgram = fmt.Errorf("the pattern has more than %d instructions", maxProgram)
)

// visitsFor is how many visits a check of that many bytes may take.
func visitsFor(size int) int { return min(leastVisits+visitsPerByte*size, maxVisits) }

// meter bounds the work of one check at a time.
type meter struct{ left int }

// within runs a check, with errCost in its place once it took more visits.
func (m *meter) within(visits int, check func() error) (err error) {
	m.left = visits
	defer func() {
		if r := recover(); r == errCost {
			err = errCost
		} else if r != nil {
			panic(r)
		}
	}()
	return check()
}

func (m *meter) spend(n int) {
	if m.left -= n; m.left < 0 {
		panic(errCost)
	}
}

// Validate counts a visit; it is one keyword more that every schema has. Deep down a visit
// takes longer, for what went wrong is told with its place.
func (m *meter) Validate(at *jsonschema.ValidatorContext, _ any) {
	depth := len(at.ValueLocation())
	m.spend(1 + depth*depth/64)
}

// attach has every check of what the compiler makes measured.
func (m *meter) attach(c *jsonschema.Compiler) {
	c.RegisterVocabulary(&jsonschema.Vocabulary{
		URL: "tool:///meter",
		Compile: func(*jsonschema.CompilerContext, map[string]any) (jsonschema.SchemaExt, error) {
			return m, nil
		},
	})
	c.AssertVocabs()
	c.UseRegexpEngine(m.pattern)
}

// pattern compiles a pattern of a schema. It matches in time linear to the text.
func (m *meter) pattern(text string) (jsonschema.Regexp, error) {
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	if len(program.Inst) > maxProgram {
		return nil, errProgram
	}
	compiled, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	return &pattern{compiled, m, len(program.Inst)}, nil
}

type pattern struct {
	*regexp.Regexp
	meter *meter
	steps int // for each byte, at most
}

// MatchString implements jsonschema.Regexp.
func (p *pattern) MatchString(text string) bool {
	p.meter.spend(len(text) * p.steps / stepsPerVisit)
	return p.Regexp.MatchString(text)
}
