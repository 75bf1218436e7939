// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import "fmt"

// detail is what a tool may say of itself in JSON besides its schemas.
type detail struct {
	name string // in tools/list
	of   func(*Tool) *[]byte
	// array says that it is an array of objects, else it is an object.
	array bool
	// members are the kinds of those members that clients look at.
	members []typedMember
}

// typedMember is a member, if it is there, and what it must be.
type typedMember struct {
	name string
	is   func([]byte) bool
	kind string
}

var details = []detail{
	{name: "annotations", of: func(t *Tool) *[]byte { return &t.Annotations }, members: []typedMember{
		{"title", isString, "a string"},
		{"readOnlyHint", isBool, "a boolean"},
		{"destructiveHint", isBool, "a boolean"},
		{"idempotentHint", isBool, "a boolean"},
		{"openWorldHint", isBool, "a boolean"},
	}},
	{name: "_meta", of: func(t *Tool) *[]byte { return &t.Meta }},
	{name: "icons", of: func(t *Tool) *[]byte { return &t.Icons }, array: true, members: []typedMember{
		{"src", isString, "a string"},
		{"mimeType", isString, "a string"},
		{"sizes", isArray, "an array"},
		{"theme", isString, "a string"},
	}},
}

func isBool(v []byte) bool { return string(v) == "true" || string(v) == "false" }

// check says what clients would drop the whole list for. An empty Lua table is taken for
// nothing.
func (d *detail) check(at *[]byte) error {
	text := trimSpace(*at)
	switch {
	case len(text) == 0 || isEmptyArray(text) || isNull(text):
		*at = nil
		return nil
	case len(text) > maxDetail:
		return fmt.Errorf("%s has more than %d bytes", d.name, maxDetail)
	case checkJSON(text) != nil:
		return fmt.Errorf("%s is not JSON", d.name)
	case !d.array:
		*at = text
		return d.checkObject(d.name, text)
	case !isArray(text):
		return fmt.Errorf("%s must be an array", d.name)
	}
	*at = text
	n := 0
	for _, element := range members(text) {
		n++
		if err := d.checkObject(fmt.Sprintf("%s[%d]", d.name, n), element); err != nil {
			return err
		}
		if member(element, "src") == nil {
			return fmt.Errorf("%s[%d].src is missing", d.name, n)
		}
	}
	return nil
}

func (d *detail) checkObject(place string, text []byte) error {
	if !isObject(text) {
		return fmt.Errorf("%s must be an object", place)
	}
	for _, m := range d.members {
		if value := member(text, m.name); value != nil && !m.is(value) {
			return fmt.Errorf("%s.%s must be %s", place, m.name, m.kind)
		}
	}
	return nil
}
