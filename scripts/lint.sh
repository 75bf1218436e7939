#!/usr/bin/env bash
# Copyright (c) 2026 the claudecoded authors. MIT license.
#
# lint.sh: every static check, all of them even if one fails; the last line names
# those that did.

# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"
cd "$root"

failed=
# step NAME COMMAND... runs one check.
step() {
  local name=$1
  shift
  say "-- $name"
  "$@" || failed="$failed, $name"
}

unformatted() {
  local names
  names=$(sources '*.go' | xargs gofmt -l)
  [ -z "$names" ] || { say "$names" && return 1; }
}

step 'gofmt' unformatted
step 'go vet' go vet ./...
step 'go vet, with tags' go vet -tags netconn,soak,suite ./...
for os in windows darwin; do step "build for $os" env GOOS=$os CGO_ENABLED=0 go build ./...; done
step 'go vet, of the peers' env -C bench/peers go vet ./...
step 'staticcheck' go tool -modfile=tools/go.mod staticcheck ./...
step 'structure' go test -count=1 ./test/arch
step 'stylua' node scripts/stylua.mjs --check
step 'options in the documents' "$(scripts/nvim.sh newest)" --clean -l scripts/options.lua --check
step 'luacheck' luacheck --no-color -q .
# shellcheck disable=SC2046 # one word for each file
step 'shellcheck' shellcheck -x $(sources '*.sh') .ci/run fixtures/bin/{list-configs,vv,vve}
[ -z "$failed" ] || die "failed: ${failed#, }"
