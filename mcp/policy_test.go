// Copyright (c) 2026 the claudecoded authors. MIT license.

package mcp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func about(action Action, tool string, paths ...string) Rule {
	return Rule{Tool: tool, Paths: paths, Action: action, Label: fmt.Sprint(tool, paths, action)}
}

var letThrough = verdict{action: Allow}

func nothingGranted(string) bool { return false }

// called are the names of the tool that a client calls by name: of the MCP endpoint if it has
// the prefix.
func called(name string) toolNames {
	if registered, of := strings.CutPrefix(name, toolPrefix); of {
		return namesOf(registered, toolPrefix)
	}
	return namesOf(name, "")
}

func TestPolicy_DecidesByTheMostSpecificRule(t *testing.T) {
	t.Parallel()
	const env = "/home/u/pro ject/.env.local"
	for name, row := range map[string]struct {
		rules []Rule
		tool  string
		paths []string
		other Action
		want  Action
	}{
		"no rule":                        {nil, "nvim_a", nil, Allow, Allow},
		"the tool's own default":         {nil, "nvim_a", nil, Ask, Ask},
		"a rule over the default":        {[]Rule{about(Allow, "nvim_a")}, "nvim_a", nil, Ask, Allow},
		"another tool":                   {[]Rule{about(Deny, "nvim_b")}, "nvim_a", nil, Allow, Allow},
		"a pattern":                      {[]Rule{about(Deny, "nvim_*")}, "nvim_a", nil, Allow, Deny},
		"a pattern in the middle":        {[]Rule{about(Deny, "nvim_*_x")}, "nvim_a_b_x", nil, Allow, Deny},
		"not the beginning alone":        {[]Rule{about(Deny, "nvim_a")}, "nvim_ab", nil, Allow, Allow},
		"every tool":                     {[]Rule{about(Deny, "*")}, "openFile", nil, Allow, Deny},
		"longer prefix, looser":          {[]Rule{about(Deny, "nvim_*"), about(Allow, "nvim_lsp_*")}, "nvim_lsp_hover", nil, Allow, Allow},
		"longer prefix, stricter":        {[]Rule{about(Allow, "nvim_*"), about(Deny, "nvim_lsp_*")}, "nvim_lsp_hover", nil, Allow, Deny},
		"the same prefix, the strictest": {[]Rule{about(Allow, "nvim_a*"), about(Ask, "nvim_a*b"), about(Deny, "nvim_a*c*")}, "nvim_a_cb", nil, Allow, Deny},
		"ask over allow":                 {[]Rule{about(Allow, "nvim_a*"), about(Ask, "nvim_a*b")}, "nvim_ab", nil, Allow, Ask},
		"a path before a tool":           {[]Rule{about(Allow, "nvim_buffers_read"), about(Deny, "nvim_*", "**/.env*")}, "nvim_buffers_read", []string{env}, Allow, Deny},
		"a path may loosen":              {[]Rule{about(Deny, "nvim_*"), about(Allow, "nvim_*", "/home/u/**")}, "nvim_a", []string{env}, Allow, Allow},
		"of paths the longer prefix":     {[]Rule{about(Deny, "nvim_*", "**"), about(Allow, "nvim_a", "**/.env*")}, "nvim_a", []string{env}, Allow, Allow},
		"of paths the strictest":         {[]Rule{about(Allow, "nvim_*", "**"), about(Deny, "nvim_*", "**/.env*")}, "nvim_a", []string{env}, Allow, Deny},
		"a path that is none":            {[]Rule{about(Deny, "nvim_*", "**/.env*")}, "nvim_a", nil, Allow, Allow},
		"one of several paths":           {[]Rule{about(Deny, "nvim_*", "**/.env*")}, "nvim_a", []string{"/a", env, "/b"}, Allow, Deny},
		"one path outside":               {[]Rule{about(Ask, "nvim_*"), about(Allow, "nvim_*", "/p/**")}, "nvim_a", []string{"/p/x", "/etc/passwd"}, Allow, Ask},
		"one of several patterns":        {[]Rule{about(Deny, "nvim_*", "/x/**", "**/.env*")}, "nvim_a", []string{env}, Allow, Deny},
		"capitals do not evade":          {[]Rule{about(Deny, "nvim_*", "**/.env*")}, "nvim_a", []string{"/p/.ENV"}, Allow, Deny},
		"nor do they open":               {[]Rule{about(Deny, "nvim_*"), about(Allow, "nvim_*", "/p/**")}, "nvim_a", []string{"/P/x"}, Allow, Deny},
		"a pattern in capitals":          {[]Rule{about(Deny, "nvim_*", "**/SECRET/**")}, "nvim_a", []string{"/p/secret/x"}, Allow, Deny},
		"asked in other capitals":        {[]Rule{about(Ask, "nvim_*", "/Code/**")}, "nvim_a", []string{"/code/x"}, Allow, Ask},
		"an action nobody knows":         {[]Rule{about(Deny+1, "nvim_a")}, "nvim_a", nil, Allow, Deny},
		"no tool":                        {[]Rule{about(Allow, "")}, "nvim_a", nil, Allow, Deny},
		"a path that is wrong":           {[]Rule{about(Allow, "nvim_a", "src/**")}, "nvim_a", []string{"/p"}, Allow, Deny},
		"and what is right goes on":      {[]Rule{about(Allow, "nvim_a", "src/**"), about(Allow, "nvim_b")}, "nvim_b", nil, Ask, Allow},
		"wrong before everything": {[]Rule{{Tool: "nvim_*", Invalid: "?", Action: Allow}, about(Allow, "nvim_a"), about(Allow, "nvim_a", "**")},
			"nvim_a", []string{"/p"}, Allow, Deny},
		"too many patterns":              {[]Rule{about(Allow, "nvim_a", slices.Repeat([]string{"**"}, maxPatterns+1)...)}, "nvim_b", nil, Allow, Deny},
		"a tool of the longest pattern":  {[]Rule{about(Allow, strings.Repeat("*", maxPattern))}, "nvim_a", nil, Ask, Allow},
		"and of one that is longer":      {[]Rule{about(Allow, strings.Repeat("*", maxPattern+1))}, "nvim_a", nil, Allow, Deny},
		"what is in a folder":            {[]Rule{about(Deny, "nvim_*", "/home/u")}, "nvim_a", []string{env}, Allow, Deny},
		"and in one of a pattern":        {[]Rule{about(Ask, "nvim_*", "**/pro*")}, "nvim_a", []string{env}, Allow, Ask},
		"a folder opens nothing":         {[]Rule{about(Deny, "nvim_*"), about(Allow, "nvim_*", "/home/*")}, "nvim_a", []string{env}, Allow, Deny},
		"nor does one that asks":         {[]Rule{about(Deny, "nvim_*", "**"), about(Ask, "nvim_a", "/home/*")}, "nvim_a", []string{env}, Allow, Deny},
		"what is in one that is opened":  {[]Rule{about(Deny, "nvim_*"), about(Allow, "nvim_*", "/home/")}, "nvim_a", []string{env}, Allow, Allow},
		"a file in a denied folder":      {[]Rule{about(Deny, "*", "/home/u"), about(Allow, "nvim_a", "/home/u/**")}, "nvim_a", []string{env}, Allow, Allow},
		"a name beside it":               {[]Rule{about(Deny, "nvim_*", "/home/us")}, "nvim_a", []string{env}, Allow, Allow},
		"the registered name":            {[]Rule{about(Deny, "a")}, "nvim_a", nil, Allow, Deny},
		"a pattern of it":                {[]Rule{about(Ask, "lsp_*")}, "nvim_lsp_hover", nil, Allow, Ask},
		"over a looser prefixed one":     {[]Rule{about(Deny, "a"), about(Allow, "nvim_*"), about(Allow, "nvim_a")}, "nvim_a", nil, Allow, Deny},
		"it opens a tool that asks":      {[]Rule{about(Allow, "a")}, "nvim_a", nil, Ask, Allow},
		"but not what is closed":         {[]Rule{about(Allow, "a"), about(Deny, "nvim_*")}, "nvim_a", nil, Allow, Deny},
		"all are meant by all":           {[]Rule{about(Deny, "*"), about(Allow, "nvim_lsp_*")}, "nvim_lsp_hover", nil, Allow, Allow},
		"with a path":                    {[]Rule{about(Deny, "a", "**/.env*"), about(Allow, "nvim_a")}, "nvim_a", []string{env}, Allow, Deny},
		"the prefixed name":              {[]Rule{about(Deny, "nvim_a")}, "a", nil, Allow, Deny},
		"a pattern of that":              {[]Rule{about(Deny, "nvim_lsp*")}, "lsp_hover", nil, Allow, Deny},
		"the endpoint is not the socket": {[]Rule{about(Deny, "nvim_*"), about(Deny, "nvim*"), about(Deny, "n*")}, "openDiff", nil, Allow, Allow},
		"too many":                       {slices.Repeat([]Rule{about(Allow, "nvim_a")}, maxRules+1), "nvim_a", nil, Allow, Deny},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := NewPolicy(row.rules).decide(called(row.tool), row.paths, verdict{action: row.other}, nothingGranted)
			slices.Reverse(row.rules)
			again := NewPolicy(row.rules).decide(called(row.tool), row.paths, verdict{action: row.other}, nothingGranted)
			if got.action != row.want || again.action != row.want {
				t.Errorf("%v and, in the other order, %v; want %v", got, again, row.want)
			}
		})
	}
}

func TestPolicy_MatchesPaths(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		pattern, path string
		want          bool
	}{
		{"**/.env*", "/.env", true}, {"**/.env*", "/a/b/.env.local", true}, {"**/.env*", "/a/x.env", false},
		{"**/.env*", "/a/.envs/x", false}, {"/a/*", "/a/b", true}, {"/a/*", "/a/b/c", false},
		{"/a/*", "/a", false}, {"/a/**", "/a", true}, {"/a/**", "/a/b/c", true}, {"/a/**", "/ab", false},
		{"/a/**/z", "/a/z", true}, {"/a/**/z", "/a/b/z/z", true}, {"/a/**/z", "/a/b/zz", false},
		{"/a/**/b/**/c", "/a/x/b/y/b/c", true}, {"/a/**/b/**/c", "/a/x/c", false},
		{"**", "/", true}, {"**", "/x", true}, {"/", "/", true}, {"/", "/x", true},
		{"/a/?", "/a/ä", true}, {"/a/?", "/a/xy", false}, {"/a/[id].lua", "/a/[id].lua", true}, {"/a/[id].lua", "/a/i.lua", false},
		{"/a/*.lua", "/a/.lua", true}, {"/a/*a*b", "/a/xaxxab", true},
		{"/a/*?b", "/a/äb", true}, {"/a/*??b", "/a/äb", false}, {"/a/?*", "/a/\xff", true}, {"/a/\xff", "/a/\xfe", false}, {"C:/a/*", "C:/a/b", true}, {"/a//b/./c", "/a/b/c", true},
		{"/a/", "/a", true}, {"/a/", "/a/b/c", true}, {"**/a/", "/x/a/b", true},
	} {
		pattern, err := compilePath(row.pattern)
		if err != nil {
			t.Errorf("%s: %v", row.pattern, err)
			continue
		}
		if got := matchPath(pattern.names, splitPath(row.path)); got != row.want {
			t.Errorf("%s on %s: %v", row.pattern, row.path, got)
		}
	}
	for _, bad := range []string{"", "a", "a/**", "/a/**b", "/a/../b", "~/a", "~", "~u/a", "/" + strings.Repeat("a", maxPattern)} {
		if _, err := compilePath(bad); err == nil {
			t.Errorf("%.40s is taken", bad)
		}
	}
}

var (
	someTool = rapid.SampledFrom([]string{"*", "nvim_*", "nvim_a", "nvim_a*", "nvim_b", "nvim_*b", "nvim_ab", "x"})
	somePath = rapid.SampledFrom([]string{"**", "/a/**", "/A/**", "/a/*", "**/.env*", "/a/b", "/b/**"})
	someRule = rapid.Custom(func(t *rapid.T) Rule {
		r := about(Action(rapid.IntRange(int(Allow), int(Deny)).Draw(t, "action")), someTool.Draw(t, "tool"),
			rapid.SliceOfN(somePath, 0, 2).Draw(t, "paths")...)
		return r
	})
	someCall = rapid.SampledFrom([]string{"nvim_a", "nvim_ab", "nvim_b", "x", "y"})
	someFile = rapid.SampledFrom([]string{"/a/b", "/A/b", "/a/.env", "/a/.ENV", "/b/c/d", "/"})
)

// TestPolicy_ALessSpecificAllowNeverWeakensADeny adds to any rules an allow whose pattern
// begins with fewer letters, or is without the path that the deny has.
func TestPolicy_ALessSpecificAllowNeverWeakensADeny(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rules := rapid.SliceOfN(someRule, 0, 8).Draw(t, "rules")
		tool, files := someCall.Draw(t, "called"), rapid.SliceOfN(someFile, 0, 1).Draw(t, "files")
		deny := about(Deny, tool)
		if len(files) > 0 {
			deny.Paths = []string{files[0]}
		}
		rules = append(rules, deny)
		general := about(Allow, someTool.Draw(t, "general"))
		if deny.Paths != nil {
			general.Paths = rapid.SliceOfN(somePath, 0, 2).Draw(t, "of")
		}
		if literalPrefix(general.Tool) > len(tool) || deny.Paths == nil && general.Paths != nil {
			return
		}
		before := NewPolicy(rules).decide(called(tool), files, letThrough, nothingGranted).action
		after := NewPolicy(append(rules, general)).decide(called(tool), files, letThrough, nothingGranted).action
		if before == Deny && after != Deny {
			t.Fatalf("%v opened it", general)
		}
	})
}

func TestPolicy_MorePathsAreNeverLessStrict(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := NewPolicy(rapid.SliceOfN(someRule, 0, 8).Draw(t, "rules"))
		tool, files := someCall.Draw(t, "called"), rapid.SliceOfN(someFile, 1, 3).Draw(t, "files")
		one := p.decide(called(tool), files, letThrough, nothingGranted).action
		if more := p.decide(called(tool), append(files, someFile.Draw(t, "more")), letThrough, nothingGranted).action; more < one {
			t.Fatalf("%v with one path more, %v before", more, one)
		}
	})
}

// TestPolicy_ADenyHoldsUnderEitherNameOfATool adds to any rules without paths one that names
// the tool exactly, as one of its two kinds of clients sees it.
func TestPolicy_ADenyHoldsUnderEitherNameOfATool(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rules := rapid.SliceOfN(someRule, 0, 8).Draw(t, "rules")
		registered := rapid.SampledFrom([]string{"a", "ab", "b", "x"}).Draw(t, "registered")
		named := rapid.SampledFrom([]string{registered, toolPrefix + registered}).Draw(t, "named")
		prefix := rapid.SampledFrom([]string{"", toolPrefix}).Draw(t, "prefix")
		got := NewPolicy(append(rules, about(Deny, named))).decide(namesOf(registered, prefix), nil, letThrough, nothingGranted)
		if got.action != Deny {
			t.Fatalf("%v of %s for who sees %s%s", got, named, prefix, registered)
		}
	})
}

func TestPolicy_ARuleWithoutALabelCountsAsAnyOther(t *testing.T) {
	t.Parallel()
	p := NewPolicy([]Rule{{Tool: "run", Paths: []string{"/a/**"}, Action: Deny}, {Tool: "run", Action: Allow, Label: "R"}})
	if got := p.decide(called("run"), []string{"/a/x", "/b"}, letThrough, nothingGranted).action; got != Deny {
		t.Errorf("%v", got)
	}
}

func TestPolicy_TheOrderOfRulesDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		rules := rapid.SliceOfN(someRule, 0, 8).Draw(t, "rules")
		other := rapid.Permutation(rules).Draw(t, "other")
		tool, files := someCall.Draw(t, "called"), rapid.SliceOfN(someFile, 0, 3).Draw(t, "files")
		a, b := NewPolicy(rules).decide(called(tool), files, letThrough, nothingGranted), NewPolicy(other).decide(called(tool), files, letThrough, nothingGranted)
		if a.action != b.action {
			t.Fatalf("%v and %v", a, b)
		}
	})
}

// TestPolicy_DoesNotNeedPathsItDoesNotRead: asking the editor costs a turn.
func TestPolicy_DoesNotNeedPathsItDoesNotRead(t *testing.T) {
	t.Parallel()
	p := NewPolicy([]Rule{about(Deny, "nvim_buffers_*", "**/.env*"), about(Ask, "nvim_exec_*")})
	for tool, want := range map[string]bool{"nvim_buffers_read": true, "nvim_exec_lua": false, "openFile": false, "buffers_read": true} {
		if got := p.readsPaths(called(tool)); got != want {
			t.Errorf("%s: %v", tool, got)
		}
	}
}
