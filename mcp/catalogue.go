// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

const (
	// maxTools is how many tools the catalogue holds.
	maxTools = 1024
	// maxSchema is how many bytes a tool's input schema may have.
	maxSchema = 64 << 10
	// maxDescription is how many bytes a tool's description may have.
	maxDescription = 64 << 10
)

var (
	errToolName    = errors.New("the name must match ^[A-Za-z0-9_.-]{1,128}$")
	errDescription = fmt.Errorf("the description has more than %d bytes", maxDescription)
	errDuplicate   = errors.New("another tool has the same name")
	errCatalogue   = fmt.Errorf("there are more than %d tools", maxTools)
)

// toolName is what MCP allows as a tool's name (2025-11-25, "Tool Names").
var toolName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

// catalogue is the tools that may be called, in the order of registration.
type catalogue struct {
	tools  []Tool
	byName map[string]*Tool
	// accepts is what the arguments of each tool with a schema must be, by its name.
	accepts map[string]*acceptance
	// listing holds each profile's result of tools/list.
	listing map[*profile][]byte
}

// Rejected is a tool that was left out of the catalogue.
type Rejected struct {
	Name string
	Err  error
}

// SetCatalogue replaces the catalogue; the tools belong to the server from now
// on. A malformed tool is left out and returned: clients drop a whole list for
// one of those. Clients that are initialized are told if what they would be
// listed changed. Calls in flight go on.
func (s *Server) SetCatalogue(tools []Tool) (left []Rejected) {
	before := s.tools.listing
	s.tools, left = newCatalogue(tools, s.tools.accepts)
	for _, id := range slices.Sorted(maps.Keys(s.clients)) {
		c := s.clients[id]
		if c.info.Initialized && !bytes.Equal(before[c.profile], s.tools.listing[c.profile]) {
			s.deliver(c, payload{text: append(s.out[:0], listChanged...)})
		}
	}
	if !bytes.Equal(before[&stateful], s.tools.listing[&stateful]) {
		s.listChanged()
	}
	return left
}

const listChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}`

// newCatalogue makes a catalogue. What is in known and still the same is not compiled again.
func newCatalogue(tools []Tool, known map[string]*acceptance) (cat catalogue, left []Rejected) {
	cat.accepts = make(map[string]*acceptance, len(tools))
	cat.byName = make(map[string]*Tool, len(tools))
	cat.listing = make(map[*profile][]byte, len(profiles))
	for _, t := range tools {
		if err := cat.add(t, known[t.Name]); err != nil {
			left = append(left, Rejected{t.Name, err})
		}
	}
	for _, p := range profiles {
		cat.listing[p] = cat.list(p)
	}
	return cat, left
}

func (cat *catalogue) add(t Tool, known *acceptance) (err error) {
	switch {
	case !toolName.MatchString(t.Name):
		return errToolName
	case cat.byName[t.Name] != nil:
		return errDuplicate
	case len(cat.byName) == maxTools:
		return errCatalogue
	case len(t.Description) > maxDescription:
		return errDescription
	}
	if len(t.InputSchema) > 0 {
		if t.InputSchema, err = checkSchema(t.InputSchema); err != nil {
			return err
		}
		if known == nil || !bytes.Equal(known.text, t.InputSchema) {
			if known, err = accept(t.InputSchema); err != nil {
				return err
			}
		}
		cat.accepts[t.Name] = known
	}
	cat.byName[t.Name] = &t
	cat.tools = append(cat.tools, t)
	return nil
}

// find is the tool that clients of p call by name, with or without the prefix, or nil.
func (cat *catalogue) find(p *profile, name string) *Tool {
	if t := cat.byName[strings.TrimPrefix(name, p.prefix)]; t != nil && p.serves(t) {
		return t
	}
	return nil
}

// list builds the result of tools/list. It has one page.
func (cat *catalogue) list(p *profile) []byte {
	b := []byte(`{"tools":[`)
	first := true
	for _, t := range cat.tools {
		if len(t.InputSchema) == 0 || !p.serves(&t) {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = appendQuoted(append(b, `{"name":`...), p.prefix+t.Name)
		if t.Description != "" {
			b = appendQuoted(append(b, `,"description":`...), t.Description)
		}
		b = append(append(b, `,"inputSchema":`...), t.InputSchema...)
		b = append(b, '}')
	}
	return append(b, "]}"...)
}
