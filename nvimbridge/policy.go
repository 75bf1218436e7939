// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"encoding/json"
	"errors"

	"claudecoded/mcp"
)

// AuditOptions say where the audit log goes. The zero value is nowhere.
type AuditOptions struct {
	File string `json:"file"`
	// MaxSize is from how many bytes on another file is begun.
	MaxSize int64 `json:"max_size"`
}

// errNoPolicy is the fault of a message about permissions that cannot be read.
var errNoPolicy = errors.New("the plugin sent rules that cannot be read")

var _ mcp.Asker = (*Bridge)(nil)

// Ask has Neovim ask the user.
func (b *Bridge) Ask(q mcp.Question) {
	b.send(push("ask", map[string]any{
		"token": q.Token, "tool": q.Tool, "client": q.Client, "name": q.Name,
		"arguments": q.Arguments, "size": q.Size, "paths": list(q.Paths), "rule": q.Rule,
	}))
}

// list is never nil, which would cross as vim.NIL.
func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}

// Withdraw takes a question back.
func (b *Bridge) Withdraw(token uint64) { b.send(push("ask_withdrawn", token)) }

// message is the name under which Neovim gets a call.
func (c *call) message() string {
	if c.Resolve {
		return "paths"
	}
	return "call"
}

// resolved is Neovim's answer to a call that was to be resolved.
func (b *Bridge) resolved(token uint64, m *message, err error) {
	if b.calls.take(token) == nil {
		return
	}
	var paths []string
	var problem string
	switch {
	case err != nil:
		problem = "the plugin failed: " + remoteText(err)
	case m.has("error"):
		problem = toolError(m.fields["error"]).Message
	default:
		if err := m.require(want{"paths", &paths}); err != nil {
			problem = err.Error()
		}
	}
	b.host.Resolved(token, paths, problem)
}

// readPolicy reads the rules. What cannot be read denies everything.
func readPolicy(m *message) (action, error) {
	var entries []json.RawMessage
	var audit AuditOptions
	err := m.require(want{"rules", &entries})
	if err == nil {
		err = m.read(want{"audit", &audit})
	}
	if err != nil {
		rules := []mcp.Rule{{Label: "permissions", Invalid: errNoPolicy.Error()}}
		return func(b *Bridge) { b.host.Policy(mcp.NewPolicy(rules), AuditOptions{}) }, err
	}
	rules := make([]mcp.Rule, 0, len(entries))
	for _, entry := range entries {
		rules = append(rules, readRule(entry))
	}
	policy := mcp.NewPolicy(rules)
	return func(b *Bridge) { b.host.Policy(policy, audit) }, nil
}

func readRule(entry []byte) mcp.Rule {
	var r struct {
		Tool, Action, Label, Invalid string
		Paths                        []string
	}
	if json.Unmarshal(entry, &r) != nil {
		return mcp.Rule{Label: "permissions", Invalid: errNoPolicy.Error()}
	}
	action, err := mcp.ParseAction(r.Action)
	if err != nil && r.Invalid == "" {
		r.Invalid = err.Error()
	}
	return mcp.Rule{Tool: r.Tool, Paths: r.Paths, Action: action, Label: r.Label, Invalid: r.Invalid}
}

func readPermission(m *message) (action, error) {
	var token uint64
	var answer string
	if err := m.require(want{"token", &token}, want{"answer", &answer}); err != nil {
		return nil, err
	}
	return func(b *Bridge) { b.host.Answer(token, mcp.ParseAnswer(answer)) }, nil
}

func readRevoke(*message) (action, error) { return func(b *Bridge) { b.host.Revoke() }, nil }
