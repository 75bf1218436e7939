// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// keyMirror is the keyword by which a schema asks clients to send an argument in a field
// of the header too, whose name is paramField and what the keyword says (2026-07-28,
// "Custom Headers from Tool Parameters").
const (
	keyMirror  = "x-mcp-header"
	paramField = "Mcp-Param-"
)

var (
	errMirrorName  = fmt.Errorf("%s must be a token of at most %d bytes that no other property has, in any case", keyMirror, maxToolName)
	errMirrorType  = errors.New(keyMirror + " is for properties of the type string, integer or boolean")
	errMirrorPlace = errors.New(keyMirror + " is for properties of the arguments, and of objects in them")
)

// mirror is an argument that comes in a header's field too.
type mirror struct {
	field string
	path  []string // of names, to the argument
}

// mirrors finds the arguments that a schema wants in the header, or says why a client
// would drop the tool.
func mirrors(schema []byte) (found []mirror, err error) {
	if !strings.Contains(string(schema), keyMirror) {
		return nil, nil
	}
	err = eachMirror(schema, nil, true, func(name string, property []byte, path []string) error {
		for _, other := range found {
			if strings.EqualFold(other.field, paramField+name) {
				return errMirrorName
			}
		}
		switch t := member(property, "type"); {
		case !isToken(name) || len(name) > maxToolName:
			return errMirrorName
		case !isText(t, "string") && !isText(t, "integer") && !isText(t, "boolean"):
			return errMirrorType
		}
		found = append(found, mirror{paramField + name, path})
		return nil
	})
	return found, err
}

// eachMirror visits every schema in a schema that has the keyword. An argument can be
// found by its path only as long as nothing but properties leads there.
func eachMirror(schema []byte, path []string, reached bool, visit func(string, []byte, []string) error) error {
	if name := member(schema, keyMirror); name != nil {
		switch {
		case !reached || path == nil:
			return errMirrorPlace
		case !isString(name):
			return errMirrorName
		}
		if err := visit(string(appendText(nil, name, maxToolName+1)), schema, path); err != nil {
			return err
		}
	}
	for quoted, value := range members(schema) {
		for _, k := range keywords {
			if !isText(quoted, k.name) {
				continue
			}
			if k.holds == aSchema && !isArray(value) {
				if err := eachMirror(value, path, false, visit); err != nil {
					return err
				}
				continue
			}
			for name, each := range members(value) {
				to := append(path[:len(path):len(path)], string(appendText(nil, name, maxSchema)))
				if err := eachMirror(each, to, reached && k.name == "properties", visit); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// isToken reports whether text is a token (RFC 9110, 5.6.2).
func isToken(text string) bool {
	for i := range len(text) {
		c := text[i]
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
		if !letter && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return text != ""
}

// checkMirrors says which field of the header is not what the arguments say.
func checkMirrors(r HTTPRequest, wanted []mirror, arguments []byte) *Error {
	for _, m := range wanted {
		value := arguments
		for _, name := range m.path {
			value = member(value, name)
		}
		said, there := r.Header(m.field)
		if absent := value == nil || isNull(value); absent != !there || !absent && !mirrored(said, value) {
			return mismatch(m.field)
		}
	}
	return nil
}

// mirrored reports whether a field says what an argument is.
func mirrored(said string, value []byte) bool {
	said, ok := decodeStrict(said)
	switch {
	case !ok || isObject(value) || isArray(value):
		return false
	case isString(value):
		return said == string(appendText(nil, value, len(value)))
	case isNumber(value):
		a, errA := strconv.ParseFloat(said, 64)
		b, errB := strconv.ParseFloat(string(value), 64)
		return errA == nil && errB == nil && a == b && !math.IsInf(a, 0)
	}
	return said == string(value)
}

// decodeStrict is decodeField that refuses what is marked as Base64 and is not.
func decodeStrict(value string) (string, bool) {
	encoded, begins := strings.CutPrefix(value, "=?base64?")
	encoded, ends := strings.CutSuffix(encoded, "?=")
	if !begins || !ends {
		return value, true
	}
	text, err := base64.StdEncoding.DecodeString(encoded)
	return string(text), err == nil
}
