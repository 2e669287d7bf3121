# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What the page of HTML has for long cycles, for its filters, and of hostile names; and outputs of nothing. Sourced by
# check-report.
# shellcheck shell=bash disable=SC2154 # variables of check-report

# with_cycle STEPS THREADS: a record of a violation with a cycle of so many steps, which pass through so many threads.
with_cycle() {
  python3 - "$1" "$2" "$work/source.c" <<'END'
import json, sys
steps, threads, file = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
with open(file, "w") as source:
    source.writelines(f"line {i + 1}\n" for i in range(20 * steps))
def access(i, kind):
    frame = {"pc": hex(i + 1), "function": f"step{i}", "file": file, "line": 20 * i + 1}
    return {"kind": kind, "order": "relaxed", "atomic": True, "size": 4, "address": hex(i), "thread": i % threads,
            "place": frame, "stack": [frame]}
def step(i):
    made = access(i, "read" if i % 2 else "write")
    return {"thread": made["thread"], "access": made, "place": made["place"], "frame": made["place"],
            "stack": made["stack"], "to_next": "from-read" if i % 2 else "program order"}
print(json.dumps({"rsan_report": 1, "type": "robustness violation", "pid": 1, "program": "/p",
                  "accesses": [access(steps - 1, "read"), access(0, "write")], "stale": "0x0", "seen": "0x1",
                  "cycle": {"complete": True, "steps": [step(i) for i in range(steps)]}}, separators=(",", ":")))
END
}

# All of a cycle is drawn, and the lines of all of its steps are there, however long it is.
case_long_cycle() {
  local steps
  for steps in 4 64 65 300; do
    with_cycle "$steps" 7 >record
    expect 0 0 --format html record
    python3 "$here/check-html" made 1 "$steps"
    [ "$(grep -o '<span class="here">' made | wc -l)" -eq "$steps" ] || fail "$steps steps: lines are missing"
    awk '/<g><title>/ && !gone { skip = 1 } !skip { print } skip && /<\/g>/ { skip = 0; gone = 1 }' made >fewer
    ! python3 "$here/check-html" fewer 1 "$steps" 2>said || fail 'a diagram without a step is accepted'
    grep -q "AssertionError: ($((steps - 1)), $steps)" said || fail "not for the missing step: $(cat said)"
  done
}

# options FILTER: what it offers, one a line.
options() {
  python3 - "$1" <<'END'
import sys, xml.etree.ElementTree as tree
for select in tree.parse("made").getroot().iter("select"):
    if select.get("id") == sys.argv[1]:
        print(*(option.text for option in select if option.get("value")), sep="\n")
END
}

case_filters() {
  { violation 10 0x0 fence:take:21 && violation 20 0x0 fence:take:21 && violation 30 0x0; } >records
  sed -i '1s/}$/,"targets":{"c11":"yes","x86":"no","armv8":"may"}}/; 2s/}$/,"targets":{"c11":"yes","x86":"yes"}}/' records
  sed -i '2s/"function":"f(int)","file":"[^"]*"/"function":"g","file":"other.c"/' records
  expect 0 0 --format html records
  python3 "$here/check-html" made 3
  diff <(options file) - <<<$'/src/q.c (3)\nother.c (1)' || fail 'other files'
  diff <(options function) - <<<$'f(int) (3)\ng (1)' || fail 'other functions'
  diff <(options machine) - <<<$'ARMv8 may (1)\nC11 yes (2)\nx86-64 no (1)\nx86-64 yes (1)' || fail 'other machines'
  diff <(options group) - <<<'fence in take /src/q.c:21 (2)' || fail 'other groups'
  # A filter that no report has a value for is left out.
  violation 30 0x0 >records
  expect 0 0 --format html records
  python3 "$here/check-html" made 1
  [ -z "$(options machine)$(options group)" ] || fail 'a filter without values'
  [ "$(options file)" = '/src/q.c (1)' ] || fail "no files: $(options file)"
}

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

# Where the browser is missing its test fails, in one line that names the package.
case_no_browser() {
  local status=0 python
  python=$(python3 -c 'import sys; print(sys.executable)')
  PATH=/nowhere "$python" "$here/check-browser" "$rsan" . 2>said || status=$?
  [ "$status" -eq 1 ] || fail "exit code $status: $(cat said)"
  diff said - <<<"check-browser: there is no chromium; install Debian's package of that name" || fail 'other words'
}

# If no input could be opened, nothing is written: it could be taken for a result without a report.
case_nothing() {
  local format
  echo before >json
  cp json before
  for format in text json sarif junit html; do
    expect 2 2 --format "$format" missing missing2
    [ ! -s made ] || fail "made of nothing: $(cat made)"
    expect 2 1 --format "$format" --output before missing
    cmp json before || fail "made of nothing: $(cat before)"
  done
  : >empty
  for format in sarif junit html; do
    expect 0 1 --format "$format" empty
    [ -s made ] || fail 'nothing made of a file without a report'
  done
}

# build FLAG...: ./changing/program from ./changing/source.c, and its report.
build() {
  "$compiler" -fsanitize=robustness -O1 -I "$here/../../../examples" "$@" changing/source.c -o changing/program
  run_reporting json report_format=json "$PWD/changing/program"
}

# shown: the page has lines of the source. hidden WHY: it has none, and says why.
shown() {
  expect 0 0 --format html "$@" json
  has 'atomic_store_explicit'
  has_not 'so not shown'
}

hidden() {
  expect 0 0 --format html "${@:2}" json
  has "$1"
  has_not 'atomic_store_explicit'
}

# A page has lines only of the text that the program was built from, as far as its debug information tells.
case_changed_source() {
  local flags changed='source changed since the build, so not shown'
  mkdir -p changing old
  cp "$here/../../../examples/dekker.c" original
  sed 1d original >edited
  for flags in -g '-g -gdwarf-5 -gembed-source' '-g -gz' '-g -fdebug-compilation-dir=.'; do
    cp original changing/source.c
    # shellcheck disable=SC2086
    build $flags
    shown
    cp edited changing/source.c
    hidden "$changed"
    rm changing/source.c
    hidden 'source not found'
    cp original changing/source.c
    shown
  done
  build -g
  # A report without the beginning of its paths, and sources that are elsewhere.
  sed "s|\"$PWD/changing/source.c\"|\"source.c\"|g" json >short && mv short json
  shown --source-root changing --strip-prefix "$PWD/changing/"
  cp edited changing/source.c
  hidden "$changed" --source-root changing --strip-prefix "$PWD/changing/"
  # The program was built again: it says nothing of the source of then.
  cp changing/program old
  build -g
  mv json newer
  cp original changing/source.c
  cp changing/program newest
  cp old/program changing/program
  run_reporting json report_format=json "$PWD/changing/program"
  shown
  cp newest changing/program
  hidden 'program rebuilt since the report, so not shown; --module-dir names the build'
  shown --module-dir old
  # Nothing is known of the source: there is no program, no checksum, no build id.
  rm changing/program old/program
  shown
  cp original changing/source.c
  build -g -gdwarf-4
  cp edited changing/source.c
  shown
  cp original changing/source.c
  build -g
  cp edited changing/source.c
  sed 's/"build_id":"[0-9a-f]*",*//g; s/,}/}/g' json >without && mv without json
  shown
}
