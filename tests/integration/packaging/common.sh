# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash disable=SC2034
#
# For the case files, which define functions case_NAME and end with `run_case "$1"`. In, by the
# environment: BUILD, SOURCES (RSan's), WORK (a folder of the tests' own), STOCK (clang),
# LLVM (its release).

set -euo pipefail
shopt -s inherit_errexit
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# What fixture `tree` makes: an installed tree, moved after the installation.
TREE=$WORK/moved/rsan
# Nothing of the user's may find a compiler, a package or an option.
unset CC CXX CFLAGS CXXFLAGS LDFLAGS RSAN_OPTIONS TSAN_OPTIONS TSAN_SYMBOLIZER_PATH \
  CMAKE_PREFIX_PATH RSan_DIR RSan_ROOT CMAKE_TOOLCHAIN_FILE PKG_CONFIG_PATH

fail() {
  printf 'failed: %s\n' "$*" >&2
  exit 1
}

# Runs the command; its output goes to $CASE/out, and its exit status must be $1.
expect_status() {
  local wanted=$1 status=0
  shift
  "$@" >"$CASE/out" 2>&1 || status=$?
  [[ $status == "$wanted" ]] || {
    cat "$CASE/out" >&2
    fail "exit status $status, not $wanted: $*"
  }
}

# The output of the last command has, or has not, the text. Line breaks count as blanks.
expect_text() {
  tr -s '\n ' ' ' <"$CASE/out" | grep -qF -e "$1" || {
    cat "$CASE/out" >&2
    fail "no '$1' in the output"
  }
}

expect_no_text() {
  if tr -s '\n ' ' ' <"$CASE/out" | grep -qF -e "$1"; then
    cat "$CASE/out" >&2
    fail "'$1' in the output"
  fi
}

run_case() {
  CASE=$WORK/$1
  rm -rf "$CASE"
  mkdir -p "$CASE/tmp"
  export XDG_STATE_HOME=$WORK/state TMPDIR=$CASE/tmp # not the user's
  "case_$1"
  rm -rf "$CASE/tmp"
}
