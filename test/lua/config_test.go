// Copyright (c) 2026 the claudecoded authors. MIT license.

package lua_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"claudecoded/test/nvimtest"
)

const badPorts = "Invalid port range: port_range needs numbers min and max, 0 < min <= max <= 65535"

func TestConfig_RefusesABadOptionWithItsMessage(t *testing.T) {
	rows := [][2]string{
		{`{ port_range = { min = 2, max = 1 } }`, badPorts},
		{`{ port_range = { min = 0, max = 1 } }`, badPorts},
		{`{ port_range = { max = 65536 } }`, badPorts},
		{`{ port_range = 5 }`, badPorts},
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

// stock is every option of claudecode.nvim, each with a value it allows.
const stock = `{
	port_range = { min = 20000 }, auto_start = false, terminal_cmd = "claude", env = { A = "b" },
	log_level = "warn", track_selection = false, focus_after_send = true, visual_demotion_delay_ms = 0,
	connection_wait_delay = 0, connection_timeout = 1, queue_timeout = 1,
	models = { { name = "n", value = "v" } },
	disable_broadcast_debouncing = true, enable_broadcast_debouncing_in_tests = true,
	diff_opts = {
		layout = "unified", open_in_new_tab = true, keep_terminal_focus = true, hide_terminal_in_new_tab = true,
		on_new_file_reject = "close_window", auto_resize_terminal = false,
		vertical_split = false, open_in_current_tab = true, auto_close_on_accept = true, show_diff_stats = true,
	},
	terminal = {
		split_side = "left", split_width_percentage = 0.4, diff_split_width_percentage = 0.2, provider = "native",
		provider_opts = { external_terminal_cmd = "x %s", more = 1 }, show_native_term_exit_tip = false,
		auto_close = false, auto_insert = false, snacks_win_opts = { position = "float" }, fix_streamed_paste = true,
		cwd = "/a", git_repo_cwd = false, cwd_provider = function() end,
	},
	cwd = "/", git_repo_cwd = true, cwd_provider = function() return "/b" end,
}`

func TestConfig_AcceptsEveryOptionOfTheOriginalWithoutAWord(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		got := value[string](e, `
			local said = {}
			vim.notify = function(message) table.insert(said, message) end
			local claudecode = require("claudecode")
			local same = claudecode.setup(`+stock+`) == claudecode
			vim.wait(10)
			local c = claudecode.state.config
			return vim.inspect({
				same, said, c.port_range, #c.models, c.diff_opts.layout, c.diff_opts.open_in_new_tab,
				c.terminal.cwd, c.terminal.git_repo_cwd, c.terminal.cwd_provider(), c.terminal.provider_opts.more,
				claudecode.state.initialized, require("claudecode.config").defaults.port_range.min,
			}):gsub("%s+", " ")
		`)
		want := `{ true, {}, { max = 65535, min = 20000 }, 1, "horizontal", false, "/", true, "/b", 1, true, 10000 }`
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestConfig_WarnsOfWhatItCannotUse(t *testing.T) {
	nvimtest.Each(t, func(t *testing.T, nvim string) {
		e := start(t, nvim, options{})
		got := value[[]string](e, `
			local said = {}
			require("claudecode.log").warn = function(_, message) table.insert(said, message) end
			local c = require("claudecode.config").apply({
				auto_strat = true, zzzzzzzzzz = 1, env = { anything = "goes" }, port_range = { mni = 3 },
				diff_opts = { Layout = "vertical" }, daemon = { logfile = "x" },
				terminal = { split_side = "top", split_width_percentage = 7, provider = "tmux", auto_close = 1, terminal_cmd = "x" },
			})
			local t = c.terminal
			table.insert(said, vim.inspect({ t.split_side, t.split_width_percentage, t.provider, t.auto_close }))
			return said
		`)
		want := []string{
			`terminal.split_side must be one of: left, right; the default is used`,
			`terminal.split_width_percentage must be a number between 0 and 1; the default is used`,
			`terminal.provider must be one of: auto, snacks, native, external, none, or a table; the default is used`,
			`terminal.auto_close must be a boolean; the default is used`,
			`Unknown option: auto_strat, did you mean auto_start?`,
			`Unknown option: zzzzzzzzzz`,
			`Unknown option: daemon.logfile, did you mean daemon.log_file?`,
			`Unknown option: diff_opts.Layout, did you mean diff_opts.layout?`,
			`{ "right", 0.3, "auto", true }`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
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
