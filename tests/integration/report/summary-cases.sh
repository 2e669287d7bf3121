# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Many findings on one screen, and a line for each: sourced by check-report.
# shellcheck shell=bash disable=SC2154 # variables of check-report

# many COUNT GROUPS: so many violations; each lacks one of GROUPS fences.
many() {
  PYTHONPATH=$here PYTHONDONTWRITEBYTECODE=1 python3 - "$1" "$2" <<'END'
import json, sys, pages
count, groups = map(int, sys.argv[1:])
for i in range(count):
    record = pages.violation("f(int)", "/src/q.c", 1000 + i)
    place = pages.frame(f"reclaim{i % groups}(int)", "/src/q.c", i % groups + 1)
    print(json.dumps(record | {"repairs": [{"kind": "fence", "order": "seq_cst", "place": place}]}))
END
}

# A screen has 40 lines, whatever the numbers of findings and groups are; nothing is left out without a word.
case_summary() {
  local findings groups
  while read -r findings groups; do
    many "$findings" "$groups" >records
    expect 0 0 --format summary records
    [ "$(wc -l <made)" -le 40 ] || fail "$findings in $groups: $(wc -l <made) lines"
    has "$findings robustness violations, 0 data races"
    has_not 'missing fence in reclaim0 /src/'
    awk '/^missing .*: [0-9]+ violations?$/ { sum += $(NF - 1) } /^and [0-9]+ more groups, of/ { sum += $6 } END { print sum }' \
      made | grep -qxF "$findings" || fail "$findings in $groups: not all are counted: $(cat made)"
  done <<<$'21 1\n21 20\n500 1\n500 35\n500 100'
  many 30 3 >records
  expect 0 0 --format summary records
  has 'paths are below /src/'
  has ' q.c:1030 in f may miss the write q.c:1000 in f'
  has '  and 5 more'
  cp made plain
  expect 0 0 --format summary --color always records
  sed 's/\x1b\[[0-9;]*m//g' made | diff plain - || fail 'colors change more than colors'
  grep -q $'\x1b' made || fail 'no colors'
}

# Names of functions, as debug information of clang and of GCC has them, and what is shown.
names() {
  printf '%s\t%s\n' \
    "push" "push" \
    "int ns::atom<int>::load(int) const" "load" \
    "main::\$_0::operator()() const" "lambda in main" \
    "Q::run()::'lambda0'()::operator()() const" "lambda in run" \
    "auto Q::run()::'lambda'(auto)::operator()<int>(auto) const" "lambda in run" \
    "void f<int>(int)::{lambda()#1}::operator()() const" "lambda in f" \
    "operator()" "operator()" \
    "Q::operator()(int) const" "operator()" \
    "bool ns::operator==<int>(Q<int> const&, Q<int> const&)" "operator==<int>" \
    "Q::operator<<(int)" "operator<<" \
    "Q::operator bool() const" "operator bool"
}

# Lambdas are named by the function that they are in, and operators with their signs.
case_names() {
  local function shown
  while IFS=$'\t' read -r function shown; do
    many 1 1 >records
    FUNCTION=$function python3 -c 'import os, sys; print(sys.stdin.read().replace("f(int)", os.environ["FUNCTION"]), end="")' \
      <records >renamed
    expect 0 0 --format summary renamed
    grep -qF " in $shown may miss" made || fail "$function is not shown as $shown: $(cat made)"
  done < <(names)
}

# In full if they are at most 20, else the summary, unless the text is asked for.
case_few_or_many() {
  many 20 3 >records
  expect 0 0 records
  [ "$(grep -c '^SUMMARY' made)" -eq 20 ] || fail "not in full: $(cat made)"
  many 21 3 >records
  expect 0 0 records
  has_not SUMMARY
  has 'rsan report --format text prints all 21 reports'
  expect 0 0 --format text records
  [ "$(grep -c '^SUMMARY' made)" -eq 21 ] || fail "not in full: $(cat made)"
  expect 0 0 --output file records
  [ "$(grep -c '^SUMMARY' file)" -eq 21 ] || fail "not in full in a file: $(cat file)"
  expect 2 2 --color red records
  grep -q 'auto, always or never' errors || fail "$(cat errors)"
}

# What editors, GitHub and GitLab read. The race has a second line nowhere.
case_lines() {
  use reports
  expect 0 0 --format short --strip-prefix "$programs/" json
  [ "$(wc -l <made)" -eq 3 ] || fail "not one line each: $(cat made)"
  grep -qE '^[^ ]+:[0-9]+:[0-9]+: warning: atomic read .* may miss the atomic write .* \[rsan-violation\]$' made || fail "$(cat made)"
  grep -qE '^[^ ]+:[0-9]+:[0-9]+: warning: data race: .* \[rsan-data-race\]$' made || fail "$(cat made)"
  expect 0 0 --format github json
  grep -qE '^::warning file=[^:,]+,line=[0-9]+,col=[0-9]+,title=robustness violation::atomic read ' made || fail "$(cat made)"
  grep -qE '^::error file=[^:,]+,line=[0-9]+,col=[0-9]+,title=data race::data race: ' made || fail "$(cat made)"
  expect 0 0 --format gitlab json
  python3 - made "$(grep -c . json)" <<'END' || fail "$(cat made)"
import json, sys
issues = json.load(open(sys.argv[1]))
assert len(issues) == int(sys.argv[2]), len(issues)
for issue in issues:
    assert issue["severity"] in ("info", "minor", "major", "critical", "blocker"), issue
    assert issue["description"] and issue["check_name"] and issue["fingerprint"], issue
    assert issue["location"]["path"] and issue["location"]["lines"]["begin"] > 0, issue
assert len({issue["fingerprint"] for issue in issues}) == len(issues)
assert {issue["severity"] for issue in issues} == {"major", "critical"}, issues
END
}

# Texts of reports cannot begin a command, an element or a mark.
case_hostile_lines() {
  violation 10 0x0 fence:take:11 |
    sed 's|/src/q.c|/s\\n::error::x,y:%@team*b*<img>\|`.c|g' >records
  expect 0 0 --format github records
  [ "$(grep -c '^::' made)" -eq 1 ] && [ "$(wc -l <made)" -eq 1 ] || fail "$(cat made)"
  grep -qE '^::warning file=[^:,]*,line=10,title=' made || fail "a file ends early: $(cat made)"
  expect 0 0 --format short records
  [ "$(wc -l <made)" -eq 1 ] || fail "$(cat made)"
  expect 0 0 --format gitlab records
  python3 -m json.tool made >/dev/null || fail "$(cat made)"
  expect 0 0 --format markdown records
  sed '/<pre>/,/<\/pre>/d' made | grep -E '^\| <code>robustness' >row
  ! grep -qE '<img|`\.c|\*b|@team' row || fail "marks count: $(cat row)"
  [ "$(sed 's/&#[0-9]*;//g' row | tr -cd '|' | wc -c)" -eq 6 ] || fail "another number of cells: $(cat row)"
  ! grep -q '<img' made || fail "an element: $(cat made)"
}

# A comment has a limit of 65,536 characters; what is not there is said.
case_markdown() {
  many 500 7 >records
  expect 0 0 --format markdown records
  [ "$(wc -c <made)" -lt 65536 ] || fail "$(wc -c <made) characters"
  has '### RSan: 500 robustness violations, 0 data races'
  has '450 more are not listed here.'
  has '495 more reports are not shown here.'
  [ "$(grep -c '^| <code>robustness' made)" -eq 50 ] || fail 'not 50 rows'
  [ "$(grep -c '^<details>' made)" -eq 5 ] || fail 'not 5 reports'
}
