// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/neovim/go-client/msgpack"

	"claudecoded/mcp"
)

// from builds the message that arrives when Neovim sends v.
func from(t testing.TB, v any) *message {
	t.Helper()
	var buf bytes.Buffer
	if err := msgpack.NewEncoder(&buf).Encode(v); err != nil {
		t.Fatal(err)
	}
	var m *message
	if err := msgpack.NewDecoder(&buf).Decode(&m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMessage_SurvivesWhatIsNotAMap(t *testing.T) {
	t.Parallel()
	for _, v := range []any{nil, 1, "x", true, 1.5, array{1, array{2}}, handle8{}, array{}, object{}} {
		m := from(t, v)
		if m.has("x") || m.isTrue("x") || m.bytes() != 0 {
			t.Errorf("%#v has keys", v)
		}
		if err := m.require(want{"x", new(int)}); err == nil {
			t.Errorf("%#v has what is required", v)
		}
	}
}

func TestMessage_AnEmptyLuaTableIsAnEmptyMap(t *testing.T) {
	t.Parallel()
	for _, v := range []any{array{}, object{}, nil} {
		if err := from(t, v).read(want{"x", new(int)}); err != nil {
			t.Errorf("%#v: %v", v, err)
		}
	}
	if err := from(t, array{1}).read(); err == nil {
		t.Error("a list is a map")
	}
}

func TestMessage_NilIsAbsent(t *testing.T) {
	t.Parallel()
	m := from(t, object{"n": nil, "s": "null", "e": ""})
	n, s := 7, "default"
	if err := m.read(want{"n", &n}, want{"s", &s}); err != nil || n != 7 || s != "null" {
		t.Error(n, s, err)
	}
	if err := m.require(want{"n", &n}); err == nil {
		t.Error("nil is there")
	}
	if !m.has("e") {
		t.Error("an empty string is absent")
	}
}

func TestAnswerOutcome(t *testing.T) {
	t.Parallel()
	wrong := &mcp.Error{Code: -32603, Message: "Internal error", Data: []byte(`"The plugin answered in an unexpected format"`)}
	text := func(s, quoted string) *mcp.Error { return &mcp.Error{Code: -32000, Message: s, Data: []byte(quoted)} }
	for name, c := range map[string]struct {
		answer any
		want   mcp.Outcome
	}{
		"result":            {object{"done": true, "result": array{1}}, mcp.Outcome{Result: []byte(`[1]`)}},
		"no error":          {object{"done": true, "error": nil, "result": 1}, mcp.Outcome{Result: []byte(`1`)}},
		"text":              {object{"done": true, "result": "a\"b"}, mcp.Outcome{Result: []byte(`"a\"b"`)}},
		"nothing":           {object{"done": true}, mcp.Outcome{Result: []byte(`null`)}},
		"false":             {object{"done": true, "result": false}, mcp.Outcome{Result: []byte(`false`)}},
		"error text":        {object{"done": true, "error": "no"}, mcp.Outcome{Err: text("no", `"no"`)}},
		"error with code":   {object{"done": true, "error": object{"code": -32001, "message": "File not open", "data": object{"x": 1}}}, mcp.Outcome{Err: &mcp.Error{Code: -32001, Message: "File not open", Data: []byte(`{"x":1}`)}}},
		"error, no text":    {object{"done": true, "error": object{"code": 1}}, mcp.Outcome{Err: text("the tool failed", `"the tool failed"`)}},
		"error of a kind":   {object{"done": true, "error": 5}, mcp.Outcome{Err: text("the tool failed", `"the tool failed"`)}},
		"error is not JSON": {object{"done": true, "error": object{"message": math.NaN()}}, mcp.Outcome{Err: text("the tool failed", `"the tool failed"`)}},
		"nil":               {nil, mcp.Outcome{Err: wrong}},
		"a number":          {3, mcp.Outcome{Err: wrong}},
		"neither":           {object{"result": 1}, mcp.Outcome{Err: wrong}},
		"done is no bool":   {object{"done": "yes"}, mcp.Outcome{Err: wrong}},
	} {
		if diff := cmp.Diff(c.want, answerOutcome(from(t, c.answer), nil)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	got := answerOutcome(nil, errors.New("E5108"))
	if got.Err == nil || got.Err.Message != "the plugin failed: E5108" {
		t.Error(got.Err)
	}
}

func TestReadStartOptions(t *testing.T) {
	t.Parallel()
	full := object{
		"protocol": 1, "version": "0.1", "port_min": 10000, "port_max": 65535, "token": "0123456789", "lock": false,
		"lock_dir": "/d", "pid": 5, "workspace_folders": array{"/a", "/b"}, "ide_name": "Neovim", "ping_interval_ms": 30000,
		"max_clients": 64, "allowed_hosts": array{"h"}, "clients_created": 9, "log_level": "info", "log_file": "/l", "unknown": object{"x": 1},
	}
	want := StartOptions{Protocol: 1, Version: "0.1", PortMin: 10000, PortMax: 65535, Token: "0123456789", LockDir: "/d",
		PID: 5, WorkspaceFolders: []string{"/a", "/b"}, IDEName: "Neovim", PingInterval: 30e9, MaxClients: 64,
		AllowedHosts: []string{"h"}, ClientsCreated: 9, LogLevel: "info", LogFile: "/l"}
	o, err := readStartOptions(from(t, full))
	if diff := cmp.Diff(want, o); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if o, err = readStartOptions(from(t, object{})); err != nil || !o.Lock {
		t.Errorf("by default the lock file is written: %+v %v", o, err)
	}
	for key, value := range map[string]any{"port_min": "1", "port_max": 1.5, "lock": 1, "workspace_folders": "x", "clients_created": -1, "token": array{1}} {
		if _, err := readStartOptions(from(t, object{key: value})); err == nil || err.Error() != key+" has the wrong type" {
			t.Errorf("%s = %v: %v", key, value, err)
		}
	}
}

func TestReadTools_LeavesOutWhatIsMalformed(t *testing.T) {
	t.Parallel()
	tools, err := readTools(from(t, object{"tools": array{
		object{"name": "a", "description": "d", "input_schema": `{"type":"object"}`, "ide": true, "ui": true, "timeout_ms": 1500},
		object{"name": "b", "description": 5},
		object{"name": "c", "timeout_ms": 0},
		object{"description": "no name"},
		object{"name": "d", "timeout_ms": 1e300},
		"x",
		object{
			"name": "e", "title": "E", "output_schema": `{"type":"object"}`, "annotations": `{"readOnlyHint":true}`,
			"meta": `{"a":1}`, "icons": `[]`, "result_limit": 100,
			"policy": "ask", "policy_args": []string{"x", "y"},
		},
		object{"name": "f", "result_limit": 0, "mcp": true},
		object{"name": "h", "ide": true, "mcp": false},
		object{"name": "g", "annotations": object{"a": 1}},
	}}))
	want := []mcp.Tool{
		{Name: "a", Description: "d", InputSchema: []byte(`{"type":"object"}`), IDE: true, UI: true, Timeout: 1500e6},
		{Name: "c", Timeout: -1},
		{Name: "d", Timeout: milliseconds(1e300)},
		{
			Name: "e", Title: "E", OutputSchema: []byte(`{"type":"object"}`), Annotations: []byte(`{"readOnlyHint":true}`),
			Meta: []byte(`{"a":1}`), Icons: []byte(`[]`), ResultLimit: 100,
			Policy: mcp.Ask, PolicyArgs: []string{"x", "y"},
		},
		{Name: "f", ResultLimit: -1},
		{Name: "h", IDE: true, IDEOnly: true},
	}
	if diff := cmp.Diff(want, tools, cmpopts.IgnoreUnexported(mcp.Tool{}), cmpopts.EquateEmpty()); diff != "" || err == nil {
		t.Error(diff, err)
	}
	if tools[2].Timeout <= 0 {
		t.Error("a huge timeout overflowed")
	}
	for _, v := range []any{object{}, object{"tools": 5}, object{"tools": object{"a": 1}}, 5, nil} {
		if tools, err := readTools(from(t, v)); tools != nil || err == nil {
			t.Errorf("%#v: %v %v", v, tools, err)
		}
	}
	if tools, err := readTools(from(t, object{"tools": array{}})); tools == nil || err != nil {
		t.Errorf("an empty catalogue: %v %v", tools, err)
	}
}
