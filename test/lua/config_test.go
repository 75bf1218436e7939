// Copyright (c) 2026 the claudecoded authors. MIT license.

package lua_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"claudecoded/test/nvimtest"
)

func TestConfig_RefusesABadOptionWithItsMessage(t *testing.T) {
	rows := [][2]string{
		{`{ port_range = { min = 2, max = 1 } }`, "Invalid port range"},
		{`{ port_range = { min = 0, max = 1 } }`, "Invalid port range"},
		{`{ port_range = { max = 65536 } }`, "Invalid port range"},
		{`{ port_range = 5 }`, "Invalid port range"},
		{`{ auto_start = "yes" }`, "auto_start must be a boolean"},
		{`{ terminal_cmd = 5 }`, "terminal_cmd must be nil or a string"},
		{`{ terminal = 5 }`, "terminal must be a table"},
		{`{ log_level = "loud" }`, "log_level must be one of: trace, debug, info, warn, error"},
		{`{ track_selection = 1 }`, "track_selection must be a boolean"},
		{`{ focus_after_send = 1 }`, "focus_after_send must be a boolean"},
		{`{ visual_demotion_delay_ms = -1 }`, "visual_demotion_delay_ms must be a non-negative number"},
		{`{ connection_wait_delay = -1 }`, "connection_wait_delay must be a non-negative number"},
		{`{ connection_timeout = 0 }`, "connection_timeout must be a positive number"},
		{`{ queue_timeout = "x" }`, "queue_timeout must be a positive number"},
		{`{ diff_opts = 1 }`, "diff_opts must be a table"},
		{`{ env = 1 }`, "env must be a table"},
		{`{ env = { 1 } }`, "env keys must be strings"},
		{`{ env = { A = 1 } }`, "env values must be strings"},
		{`{ models = {} }`, "models must not be empty"},
		{`{ models = { 1 } }`, "models[1] must be a table"},
		{`{ models = { { name = "", value = "x" } } }`, "models[1].name must be a non-empty string"},
		{`{ models = { { name = "x" } } }`, "models[1].value must be a non-empty string"},
		{`{ daemon = 1 }`, "daemon must be a table"},
		{`{ daemon = { cmd = {} } }`, "daemon.cmd must be a string or a list of strings"},
		{`{ daemon = { cmd = "" } }`, "daemon.cmd must be a string or a list of strings"},
		{`{ daemon = { cmd = { 1 } } }`, "daemon.cmd must be a string or a list of strings"},
		{`{ daemon = { log_file = 1 } }`, "daemon.log_file must be a string"},
		{`{ daemon = { ping_interval_ms = 1.5 } }`, "daemon.ping_interval_ms must be a positive integer"},
		{`{ daemon = { max_clients = 0 } }`, "daemon.max_clients must be a positive integer"},
		{`{ daemon = { allowed_hosts = "a" } }`, "daemon.allowed_hosts must be a list of names"},
		{`{ daemon = { allowed_hosts = { a = "b" } } }`, "daemon.allowed_hosts must be a list of names"},
		{`{ daemon = { allowed_hosts = { "a", "" } } }`, "daemon.allowed_hosts must be a list of names"},
		{`{ daemon = { allowed_hosts = { 1 } } }`, "daemon.allowed_hosts must be a list of names"},
	}
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		for _, row := range rows {
			got := value[string](e, `
				local ok, err = pcall(require("claudecode").setup, assert(loadstring("return " .. ...))())
				return ok and "accepted" or (err:gsub("^[^:]+:%d+: ", ""))
			`, row[0])
			if got != row[1] {
				t.Errorf("%s: %s", row[0], got)
			}
		}
	})
}

func TestConfig_AcceptsEveryOptionOfTheOriginal(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		got := value[string](e, `
			local claudecode = require("claudecode")
			local same = claudecode.setup({
				port_range = { min = 20000 }, auto_start = false, terminal_cmd = "claude", env = { A = "b" },
				log_level = "warn", track_selection = false, focus_after_send = true, visual_demotion_delay_ms = 0,
				connection_wait_delay = 0, connection_timeout = 1, queue_timeout = 1,
				models = { { name = "n", value = "v" } }, disable_broadcast_debouncing = true,
				diff_opts = { layout = "unified", open_in_new_tab = true, keep_terminal_focus = true, vertical_split = true },
				terminal = { split_side = "left", provider = "none", provider_opts = { external_terminal_cmd = "x %s" } },
				cwd = "/", git_repo_cwd = true, cwd_provider = function() end, no_such_option = 1,
			}) == claudecode
			local c = claudecode.state.config
			return vim.inspect({
				same, c.port_range, #c.models, c.diff_opts.layout, c.no_such_option, claudecode.state.initialized,
				require("claudecode.config").defaults.port_range.min,
			}):gsub("%s+", " ")
		`)
		if diff := cmp.Diff(`{ true, { max = 65535, min = 20000 }, 1, "unified", 1, true, 10000 }`, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestConfig_NeverChangesTheDefaults(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		got := value[string](e, `
			local config = require("claudecode.config")
			local mine = { port_range = { min = 5 }, models = { { name = "n", value = "v" } } }
			local c = config.apply(mine)
			c.env.A, c.port_range.max = "b", 6
			table.insert(config.apply().models, "x")
			return vim.inspect({ config.defaults.env, config.defaults.port_range, #config.defaults.models, #c.models, mine.port_range })
				:gsub("%s+", " ")
		`)
		if diff := cmp.Diff(`{ {}, { max = 65535, min = 10000 }, 6, 1, { min = 5 } }`, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestVersion_IsOneFact(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		got := value[string](e, `
			local claudecode = require("claudecode")
			local v = claudecode.get_version()
			claudecode.version.prerelease = "rc1"
			return ("%s %d.%d.%d %s"):format(v.version, v.major, v.minor, v.patch, claudecode.version:string())
		`)
		if got != "0.1.0 0.1.0 0.1.0-rc1" {
			t.Error(got)
		}
	})
}
