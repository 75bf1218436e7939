// Copyright (c) 2026 the claudecoded authors. MIT license.

package arch_test

import (
	"go/ast"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// invariants are the tables of rules and the tests that prove them.
var invariants = []string{"session/INVARIANTS.md", "test/http/RULES.md"}

var (
	testName = regexp.MustCompile(`\b(?:Test|Fuzz)\w+_\w+`)
	link     = regexp.MustCompile(`\]\(([^)#]+)(?:#[^)]*)?\)`)
	required = regexp.MustCompile(`(?m)^\t(\S+) (v\S+)$`)
	quoted   = regexp.MustCompile("`([^`]+)`")
)

// TestInvariants_NameTestsThatExist reads each row of the tables: its last cell
// names tests.
func TestInvariants_NameTestsThatExist(t *testing.T) {
	t.Parallel()
	known := testFiles(t)
	for _, table := range invariants {
		for number, line := range strings.Split(read(t, table), "\n") {
			cells, ok := row(line)
			if !ok {
				continue
			}
			proof := cells[len(cells)-1]
			names := testName.FindAllString(proof, -1)
			for _, name := range names {
				if known[name] == "" {
					t.Errorf("%s:%d: no test is called %s", table, number+1, name)
				}
			}
			if len(names) == 0 {
				t.Errorf("%s:%d: the last cell names no test: %s", table, number+1, proof)
			}
		}
	}
}

// row splits a table's line into cells; headings and rules are none.
func row(line string) (cells []string, ok bool) {
	line, begins := strings.CutPrefix(strings.TrimSpace(line), "|")
	line, ends := strings.CutSuffix(line, "|")
	if !begins || !ends || strings.Trim(line, "|-: ") == "" {
		return nil, false
	}
	cells = strings.Split(strings.ReplaceAll(line, `\|`, "¦"), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells, cells[len(cells)-1] != "test"
}

// testFiles finds the file of each test.
func testFiles(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, file := range goFiles(t) {
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && file.isTest() {
				found[f.Name.Name] = file.name
			}
		}
	}
	return found
}

func TestDocuments_LinkToFilesThatExist(t *testing.T) {
	t.Parallel()
	for _, name := range sources(t, ".md") {
		for _, match := range link.FindAllStringSubmatch(read(t, name), -1) {
			target := match[1]
			if strings.Contains(target, "://") || target == "" {
				continue
			}
			if _, err := os.Stat(filepath.Join(root, path.Dir(name), target)); err != nil {
				t.Errorf("%s: the link %s leads nowhere", name, target)
			}
		}
	}
}

// TestDocuments_ListEveryDependency compares the README's table with what go.mod
// requires directly.
func TestDocuments_ListEveryDependency(t *testing.T) {
	t.Parallel()
	want, got := map[string]string{}, map[string]string{}
	for _, match := range required.FindAllStringSubmatch(read(t, "go.mod"), -1) {
		want[match[1]] = match[2]
	}
	_, section, _ := strings.Cut(read(t, "README.md"), "\n## Dependencies\n")
	for line := range strings.Lines(section) {
		cells, ok := row(line)
		if !ok || len(cells) != 3 {
			continue
		}
		versions := strings.Split(cells[1], ", ")
		for i, name := range quoted.FindAllStringSubmatch(cells[0], -1) {
			got[name[1]] = versions[min(i, len(versions)-1)]
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("go.mod and the table of the README (-go.mod +README):\n%s", diff)
	}
}
