# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the scripts share.
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"
# shellcheck source=scripts/versions.sh
source "$root/scripts/versions.sh"

state="$root/.setup"   # what scripts/setup found: python, torch (paths), stamp, logs

say() { printf 'nlldiff: %s\n' "$*" >&2; }
die() {
  say "$*"
  exit 3
}

# quietly LOG COMMAND...: runs it with its output in LOG; shows the end of that where it fails.
quietly() {
  local log="$1"
  shift
  "$@" >"$log" 2>&1 </dev/null && return 0
  tail -n 40 "$log" >&2
  return 1
}

# set_up: makes sure of the tools (instant where nothing changed), then knows NLLDIFF_PYTHON.
set_up() {
  "$root/scripts/setup" || exit $?
  NLLDIFF_PYTHON="$(<"$state/python")"
  export NLLDIFF_PYTHON
}

# configure_and_build PRESET: into build/PRESET, quiet unless it fails.
configure_and_build() {
  local preset="$1"
  local build="$root/build/$preset"
  mkdir -p "$build"
  if [[ ! -f "$build/build.ninja" ]] ||
    ! grep -qxF "NLLDIFF_PYTHON:FILEPATH=$NLLDIFF_PYTHON" "$build/CMakeCache.txt"; then
    say "configuring build/$preset"
    (cd "$root" && quietly "$build/configure.log" cmake --preset "$preset" -DNLLDIFF_PYTHON:FILEPATH="$NLLDIFF_PYTHON") ||
      die "configuring failed (above; all of it: build/$preset/configure.log)"
  fi
  say "building build/$preset (the first time takes minutes; log: build/$preset/build.log)"
  quietly "$build/build.log" cmake --build "$build" ${NLLDIFF_JOBS:+-j "$NLLDIFF_JOBS"} ||
    die "the build failed (above; all of it: build/$preset/build.log)"
}
