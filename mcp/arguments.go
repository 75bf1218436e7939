// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
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

// acceptance is a schema, and the check that a value keeps to it. Not for more than one
// goroutine at once.
type acceptance struct {
	text   []byte // what it was compiled from
	schema map[string]any
	check  *jsonschema.Schema
	meter  meter
}

// accept compiles a tool's schema (JSON Schema, 2020-12 unless it says another).
func accept(schema []byte) (*acceptance, error) {
	decoded, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, errSchemaJSON
	}
	if err := checkNumbers(decoded); err != nil {
		return nil, notASchema(err)
	}
	const here = "tool:///schema"
	a := &acceptance{text: schema}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(noLoader{})
	a.meter.attach(compiler)
	if err := compiler.AddResource(here, decoded); err != nil {
		return nil, notASchema(err)
	}
	if a.check, err = compiler.Compile(here); err != nil {
		return nil, notASchema(err)
	}
	a.schema, _ = decoded.(map[string]any)
	return a, nil
}

func notASchema(err error) error {
	var invalid *jsonschema.SchemaValidationError
	if errors.As(err, &invalid) {
		err = invalid.Err
	}
	return fmt.Errorf("is no JSON Schema: %w", faults(err))
}

// validate says what is wrong with a decoded value, for who made it, or errCost.
func (a *acceptance) validate(decoded any, visits int) error {
	err := a.meter.within(visits, func() error { return a.check.Validate(decoded) })
	if err == nil || err == errCost {
		return err
	}
	return faults(err)
}

// conforms is validate for JSON text.
func (a *acceptance) conforms(value []byte, visits int) error {
	decoded, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err == nil {
		err = checkNumbers(decoded)
	}
	if err != nil {
		return err
	}
	return a.validate(decoded, visits)
}

// noLoader keeps schemas from having files read or servers asked.
type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errNoFetch }

// complete is the arguments, an object, as the tool will see them: without members that
// are null, as the editor drops them, and with the defaults of those that are absent. The
// error says what is wrong with them, for their sender.
func (a *acceptance) complete(arguments []byte, visits int) (completed []byte, err error) {
	defer contain(&err)
	if a == nil {
		return arguments, nil
	}
	decoded, err := jsonschema.UnmarshalJSON(bytes.NewReader(arguments))
	if err != nil {
		return nil, errArguments
	}
	if err := checkNumbers(decoded); err != nil {
		return nil, err
	}
	changed := fill(decoded, a.schema)
	if err := a.validate(decoded, visits); err != nil {
		return nil, err
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
func fill(value any, schema map[string]any) (changed bool) {
	switch v := value.(type) {
	case []any:
		items, _ := schema["items"].(map[string]any)
		for _, item := range v {
			changed = fill(item, items) || changed
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
			changed = fill(member, property) || changed
		}
		for name, p := range properties {
			property, _ := p.(map[string]any)
			if value := property["default"]; value != nil && v[name] == nil {
				v[name] = value
				changed = true
			}
		}
	}
	return changed
}

// checkNumbers is checkNumber for every number in a value.
func checkNumbers(value any) error {
	switch v := value.(type) {
	case json.Number:
		return checkNumber(v.String())
	case []any:
		for _, item := range v {
			if err := checkNumbers(item); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, member := range v {
			if err := checkNumbers(member); err != nil {
				return err
			}
		}
	}
	return nil
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
