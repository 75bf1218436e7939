// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"errors"
	"fmt"
)

// What is wrong with a schema, after the words that say which.
var (
	errSchemaJSON       = errors.New("is not JSON")
	errSchemaSize       = fmt.Errorf("has more than %d bytes", maxSchema)
	errSchemaType       = errors.New(`must be an object with "type": "object"`)
	errSchemaProperties = errors.New("needs properties that are an object of schemas")
	errSchemaRequired   = errors.New("needs a required that is an array of names")
)

// checkSchema returns the schema as it will be listed, with [] repaired where
// only an object makes sense, or says what clients would reject the whole list for.
func checkSchema(schema []byte) ([]byte, error) {
	if len(schema) > maxSchema {
		return nil, errSchemaSize
	}
	if checkJSON(schema) != nil {
		return nil, errSchemaJSON
	}
	schema = appendSchema(nil, trimSpace(schema))
	if !isText(member(schema, "type"), "object") {
		return nil, errSchemaType
	}
	properties := member(schema, "properties")
	if properties != nil && !isObject(properties) {
		return nil, errSchemaProperties
	}
	for _, property := range members(properties) {
		if !isObject(property) {
			return nil, errSchemaProperties
		}
	}
	required := member(schema, "required")
	if required != nil && !isArray(required) {
		return nil, errSchemaRequired
	}
	for _, name := range members(required) {
		if !isString(name) {
			return nil, errSchemaRequired
		}
	}
	return schema, nil
}

// holds is what the value of a JSON Schema keyword is made of.
type holds int

const (
	aSchema holds = iota + 1
	schemas       // an object whose members are schemas
	aList         // an array of schemas
)

// keywords are the JSON Schema keywords, of all drafts, that hold schemas.
var keywords = []struct {
	name  string
	holds holds
}{
	{"properties", schemas}, {"patternProperties", schemas}, {"dependentSchemas", schemas},
	{"$defs", schemas}, {"definitions", schemas},
	{"items", aSchema}, {"additionalItems", aSchema}, {"additionalProperties", aSchema},
	{"propertyNames", aSchema}, {"contains", aSchema}, {"not", aSchema},
	{"if", aSchema}, {"then", aSchema}, {"else", aSchema},
	{"allOf", aList}, {"anyOf", aList}, {"oneOf", aList}, {"prefixItems", aList},
}

// appendSchema copies a schema. An empty Lua table is encoded as [], which is no
// schema and no map of schemas, so in their places it can only mean {}. In any
// other place, a default or an enum, [] may well be meant and stays.
func appendSchema(dst, schema []byte) []byte {
	switch {
	case isEmptyArray(schema):
		return append(dst, "{}"...)
	case isArray(schema): // items as a tuple, before 2020-12
		return appendMembers(dst, schema, appendSchema)
	}
	return appendMembers(dst, schema, nil)
}

func appendKeyword(dst, name, value []byte) []byte {
	for _, k := range keywords {
		if !isText(name, k.name) {
			continue
		}
		switch {
		case k.holds == aSchema:
			return appendSchema(dst, value)
		case k.holds == schemas && isEmptyArray(value):
			return append(dst, "{}"...)
		default:
			return appendMembers(dst, value, appendSchema)
		}
	}
	return append(dst, value...)
}

// appendMembers copies an object or array, its values by way of each or, if that
// is nil, as keywords of a schema. Anything else is copied as it is.
func appendMembers(dst, container []byte, each func(dst, value []byte) []byte) []byte {
	if !isObject(container) && !isArray(container) {
		return append(dst, container...)
	}
	bracket, from := container[0], len(dst)+1
	dst = append(dst, bracket)
	for name, value := range members(container) {
		if len(dst) > from {
			dst = append(dst, ',')
		}
		if name != nil {
			dst = append(append(dst, name...), ':')
		}
		if each != nil {
			dst = each(dst, value)
		} else {
			dst = appendKeyword(dst, name, value)
		}
	}
	return append(dst, bracket+2)
}

func isEmptyArray(v []byte) bool {
	return isArray(v) && skipSpace(v, 1) == len(v)-1
}
