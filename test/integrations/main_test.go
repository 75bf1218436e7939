// Copyright (c) 2026 the claudecoded authors. MIT license.

// Package integrations tests how other clients than Claude are given the editor's tools, in real
// Neovims with stand-ins for those clients, and the server that they share with Claude Code.
package integrations

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/stage"
)

func TestMain(m *testing.M) { stage.Main(m) }

// desk is an editor whose user has mcp-tools.
type desk struct {
	*stage.Editor
	t    *testing.T
	home string
}

// open starts an editor in whose PATH the commands come first, shell scripts by name. It keeps
// what it is notified of, and what on_ready and on_stop hear.
func open(t *testing.T, nvim string, commands map[string]string) *desk {
	t.Helper()
	env := stage.Environment(t)
	home := nvimtest.Lookup(env, "HOME")
	bin := filepath.Join(home, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, script := range commands {
		if err := nvimtest.WriteProgram(filepath.Join(bin, name), "#!/bin/sh\n"+script); err != nil {
			t.Fatal(err)
		}
	}
	env = append(env, "PATH="+bin+":"+os.Getenv("PATH"))
	d := &desk{stage.Open(t, stage.Options{Nvim: nvim, Env: env, UI: true}), t, home}
	d.Lua(nil, `
		heard, notified = {}, {}
		vim.notify = function(text) table.insert(notified, text) end
		mcp, bridge = require("mcp-tools"), require("mcp-tools.bridge")
		function setup(options)
			mcp.setup(vim.tbl_extend("force", {
				on_ready = function(port) table.insert(heard, port) end,
				on_stop = function() table.insert(heard, "stopped") end,
			}, options or {}))
		end
	`)
	return d
}

// shown is the value of Lua expressions, on one line.
func (d *desk) shown(expressions string) string {
	d.t.Helper()
	var result string
	d.Lua(&result, `return (vim.inspect({ `+expressions+` }):gsub("%s+", " "))`)
	return result
}

// expect waits until Lua expressions have values.
func (d *desk) expect(expressions, want string) {
	d.t.Helper()
	var got string
	defer func() {
		if got != want {
			d.t.Logf("%s is %s\n%s", expressions, got, d.shown("notified"))
		}
	}()
	nvimtest.Eventually(d.t, fmt.Sprintf("%s is %s", expressions, want), func() bool {
		got = d.shown(expressions)
		return got == want
	})
}

// says waits until the user was notified of a text.
func (d *desk) says(want string) {
	d.t.Helper()
	nvimtest.Eventually(d.t, fmt.Sprintf("%q is told", want), func() bool { return strings.Contains(d.shown("notified"), want) })
}

// read is a file that a stand-in wrote, "" if there is none yet.
func (d *desk) read(name string) string {
	text, _ := os.ReadFile(filepath.Join(d.home, name))
	return string(text)
}

// port is that of the server, once it listens.
func (d *desk) port() int {
	d.t.Helper()
	var port int
	nvimtest.Eventually(d.t, "the server listens", func() bool {
		d.Lua(&port, `return mcp.get_port() or 0`)
		return port != 0
	})
	return port
}

// token is that of the server, once it listens.
func (d *desk) token() (token string) {
	d.t.Helper()
	d.port()
	d.Lua(&token, `return bridge.get_auth_token()`)
	return token
}
