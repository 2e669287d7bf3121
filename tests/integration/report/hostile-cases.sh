# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Cases of check-report: records that an attacker has written (hostile.py).

hostile() { python3 "$here/hostile.py" "$@"; }

# The page contains lines only of regular files below --source-root, also if a path or a link leads out of it.
case_hostile_sources() {
  local name secret='a line of a file outside'
  mkdir -p root/below "$PWD/rootless"
  printf "$secret\n%.0s" {1..99} >outside
  printf 'a line of a file inside\n%.0s' {1..99} >root/below/inside
  cp outside rootless/outside
  ln -s ../outside root/link
  ln -s .. root/up
  ln -s below/inside root/within
  mkfifo root/fifo
  mkdir root/.git
  cp outside root/.git/config
  cp outside root/.env
  violation 10 0x0 >record
  for name in "$PWD/outside" ../outside outside root/../outside root/link root/up/outside rootless/outside root/below root/fifo \
    root/.git/config root/below/../.env /dev/zero /dev/stdin /proc/self/environ /proc/self/fd/0 /etc/passwd root ''; do
    hostile files record "$name" >records
    expect 0 0 --format html --source-root root records <outside
    has_not "$secret"
    has_not '<span class="here">'
    expect 0 0 --format html --sysroot "$PWD/root" --source-root root records
    has_not "$secret"
  done
  for name in root/below/inside "$PWD/root/within" root/./below/../within; do
    hostile files record "$name" >records
    expect 0 0 --format html --source-root root records
    has 'a line of a file inside'
  done
  hostile files record /below/inside ../outside >records
  expect 0 0 --format html --sysroot "$PWD/root" records
  has 'a line of a file inside'
  has_not "$secret"
  (cd root && hostile files ../record "$PWD/below/inside" >../records)
  expect 0 0 --format html records
  has 'a line of a file inside'
  expect 0 0 --format html --source-root root/below/inside records
  has 'not below --source-root'
}

check_hostile() { # FILE, in $format
  "$rsan" report --format $format "$1" >made 2>errors || [ $? -eq 1 ] || fail "$format: $(head -3 errors)"
  tr -d '\t' <made >shown # (SARIF is indented)
  no_controls shown
  no_controls errors
  ! LC_ALL=C grep -P '\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]|\xd8\x9c' made || fail "a mark of layout in $format"
  ! grep -E '^[[:space:]]*::|##[a-z]*\[' made errors || fail "a command to a CI system in $format"
  [ "$(awk '{ if (length > longest) longest = length } END { print longest }' made)" -gt 10 ] || fail "nothing in $format"
}

# No text or name of a record can add a line, change the layout of text, or become a rule, a tag or a command of a shell or a
# CI system.
case_hostile_texts() {
  local format
  violation 10 0x0 fence:take:21 >record
  hostile names record >names # alone, for what is merged into another record is not passed on
  hostile texts record >records
  for format in text html junit sarif json; do
    check_hostile names
    check_hostile records
    has_not "$(printf 'x%.0s' {1..20000})"
  done
  python3 -c 'import json; [json.loads(line) for line in open("made")]'
  "$rsan" report --format junit records >made 2>errors || [ $? -eq 1 ]
  python3 -c 'import xml.etree.ElementTree as t
assert len(t.parse("made").getroot().findall(".//testcase")) > 10'
  "$rsan" report --format html records >made 2>errors || [ $? -eq 1 ]
  python3 -c 'import xml.etree.ElementTree as t
assert all("alert" not in (s.text or "") for s in t.parse("made").getroot().iter("script"))'
  "$rsan" report --suppressions records >made 2>errors || [ $? -eq 1 ]
  ! grep -vE '^(#|$|token:[0-9a-f]{16}$)' made || fail 'a rule that nobody has asked for'
  ! grep -E '^[a-z_]*:\*' made || fail 'a rule for everything'
}

# A function's name with a wildcard is offered as no rule.
case_hostile_functions() {
  local name
  violation 10 0x0 >record
  for name in '*' 'f*' '*f' 'a*b'; do
    sed "s/f(int)/$name/g" record >records
    expect 0 0 --suppressions records
    ! grep -q 'robustness_top' made || fail "a rule: $(grep 'robustness_top' made)"
  done
  for name in 'f(int \*)' 'A<int \*>::f' 'operator\*'; do
    sed "s/f(int)/$name/g" record >records
    expect 0 0 --suppressions records
    grep -q '^# .* robustness_top:^' made || fail "no rule: $(cat made)"
  done
}

# A line for a shell that is not a single command is not printed.
case_hostile_commands() {
  local line
  violation 10 0x0 >record
  for line in 'rsan replay a; touch pwned' 'a `touch pwned`' 'a $(touch pwned)' 'a | sh' 'a & b' 'a > /etc/x' 'a < b' "a 'b" \
    'a "$HOME"' $'a\ntouch pwned' 'a \ b' '~/a' 'a *' '! a' '{ a' '# a'; do
    for member in schedule.repeat confirmed.command; do
      hostile member record $member "$line" >records
      expect 0 0 records
      has_not 'repeat'
    done
  done
  for line in 'rsan replay a' "RSAN_OPTIONS='schedule=mix:seed=3' ./a 'b c'" "./a 'it'\\''s; not a command'"; do
    hostile member record schedule.repeat "$line" >records
    expect 0 0 records
    has "To repeat this run: $line"
  done
  hostile member record token "$(printf '0123;touch pwned')" >records
  expect 0 0 records
  has_not touch
}
