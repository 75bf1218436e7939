#!/usr/bin/env bash
# Copyright (c) 2026 the claudecoded authors. MIT license.
#
# compare.sh [FLAG]...: measures the program beside servers on other libraries, and its calls of
# Neovim beside direct ones. Without flags it measures all and writes bench/README.md,
# bench/rounds.json and the plots; with some, only what --out says. --help lists them.

# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"
cd "$root"

[ $# -gt 0 ] || set -- --out bench
servers=$(mktemp -d)
trap 'rm -rf "$servers"' EXIT
build() { CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags '-s -w' "$@"; }
build -o "$servers/claudecoded" ./cmd/claudecoded
build -tags profile -o "$servers/claudecoded-profile" ./cmd/claudecoded
(cd bench/peers && build -o "$servers/" ./cmd/...)
"$servers/compare" --bin "$servers" --plugin "$root" --nvim "$(scripts/nvim.sh newest)" "$@"
