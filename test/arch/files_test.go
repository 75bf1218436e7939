// Copyright (c) 2026 the claudecoded authors. MIT license.

package arch_test

import (
	"go/ast"
	"maps"
	"strings"
	"testing"
)

// copyright begins every Go file and is followed by an empty line.
const copyright = "// Copyright (c) 2026 the claudecoded authors. MIT license.\n\n"

// maxLines is the length of a file above which it does more than one thing.
const maxLines = 500

func TestFiles_BeginWithTheCopyrightLine(t *testing.T) {
	t.Parallel()
	for _, name := range sources(t, ".go") {
		if !strings.HasPrefix(read(t, name), copyright) {
			t.Errorf("%s does not begin with %q", name, copyright)
		}
	}
}

func TestFiles_StayShort(t *testing.T) {
	t.Parallel()
	for _, name := range sources(t, ".go", ".lua", ".sh", ".mjs") {
		if n := strings.Count(read(t, name), "\n"); n > maxLines {
			t.Errorf("%s has %d lines, more than %d", name, n, maxLines)
		}
	}
}

// TestStdout_BelongsToCmd holds because the daemon's stdout is its channel to
// Neovim: one stray line there ends the session.
func TestStdout_BelongsToCmd(t *testing.T) {
	t.Parallel()
	forbidden := map[string]bool{
		"fmt.Print": true, "fmt.Printf": true, "fmt.Println": true, "os.Stdout": true,
	}
	for _, file := range goFiles(t) {
		if layer(file.name) == "cmd" || file.isTest() || strings.HasPrefix(file.name, "test/sdk/go/") {
			continue
		}
		ast.Inspect(file.File, func(node ast.Node) bool {
			if name := selector(node); forbidden[name] {
				t.Errorf("%s: %s outside cmd", file.at(node), name)
			}
			return true
		})
	}
}

func TestTests_NeverSkip(t *testing.T) {
	t.Parallel()
	for _, file := range goFiles(t) {
		for _, decl := range file.Decls {
			// A fuzz target may pass over an input that says nothing.
			if f, ok := decl.(*ast.FuncDecl); !ok || strings.HasPrefix(f.Name.Name, "Fuzz") {
				continue
			}
			skips(decl, map[string]bool{}, func(node ast.Node, name string) {
				t.Errorf("%s: %s: what a test needs is brought, or the test fails", file.at(node), name)
			})
		}
	}
}

// skips reports each call of a Skip method of testing's T, B and TB. tests are the
// parameters in scope of these types: a property of rapid may pass over an input too.
func skips(node ast.Node, tests map[string]bool, report func(ast.Node, string)) {
	ast.Inspect(node, func(n ast.Node) bool {
		var typ *ast.FuncType
		switch f := n.(type) {
		case *ast.FuncDecl:
			typ = f.Type
		case *ast.FuncLit:
			typ = f.Type
		}
		if typ != nil && n != node {
			skips(n, maps.Clone(tests), report)
			return false
		}
		if typ != nil {
			declare(typ, tests)
		}
		if x, method, ok := strings.Cut(selector(n), "."); ok && tests[x] && strings.HasPrefix(method, "Skip") {
			report(n, x+"."+method)
		}
		return true
	})
}

func declare(typ *ast.FuncType, tests map[string]bool) {
	for _, field := range typ.Params.List {
		of := field.Type
		if star, ok := of.(*ast.StarExpr); ok {
			of = star.X
		}
		for _, name := range field.Names {
			tests[name.Name] = strings.HasPrefix(selector(of), "testing.")
		}
	}
}

// selector is package.Name for such an expression, else "".
func selector(node ast.Node) string {
	expr, ok := node.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if x, ok := expr.X.(*ast.Ident); ok {
		return x.Name + "." + expr.Sel.Name
	}
	return ""
}
