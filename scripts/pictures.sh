#!/usr/bin/env bash
# Copyright (c) 2026 the claudecoded authors. MIT license.
#
# pictures.sh: draws doc/images/diff-LAYOUT.svg, one for each layout of a diff: what a real
# Neovim shows in a tmux of its own. Needs tmux and node, and no network.

# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"
cd "$root"

for tool in tmux node; do have "$tool" || die "$tool is needed: install it"; done
nvim=$("$root/scripts/nvim.sh" newest)
stage=$(mktemp -d)
screen() { tmux -S "$stage/tmux" -f /dev/null "$@"; }
trap 'screen kill-server 2>/dev/null || true; rm -rf "$stage"' EXIT

# shows LAYOUT: until a line of the proposal is on the screen.
shows() {
  for _ in $(seq 100); do
    ! screen capture-pane -p -t "$1" | grep -q 'fmt.Errorf' || return 0
    sleep 0.1
  done
  die "no diff came on screen: $1"
}

for picture in vertical:130:18 horizontal:80:30 unified:130:20; do
  IFS=: read -r layout columns rows <<<"$picture"
  screen new-session -d -s "$layout" -x "$columns" -y "$rows" -c "$stage" \
    env HOME="$stage" XDG_CONFIG_HOME="$stage" XDG_STATE_HOME="$stage" XDG_DATA_HOME="$stage" LAYOUT="$layout" \
    "$nvim" --clean --cmd "set runtimepath^=$root" -S "$root/scripts/picture.lua"
  shows "$layout"
  screen capture-pane -e -p -N -t "$layout" | node scripts/ansi2svg.mjs "A proposed edit, layout $layout" >"doc/images/diff-$layout.svg"
  say "doc/images/diff-$layout.svg"
done
