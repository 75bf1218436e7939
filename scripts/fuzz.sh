#!/usr/bin/env bash
# Copyright (c) 2026 the claudecoded authors. MIT license.
#
# fuzz.sh: runs every Fuzz function of the module, each for FUZZTIME seconds (20)
# and less if all of them together would take longer than FUZZTOTAL seconds (300).
# An input that fails is kept below the package's testdata/fuzz, to be committed.

# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"
cd "$root"

each=${FUZZTIME:-20}
total=${FUZZTOTAL:-300}

packages=$(sources '*_test.go' | xargs grep -l '^func Fuzz' | xargs -n1 dirname | sort -u)
# Lines of names, each package's closed by "ok PACKAGE".
# shellcheck disable=SC2086 # one word for each package
listed=$(go test -list '^Fuzz' $packages) || die "$listed"
targets=$(awk '
  $1 == "ok" { for (i = 1; i <= n; i++) print $2, name[i]; n = 0 }
  /^Fuzz/    { name[++n] = $1 }' <<<"$listed")
[ -n "$targets" ] || die 'the module has no Fuzz function'

count=$(wc -l <<<"$targets")
((each * count <= total)) || each=$((total / count > 0 ? total / count : 1))
say "$count fuzzers, ${each}s each"

log=$(mktemp)
trap 'rm -f "$log"' EXIT

# found: whether the failure in $log is a finding. A run whose time is up while a
# worker is busy can fail with nothing but that (go.dev/issue/75804, until Go 1.27);
# an input that fails is written down, and one that hangs says so.
found() {
  ! grep -q '^ *context deadline exceeded$' "$log" ||
    grep -qE 'Failing input written|hung or terminated|panic:|DATA RACE' "$log"
}

failed=
while read -r package name; do
  say "$name"
  go test -run '^$' -fuzz "^$name\$" -fuzztime "${each}s" -fuzzminimizetime 1s "$package" </dev/null 2>&1 | tee "$log" ||
    ! found || failed="$failed $name"
done <<<"$targets"
[ -z "$failed" ] || die "failed:$failed"
