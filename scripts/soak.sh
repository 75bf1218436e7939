#!/usr/bin/env bash
# Copyright (c) 2026 the claudecoded authors. MIT license.
#
# soak.sh: runs the tests that take long, in a build with the tag soak: those of the files
# that begin with `//go:build soak`, and all of a package in which the init() of such a file
# gives the other tests more to do. Packages that measure have the machine for themselves;
# the others, which wait most of the time, run side by side.

# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"
cd "$root"

measuring='./test/daemon ./test/soak'

files=$(sources '*_test.go' | xargs grep -l '^//go:build soak')
widened=$(xargs grep -l '^func init()' <<<"$files" | xargs -n1 dirname)
# shellcheck disable=SC2086 # one word for each file or package
others=$(dirname $files | sort -u | grep -vxF "${measuring// /$'\n'}")
# shellcheck disable=SC2086
files+=$'\n'$(find $widened -name '*_test.go')
# shellcheck disable=SC2086
names=$(sed -n 's/^func \(Test[A-Za-z0-9_]*\)(t .*/\1/p' $files | sort -u | paste -sd '|' -)

soak() { go test -race -tags soak -count=1 -timeout 15m -run "^($names)\$" "$@"; }
# shellcheck disable=SC2086
soak -p 1 $measuring
# shellcheck disable=SC2086
soak -p 4 -parallel 6 $others
