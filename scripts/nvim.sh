#!/usr/bin/env bash
# Copyright (c) 2026 the claudecoded authors. MIT license.
#
# nvim.sh [all|newest]: prints the Neovim binaries that deps.sh brought, newest
# first and joined by colons, or just the newest. Where it brought none, the one on PATH.

# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"

brought=
for pin in $NVIM_PINS; do
  bin=$cache/nvim/${pin%:*}/bin/nvim
  [ ! -x "$bin" ] || brought=$bin${brought:+:$brought}
done
: "${brought:=$(command -v nvim || die 'no Neovim here: make deps')}"

case ${1:-all} in
  all) printf '%s\n' "$brought" ;;
  newest) printf '%s\n' "${brought%%:*}" ;;
  *) die "no such choice: $1 (all, newest)" ;;
esac
