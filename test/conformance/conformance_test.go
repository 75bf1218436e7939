// Copyright (c) 2026 the claudecoded authors. MIT license.

//go:build suite

// Package conformance runs the public conformance suites of MCP against the daemon of a real
// Neovim whose user registered the tools that the suites call. How many checks of each
// scenario fail is in a table: fewer fail the test as more do.
package conformance

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

// limit is more than any suite takes: each gives up on a scenario after half a minute.
const limit = 5 * time.Minute

func TestMain(m *testing.M) { stage.Main(m) }

// suites are the columns of the table: the revision, and the release and the arguments that
// check it.
var suites = []struct {
	name, release string
	args          []string
}{
	{"legacy", "conformance-0.1", nil},
	{"2025-11-25", "conformance-0.2", []string{"--requirements", "2025-11-25"}},
	{"2026-07-28", "conformance-0.2", []string{"--requirements", "2026-07-28"}},
}

func TestSuites_ComeToWhatTheTableSays(t *testing.T) {
	modules, node := stage.Packages(t, "conformance"), stage.Node(t)
	wanted := table(t)
	for _, nvim := range nvimtest.Versions(t) {
		_, lock := stage.ServeSuite(t, nvim)
		for _, suite := range suites {
			t.Run(filepath.Base(filepath.Dir(filepath.Dir(nvim)))+"/"+suite.name, func(t *testing.T) {
				out := t.TempDir()
				args := append([]string{
					"--import", filepath.Join(nvimtest.Root(t), "test", "conformance", "token.mjs"),
					filepath.Join(modules, suite.release, "dist", "index.js"),
					"server", "--url", fmt.Sprintf("http://127.0.0.1:%d/mcp", lock.Port), "-o", out,
				}, suite.args...)
				output := run(t, append(nvimtest.Env(t), "CONFORMANCE_TOKEN="+lock.AuthToken), node, args...)
				compare(t, failures(t, out), wanted[suite.name])
				if t.Failed() {
					t.Logf("the suite said:\n%s", output)
				}
			})
		}
	}
}

// run runs a program, whose exit code says nothing: some scenarios always fail.
func run(t *testing.T, env []string, program string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = env
	cmd.WaitDelay = time.Second
	timer := time.AfterFunc(limit, func() {
		t.Errorf("still running after %v", limit)
		_ = cmd.Process.Kill()
	})
	defer timer.Stop()
	output, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatalf("%s: %v", program, err)
	}
	return string(output)
}

// check is one of the checks of a scenario.
type check struct{ ID, Status, ErrorMessage string }

var stamp = regexp.MustCompile(`^server-(.*)-\d{4}-\d\d-\d\dT[-\d]+Z$`)

// failures are the checks of each scenario that failed, as the suite wrote them down. A
// warning is a failure.
func failures(t *testing.T, dir string) map[string][]check {
	t.Helper()
	found := map[string][]check{}
	files, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := stamp.FindStringSubmatch(filepath.Base(filepath.Dir(file)))
		if name == nil {
			t.Fatalf("%s does not name a scenario", file)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var checks []check
		if err := json.Unmarshal(text, &checks); err != nil {
			t.Fatal(err)
		}
		found[name[1]] = slices.DeleteFunc(checks, func(c check) bool {
			return !slices.Contains([]string{"FAILURE", "WARNING"}, c.Status)
		})
	}
	return found
}

func compare(t *testing.T, got map[string][]check, wanted map[string]int) {
	t.Helper()
	passed := 0
	for _, scenario := range slices.Sorted(maps.Keys(got)) {
		failed := got[scenario]
		if len(failed) == 0 {
			passed++
		}
		if want, known := wanted[scenario]; !known {
			t.Errorf("%s is not in the table: %+v", scenario, failed)
		} else if want != len(failed) {
			t.Errorf("%s: %d checks failed, the table says %d: %+v", scenario, len(failed), want, failed)
		}
	}
	for scenario := range wanted {
		if _, ran := got[scenario]; !ran {
			t.Errorf("%s did not run", scenario)
		}
	}
	t.Logf("%d of %d scenarios passed", passed, len(got))
}

// table reads scenarios.txt: how many checks of each scenario fail, by suite.
func table(t *testing.T) map[string]map[string]int {
	t.Helper()
	file, err := os.Open("scenarios.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	wanted := map[string]map[string]int{}
	for _, suite := range suites {
		wanted[suite.name] = map[string]int{}
	}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		line, _, _ := strings.Cut(lines.Text(), "#")
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if len(words) != 1+len(suites) {
			t.Fatalf("scenarios.txt: %q has not %d words", line, 1+len(suites))
		}
		for i, suite := range suites {
			if word := words[1+i]; word != "-" {
				if wanted[suite.name][words[0]], err = strconv.Atoi(word); err != nil {
					t.Fatalf("scenarios.txt: %v", err)
				}
			}
		}
	}
	return wanted
}
