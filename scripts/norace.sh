#!/usr/bin/env bash
# Copyright (c) 2026 the claudecoded authors. MIT license.
#
# norace.sh: runs the tests whose files begin with `//go:build !race`, and only
# those, in a build without the race detector, which would distort the bytes and
# the allocations that they count, or take minutes for the megabytes that they read.

# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"
cd "$root"

files=$(sources '*_test.go' | xargs grep -l '^//go:build.*!race' || true)
[ -n "$files" ] || { say 'no test asks for a build without the race detector' && exit 0; }
# shellcheck disable=SC2086 # one word for each file
packages=$(dirname $files | sort -u)
# shellcheck disable=SC2086
names=$(sed -n 's/^func \(Test[A-Za-z0-9_]*\)(.*/\1/p' $files | sort -u | paste -sd '|' -)
# shellcheck disable=SC2086
go test -count=1 -timeout 3m -run "^($names)\$" $packages
