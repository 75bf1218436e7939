// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// block is a kind of content that a result may have.
type block struct {
	// since is the first revision that knows it; instead says the same in words.
	since   string
	instead func(text []byte) string
	members []blockMember
}

type blockMember struct {
	typedMember
	required bool
}

var blocks = map[string]block{
	"text":  {members: []blockMember{must("text", isString, "a string")}},
	"image": {members: []blockMember{must("data", isBase64, "Base64"), must("mimeType", isString, "a string")}},
	"audio": {
		since:   revisionAudio,
		instead: func(text []byte) string { return "[Audio of the type " + textOf(text, "mimeType") + "]" },
		members: []blockMember{must("data", isBase64, "Base64"), must("mimeType", isString, "a string")},
	},
	"resource": {members: []blockMember{must("resource", isObject, "an object")}},
	"resource_link": {
		since: revisionStructured,
		instead: func(text []byte) string {
			return "[Resource link: " + textOf(text, "name") + "] " + textOf(text, "uri")
		},
		members: []blockMember{must("uri", isString, "a string"), must("name", isString, "a string")},
	},
}

// anyBlock are the members that every kind of content may have.
var anyBlock = []blockMember{may("annotations"), may("_meta")}

func must(name string, is func([]byte) bool, kind string) blockMember {
	return blockMember{typedMember{name, is, kind}, true}
}

func may(name string) blockMember {
	return blockMember{typedMember{name, isObject, "an object"}, false}
}

var blockNames = strings.Join(slices.Sorted(maps.Keys(blocks)), ", ")

// checkContent says where content, if it is an array, is nothing that a client can read: it
// would drop the whole answer.
func checkContent(content []byte) error {
	if !isArray(content) {
		return nil
	}
	n := 0
	for _, element := range members(content) {
		n++
		if err := checkBlock(fmt.Sprintf("result.content[%d]", n), element); err != nil {
			return err
		}
	}
	return nil
}

func checkBlock(place string, text []byte) error {
	if !isObject(text) {
		return fmt.Errorf("%s must be an object", place)
	}
	kind := member(text, "type")
	if !isString(kind) {
		return fmt.Errorf("%s.type must be one of %s", place, blockNames)
	}
	b, known := blocks[string(appendText(nil, kind, maxInfo))]
	if !known {
		return fmt.Errorf("%s.type is %s, and must be one of %s", place, cut(string(kind), maxInfo), blockNames)
	}
	for _, wanted := range [][]blockMember{b.members, anyBlock} {
		for _, m := range wanted {
			switch value := member(text, m.name); {
			case value == nil && !m.required:
			case value == nil:
				return fmt.Errorf("%s.%s is missing", place, m.name)
			case !m.is(value):
				return fmt.Errorf("%s.%s must be %s", place, m.name, m.kind)
			}
		}
	}
	if resource := member(text, "resource"); isObject(resource) {
		return checkResource(place+".resource", resource)
	}
	return nil
}

func checkResource(place string, resource []byte) error {
	blob := member(resource, "blob")
	switch {
	case !isString(member(resource, "uri")):
		return fmt.Errorf("%s.uri must be a string", place)
	case blob != nil && !isBase64(blob):
		return fmt.Errorf("%s.blob must be Base64", place)
	case blob == nil && !isString(member(resource, "text")):
		return fmt.Errorf("%s must have a text or a blob", place)
	}
	return nil
}

// isBase64 reports whether v is a string of padded Base64 (RFC 4648, section 4).
func isBase64(v []byte) bool {
	if !isString(v) {
		return false
	}
	text := v[1 : len(v)-1]
	if bytes.IndexByte(text, '\\') >= 0 { // \/ is a slash, and nothing else may be escaped
		text = bytes.ReplaceAll(text, []byte(`\/`), []byte("/"))
	}
	body := bytes.TrimRight(text, "=")
	if len(text)%4 != 0 || len(text)-len(body) > 2 {
		return false
	}
	for _, c := range body {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
		if !letter && c != '+' && c != '/' {
			return false
		}
	}
	return true
}

func textOf(object []byte, name string) string {
	return string(appendText(nil, member(object, name), maxDescription))
}

// translate is content as a client of a revision knows it.
func translate(content []byte, revision string) []byte {
	if revision >= revisionStructured {
		return content
	}
	return appendMembers(nil, content, func(dst, text []byte) []byte {
		if b := blocks[textOf(text, "type")]; b.since > revision {
			dst = appendQuoted(append(dst, `{"type":"text","text":`...), b.instead(text))
			return append(dst, '}')
		}
		return append(dst, text...)
	})
}
