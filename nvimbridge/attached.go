// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"context"
	"fmt"
	"path/filepath"
)

// attach makes the plugin's Lua loadable and asks it for what it would send by
// itself if it had started the daemon. A comma separates the entries of
// 'runtimepath', so one in a path is escaped.
const attach = `
local root, hello = ...
local rpc = vim.api.nvim_get_runtime_file("lua/claudecode/rpc.lua", true)
if not vim.tbl_contains(rpc, root .. "/lua/claudecode/rpc.lua") then
  vim.o.runtimepath = root:gsub(",", "\\,") .. "," .. vim.o.runtimepath
end
local answer = require("claudecode.rpc").handle("attached", hello)
local start = answer.start or {}
start.tools = answer.tools
start.rules, start.audit = (answer.policy or {}).rules, (answer.policy or {}).audit
local review = answer.review or {}
start.review, start.git, start.secret = answer.review ~= nil, review.git, review.secret
return start
`

// Attached introduces the daemon to a Neovim that did not start it: it puts
// luaRoot, the folder above the plugin's lua folder, on the runtime path if Neovim
// does not have it, sends attached, and delivers the answer to the host as a
// Catalogue and a Start. It waits for Neovim, so not on the loop goroutine.
func (b *Bridge) Attached(ctx context.Context, luaRoot string) error {
	channel, err := b.ask(ctx, "nvim_get_chan_info", 0)
	if err != nil {
		return fmt.Errorf("asking neovim for its channel: %w", err)
	}
	var id int
	if err := channel.require(want{"id", &id}); err != nil {
		return fmt.Errorf("asking neovim for its channel: %w", err)
	}
	hello := map[string]any{"channel": id, "protocol": Protocol, "version": b.cfg.Version}
	root := filepath.ToSlash(filepath.Clean(luaRoot)) // as Neovim spells it
	answer, err := b.ask(ctx, "nvim_exec_lua", attach, []any{root, hello})
	if err != nil {
		return fmt.Errorf("introducing the daemon to the plugin: %s", remoteText(err))
	}
	o, err := readStartOptions(answer)
	if err != nil {
		return fmt.Errorf("the plugin's answer: %w", err)
	}
	if err := b.checkProtocol(o.Protocol); err != nil {
		return err
	}
	catalogue, err := readCatalogue(answer)
	if catalogue == nil {
		return fmt.Errorf("the plugin's answer: %w", err)
	}
	if err != nil {
		b.cfg.Log.Warn("a tool was left out", "reason", err.Error())
	}
	policy, err := readPolicy(answer)
	if err != nil {
		return fmt.Errorf("the plugin's answer: %w", err)
	}
	review := func(*Bridge) {}
	if answer.isTrue("review") {
		if review, err = readReview(answer); err != nil {
			return fmt.Errorf("the plugin's answer: %w", err)
		}
	}
	b.post(func() {
		policy(b)
		review(b)
		catalogue(b)
		b.host.Start(o)
	})
	return nil
}
