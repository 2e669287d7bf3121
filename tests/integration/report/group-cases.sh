# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Violations with one cause: sourced by check-report.
# shellcheck shell=bash

# violation LINE STALE REPAIR...: a record of a read at LINE of q.c that would read STALE in place of 0x1; each REPAIR is
# `fence:FUNCTION:LINE` or `ORDER:FUNCTION:LINE`.
violation() {
  local line=$1 stale=$2 repair kind function at order list=''
  shift 2
  for repair; do
    IFS=: read -r kind function at <<<"$repair"
    order=$kind
    [ "$kind" = fence ] && order=seq_cst || kind=order
    list+="${list:+,}{\"kind\":\"$kind\",\"order\":\"$order\",\"place\":$(frame "$function" "$at")}"
  done
  printf '{"rsan_report":1,"type":"robustness violation","pid":1,"program":"/p","accesses":[%s,%s],%s}\n' \
    "$(access read "$line")" "$(access write "$((line + 100))")" \
    "\"stale\":\"$stale\",\"seen\":\"0x1\",\"repairs\":[$list]"
}

frame() { printf '{"pc":"0x1","function":"%s(int)","file":"/src/q.c","line":%d}' "$1" "$2"; }
access() {
  printf '{"kind":"%s","order":"relaxed","atomic":true,"size":4,"address":"0x%d","thread":0,"place":%s,"stack":[%s]}' \
    "$1" "$2" "$(frame f "$2")" "$(frame f "$2")"
}

# The repair that most of them lack makes the first group, whatever else each of them lacks. What reads an equal value comes
# last, and what has no repair after that.
case_groups() {
  {
    violation 10 0x1 acquire:poll:11 acquire:poll:11
    violation 20 0x0 fence:take:21
    violation 30 0x0 fence:reclaim:40 fence:take:31
    violation 31 0x0 fence:reclaim:40
    violation 32 0x0 release:push:50 fence:reclaim:40
    violation 33 0x0
  } >records
  expect 0 0 records
  grep -E '^missing |^SUMMARY' made | sed 's/^SUMMARY.*q[.]c:/at /; s/ in f.*//' >order
  diff order - <<'END' || fail "another order: $(cat made)"
missing fence in reclaim /src/q.c:40: 3 violations
at 30
at 31
at 32
missing fence in take /src/q.c:21: 1 violation
at 20
missing memory_order_acquire in poll /src/q.c:11: 1 violation
at 10
at 33
END
  expect 0 0 --format json records
  [ "$(grep -c '"cause":"fence in reclaim /src/q.c:40"' made)" -eq 3 ] || fail "no causes: $(cat made)"
  sed -n '$p' made | grep -qv cause || fail "a cause without a repair: $(cat made)"
  cp made again
  expect 0 0 --format json again
  diff <(sed 's/"source":"[^"]*",*//' again) <(sed 's/"source":"[^"]*",*//' made) || fail "not the same again"
  expect 0 0 --format html records
  [ "$(grep -c '<td>fence in reclaim /src/q.c:40</td>' made)" -eq 3 ] || fail "no causes: $(cat made)"
  expect 0 0 --format sarif records
  [ "$(grep -o '"cause":[[:space:]]*"fence in reclaim /src/q.c:40"' made | wc -l)" -eq 3 ] || fail "no causes: $(cat made)"
}

# One report has no heading: it says itself what it lacks. Nor have two at different lines a cause in common.
case_no_groups() {
  violation 20 0x0 fence:take:21 >records
  expect 0 0 records
  has_not 'missing '
  violation 30 0x0 fence:take:22 >>records
  expect 0 0 records
  [ "$(grep -c '^missing fence in take /src/q.c:2[12]: 1 violation$' made)" -eq 2 ] || fail "grouped: $(cat made)"
}

# SAID MEMBER: `made` and the page have the sentence once, and one record has the member, whether it was made of records or of
# text.
expect_said_once() {
  local form
  [ "$(grep -cxF "  $1" made)" -eq 1 ] || fail "not said once: $(cat made)"
  cp made text
  for form in records text; do
    expect 0 0 --format json $form
    [ "$(grep -cF "$2" made)" -eq 1 ] || fail "not in a record of the $form: $(cat made)"
  done
  expect 0 0 --format html records
  [ "$(grep -cxF "<p>$1</p>" made)" -eq 1 ] || fail "not in the page: $(cat made)"
}

# What a compare-exchange checks again comes last, too, is said in each format, and is read again from text. If one of two
# reports with one token had an older value that goes another way, nothing is said.
case_checked_again() {
  local said='Checked again by compare-exchange at take(int) /src/q.c:14:9: it would fail with the older value, for which there is no other use.'
  local checked='"checked_again":{"function":"take(int)","file":"/src/q.c","line":14,"column":9}'
  violation 10 0x0 fence:take:11 | sed "s|,\"repairs\"|,$checked&|" >records
  violation 20 0x0 fence:reclaim:21 >>records
  expect 0 0 records
  grep -E '^missing ' made | diff - <(printf 'missing fence in %s: 1 violation\n' 'reclaim /src/q.c:21' 'take /src/q.c:11') ||
    fail "another order: $(cat made)"
  expect_said_once "$said" "$checked"
  expect 0 0 --format sarif records
  [ "$(grep -c '"checkedAgain"' made)" -eq 1 ] || fail "not one property: $(cat made)"
  expect 0 0 --format junit records
  head -1 records >two
  sed "s|,$checked||" two >>two
  expect 0 0 two
  has 'Seen 2 times'
  has_not 'Checked again'
  tac two >reversed
  expect 0 0 reversed
  has_not 'Checked again'
}

# A class is said in each form and counted in groups; --fail-on chooses by it. An unknown one is no class, and of two reports
# with one token both must have it.
case_classes() {
  local said='Harmless (retried): whatever it reads, a compare-exchange of the same object decides, and is repeated until it succeeds.'
  local class='"class":"retried"'
  violation 10 0x0 fence:take:11 | sed "s|,\"repairs\"|,$class&|" >one
  { cat one && violation 20 0x0 fence:take:11; } >records
  expect 0 0 records
  has 'missing fence in take /src/q.c:11: 2 violations, 1 harmless'
  expect_said_once "$said" "$class"
  expect 0 0 --format summary records
  has 'take q.c:11: 2 violations, 1 harmless'
  [ "$(grep -c ': harmless$' made)" -eq 1 ] || fail "not one line: $(cat made)"
  expect 0 0 --format sarif records
  [ "$(grep -c '"class"' made)" -eq 1 ] || fail "not one property: $(cat made)"
  expect 0 0 --format github records
  [ "$(cut -d' ' -f1 made | sort | tr '\n' ' ')" = '::notice ::warning ' ] || fail "other levels: $(cat made)"
  expect 66 0 --fail-on defect,unknown records
  expect 66 0 --fail-on harmless one
  expect 0 0 --fail-on=defect,unknown one
  sed 's|"class":"retried"|"class":"other"|' one >other
  expect 66 0 --fail-on=unknown other
  expect 2 2 --fail-on=defect,mild one
  expect 2 2 --fail-on= one
  { cat one && sed "s|,$class||" one; } >two
  expect 66 0 --fail-on=unknown two
  expect 0 0 --format json two
  has_not '"class"'
}

# What a step accesses is a field of a global or of a block; the text says both, and is read again.
case_fields() {
  local step='{"thread":0,"access":{"kind":"read","order":"relaxed",%s},%s"place":%s,"frame":%s,"to_next":"program order"}'
  local steps='' object place
  place=$(frame f 10)
  for object in '"name":"jobs+8"|"field":"queue.tail",' '"address":"0x7f10"|"field":"list<int>.head",' \
    '"name":"0x7f10 (stack of main)"|"field":"queue.tail",' '"name":"stdout@@GLIBC_2.2.5"|' '"name":"flag0"|'; do
    # shellcheck disable=SC2059
    steps+=${steps:+,}$(printf "$step" "${object%%|*}" "${object#*|}" "$place" "$place")
  done
  violation 10 0x0 fence:take:11 | sed "s|\"repairs\"|\"cycle\":{\"complete\":true,\"steps\":[$steps]},&|" >records
  expect 0 0 records
  for object in queue.tail@jobs+8 'list<int>.head@0x7f10' 'queue.tail@0x7f10 (stack of main)' 'stdout@@GLIBC_2.2.5' flag0; do
    has "read $object  "
  done
  cp made text
  expect 0 0 --format json text
  for object in '"field":"queue.tail"' '"name":"jobs+8"' '"field":"list<int>.head"' '"address":"0x7f10"' \
    '"name":"0x7f10 (stack of main)"' '"name":"stdout@@GLIBC_2.2.5"' '"name":"flag0"'; do
    has "$object"
  done
  [ "$(grep -o '"field"' made | wc -l)" -eq 3 ] || fail "not three fields: $(cat made)"
}
