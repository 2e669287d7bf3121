# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash disable=SC2034
#
# For the case files of this folder.
# shellcheck source=tests/integration/packaging/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../integration/packaging/common.sh"
HERE=$SOURCES/tests/confirm
RSAN=$BUILD/bin/rsan

# Runs the script, given as one argument, with the options that follow. There are 8 control runs.
confirm() { # STATUS SCRIPT [OPTION...]
  local wanted=$1
  printf '%s\n' "$2" >"$CASE/program"
  shift 2
  rm -rf "$CASE/calls" "$CASE/logs"
  expect_status "$wanted" "$RSAN" confirm --controls 8 --runs 6 --output "$CASE/logs" "$@" -- "$HERE/departing" "$CASE"
}

count() { # how many lines of runs.jsonl have the text
  grep -c -- "$1" "$CASE/logs/runs.jsonl" || true
}

one='violation 1111111111111111 0x10 0x20 0x30'
