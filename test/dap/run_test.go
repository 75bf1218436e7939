// Copyright (c) 2026 the claudecoded authors. MIT license.

package dap

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRun_SaysWhyNothingStarts(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		e.Lua(nil, `
			local dap = require("dap")
			dap.adapters.gone = { type = "executable", command = "/no/such/program" }
			dap.adapters.never = function() end
			dap.adapters.raises = function() error("oh") end
			dap.configurations.fake = { { name = "asks", type = "fake", request = "launch", program = function() error("called") end } }
		`)
		const failed = "Failed to start debug session: "
		launch := func(adapter string) args { return args{"name": "s", "type": adapter, "request": "launch"} }
		brief := func(adapter string) args {
			return args{"name": "s", "type": adapter, "request": "launch", "wait_timeout_ms": 200}
		}
		e.refused("run", launch("none"), failed+`no adapter is called "none", only: fake, gone, never, raises`)
		e.refused("run", launch("gone"), failed+"the debug adapter's program /no/such/program cannot be run")
		e.refused("run", brief("never"), failed+"nvim-dap has none after 200 ms, see :messages and :DapShowLog")
		e.refused("run", args{"name": "s"}, `Missing required argument: type; no configuration is called "s"`)
		e.refused("run", args{"name": "s", "type": "fake"}, `Missing required argument: request; no configuration is called "s"`)
		e.refused("run", args{"name": "asks"}, failed+"nvim-dap would ask the user for program; give it as an argument")
		e.refused("run", args{"name": "s", "type": "fake", "request": "launch", "processId": "${command:pickProcess}"},
			failed+"nvim-dap would ask the user for processId; give it as an argument")
		e.Command("enew")
		e.refused("run", args{"name": "s", "type": "fake", "request": "launch", "program": "${file}"}, "There is no current file for ${file}")
		e.Command("edit notes.txt")

		e.prepared(func(a *adapter) { a.on("launch", func(r request) { a.refuse(r, "cannot build") }) })
		e.refused("run", launch("fake"), failed+"cannot build")
		e.next()
		e.prepared(func(a *adapter) { a.on("launch", func(request) { a.die() }) })
		e.refused("run", launch("fake"), failed+"the debug adapter ended")
		e.next()
		e.prepared(func(a *adapter) { a.on("initialize", a.ignore) })
		e.refused("run", brief("fake"), failed+"the debug adapter has not answered after 200 ms; debug session 3 goes on")
		e.next()
		e.want("status", nil, `"status":"initializing"`, `"active":true`)
		e.prepared(func(*adapter) {})
	})
}

// TestRun_TakesTheUsersConfigurations by name, with what the client gives in place of its keys.
func TestRun_TakesTheUsersConfigurations(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		if err := os.Mkdir(filepath.Join(e.Project, ".vscode"), 0o700); err != nil {
			t.Fatal(err)
		}
		e.Write(".vscode/launch.json", `{"configurations":[{"name":"mine","type":"fake","request":"launch","program":"${fileBasename}","level":1}]}`)
		e.Lua(nil, `require("dap").configurations.fake = { { name = "asks", type = "fake", request = "attach", pid = function() end, more = "kept" } }`)
		e.want("status", nil, `"name":"mine"`, `"name":"asks"`, `"request":"attach"`)
		run := e.start("run", args{"name": "mine", "level": 2})
		a := e.next()
		run.has("Started debug session 'mine'")
		a.saw("launch", `"program":"notes.txt"`, `"level":2`)
		run = e.start("run", args{"name": "asks", "config": args{"pid": 7, "show": "theirs"}})
		a = e.next()
		run.has("Started debug session 'asks'")
		a.saw("attach", `"pid":7`, `"more":"kept"`, `"show":"theirs"`)
		e.Write(".vscode/launch.json", `{`)
		if _, err := e.start("run", args{"name": "mine"}).result(); err == "" {
			t.Error("a broken launch.json was read")
		}
	})
}

func TestRestart_KeepsTheSessionOrMakesAnother(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		a := e.paused("s", 2)
		restart := e.start("restart", nil)
		a.saw("disconnect", `"terminateDebuggee":true`)
		again := e.next()
		restart.has("Restarted debug session 's'", `"session":2`)
		again.saw("launch", `"name":"s"`)
		again.event("terminated", nil)
		e.eventually(`require("dap").session() == nil`)
		e.prepared(func(a *adapter) { a.can("supportsRestartRequest") })
		a = e.run("able")
		a.on("restart", func(r request) {
			a.respond(r, object{})
			a.stop(3, "entry")
		})
		e.want("restart", args{"wait_until_paused": true}, `"reason":"entry"`, `"session":3`)
	})
}
