#!/usr/bin/env bash
# Copyright (c) 2026 the claudecoded authors. MIT license.
#
# compare.sh [FLAG]...: measures the program beside servers on other libraries and writes
# bench/README.md, bench/rounds.json and the plots. The flags are those of bench/peers/cmd/compare.

# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"
cd "$root"

servers=$(mktemp -d)
trap 'rm -rf "$servers"' EXIT
CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "$servers/claudecoded" ./cmd/claudecoded
(cd bench/peers && CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "$servers/" ./cmd/...)
"$servers/compare" --bin "$servers" --out bench "$@"
