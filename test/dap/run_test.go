// Copyright (c) 2026 the claudecoded authors. MIT license.

package dap

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
			return args{"name": "s", "type": adapter, "request": "launch", "wait_timeout_ms": 2000}
		}
		e.refused("run", launch("none"), failed+`no adapter is called "none", only: fake, gone, never, raises`)
		e.refused("run", launch("gone"), failed+"the debug adapter's program /no/such/program cannot be run")
		e.refused("run", brief("never"), failed+"nvim-dap has none after 2000 ms, see :messages and :DapShowLog")
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
		e.refused("run", brief("fake"), failed+"the debug adapter has not answered after 2000 ms; debug session 3 goes on")
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
		// What other editors take nvim-dap alone does not.
		e.Write(".vscode/launch.json", `{
			// each line "may have
			"configurations": [ /* , */
				{ "name": "loose", "type": "fake", "request": "launch", "url": "http://a,}\"", }, // this
			],
		}`)
		run = e.start("run", args{"name": "loose"})
		a = e.next()
		run.has("Started debug session 'loose'")
		a.saw("launch", `a,}\""`)
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
		// That the program from before ends is not the end.
		a.in(filepath.Join(e.Project, "main.fake"))
		asked := a.later("restart")
		restart = e.start("restart", args{"wait_until_paused": true})
		r := asked()
		a.event("exited", object{"exitCode": 0})
		a.respond(r, object{})
		e.want("threads", nil) // by then both were heard of
		a.stop(2, "entry")
		restart.has("main.fake:2", `"session":3`)
	})
}

// TestRun_OfSeveralAtOnceKnowsEachSession whichever adapter comes first.
func TestRun_OfSeveralAtOnceKnowsEachSession(t *testing.T) {
	each(t, func(t *testing.T, e *editor) {
		e.Lua(nil, `
			local fake, wait = require("dap").adapters.fake, {}
			require("dap").adapters.fake = function(done, config)
				wait[config.which] = function() done(fake) end
			end
			function go(which) wait[which]() end
			function waits(which) return wait[which] ~= nil end
		`)
		launch := func(name, which string) args {
			return args{"name": name, "type": "fake", "request": "launch", "which": which}
		}
		// Most of them hear of a session before the one that made it does.
		names := []string{"a", "b", "c", "d", "e"}
		runs := map[string]*call{}
		for _, name := range names {
			runs[name] = e.start("run", launch(name, name))
			e.eventually(`waits(...)`, name)
		}
		for i, name := range names {
			e.Lua(nil, `go(...)`, name)
			e.next()
			runs[name].has(fmt.Sprintf("Started debug session '%s'", name), fmt.Sprintf(`"session":%d`, i+1))
		}
		one, two := e.start("run", launch("twin", "one")), e.start("run", launch("twin", "two"))
		for _, which := range []string{"one", "two"} {
			e.eventually(`waits(...)`, which)
			e.Lua(nil, `go(...)`, which)
			e.next()
		}
		all := one.has("Started debug session 'twin'") + two.has("Started debug session 'twin'")
		if !strings.Contains(all, `"session":6`) || !strings.Contains(all, `"session":7`) {
			t.Errorf("not one each: %s", all)
		}
	})
}
