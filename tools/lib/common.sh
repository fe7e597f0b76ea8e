# Sourced by the scripts in tools/: where things are, and how a step speaks when it fails.
# Assumes bash; guarantees $root (the checkout), $build, $venv, and the venv and LLVM's own tools on PATH.
# shellcheck shell=bash

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${PHOBOS_BUILD_DIR:-$root/build}
venv=$root/.venv
llvm_bin=/usr/lib/llvm-22/bin

export PATH="$venv/bin:$llvm_bin:$PATH"
# As if activated: what pip installed of CUDA is looked for there.
export VIRTUAL_ENV=$venv
export CCACHE_SLOPPINESS=pch_defines,time_macros

say() { printf '== %s\n' "$*" >&2; }

# die MESSAGE [HINT]: one line of what went wrong, one of what to do about it.
die() {
  printf 'error: %s\n' "$1" >&2
  if [[ $# -gt 1 ]]; then printf '  hint: %s\n' "$2" >&2; fi
  exit 1
}

# step WHAT COMMAND…: quiet when it works; on failure shows the end of its output and stops.
step() {
  local what=$1 log
  shift
  log=$(mktemp)
  say "$what"
  if ! "$@" >"$log" 2>&1 </dev/null; then
    tail -n 40 "$log" >&2
    rm -f "$log"
    die "$what failed: $*"
  fi
  rm -f "$log"
}

# One setup or build at a time in a checkout; a second one waits. The lock goes when the script ends.
lock_checkout() {
  mkdir -p "$build"
  exec 9>"$build/.lock"
  flock 9
}
