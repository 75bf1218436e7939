# Copyright (c) 2026 the claudecoded authors. MIT license.
# shellcheck shell=bash disable=SC2034
#
# Every tool that make deps brings, pinned. Go modules are pinned in go.mod and
# staticcheck in tools/go.mod, both with their checksums.

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
