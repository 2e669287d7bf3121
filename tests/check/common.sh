# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
#
# For the case files of this folder.
# shellcheck source=tests/integration/packaging/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../integration/packaging/common.sh"
HERE=$SOURCES/tests/check

# Explores one of the small programs of a file, built in CASE. No exploration with departures follows (follow-cases is
# about these), unless FOLLOWS is set.
explore() { # SOURCE STATUS NAME ARGUMENT... [-- OPTION...]
  local source=$1 wanted=$2 arguments=()
  shift 2
  while (($#)) && [[ $1 != -- ]]; do
    arguments+=("$1")
    shift
  done
  shift "$(($# ? 1 : 0))"
  [[ -x $CASE/$source ]] ||
    "$BUILD/bin/rsan-clang" -fsanitize=robustness -g -O1 -mcx16 -I "$SOURCES/include" "$HERE/$source.c" -o "$CASE/$source"
  rm -rf "$CASE/logs"
  [[ ${FOLLOWS-} || " $* " == *' --weak '* ]] || set -- --departures 0 "$@"
  expect_status "$wanted" "$BUILD/bin/rsan" check --allow-empty --output "$CASE/logs" "$@" -- "$CASE/$source" "${arguments[@]}"
}

resume() { # STATUS OPTION...
  local wanted=$1
  shift
  expect_status "$wanted" "$BUILD/bin/rsan" check --allow-empty --resume "$CASE/logs" "$@"
}
