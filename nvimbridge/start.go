// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"claudecoded/mcp"
)

// readStart reads start. What is wrong with it goes back to Neovim, where
// somebody waits.
func readStart(m *message) (action, error) {
	o, err := readStartOptions(m)
	if err != nil {
		return func(b *Bridge) { b.Failed("the plugin sent a wrong start message: "+err.Error(), "") }, err
	}
	return func(b *Bridge) {
		if err := b.checkProtocol(o.Protocol); err != nil {
			b.Failed(err.Error(), "")
			return
		}
		b.host.Start(o)
	}, nil
}

func readStartOptions(m *message) (StartOptions, error) {
	o := StartOptions{Lock: true}
	var ping float64
	err := m.read(
		want{"protocol", &o.Protocol}, want{"version", &o.Version},
		want{"port_min", &o.PortMin}, want{"port_max", &o.PortMax},
		want{"token", &o.Token},
		want{"lock", &o.Lock}, want{"lock_dir", &o.LockDir},
		want{"pid", &o.PID}, want{"workspace_folders", &o.WorkspaceFolders}, want{"ide_name", &o.IDEName},
		want{"ping_interval_ms", &ping},
		want{"max_clients", &o.MaxClients}, want{"clients_created", &o.ClientsCreated},
		want{"allowed_hosts", &o.AllowedHosts},
		want{"log_level", &o.LogLevel}, want{"log_file", &o.LogFile},
	)
	o.PingInterval = milliseconds(ping)
	return o, err
}

// checkProtocol compares the plugin's protocol number with ours, before anything
// could be misread.
func (b *Bridge) checkProtocol(theirs int) error {
	if theirs == Protocol {
		return nil
	}
	return fmt.Errorf("claudecoded %s speaks protocol %d and the plugin protocol %d: "+
		"build the daemon again (make build in the plugin's folder) or update the plugin",
		b.cfg.Version, Protocol, theirs)
}

func readCatalogue(m *message) (action, error) {
	tools, err := readTools(m)
	if tools == nil {
		return nil, err
	}
	return func(b *Bridge) { b.host.Catalogue(tools) }, err
}

// readTools reads a catalogue. A malformed tool is left out and is the error; the
// others are returned all the same. Nil: there is no catalogue at all.
func readTools(m *message) ([]mcp.Tool, error) {
	var entries []json.RawMessage
	if err := m.require(want{"tools", &entries}); err != nil {
		return nil, err
	}
	tools := make([]mcp.Tool, 0, len(entries))
	var fault error
	for i, entry := range entries {
		tool, err := readTool(entry)
		if err != nil {
			fault = fmt.Errorf("tool %d of the catalogue: %w", i+1, err)
			continue
		}
		tools = append(tools, tool)
	}
	return tools, fault
}

func readTool(entry []byte) (mcp.Tool, error) {
	var t struct {
		Name                     string
		Title                    string
		Description              string
		InputSchema              string `json:"input_schema"`
		OutputSchema             string `json:"output_schema"`
		Annotations, Meta, Icons string
		IDE                      bool
		MCP                      *bool
		UI                       bool
		TimeoutMS                *float64 `json:"timeout_ms"`
		ResultLimit              *float64 `json:"result_limit"`
		Policy                   string
		PolicyArgs               []string `json:"policy_args"`
	}
	if json.Unmarshal(entry, &t) != nil {
		return mcp.Tool{}, fmt.Errorf("a key %w", errType)
	}
	tool := mcp.Tool{
		Name: t.Name, Title: t.Title, Description: t.Description,
		InputSchema: []byte(t.InputSchema), OutputSchema: []byte(t.OutputSchema),
		Annotations: []byte(t.Annotations), Meta: []byte(t.Meta), Icons: []byte(t.Icons),
		IDE: t.IDE, IDEOnly: t.MCP != nil && !*t.MCP, UI: t.UI, ResultLimit: limitOf(t.ResultLimit),
		PolicyArgs: t.PolicyArgs,
	}
	if t.Policy != "" {
		// A default that nobody understands is the strictest.
		tool.Policy, _ = mcp.ParseAction(t.Policy)
	}
	switch {
	case t.Name == "":
		return mcp.Tool{}, fmt.Errorf("it has no name")
	case t.TimeoutMS == nil:
	case *t.TimeoutMS <= 0:
		tool.Timeout = -1 // none
	default:
		tool.Timeout = milliseconds(*t.TimeoutMS)
	}
	return tool, nil
}

// limitOf reads a number of which nil is the default, 0, and 0 is none, -1.
func limitOf(n *float64) int {
	switch {
	case n == nil:
		return 0
	case *n < 1:
		return -1
	}
	return int(min(*n, math.MaxInt32))
}

// milliseconds is n ms, at most a year, so that nothing overflows.
func milliseconds(n float64) time.Duration {
	const year = 365 * 24 * time.Hour
	return time.Duration(min(n, float64(year/time.Millisecond)) * float64(time.Millisecond))
}
