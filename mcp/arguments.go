// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// maxProblems is how many faults of arguments are named, and maxProblem how many
	// bytes are said of each.
	maxProblems = 8
	maxProblem  = 256
	// maxExponent is the largest exponent of ten, either way, that a number may have,
	// and maxDigits how many bytes it may be long: the editor reads a double, and a
	// check with exact numbers takes as long as they are.
	maxExponent = 400
	maxDigits   = 512
)

var (
	errNumber  = fmt.Errorf("a number's exponent is not within ±%d, or it has more than %d digits", maxExponent, maxDigits)
	errNoFetch = errors.New("a schema must not refer to another document")
)

// acceptance is what a tool takes as arguments.
type acceptance struct {
	text   []byte // what it was compiled from
	schema map[string]any
	check  *jsonschema.Schema
}

// accept compiles a tool's input schema (JSON Schema, 2020-12 unless it says another).
func accept(schema []byte) (*acceptance, error) {
	decoded, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, errSchemaJSON
	}
	const here = "tool:///input"
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(noLoader{})
	if err := compiler.AddResource(here, decoded); err != nil {
		return nil, notASchema(err)
	}
	check, err := compiler.Compile(here)
	if err != nil {
		return nil, notASchema(err)
	}
	object, _ := decoded.(map[string]any)
	return &acceptance{schema, object, check}, nil
}

func notASchema(err error) error {
	var invalid *jsonschema.SchemaValidationError
	if errors.As(err, &invalid) {
		err = invalid.Err
	}
	return fmt.Errorf("the input schema is no JSON Schema: %w", faults(err))
}

// noLoader keeps schemas from having files read or servers asked.
type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errNoFetch }

// complete is the arguments, an object, as the tool will see them: without members that
// are null, as the editor drops them, and with the defaults of those that are absent. The
// error says what is wrong with them, for their sender.
func (a *acceptance) complete(arguments []byte) ([]byte, error) {
	if a == nil {
		return arguments, nil
	}
	decoded, err := jsonschema.UnmarshalJSON(bytes.NewReader(arguments))
	if err != nil {
		return nil, errArguments
	}
	changed, err := fill(decoded, a.schema)
	if err != nil {
		return nil, err
	}
	if err := a.check.Validate(decoded); err != nil {
		return nil, faults(err)
	}
	if !changed {
		return arguments, nil
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(decoded); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// fill drops null members from the objects in value, adds the defaults that schema gives
// to its properties, and reports whether that changed anything.
func fill(value any, schema map[string]any) (changed bool, err error) {
	switch v := value.(type) {
	case json.Number:
		return false, checkNumber(v.String())
	case []any:
		items, _ := schema["items"].(map[string]any)
		for _, item := range v {
			c, err := fill(item, items)
			if err != nil {
				return false, err
			}
			changed = changed || c
		}
	case map[string]any:
		properties, _ := schema["properties"].(map[string]any)
		for name, member := range v {
			if member == nil {
				delete(v, name)
				changed = true
				continue
			}
			property, _ := properties[name].(map[string]any)
			c, err := fill(member, property)
			if err != nil {
				return false, err
			}
			changed = changed || c
		}
		for name, p := range properties {
			property, _ := p.(map[string]any)
			if value := property["default"]; value != nil && v[name] == nil {
				v[name] = value
				changed = true
			}
		}
	}
	return changed, nil
}

func checkNumber(n string) error {
	if len(n) > maxDigits {
		return errNumber
	}
	if at := strings.IndexAny(n, "eE"); at >= 0 {
		exponent, err := strconv.Atoi(n[at+1:])
		if err != nil || exponent > maxExponent || exponent < -maxExponent {
			return errNumber
		}
	}
	return nil
}

// faults names the first things that are wrong, the innermost ones: those around them
// only say that something inside is.
func faults(err error) error {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return errors.New(cut(err.Error(), maxProblem))
	}
	var problems []string
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		switch {
		case len(problems) == maxProblems:
		case len(e.Causes) == 0:
			problems = append(problems, cut(strings.TrimPrefix(e.Error(), "at '': "), maxProblem))
		default:
			for _, cause := range e.Causes {
				walk(cause)
			}
		}
	}
	walk(invalid)
	slices.Sort(problems) // the members of an object are checked in any order
	return errors.New(strings.Join(problems, "; "))
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
