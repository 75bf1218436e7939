// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
)

const (
	// maxSchema is how many bytes each of a tool's schemas may have.
	maxSchema = 64 << 10
	// maxDescription is how many bytes a tool's title and description may have, each.
	maxDescription = 64 << 10
	// maxDetail is how many bytes a tool's annotations, _meta and icons may have, each.
	maxDetail = 32 << 10
)

var (
	errToolName    = errors.New("the name must match ^[A-Za-z0-9_.-]{1,128}$")
	errDescription = fmt.Errorf("the title or the description has more than %d bytes", maxDescription)
	errReserved    = errors.New("the name is the server's own")
)

// toolName is what MCP allows as a tool's name (2025-11-25, "Tool Names"), of maxToolName
// bytes at most. A bound in the pattern is compiled into as many copies of the class.
var toolName = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// compiled is what a tool was made into.
type compiled struct {
	// err says why clients would choke on the tool.
	err error
	// from is what the schemas were compiled from.
	from struct{ input, output []byte }
	// accepts and returns are nil for a tool that has no such schema.
	accepts, returns *acceptance
	mirrors          []mirror
}

// compiler checks tools and compiles their schemas. Not for more than one goroutine at once.
type compiler struct {
	known map[string]*compiled
	rest  *Tool // restOfResults, once there was a catalogue
}

// compile makes the tools ready to be called. What is the same as in the last catalogue is
// not compiled again.
func (c *compiler) compile(tools []Tool) {
	if c.rest == nil {
		c.rest = restOfResults()
	}
	known := make(map[string]*compiled, len(tools))
	for i := range tools {
		t := &tools[i]
		if t.made == nil {
			t.compile(c.known[t.Name])
		}
		known[t.Name] = t.made
	}
	c.known = known
}

func (t *Tool) compile(known *compiled) {
	made := &compiled{}
	t.made = made
	made.from.input, made.from.output = t.InputSchema, t.OutputSchema
	if made.err = t.check(); made.err != nil {
		return
	}
	if known != nil && known.err == nil && bytes.Equal(known.from.input, made.from.input) && bytes.Equal(known.from.output, made.from.output) {
		*made = *known
	} else {
		made.err = made.schemas()
	}
	if made.accepts != nil {
		t.InputSchema = made.accepts.text
	}
	if made.returns != nil {
		t.OutputSchema = made.returns.text
	}
}

// check says what is wrong with everything but the schemas, and repairs it where it is
// clear what was meant.
func (t *Tool) check() error {
	switch {
	case len(t.Name) > maxToolName || !toolName.MatchString(t.Name):
		return errToolName
	case t.Name == restTool:
		return errReserved
	case len(t.Description) > maxDescription || len(t.Title) > maxDescription:
		return errDescription
	}
	for _, d := range details {
		if err := d.check(d.of(t)); err != nil {
			return err
		}
	}
	return nil
}

func (made *compiled) schemas() (err error) {
	if made.accepts, err = acceptTool("input", made.from.input); err != nil {
		return err
	}
	if made.returns, err = acceptTool("output", made.from.output); err != nil {
		return err
	}
	made.mirrors, err = mirrors(made.from.input)
	return err
}

// acceptTool compiles one of a tool's schemas; which is for the error. An empty one is none.
func acceptTool(which string, schema []byte) (a *acceptance, err error) {
	defer contain(&err)
	if len(schema) == 0 {
		return nil, nil
	}
	if schema, err = checkSchema(schema); err == nil {
		if a, err = accept(schema); err == nil {
			return a, nil
		}
	}
	return nil, fmt.Errorf("the %s schema %w", which, err)
}
