# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What the page of HTML shows: sourced by check-report.
# shellcheck shell=bash disable=SC2154 # variables of check-report

# What turns the direction of text, so that a name would look like another one, is written byte by byte. Text of scripts
# that are written from right to left stays as it is.
case_directions() {
  local format
  violation 10 0x0 fence:take:21 >record
  sed -i 's/"f(int)"/"user\\u202enimda\\u2066\\u061c\\u200f \\u05d0\\u2013"/g' record
  for format in html junit; do
    expect 0 0 --format $format record
    has 'user\xe2\x80\xaenimda\xe2\x81\xa6\xd8\x9c\xe2\x80\x8f א–'
    ! LC_ALL=C grep -P '\xe2\x80[\x8e\x8f\xaa-\xae]|\xe2\x81[\xa6-\xa9]|\xd8\x9c' made || fail "a mark of direction in $format"
  done
}
