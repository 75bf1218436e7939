# Copyright (c) 2026 the claudecoded authors. MIT license.
# shellcheck shell=bash disable=SC2034
#
# Every tool that make deps brings, pinned. Go modules are pinned in go.mod, staticcheck
# in tools/go.mod and the Go SDK of MCP in test/sdk/go/go.mod, with their checksums; the
# public suites in test/conformance/package-lock.json and test/sdk/package-lock.json.

# Neovim, oldest first: the release, and the Debian suite whose package it is.
# A suite under development moves on. make deps then says what it serves instead;
# take that release over here once make test passes with it.
NVIM_PINS=${NVIM_PINS:-0.10.4:trixie 0.12.4:forky}

# The oldest Neovim that the plugin supports: what PATH must have elsewhere.
NVIM_MIN=0.10

# Checkers, from this Debian suite. A newer one on PATH is used as it is.
LINT_SUITE=trixie
LUACHECK=1.2.0
SHELLCHECK=0.10.0

# The Lua formatter: StyLua's WebAssembly build, an npm package.
STYLUA=2.5.2

# The language server that the tools are tested with, built from its Go module. A
# later one needs a later Go.
GOPLS=v0.23.0

# The debugger of Go, built from its module, that make check-dap runs.
DELVE=v1.27.2

# Another one, an npm package, and the compiler that it asks.
TSSERVER=5.1.1
TYPESCRIPT=5.9.3

# The oldest Node.js that runs the conformance suites, where none comes with them.
NODE_MIN=22
