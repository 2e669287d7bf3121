# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash disable=SC2154 # variables of check-report
#
# More cases of check-report: what texts say.

# What a compare-exchange expected, what a wait waits for, and nothing of the kind for other accesses.
case_values() {
  local form tests="$here/../../lit/runtime"
  "$compiler" -fsanitize=robustness -g -O1 -mcx16 -I"$tests/Inputs" "$tests/kinds.c" -o kinds
  printf '#!/bin/sh\nexec "%s/kinds" 4\n' "$work" >run
  chmod +x run
  run_reporting text "" ./run
  run_reporting json report_format=json ./run
  grep '^  It ' text >expected
  [ "$(grep -c 'It expected' expected)" -eq 4 ] || fail "not four compare-exchanges: $(cat expected)"
  sed -i 's/It expected 8 and/It waits for a value below 8 in the bits 0xf and/' text
  sed -i 's/"expected":"0x8"/"waits_for":"a value below 8 in the bits 0xf"/' json
  grep '^  It ' text | sort >expected
  for form in text json; do
    expect 0 0 $form
    grep '^  It ' made | sort | diff expected - || fail "not the values of the $form"
    expect 0 0 --format json $form
    [ "$(grep -c '"expected"' made)" -eq 3 ] || fail "not three members: $(cat made)"
    for format in html junit sarif; do
      expect 0 0 --format $format $form
      has 'it expected 7 and would read 0 in place of 7'
      has 'it waits for a value below 8 in the bits 0xf and would read 0 in place of 7'
      has 'it would read 0 in place of 7'
    done
  done
}
