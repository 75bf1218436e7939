// Copyright (c) 2026 the claudecoded authors. MIT license.

package arch_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// edges is the direction of imports: a layer may import these others of ours. A
// layer that is missing here may import every one: only cmd, which wires them, and
// test, whose packages span them.
var edges = map[string][]string{
	"codec":      {},
	"reactor":    {},
	"session":    {"codec", "reactor"},
	"mcp":        {},
	"nvimbridge": {"mcp"},
	"lua":        {},
	"bench":      {"codec", "reactor", "session", "mcp", "nvimbridge"},
}

// unbound are the layers that edges leaves out.
var unbound = []string{"cmd", "test", "tools"}

// harness is what the tests of every layer may import besides.
const harness = module + "/test/nvimtest"

// owners names the layers that may import a library, for those that must not spread:
// the seams keep them replaceable, and some are safe only behind a guard.
var owners = map[string][]string{
	"github.com/panjf2000/gnet":             {"reactor"},
	"github.com/gobwas/ws":                  {"codec", "session", "bench", "test"},
	"github.com/santhosh-tekuri/jsonschema": {"mcp"},
	"github.com/neovim/go-client":           {"nvimbridge", "cmd", "test"},
	"github.com/alecthomas/kong":            {"cmd"},
}

func imports(t *testing.T, visit func(file goFile, path, position string)) {
	t.Helper()
	for _, file := range goFiles(t) {
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			visit(file, path, file.at(spec))
		}
	}
}

func TestImports_PointOneWay(t *testing.T) {
	t.Parallel()
	imports(t, func(file goFile, path, position string) {
		ours, ok := strings.CutPrefix(path, module+"/")
		if !ok || file.isTest() && path == harness {
			return
		}
		from, to := layer(file.name), layer(ours)
		if slices.Contains(unbound, from) || from == to {
			return
		}
		allowed, known := edges[from]
		switch {
		case !known:
			t.Errorf("%s: the layer %s is not in the table of edges", position, from)
		case !slices.Contains(allowed, to):
			t.Errorf("%s: %s must not import %s", position, from, path)
		}
	})
}

func TestLibraries_StayInTheirLayer(t *testing.T) {
	t.Parallel()
	imports(t, func(file goFile, path, position string) {
		for library, layers := range owners {
			if strings.HasPrefix(path+"/", library+"/") && !file.isTest() && !slices.Contains(layers, layer(file.name)) {
				t.Errorf("%s: only %v may import %s", position, layers, library)
			}
		}
	})
}
