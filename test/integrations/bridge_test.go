// Copyright (c) 2026 the claudecoded authors. MIT license.

package integrations

import (
	"fmt"
	"testing"

	"claudecoded/test/nvimtest"
	"claudecoded/test/wire"
)

// state shows what the two sides know of the server.
const state = `mcp.is_running(), mcp.get_port() ~= nil, require("claudecode").state.port ~= nil`

func each(t *testing.T, f func(d *desk)) {
	t.Helper()
	t.Parallel()
	nvimtest.Each(t, func(t *testing.T, nvim string) { f(open(t, nvim, nil)) })
}

func TestBridge_SharesTheServerThatClaudeCodeStarted(t *testing.T) {
	each(t, func(d *desk) {
		d.Lua(nil, `setup()`)
		d.Command("ClaudeCodeStart")
		d.Lua(nil, `mcp.start()`)
		d.expect("heard", fmt.Sprintf("{ { %d } }", d.port()))
		d.Lua(nil, `mcp.start()`)
		d.says(fmt.Sprintf("[mcp-tools] Bridge already running on port %d", d.port()))
		d.Lua(nil, `mcp.stop() mcp.stop()`)
		d.expect("#heard, heard[2], "+state, `{ 2, "stopped", true, true, true }`)
		d.Lua(nil, `mcp.start()`)
		d.expect("#heard", "{ 3 }")
		d.Command("ClaudeCodeStop")
		d.expect("#heard, "+state, `{ 3, true, true, true }`)
		d.Lua(nil, `mcp.stop()`)
		d.expect("#heard, heard[4], "+state, `{ 4, "stopped", false, false, false }`)
	})
}

func TestBridge_ServerGoesOnForClaudeCodeThatCameLater(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]string{
		"by command": `vim.cmd.ClaudeCodeStart()`,
		"in setup()": `local c = require("claudecode") c.setup({ daemon = c.state.config.daemon })`,
	} {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				d := open(t, nvim, nil)
				d.Lua(nil, `setup() mcp.start()`)
				d.expect("#heard", "{ 1 }")
				d.Lua(nil, start)
				d.Lua(nil, `mcp.stop()`)
				d.expect("heard[2], "+state, `{ "stopped", true, true, true }`)
				var answer []any
				d.Lua(&answer, `return { require("claudecode").start() }`)
				if fmt.Sprint(answer) != "[false Already running]" {
					t.Error(answer)
				}
				d.Command("ClaudeCodeStop")
				d.expect(state, "{ false, false, false }")
			})
		})
	}
}

func TestBridge_StartAnswersClaudeCodeWithThePortThatIsThere(t *testing.T) {
	each(t, func(d *desk) {
		d.Lua(nil, `setup() mcp.start()`)
		d.expect("#heard", "{ 1 }")
		var answer []any
		d.Lua(&answer, `return { require("claudecode").start() }`)
		if want := fmt.Sprintf("[true %d]", d.port()); fmt.Sprint(answer) != want {
			d.t.Errorf("%v, not %s", answer, want)
		}
	})
}

func TestBridge_PortIsThatOfTheOptionsOrOfTheCall(t *testing.T) {
	t.Parallel()
	rows := map[string]struct {
		script string
		want   int // which of the free ports
	}{
		"bridge.port": {`require("claudecode").state.config.port_range = require("claudecode.config").make_defaults().port_range
			setup({ bridge = { port = ports[1] } }) mcp.start()`, 0},
		"port_range wins": {`setup({ bridge = { port = ports[1] } })
			require("claudecode").state.config.port_range = { min = ports[2], max = ports[2] } mcp.start()`, 1},
		"the call wins": {`setup({ bridge = { port = ports[1] } })
			require("claudecode").state.config.port_range = { min = ports[2], max = ports[2] } mcp.start({ port = ports[3] })`, 2},
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			nvimtest.Each(t, func(t *testing.T, nvim string) {
				d, low := open(t, nvim, nil), wire.FreePorts(t, 3)
				ports := []int{low, low + 1, low + 2}
				d.Lua(nil, `local ports = ... `+row.script, ports)
				d.expect("heard", fmt.Sprintf("{ { %d } }", ports[row.want]))
			})
		})
	}
}

func TestBridge_CanBeStartedRightAfterItWasStopped(t *testing.T) {
	each(t, func(d *desk) {
		d.Lua(nil, `setup() mcp.start()`)
		d.expect("#heard", "{ 1 }")
		d.Lua(nil, `mcp.stop() mcp.start()`)
		d.expect("#heard, heard[2], heard[3] == mcp.get_port(), "+state, `{ 3, "stopped", true, true, true, true }`)
		d.Lua(nil, `mcp.stop()`)
		d.expect("#heard, heard[4], bridge.get_auth_token() == nil, "+state, `{ 4, "stopped", true, false, false, false }`)
	})
}

func TestBridge_ServesWhoAsksForItWheneverThatIs(t *testing.T) {
	each(t, func(d *desk) {
		d.Lua(nil, `
			setup()
			ports, firsts = {}, {}
			function ask()
				table.insert(firsts, bridge.when_ready(function(port) table.insert(ports, port) end))
			end
			ask() ask()
		`)
		d.expect("#ports, #heard, firsts", "{ 2, 1, { true, false } }")
		d.Lua(nil, `ask()`)
		d.expect("#ports, ports[1] == ports[3], ports[3] == heard[1], firsts[3]", "{ 3, true, true, false }")
		d.Lua(nil, `mcp.stop() require("claudecode").state.config.daemon.cmd = "/no/such" ask()`)
		d.says("daemon.cmd is not executable: /no/such")
		d.expect("#ports, heard[#heard], mcp.is_running()", `{ 3, "stopped", false }`)
	})
}
