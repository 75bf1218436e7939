# Copyright (c) 2026 the claudecoded authors. MIT license.
# shellcheck shell=bash
#
# Shared by the scripts beside it: where things are, and a few words.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=$root/.cache
export PATH="$cache/bin:$PATH"

# shellcheck source=scripts/versions.sh
. "$root/scripts/versions.sh"

say() { printf '%s\n' "$*" >&2; }
die() { say "$(basename "$0"): $*" && exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# version_of COMMAND... prints the first x.y or x.y.z of the command's output,
# or nothing if it does not run.
version_of() { "$@" 2>/dev/null | grep -Eom1 '[0-9]+\.[0-9]+(\.[0-9]+)?' | head -n 1 || true; }

# at_least HAVE WANT
at_least() { [ -n "$1" ] && [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# sources PATTERN lists the files of that name below the working folder, but for
# folders that begin with a dot, which are not ours.
sources() { find . -path './.*' -prune -o -type f -name "$1" -print; }
