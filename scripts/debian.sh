# Copyright (c) 2026 the claudecoded authors. MIT license.
# shellcheck shell=bash disable=SC2016,SC2034,SC2154
#
# Unpacks Debian packages, with the libraries they need, below .cache: no root,
# nothing installed. apt works on lists and caches of its own and takes only the
# mirror, the proxy and the archive's keys from the system.

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# debian_mirror prints the Debian mirror this system uses. DEBIAN_MIRROR wins, for
# systems with apt that are not Debian.
debian_mirror() {
  [ -z "${DEBIAN_MIRROR:-}" ] || { printf '%s\n' "$DEBIAN_MIRROR" && return; }
  apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep -m1 '/debian/$'
}

# have_debian reports whether packages can be brought, else sets why.
have_debian() {
  if ! have apt-get || ! have dpkg; then
    why='this system has no apt'
  elif ! debian_mirror >/dev/null; then
    why='apt has no Debian mirror here (DEBIAN_MIRROR=URL names one)'
  elif [ ! -r "$keyring" ]; then
    why="there is no $keyring (package debian-archive-keyring)"
  else
    return 0
  fi
  return 1
}

# debian_apt SUITE COMMAND... runs an apt tool on that suite alone.
debian_apt() {
  local suite=$1 dir=$cache/debian/$1
  shift
  "$1" -c "$dir/apt.conf" -o "APT::Default-Release=$suite" "${@:2}"
}

# debian_update SUITE fetches the suite's package list, once per run.
debian_update() {
  local suite=$1 dir=$cache/debian/$1
  [ ! -e "$dir/fresh.$$" ] || return 0
  rm -rf "$dir" && mkdir -p "$dir/state/lists/partial" "$dir/cache/archives/partial"
  cat >"$dir/debian.sources" <<SOURCES
Types: deb
URIs: $(debian_mirror)
Suites: $suite
Components: main
Signed-By: $keyring
SOURCES
  # The status is empty so that every library is listed; the hooks of the system
  # must not run, since they clean the system's caches.
  cat >"$dir/apt.conf" <<CONF
Dir::Etc::SourceList "$dir/debian.sources";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Dir::State "$dir/state";
Dir::State::status "/dev/null";
Dir::Cache "$dir/cache";
APT::Sandbox::User "root";
APT::Update::Error-Mode "any";
Acquire::Languages "none";
Acquire::Retries "3";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
CONF
  debian_apt "$suite" apt-get -qq update </dev/null || die "cannot read Debian $suite's package list"
  : >"$dir/fresh.$$"
}

# debian_serves SUITE PACKAGE prints the upstream version that the suite serves.
debian_serves() {
  debian_apt "$1" apt-cache show "$2" 2>/dev/null |
    sed -n 's/^Version: \(.*:\)\{0,1\}//p' | head -n 1 | sed 's/-[^-]*$//'
}

# debian_unpack SUITE DIR PACKAGE... unpacks the packages and all they need below DIR.
debian_unpack() {
  local suite=$1 dir=$2 wanted
  shift 2
  mkdir -p "$dir"
  wanted=$(debian_apt "$suite" apt-get -s install --no-install-recommends "$@" </dev/null |
    sed -n 's/^Inst \([^ ]*\) (\([^ ]*\) .*/\1=\2/p') || die "Debian $suite cannot give $*"
  # shellcheck disable=SC2086 # one word for each package
  (cd "$cache/debian/$suite/cache" && debian_apt "$suite" apt-get -qq download $wanted </dev/null &&
    for deb in *.deb; do dpkg -x "$deb" "$dir" || exit 1; done && rm -f -- *.deb) ||
    die "cannot bring $* from Debian $suite"
}

# debian_loader DIR and debian_libs DIR print the dynamic loader of an unpacked
# tree and the folder of its libraries.
debian_loader() { find "$1" -type f -name 'ld-linux*.so.*' -print -quit; }
debian_libs() { find "$1" -name libc.so.6 -printf '%h\n' -quit; }
