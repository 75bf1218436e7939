#!/usr/bin/env bash
# Copyright (c) 2026 the claudecoded authors. MIT license.
#
# pictures.sh: draws doc/images/*.svg: what a real Neovim shows in a tmux of its own, with a
# home folder of its own and a stand-in for Claude. Needs go, tmux and node, and no network.

# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"
cd "$root"

for tool in go tmux node; do have "$tool" || die "$tool is needed: install it"; done
nvim=$("$root/scripts/nvim.sh" newest)
# As long as $shown, which the pictures name in its place.
stage=$(mktemp -d /tmp/stage.XXX)
shown=/home/somebody
[ ${#stage} = ${#shown} ] || die "$stage is not as long as $shown"
screen() { tmux -S "$stage/tmux" -f /dev/null "$@"; }
trap 'screen kill-server 2>/dev/null || true; rm -rf "$stage"' EXIT

# The plugin, as a user has it, and a project.
plugin=$stage/claudecoded
mkdir -p "$plugin" "$stage/bin" "$stage/lock"
cp -R lua plugin doc "$plugin"
CGO_ENABLED=0 GOFLAGS='-mod=readonly -buildvcs=false' go build -trimpath \
  -ldflags "-s -w -X main.version=v0.1.0" -o "$plugin/bin/claudecoded" ./cmd/claudecoded
cp scripts/sample/before.txt "$stage/lock/lock.go"
cat >"$stage/bin/claude" <<SH
#!/bin/sh
[ "\$1" != --version ] || exec echo '1.0 (stand-in)'
exec '$(command -v node)' '$root/scripts/standin.mjs' "\$@"
SH
chmod +x "$stage/bin/claude"

# wait_for SCENE TEXT: until the text is on the screen, and stays a moment.
wait_for() {
  for _ in $(seq 200); do
    if screen capture-pane -p -t "$1" | grep -q "$2"; then
      sleep 1 && return 0
    fi
    sleep 0.1
  done
  screen capture-pane -p -t "$1" >&2
  die "$1: it does not show: $2"
}

# picture SCENE COLUMNS ROWS TEXT TITLE
picture() {
  local scene=$1 columns=$2 rows=$3 text=$4 title=$5
  screen new-session -d -s "$scene" -x "$columns" -y "$rows" -c "$stage/lock" \
    env -i HOME="$stage" PATH="$stage/bin:/usr/bin:/bin" TERM=tmux-256color COLORTERM=truecolor LANG=C.UTF-8 \
    PROPOSAL="$root/scripts/sample/after.txt" SCENE="$scene" \
    "$nvim" --clean --cmd "set runtimepath^=$plugin" -S "$root/scripts/picture.lua"
  wait_for "$scene" "$text"
  screen capture-pane -e -p -N -t "$scene" | sed "s|$stage|$shown|g" |
    node scripts/ansi2svg.mjs "$title" >"doc/images/$scene.svg"
  screen kill-session -t "$scene"
  say "doc/images/$scene.svg"
}

picture diff-vertical 130 18 fmt.Errorf 'A proposed edit, layout vertical'
picture diff-horizontal 80 30 fmt.Errorf 'A proposed edit, layout horizontal'
picture diff-unified 130 20 fmt.Errorf 'A proposed edit, layout unified'
picture terminal 110 14 'lines of lock.go selected' "Claude's terminal beside a file"
picture status 130 20 'waits for your review' 'What the server is doing'
picture health 110 39 'claudecode: clients' 'The report of :checkhealth claudecode'
picture review 130 20 'created' 'What Claude changed in its last prompt'
