// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

const (
	// maxRules is how many rules a policy has at most.
	maxRules = 512
	// maxPattern is how many bytes a pattern of a rule may have.
	maxPattern = 1024
	// maxPath is how many bytes a path may have that is compared with patterns: what no
	// system opens is not worth the time.
	maxPath = 8 << 10
	// maxPaths is how many names of files one call may stand for, and maxPathBytes how
	// many bytes they may have: the loop compares each with every rule.
	maxPaths     = 1024
	maxPathBytes = 256 << 10
)

// Action is what policy does with a call. The greater is the stricter.
type Action uint8

// The actions.
const (
	Allow Action = iota
	Ask
	Deny
)

var actions = [...]string{Allow: "allow", Ask: "ask", Deny: "deny"}

// String is the action's name in rules and in the audit log.
func (a Action) String() string { return actions[a] }

// ParseAction reads an action's name.
func ParseAction(name string) (Action, error) {
	if i := slices.Index(actions[:], name); i >= 0 {
		return Action(i), nil
	}
	return Deny, fmt.Errorf("%q is none of %s", cut(name, maxProblem), strings.Join(actions[:], ", "))
}

// Rule is one rule of the user's.
type Rule struct {
	// Tool is a pattern for the names of tools as clients see them; * is any text.
	Tool string
	// Paths are patterns for absolute paths, of which one must match: * and ? stand for
	// what has no slash, ** between slashes for any number of folders. None at all
	// makes a rule about every call of the tool.
	Paths []string
	// Action is what is done with a call that the rule is about.
	Action Action
	// Label is how the user knows the rule.
	Label string
	// Invalid is what is wrong with the rule. Such a rule denies what it may have meant.
	Invalid string
}

// Policy decides which calls run. It is immutable; the zero value allows all.
type Policy struct {
	rules []compiledRule // the one that goes before comes before
}

type compiledRule struct {
	Rule
	paths []pathPattern
}

var (
	errRules     = fmt.Errorf("there are more than %d rules", maxRules)
	errNoPattern = errors.New("the tool's name is missing")
	errPattern   = fmt.Errorf("a pattern has more than %d bytes", maxPattern)
)

// NewPolicy makes a policy of rules in any order. A rule that cannot be kept is one that
// denies, with every path if that is what is wrong, and every tool if it may mean any:
// a mistake must not open what was to be closed.
func NewPolicy(rules []Rule) *Policy {
	if len(rules) > maxRules {
		rules = []Rule{{Label: "permissions", Invalid: errRules.Error()}}
	}
	p := &Policy{rules: make([]compiledRule, 0, len(rules))}
	for _, r := range rules {
		p.rules = append(p.rules, compileRule(r))
	}
	slices.SortStableFunc(p.rules, before)
	return p
}

func compileRule(r Rule) compiledRule {
	c := compiledRule{Rule: r}
	switch {
	case r.Invalid != "":
	case r.Tool == "":
		c.Invalid = errNoPattern.Error()
	case len(r.Tool) > maxPattern:
		c.Tool, c.Invalid = "", errPattern.Error()
	case r.Action > Deny:
		c.Invalid = "the action is unknown"
	}
	for _, text := range r.Paths {
		pattern, err := compilePath(text)
		if err != nil && c.Invalid == "" {
			c.Invalid = err.Error()
		}
		c.paths = append(c.paths, pattern)
	}
	if c.Invalid != "" {
		c.Action, c.paths = Deny, nil
		c.Tool = cmp.Or(c.Tool, "*")
	}
	return c
}

// before orders rules so that the first that matches decides: what is wrong first, then
// those with a path, then those that name more of the tool, then the stricter.
func before(a, b compiledRule) int {
	return cmp.Or(
		-compareBool(a.Invalid != "", b.Invalid != ""),
		-compareBool(a.paths != nil, b.paths != nil),
		-cmp.Compare(literalPrefix(a.Tool), literalPrefix(b.Tool)),
		-cmp.Compare(a.Action, b.Action),
	)
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// Rules are those of the policy, the one that goes before first.
func (p *Policy) Rules() []Rule {
	rules := make([]Rule, len(p.rules))
	for i, r := range p.rules {
		rules[i] = r.Rule
	}
	return rules
}

// empty reports whether no rule says anything.
func (p *Policy) empty() bool { return p == nil || len(p.rules) == 0 }

// readsPaths reports whether a decision about the tool may depend on paths.
func (p *Policy) readsPaths(tool string) bool {
	return !p.empty() && slices.ContainsFunc(p.rules, func(r compiledRule) bool {
		return r.paths != nil && matchText(r.Tool, tool)
	})
}

// verdict is a decision and the label of the rule it comes from.
type verdict struct {
	action  Action
	rule    string
	invalid string
	path    bool // the rule is about paths
}

// decide is what is done with a call of the tool that stands for those paths, none if it
// does not matter which: the strictest of what the rules say of each. otherwise is what
// is done where no rule says anything, and granted which rules need not ask any more.
func (p *Policy) decide(tool string, paths []string, otherwise verdict, granted func(rule string) bool) verdict {
	var strictest verdict
	considered := false
	consider := func(v verdict) {
		if v.action == Ask && granted(v.rule) {
			v.action = Allow
		}
		if v.action > strictest.action || !considered {
			strictest, considered = v, true
		}
	}
	if len(paths) == 0 {
		consider(p.first(tool, otherwise, func(pathPattern) bool { return false }))
	}
	for _, path := range paths {
		exact, folded := splitPath(path), splitPath(strings.ToLower(path))
		consider(p.first(tool, otherwise, func(pattern pathPattern) bool { return matchPath(pattern.names, exact) }))
		// Where letters of both cases are the same to the disk, a rule must hold for
		// both; where they are not, a rule for one must not open the other.
		consider(p.first(tool, otherwise, func(pattern pathPattern) bool { return matchPath(pattern.folded, folded) }))
	}
	return strictest
}

// first is what the first rule says that is about the tool and a path that matches.
func (p *Policy) first(tool string, otherwise verdict, matches func(pathPattern) bool) verdict {
	if p.empty() {
		return otherwise
	}
	for i := range p.rules {
		r := &p.rules[i]
		if matchText(r.Tool, tool) && (r.paths == nil || slices.ContainsFunc(r.paths, matches)) {
			return verdict{r.Action, r.Label, r.Invalid, r.paths != nil}
		}
	}
	return otherwise
}
