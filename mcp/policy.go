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
	// maxPattern is how many bytes a pattern of a rule may have, and maxPatterns how many
	// patterns for paths all rules may have together.
	maxPattern  = 1024
	maxPatterns = 1024
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
	// Tool is a pattern for names of tools, see toolNames; * is any text.
	Tool string
	// Paths are patterns for absolute paths, of which one must match: * and ? stand for
	// what has no slash, ** between slashes for any number of folders. A pattern that
	// matches a folder makes a call about what is in it no less strict than a call about
	// the folder. None at all makes a rule about every call of the tool.
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
	errPatterns  = fmt.Errorf("there are more than %d patterns for paths", maxPatterns)
	errNoPattern = errors.New("the tool's name is missing")
	errPattern   = fmt.Errorf("a pattern has more than %d bytes", maxPattern)
)

// NewPolicy makes a policy of rules in any order. A rule that cannot be kept is one that
// denies, with every path if that is what is wrong, and every tool if it may mean any:
// a mistake must not open what was to be closed.
func NewPolicy(rules []Rule) *Policy {
	patterns := 0
	for _, r := range rules {
		patterns += len(r.Paths)
	}
	switch {
	case len(rules) > maxRules:
		rules = []Rule{{Label: "permissions", Invalid: errRules.Error()}}
	case patterns > maxPatterns:
		rules = []Rule{{Label: "permissions", Invalid: errPatterns.Error()}}
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
func (p *Policy) readsPaths(tool toolNames) bool {
	return !p.empty() && slices.ContainsFunc(p.rules, func(r compiledRule) bool {
		return r.paths != nil && (tool.seenBy(r.Tool) || tool.alsoMeantBy(r.Tool))
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
func (p *Policy) decide(tool toolNames, paths []string, otherwise verdict, granted func(rule string) bool) verdict {
	var strictest verdict
	considered := false
	consider := func(matches func(pathPattern) bool) {
		v := p.reading(tool, otherwise, matches, granted)
		if v.action > strictest.action || !considered {
			strictest, considered = v, true
		}
	}
	if len(paths) == 0 {
		consider(func(pathPattern) bool { return false })
	}
	for _, path := range paths {
		exact, folded := splitPath(path), splitPath(strings.ToLower(path))
		// Where letters of both cases are the same to the disk, a rule must hold for
		// both; where they are not, a rule for one must not open the other. In the same
		// way a rule for a folder holds for what is in it, and opens nothing there.
		consider(func(pattern pathPattern) bool { return matchPath(pattern.names, exact) })
		consider(func(pattern pathPattern) bool { return matchPath(pattern.folded, folded) })
		consider(func(pattern pathPattern) bool { return matchPath(pattern.within, folded) })
	}
	return strictest
}

// reading is what the rules say if those paths match. A rule that means the tool by another
// name than the client sees makes it stricter, and decides alone where no other rule does.
func (p *Policy) reading(tool toolNames, otherwise verdict, matches func(pathPattern) bool, granted func(rule string) bool) verdict {
	settle := func(v verdict) verdict {
		if v.action == Ask && granted(v.rule) {
			v.action = Allow
		}
		return v
	}
	seen, found := p.first(tool.seenBy, matches)
	also, meant := p.first(tool.alsoMeantBy, matches)
	seen, also = settle(seen), settle(also)
	switch {
	case meant && (!found || also.action > seen.action):
		return also
	case found:
		return seen
	}
	return settle(otherwise)
}

// first is what the first rule says whose tool and path match.
func (p *Policy) first(about func(pattern string) bool, matches func(pathPattern) bool) (v verdict, found bool) {
	if p.empty() {
		return verdict{}, false
	}
	for i := range p.rules {
		r := &p.rules[i]
		if about(r.Tool) && (r.paths == nil || slices.ContainsFunc(r.paths, matches)) {
			return verdict{r.Action, r.Label, r.Invalid, r.paths != nil}, true
		}
	}
	return verdict{}, false
}
