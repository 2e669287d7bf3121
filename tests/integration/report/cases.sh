# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash disable=SC2154 # variables of check-report
#
# The cases of check-report, one function each.

# Whatever the form, it is one report; what it says is what the runtime says.
case_merge() {
  use reports
  expect 0 0 text raw json json-raw
  has '1 robustness violation, 1 data race, 1 of other types; 12 reports in 4 runs'
  [ "$(grep -c 'Seen 4 times in 4 runs, first in text:' made)" -eq 3 ] || fail "not merged: $(grep Seen made)"
  for form in text raw json json-raw; do
    expect 0 0 $form
    has '1 robustness violation, 1 data race, 1 of other types; 3 reports in 1 run'
    grep -E '^SUMMARY|^    #' made >"$form.frames"
    # The token is in the runtime's text for violations only.
    grep 'DEDUP_TOKEN' made >"$form.tokens"
  done
  grep -E '^SUMMARY|^    #' text >expected
  for form in text raw json json-raw; do
    diff expected $form.frames || fail "frames of $form are not the runtime's"
    diff text.tokens $form.tokens || fail "tokens of $form are others"
  done
  grep -qxF "$(grep DEDUP_TOKEN text)" text.tokens || fail 'not the token of the runtime'
}

# The same program built in another way has the same reports.
case_two_builds() {
  use dekker
  cp json json1
  use no-pie/dekker
  expect 0 0 json1 json json
  has '1 robustness violation, 0 data races; 3 reports in 2 runs'
  has 'Seen 3 times in 2 runs, first in json1:1'
}

# Which machines show it: the same from text and from records, in each format; of two answers the
# stronger one.
case_targets() {
  run_reporting text target=c11+x86 "$programs/dekker"
  run_reporting json target=c11+x86:report_format=json "$programs/dekker"
  run_reporting plain report_format=json "$programs/dekker"
  sed 's/x86-64 yes/x86-64 no/' text >weaker
  for form in text json; do
    expect 0 0 $form
    has '  Observable on: C11 yes, x86-64 yes'
    expect 0 0 --format json $form
    has '"targets":{"c11":"yes","x86":"yes"}'
    expect 0 0 --format html $form
    has 'Observable on: C11 yes, x86-64 yes'
    expect 0 0 --format sarif $form
    tr -d ' \t\n' <made >joined
    grep -qF '"targets":{"c11":"yes","x86":"yes"}' joined || fail "no property: $(cat made)"
  done
  expect 0 0 weaker
  has '  Observable on: C11 yes, x86-64 no'
  for forms in 'weaker json' 'json weaker' 'weaker text' 'plain weaker json'; do
    # shellcheck disable=SC2086
    expect 0 0 $forms
    has 'Observable on: C11 yes, x86-64 yes'
    has_not 'x86-64 no'
  done
  expect 0 0 --format html plain
  has_not 'Observable'
  expect 0 0 --format sarif plain
  has_not '"targets"'
  sed 's/x86-64 yes$/x86-64 no, ARMv8 may (needs a missing dependency)/' text >arm
  expect 0 0 arm
  has 'Observable on: C11 yes, x86-64 no, ARMv8 may (needs a missing dependency)'
  expect 0 0 --format json arm
  has '"targets":{"c11":"yes","x86":"no","armv8":"may"}'
  sed 's/"targets":{"c11":"yes"/"targets":{"c11":1/' json >damaged
  expect 1 1 damaged
}

# What it writes it reads.
case_again() {
  use reports
  expect 0 0 --format json text json text
  cp made merged
  [ "$(grep -c '^{"rsan_report":1,' merged)" -eq 3 ] || fail "not 3 records: $(cat merged)"
  cat json merged >both
  expect 0 0 both
  [ "$(grep -c 'Seen 4 times in 3 runs' made)" -eq 3 ] || fail "counts are lost: $(grep Seen made)"
  expect 0 0 text json text
  cp made written
  expect 0 0 written
  [ "$(grep -c 'Seen 3 times in 2 runs' made)" -eq 3 ] || fail "counts are lost: $(grep Seen made)"
}

# Lines of the program, of collectors of logs, colours, bytes that are no text.
case_between_output() {
  use dekker
  sed 's/^/12: /' text >prefixed
  warning='WARNING: ThreadSanitizer: 2 of the rules of f match no atomic access of this run (pid=12): lines 1, 2'
  { echo 'hello'; echo "$warning"; sed 's/$/\noutput \xff of the program/' text; printf 'no newline'; cat json; } >mixed
  RSAN_OPTIONS=color=always "$programs/dekker" >coloured 2>&1 || true
  expect 0 0 text
  grep -E '^SUMMARY|^    #|DEDUP|It would|Location' made | without_run /dev/stdin >expected
  for file in prefixed mixed coloured; do
    expect 0 0 $file
    has '1 robustness violation, 0 data races'
    grep -E '^SUMMARY|^    #|DEDUP|It would|Location' made | without_run /dev/stdin >actual
    diff expected actual || fail "$file is read otherwise"
  done
  expect 0 0 mixed
  has '1 robustness violation, 0 data races; 2 reports in 2 runs'
  sed 's/enter_second/enter\xff\xfe/' text >bytes
  expect 0 0 --format json bytes
  python3 -c 'import json; [json.loads(line) for line in open("made", encoding="utf-8")]'
  has $'enter\xef\xbf\xbd\xef\xbf\xbd'
}

# What is left of it is used.
case_truncated() {
  use reports
  head -c 2000 json >cut_off
  expect 1 1 cut_off
  says 'cut_off:1: the record is cut off; it is left out'
  head -c -100 json >cut_off
  expect 1 1 cut_off
  says 'cut_off:3: the record is cut off; it is left out'
  has '1 robustness violation, 1 data race; 2 reports in 1 run'
  sed '/^SUMMARY/,$d' text >cut_off
  expect 1 1 cut_off
  says 'cut_off:2: the report that begins here is cut off; what is there is kept'
  has '1 robustness violation, 0 data races; 1 report in 1 run'
  { head -2 text; cat text; } >cut_off
  expect 1 1 cut_off
  says 'cut_off:2: the report that begins here is cut off; it is left out'
  has '1 robustness violation, 1 data race, 1 of other types; 3 reports in 1 run'
  # Without summaries a rule ends a report, unless the next one begins there.
  grep -v '^SUMMARY' text >brief
  expect 0 0 brief
  has '1 robustness violation, 1 data race, 1 of other types; 3 reports in 1 run'
  { head -20 text; cat text; } >cut_off
  expect 1 1 cut_off
  says 'cut_off:2: the report that begins here is cut off; what is there is kept'
  { head -20 text; sed 1d text; } >cut_off # no rule between the two
  expect 1 1 cut_off
  says 'cut_off:2: the report that begins here is cut off; what is there is kept'
  expect 0 0 text
}

case_damaged() {
  use dekker
  local record
  record=$(cat json)
  { echo "${record:0:400}$record"; echo "${record/\"type\"/type}"; echo "${record/:1,/:2,}"
    echo "${record/\"stack\":[/\"stack\":[7,}"; echo "${record/\"type\":/\"typo\":}"; } >damaged
  expect 1 5 damaged
  says 'damaged:1: the record is no JSON; it is left out'
  says 'damaged:2: the record is no JSON; it is left out'
  says 'damaged:3: the record is left out: its version is not one that this program knows: use the rsan of the runtime that wrote it'
  says 'damaged:4: the record is left out: its parts are not as docs/guide/FORMATS.md says'
  says 'damaged:5: the record is left out: it has no type'
  has '1 robustness violation, 0 data races; 1 report in 1 run'
  expect 0 0 json
}

case_foreign() {
  use dekker
  : >empty
  echo 'all is well' >clean
  echo '{"version": "2.1.0"}' >other.json
  echo '<html></html>' >other.html
  expect 0 1 empty
  says 'empty: empty, so no report'
  expect 0 1 clean
  says 'clean: no report in 1 line'
  expect 1 1 other.json
  says 'other.json:1: JSON of another kind: neither records nor text of reports'
  expect 1 1 other.html
  says 'other.html:1: XML or HTML: neither records nor text of reports'
  expect 1 1 "$programs/dekker"
  says "$programs/dekker:1: not text: neither records nor text of reports"
  expect 1 2 other.json json empty
  has '1 robustness violation, 0 data races; 1 report in 1 run'
  expect 2 1 missing json
  says 'cannot read missing: No such file or directory'
  has '1 robustness violation, 0 data races; 1 report in 1 run'
  expect 0 0 - <json
  has 'first in standard input:1'
}

case_usage() {
  use dekker
  expect 2 2
  grep -q 'which FILE' errors || fail "$(cat errors)"
  expect 2 2 --format xml json
  grep -q 'there is no format xml: text|summary|short|json|sarif|junit|html|markdown|github|gitlab' errors || fail "$(cat errors)"
  expect 2 2 --fromat text json
  expect 0 0 --format=text json
}

# A file is written whole or not at all.
case_output() {
  use dekker
  expect 0 0 json
  mv made expected
  expect 0 0 --output out json
  [ ! -s made ] || fail 'written to standard output, too'
  cmp expected out
  expect 2 1 --output missing/out json
  says 'cannot write missing/out: No such file or directory'
  "$rsan" report json >/dev/full 2>errors && fail 'no error'
  says 'cannot write standard output: No space left on device'
  "$rsan" report json 2>errors | head -1 >made
  [ ! -s errors ] || fail "$(cat errors)"
}

# On another machine.
case_moved_modules() {
  mkdir here there root
  cp "$programs/dekker" here
  run_reporting json report_format=json "$work/here/dekker"
  run_reporting json-raw report_format=json:symbolize=0 "$work/here/dekker"
  mkdir -p "root/$work/here"
  cp here/dekker "root/$work/here"
  mv here/dekker there
  expect 1 1 json-raw
  says "module not found: $work/here/dekker; its frames stay as they are (--module-dir=DIR: where it is)"
  has '#0 <null> <null> (dekker+0x'
  expect 0 0 --module-dir=there json json-raw
  has '1 robustness violation, 0 data races; 2 reports in 2 runs'
  "$rsan" report --sysroot=root json-raw >made 2>errors || true # whose libraries are not there
  has 'in enter_second'
  has "Location is global 'flag0' of size 4"
  expect 0 0 --module-dir=there --strip-prefix=examples/ json-raw
  has 'SUMMARY: ThreadSanitizer: robustness violation dekker.c:'
  cp "$programs/no-pie/dekker" here
  expect 1 1 json-raw
  grep -q 'is not the file of the report: it has not the build id' errors || fail "$(cat errors)"
}

# A program without debugging information: of a function without a file both are said, the offset and the name.
case_no_names() {
  cp "$programs/dekker" stripped
  strip --strip-debug stripped
  run_reporting json report_format=json "$work/stripped"
  expect 0 0 json
  grep -qE '^SUMMARY: .* stripped\+0x[0-9a-f]+ in (first|second)$' made || fail "$(cat made)"
  strip stripped
  run_reporting json report_format=json "$work/stripped"
  expect 0 0 json
  grep -qE '^SUMMARY: .* stripped\+0x[0-9a-f]+$' made || fail "$(cat made)"
  expect 0 0 --format sarif json
  python3 "$here/check-sarif" made 1
  expect 0 0 --format junit json
  expect 0 0 --suppressions json
  grep -qxE 'token:[0-9a-f]{16}' made || fail 'its token is not suppressed'
  ! grep '# Or' made || fail 'a rule for a function or an object that is not known'
}

case_sarif() {
  use reports
  expect 0 0 --format sarif text json
  python3 "$here/check-sarif" made 3 robustness-violation data-race destroy-of-a-locked-mutex
  : >empty
  expect 0 1 --format sarif empty
  python3 "$here/check-sarif" made 0
  (cd "$here/.." && "$rsan" report --format sarif "$work/json") >made
  has $'"uri":\t"report-symbolizer/part.cpp"'
  expect 0 0 --format sarif --strip-prefix=integration/ json
  has $'"uri":\t"report-symbolizer/part.cpp"'
}

# They are the same in another run, and when other lines of the file have changed.
case_fingerprints() {
  local source="$here/../../../examples/dekker.c" i
  cp "$here/../../../examples/stage.h" . 2>/dev/null || true
  for i in 1 2 3; do
    { [ $i -ne 3 ] || printf '\n\n'; cat "$source"; } >dekker.c
    "$compiler" -fsanitize=robustness -g -O1 dekker.c -o dekker
    run_reporting json$i report_format=json "$work/dekker"
    expect 0 0 --format sarif json$i
    grep 'rsanSites/v1' made >print$i
    grep 'rsanToken/v1' made >token$i
    grep 'rsanSites/v2' made >sites$i
  done
  diff print1 print2 || fail 'another run, another fingerprint'
  diff print1 print3 || fail 'other lines, another fingerprint'
  diff token1 token2 || fail 'another run, another token'
  ! cmp -s token1 token3 || fail 'other lines, and the same token of version 1'
  diff sites1 sites3 || fail 'other lines, another token'
  sed 's/memory_order_acquire/memory_order_relaxed/' "$source" >dekker.c
  "$compiler" -fsanitize=robustness -g -O1 dekker.c -o dekker
  run_reporting json4 report_format=json "$work/dekker"
  expect 0 0 --format sarif json4
  ! grep 'rsanSites/v1' made | cmp -s print1 - || fail 'another order, and the same fingerprint'
  ! grep 'rsanSites/v2' made | cmp -s sites1 - || fail 'another order, and the same token'
}

case_junit() {
  use reports
  expect 0 0 --format junit text json
  python3 "$here/check-junit" made 3
  sed -i 's/enter/<&">/' text
  sed -i $'s/bump/\x01\xff/' text
  expect 0 0 --format junit text
  python3 "$here/check-junit" made 3
  : >empty
  expect 0 1 --format junit empty
  python3 "$here/check-junit" made 0
}

case_html() {
  use dekker
  run_reporting others report_format=json "$programs/reports"
  expect 0 0 --format html --source-root "$here/../../.." json text others
  python3 "$here/check-html" made 4 4
  has 'atomic_store_explicit(&amp;flag0, 1, memory_order_release);'
  # Without a cycle the two accesses are there; without the file its name.
  run_reporting brief report_format=json:explain=0 "$programs/dekker"
  sed -i 's/dekker\.c/<gone>\&.c/g' brief
  expect 0 0 --format html brief
  python3 "$here/check-html" made 1
  # Where the reports come from: the command is stored beside them.
  grep -q 'Command' made && fail 'a command that nobody has stored'
  touch -d '2001-02-03 04:05 UTC' brief
  echo '{"command": ["./a b", "<x>"]}' >run.json
  expect 0 0 --format html brief
  python3 "$here/check-html" made 1
  grep -q "<p>Command: <code>'./a b' '&lt;x&gt;'</code>. Last report: 2001-02-03 04:05 UTC. RSan [0-9]" made || fail "$(grep Command made)"
  echo '{"command": ["a", 1]}' >run.json
  expect 0 0 --format html brief
  grep -q 'Command' made && fail 'a command that is none'
  rm run.json
  has 'source not found'
  has_not 'program order'
  : >empty
  expect 0 1 --format html empty
  python3 "$here/check-html" made 0
}

# The steps, the edges and the repairs are the same in each form; only records name objects offline.
case_cycle() {
  local form
  use dekker
  grep -q 'through$' text || fail "no cycle in: $(cat text)"
  for form in text raw json json-raw; do
    expect 0 0 $form
    sed -n '/through$/,/but it does not happen/p; /Suggested repair/p' made >$form.why
    expect 0 0 --format json $form
    python3 "$here/list-cycle" made >$form.list
  done
  sed -n '/through$/,/but it does not happen/p; /Suggested repair/p' text >expected
  for form in text json json-raw; do
    diff expected $form.why || fail "the cycle of $form is not that of the runtime"
    diff text.list $form.list || fail "the cycle of $form is another"
  done
  diff <(without_objects <expected) <(without_objects <raw.why)
  sed 's/ of [^ ]* / of - /' text.list | diff - <(sed 's/ of [^ ]* / of - /' raw.list)
  [ "$(wc -l <text.list)" -eq 6 ] || fail "not 4 steps and 2 repairs: $(cat text.list)"
  run_reporting brief report_format=json:explain=0 "$programs/dekker"
  expect 0 0 brief
  has 'orders that write first, but it does not happen before this access.'
  has_not 'Suggested repair'
}

# Cycles of other shapes, through mutexes and threads, and such that are not known in full.
case_cycles() {
  local mode form tests="$here/../../lit/runtime"
  "$compiler" -fsanitize=robustness -g -O1 -I"$tests/Inputs" "$tests/explain.c" -o explain
  for mode in sb 2+2w iriw message mutex create join far; do
    printf '#!/bin/sh\nexec "%s/explain" %s\n' "$work" "$mode" >run
    chmod +x run
    run_reporting text "" ./run
    run_reporting json report_format=json ./run
    sed -n '/It would/,/but it does not happen/p; /Suggested repair/p' text >expected
    grep -q 'but it does not happen' expected || fail "$mode: no violation in: $(cat text)"
    for form in text json; do
      expect 0 0 $form
      sed -n '/It would/,/but it does not happen/p; /Suggested repair/p' made >made.why
      diff <(without_run expected) <(without_run made.why) || fail "$mode: not the cycle of the $form"
      expect 0 0 --format html $form
      python3 "$here/check-html" made 1
      expect 0 0 --format sarif $form
      python3 "$here/check-sarif" made 1 robustness-violation
    done
  done
}

# Repairs for a source of Rust are in Rust's words, in each form and format; the record has the same ones for
# both languages, and a program in C has C's.
case_rust() {
  local mode form program found tests="$here/../../lit/runtime"
  "$compiler" -fsanitize=robustness -g -O1 -I"$tests/Inputs" "$tests/rust-words.c" -o rust
  "$compiler" -fsanitize=robustness -g -O1 -I"$tests/Inputs" -DIN_C "$tests/rust-words.c" -o c
  for mode in sb message mixed message-mixed; do
    for program in rust c; do
      printf '#!/bin/sh\nexec "%s/%s" %s\n' "$work" "$program" "$mode" >run
      chmod +x run
      run_reporting text symbolize=1 ./run
      run_reporting raw symbolize=0 ./run
      run_reporting json report_format=json ./run
      run_reporting json-raw report_format=json:symbolize=0 ./run
      grep 'Suggested repair' text >expected
      if grep -q Ordering:: expected; then found=rust; else found=c; fi
      [ "$found" = "$program" ] || fail "$program $mode: $(cat expected)"
      "$(dirname "$rsan")/rsan-symbolize" raw | grep 'Suggested repair' | diff expected - || fail "$program $mode: not what rsan-symbolize makes"
      for form in text raw json json-raw; do
        expect 0 0 $form
        grep 'Suggested repair' made | diff expected - || fail "$program $mode: not the repair of the $form"
        expect 0 0 --format json $form
        python3 "$here/list-cycle" made >"$form.list"
        expect 0 0 --format html $form
        if grep -q Ordering:: made; then found=rust; else found=c; fi
        [ "$found" = "$program" ] || fail "$program $mode: the page of $form has the words of $found"
      done
      diff text.list json.list || fail "$program $mode: the text says another repair than the record"
    done
  done
  # What a group lacks: of the last program, which is C, and of the same in Rust.
  mv json in-c
  RSAN_OPTIONS=report_format=json ./rust message 2>json-of-rust || true
  expect 0 0 in-c json-of-rust
  has 'missing memory_order_release in write_y_in_c '
  has 'missing Ordering::Release in write_y '
}

# With the suppressions that it writes there is no report; with one of them less there is.
case_suppressions() {
  use reports
  expect 0 0 --suppressions --output suppressions json text
  (cd / && RSAN_OPTIONS=suppressions=$work/suppressions "$programs/reports") >made 2>&1 ||
    fail "reports in spite of: $(cat suppressions) $(cat made)"
  [ ! -s made ] || fail "output in spite of: $(cat suppressions) $(cat made)"
  grep -n '^[^#]' suppressions >lines || true
  [ "$(wc -l <lines)" -eq 3 ] || fail "not 3 suppressions: $(cat suppressions)"
  local number
  while IFS=: read -r number _; do
    sed "${number}d" suppressions >fewer
    run_reporting one "report_format=json:suppressions=$work/fewer" "$programs/reports"
    [ "$(wc -l <one)" -eq 1 ] || fail "without line $number not one report: $(cat one)"
  done <lines
}

# ctest -T memcheck counts reports by their type.
case_memcheck() {
  mkdir project
  cd project
  cat >DartConfiguration.tcl <<'END'
SourceDirectory: .
BuildDirectory: .
MemoryCheckType: ThreadSanitizer
END
  printf 'add_test(dekker "%s")\nadd_test(repaired "%s")\n' "$programs/dekker" ./repaired \
    >CTestTestfile.cmake
  "$compiler" -fsanitize=robustness -g -O1 "$here/../../../examples/dekker_repaired.c" \
    -I"$here/../../../examples" -o repaired
  (unset RSAN_OPTIONS && ctest -T memcheck) >out 2>&1 || true
  grep -qxE 'robustness violation - 1' out || fail "not counted: $(cat out)"
  grep -qE '^ *1/2 MemCheck.* dekker \.+ +(Passed|Defects: 1|\*\*\*Failed)' out || fail "$(cat out)"
  ctest -T memcheck -R repaired >out 2>&1 || fail "$(cat out)"
  ! grep -q 'robustness violation' out || fail "counted: $(cat out)"
}
