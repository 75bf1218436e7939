// Copyright (c) 2026 the claudecoded authors. MIT license.

package main

import (
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// parse reads a command line as the program does.
func parse(t *testing.T, args ...string) (*commands, error) {
	t.Helper()
	var c commands
	parser, err := kong.New(&c)
	if err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(args)
	return &c, err
}

func TestServe_ReadsPortsAsNumberOrRange(t *testing.T) {
	for text, want := range map[string]portRange{
		"":            {},
		"0":           {},
		"8080":        {Min: 8080, Max: 8080},
		"10000-65535": {Min: 10000, Max: 65535},
	} {
		t.Setenv("MCP_PORT", text)
		if c, err := parse(t, "serve"); err != nil || c.Serve.Port != want {
			t.Errorf("MCP_PORT=%q: %v, %v", text, c.Serve.Port, err)
		}
	}
	t.Setenv("MCP_PORT", "1")
	for _, text := range []string{"65536", "-1", "1-2-3", "http", "1.5", "10-x"} {
		if c, err := parse(t, "serve", "--port="+text); err == nil {
			t.Errorf("--port=%s: %v", text, c.Serve.Port)
		}
	}
}

func TestServe_ReadsTheToolTimeoutAsMilliseconds(t *testing.T) {
	for text, want := range map[string]time.Duration{"": 0, "1500": 1500 * time.Millisecond} {
		t.Setenv("MCP_TOOL_TIMEOUT", text)
		if c, err := parse(t, "serve"); err != nil || time.Duration(c.Serve.ToolTimeout) != want {
			t.Errorf("MCP_TOOL_TIMEOUT=%q: %v, %v", text, time.Duration(c.Serve.ToolTimeout), err)
		}
	}
	for _, text := range []string{"0", "-3", "soon"} {
		t.Setenv("MCP_TOOL_TIMEOUT", text)
		if c, err := parse(t, "serve"); err != nil || c.Serve.ToolTimeout >= 0 {
			t.Errorf("MCP_TOOL_TIMEOUT=%q: %v, %v", text, time.Duration(c.Serve.ToolTimeout), err)
		}
	}
}

func TestServe_ChoosesTheEditorByWhatIsKnown(t *testing.T) {
	for _, test := range []struct {
		address, nvim string
		args          []string
		editor, addr  string
	}{
		{"", "", nil, "headless", ""},
		{"", "", []string{"--nvim", "a"}, "attach", "a"},
		{"b", "", nil, "attach", "b"},
		{"", "c", nil, "attach", "c"},
		{"b", "c", nil, "attach", "b"},
		{"b", "c", []string{"--nvim", "a"}, "attach", "a"},
		{"b", "", []string{"--editor", "memory"}, "memory", "b"},
		{"", "c", []string{"--editor", "headless"}, "headless", "c"},
	} {
		// An empty variable counts as one that is not set.
		t.Setenv("NVIM_LISTEN_ADDRESS", test.address)
		t.Setenv("NVIM", test.nvim)
		c, err := parse(t, append([]string{"serve"}, test.args...)...)
		if err == nil {
			err = c.Serve.check()
		}
		if err != nil || c.Serve.Editor != test.editor || c.Serve.Nvim != test.addr {
			t.Errorf("%+v: %s at %q, %v", test, c.Serve.Editor, c.Serve.Nvim, err)
		}
	}
}
