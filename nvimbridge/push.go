// Copyright (c) 2026 the claudecoded authors. MIT license.

package nvimbridge

import (
	"os"
	"slices"
)

// maxPushes is how many pushes wait for a Neovim that does not read. Beyond it,
// written, client_ready, report and log are dropped, which Neovim can do without, and a client that came
// and left unread is not mentioned. What is left is bounded by the clients that
// are connected, the calls in flight and the questions that Neovim asks.
const maxPushes = 4096

// handle is the Lua that runs one message of PROTOCOL.md's second table.
const handle = `return require("claudecode.rpc").handle(...)`

// Listening is what Neovim is told once the server listens.
type Listening struct {
	Port     int
	Token    string
	LockFile string // empty without a lock file
}

// Ready tells Neovim that the server listens and the lock file is written.
func (b *Bridge) Ready(l Listening) {
	b.send(push("ready", map[string]any{
		"port": l.Port, "token": l.Token, "lock_file": l.LockFile,
		"pid": os.Getpid(), "protocol": Protocol, "version": b.cfg.Version,
	}))
}

// Locked tells Neovim, after Host.Lock, where the lock file is, "" if there is none, and in
// a sentence for the user what went wrong with it, or "".
func (b *Bridge) Locked(path, problem string) {
	b.send(push("locked", map[string]any{"lock_file": path, "message": problem}))
}

// ReasonPort is the reason of a start that found no free port: another may.
const ReasonPort = "port"

// Failed tells Neovim, in a sentence for the user, why the server did not start, and
// for the plugin a reason if it is one that the plugin can act on.
func (b *Bridge) Failed(message, reason string) {
	failure := map[string]any{"message": message, "protocol": Protocol}
	if reason != "" {
		failure["reason"] = reason
	}
	b.send(push("failed", failure))
}

// ClientOpened tells Neovim that a client completed its handshake.
func (b *Bridge) ClientOpened(client uint64) {
	it := push("client_opened", client)
	it.opened = client
	b.send(it)
}

// ClientReady tells Neovim that a client was told the tools, and soon takes notifications.
func (b *Bridge) ClientReady(client uint64) { b.tell("client_ready", client) }

// ClientClosed tells Neovim that a client left.
func (b *Bridge) ClientClosed(client uint64, code int, reason string) {
	if len(b.queue) >= maxPushes {
		unread := func(it item) bool { return it.opened == client }
		if i := slices.IndexFunc(b.queue, unread); i >= 0 {
			b.queue = slices.Delete(b.queue, i, i+1)
			return
		}
	}
	b.send(push("client_closed", client, code, reason))
}

// Written tells Neovim that the broadcast id was written to n clients.
func (b *Bridge) Written(id int64, n int) { b.tell("written", id, n) }

// Log gives Neovim a line for the user; level is error, warn or info.
func (b *Bridge) Log(level, message string) { b.tell("log", level, message) }

// tell pushes what may be lost.
func (b *Bridge) tell(name string, args ...any) {
	if len(b.queue) >= maxPushes {
		b.cfg.Log.Warn("neovim does not read; dropped a push", "push", name)
		return
	}
	b.send(push(name, args...))
}

// answer pushes what Neovim asked for and waits for.
func (b *Bridge) answer(name string, id int64, told any) { b.send(push(name, id, told)) }

// push is the message that runs one function of the second table, unanswered.
func push(name string, args ...any) item {
	return item{method: "nvim_exec_lua", args: []any{handle, append([]any{name}, args...)}}
}
