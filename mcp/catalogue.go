// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxTools is how many tools the catalogue holds.
const maxTools = 1024

var (
	errDuplicate = errors.New("another tool has the same name")
	errCatalogue = fmt.Errorf("there are more than %d tools", maxTools)
)

// catalogue is the tools that may be called, in the order of registration.
type catalogue struct {
	tools  []*Tool
	byName map[string]*Tool
	// lists are the results of tools/list that were asked for.
	lists map[dialect][]byte
}

// Rejected is a tool that was left out of the catalogue.
type Rejected struct {
	Name string
	Err  error
}

// SetCatalogue replaces the catalogue; the tools belong to the server from now
// on. A malformed tool is left out and returned: clients drop a whole list for
// one of those. Clients that are initialized are told if what they would be
// listed changed. Calls in flight go on. Loop goroutine, which it holds up while new
// schemas are compiled.
func (s *Server) SetCatalogue(tools []Tool) (left []Rejected) {
	s.compiler.compile(tools)
	return s.install(tools)
}

// coming is a catalogue whose schemas are to be compiled, and who hears what was left out.
type coming struct {
	tools []Tool
	left  func([]Rejected)
}

// ChangeCatalogue is SetCatalogue that compiles on another goroutine if there was a
// catalogue before: as long as there was none, who connects must not find it empty. left
// gets what was left out, unless another catalogue came meanwhile. Loop goroutine.
func (s *Server) ChangeCatalogue(tools []Tool, left func([]Rejected)) {
	s.coming = &coming{tools, left}
	switch {
	case s.compiling:
	case len(s.tools.tools) == 0:
		s.coming = nil
		left(s.SetCatalogue(tools))
	default:
		s.compileNext()
	}
}

func (s *Server) compileNext() {
	next := s.coming
	s.coming, s.compiling = nil, next != nil
	if next == nil {
		return
	}
	s.aside.push(0, func() { s.compiler.compile(next.tools) }, func() {
		next.left(s.install(next.tools))
		s.compileNext()
	})
}

func (s *Server) install(tools []Tool) (left []Rejected) {
	before := s.tools
	s.tools, left = newCatalogue(tools, s.compiler.rest)
	if !bytes.Equal(before.list(ideDialect), s.tools.list(ideDialect)) {
		for _, id := range slices.Sorted(maps.Keys(s.clients)) {
			if c := s.clients[id]; c.info.Initialized {
				s.deliver(c, payload{text: append(s.out[:0], listChanged...)})
			}
		}
	}
	if !bytes.Equal(before.list(statelessDialect), s.tools.list(statelessDialect)) {
		s.listChanged()
	}
	return left
}

const listChanged = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}`

// newCatalogue makes a catalogue of tools that are compiled, with rest, which reads on in
// what they return.
func newCatalogue(tools []Tool, rest *Tool) (cat catalogue, left []Rejected) {
	cat.byName = make(map[string]*Tool, len(tools)+1)
	cat.lists = make(map[dialect][]byte)
	for i := range tools {
		if err := cat.add(&tools[i]); err != nil {
			left = append(left, Rejected{tools[i].Name, err})
		}
	}
	if slices.ContainsFunc(cat.tools, func(t *Tool) bool { return t.shown() > 0 }) {
		cat.tools = append(cat.tools, rest)
		cat.byName[restTool] = rest
	}
	return cat, left
}

func (cat *catalogue) add(t *Tool) error {
	switch {
	case t.made.err != nil:
		return t.made.err
	case cat.byName[t.Name] != nil:
		return errDuplicate
	case len(cat.tools) == maxTools:
		return errCatalogue
	}
	cat.byName[t.Name] = t
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

// dialect is what decides how tools are listed: the profile, and the name of the revision.
type dialect struct {
	profile  *profile
	revision string
}

var (
	ideDialect       = dialect{&ide, ideProtocol}
	statelessDialect = dialect{&stateless, revisionStateless}
)

// list is the result of tools/list. It has one page.
func (cat *catalogue) list(d dialect) []byte {
	if b := cat.lists[d]; b != nil {
		return b
	}
	b := []byte(`{"tools":[`)
	for _, t := range cat.tools {
		if len(t.InputSchema) == 0 || !d.profile.serves(t) {
			continue
		}
		if len(b) > len(`{"tools":[`) {
			b = append(b, ',')
		}
		b = t.append(b, d)
	}
	cat.lists[d] = append(b, "]}"...)
	return cat.lists[d]
}

// append appends the tool as a client is told of it.
func (t *Tool) append(b []byte, d dialect) []byte {
	b = appendQuoted(append(b, `{"name":`...), d.profile.prefix+t.Name)
	if t.Description != "" {
		b = appendQuoted(append(b, `,"description":`...), t.Description)
	}
	b = append(append(b, `,"inputSchema":`...), t.InputSchema...)
	for _, m := range toolMembers {
		if value := m.of(t); len(value) > 0 && d.revision >= m.since {
			b = append(append(append(b, `,"`...), m.name...), `":`...)
			b = append(b, value...)
		}
	}
	return append(b, '}')
}

// toolMembers are the members of a tool that came with a later revision. The names of
// revisions are dates, so they sort.
var toolMembers = []struct {
	name, since string
	of          func(*Tool) []byte
}{
	{"annotations", revisionAudio, func(t *Tool) []byte { return t.Annotations }},
	{"title", revisionStructured, (*Tool).title},
	{"outputSchema", revisionStructured, func(t *Tool) []byte { return t.OutputSchema }},
	{"_meta", revisionStructured, func(t *Tool) []byte { return t.Meta }},
	{"icons", revisionIcons, func(t *Tool) []byte { return t.Icons }},
}

func (t *Tool) title() []byte {
	if t.Title == "" {
		return nil
	}
	return appendQuoted(nil, t.Title)
}
