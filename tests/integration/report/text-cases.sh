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

# An access without a line says what to do, of records as of text; one that has a line does not.
case_missing_line() {
  local hint='  Its line is not known: compile with -g or -g1.'
  "$compiler" -fsanitize=robustness -g0 -O1 "$here/../../../examples/dekker.c" -o dekker
  run_reporting text "" ./dekker
  run_reporting json report_format=json ./dekker
  run_reporting known report_format=json "$programs/dekker"
  has_line() {
    expect 0 0 "$1"
    [ "$(grep -cxF "$hint" made)" -eq "$2" ] || fail "not $2 hints of $1: $(cat made)"
  }
  has_line text "$(grep -c 'WARNING: ThreadSanitizer: robustness' text)"
  has_line json "$(grep -c robustness json)"
  has_line known 0
}

# Which bytes of a larger access a smaller one has, in all forms that have room for it; nothing of accesses of one size.
case_parts() {
  local shape said tests="$here/../../lit/runtime"
  "$compiler" -fsanitize=robustness -g -O1 -I"$tests/Inputs" "$tests/mixed.c" -o mixed
  while IFS='|' read -r shape said; do
    printf '#!/bin/sh\nexec "%s/mixed" %s\n' "$work" "$shape" >run
    chmod +x run
    run_reporting text "" ./run
    run_reporting json report_format=json ./run
    grep -qxF "  $said" text || fail "no '$said' in: $(cat text)"
    expect 0 0 json
    has "  $said"
    expect 0 0 --format html json
    has "<p>$said</p>"
  done <<END
wider|The write left bytes 0-3 of the 8 bytes of this access.
narrower|This access has bytes 4-7 of the 8 bytes that the write left.
inside|This access has byte 3 of the 8 bytes that the write left.
END
  run_reporting json report_format=json "$programs/dekker"
  for format in text html; do
    expect 0 0 --format $format json
    has_not 'that the write left'
    has_not 'The write left byte'
  done
}

# no_controls FILE...: but for ends of lines.
no_controls() {
  ! LC_ALL=C grep -nP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$@" || fail "control characters in $*"
}

# said STATUS COMMAND...: what it writes goes to ./said; there are no control characters in it.
said() {
  local want=$1 status=0
  shift
  "$@" >said 2>&1 </dev/null || status=$?
  [ "$status" -eq "$want" ] || fail "exit code $status instead of $want of $*: $(cat said)"
  no_controls said
}

# All formats escape control characters in names, and leave letters of any language.
case_printable() {
  local bin folder escaped='a\x1b[31m\nb\xc2\x9bé' raw
  bin=$(dirname "$rsan") folder=$(printf 'a\033[31m\nb\302\233\303\251')
  run_reporting json report_format=json "$programs/dekker"
  sed -i 's/enter_first/enter\\u001b[1m\\n\\u00e9first/g; s/dekker\.c/de\\u009bk\\u007f.c/g; s/flag0/fl\\tag/g' json
  expect 0 0 json
  no_controls made
  has ' enter\x1b[1m\néfirst '
  has 'de\xc2\x9bk\x7f.c:20:3'
  has "global 'fl\\tag'"
  expect 0 0 --format json json
  has '"function":"enter\\x1b[1m\\néfirst"'

  mkdir "$folder"
  cp "$programs/dekker" "$folder"
  cp json "$folder"
  said 2 "$rsan" report "$folder/none"
  grep -qF "$escaped/none: No such file" said || fail "not escaped: $(cat said)"
  said 0 "$rsan" report "$folder/json"
  grep -qF "first in $escaped/json" said || fail "not escaped: $(cat said)"
  said 0 "$rsan" doctor "$folder/dekker"
  RSAN_OPTIONS=report_format=json:symbolize=0 "$folder/dekker" 2>raw || true
  said 1 "$rsan" report raw
  grep -qF "with an end of line: $PWD/$escaped/dekker" said || fail "not escaped: $(cat said)"

  raw=$folder
  folder=$(printf 'a\033[31mb\302\233') escaped='a\x1b[31mb\xc2\x9b'
  mv "$raw" "$folder"
  said 66 "$rsan" run --iterations 1 --output "$folder/runs" "$folder/dekker"
  grep -qF "logs: $PWD/$escaped/runs" said || fail "not escaped: $(cat said)"
  said 127 "$rsan" run --iterations 1 --output "$folder/none" "$folder/none/none"
  grep -qF "$escaped/none/none: " said || fail "not escaped: $(cat said)"
  said 0 "$rsan" fix --runs 2 -- "$folder/dekker"
  said 2 "$bin/rsan-edit" "$folder/nothing"
  grep -qF "$escaped/nothing: " said || fail "not escaped: $(cat said)"
  printf 'fence-after %s/b.c:1\n' "$(printf 'a\033[31m')" >rules
  said 1 "$bin/rsan-edit" rules
  grep -qF 'a\x1b[31m/b.c:1: fence after: not edited: ' said || fail "not escaped: $(cat said)"
  said 2 "$bin/rsan-symbolize" "$folder/nothing"
  grep -qF "$escaped/nothing: " said || fail "not escaped: $(cat said)"
  written "$folder" "$escaped"
}

# Nor does argp repeat an argument as it is; and all messages begin with the name of the command.
case_arguments() {
  local bin command hostile escaped='a\x1b[31m\xc2\x9b'
  bin=$(dirname "$rsan") hostile=$(printf 'a\033[31m\302\233')
  for command in rsan 'rsan doctor' 'rsan report' 'rsan run' 'rsan check' 'rsan confirm' 'rsan replay' 'rsan fix' rsan-edit rsan-replay rsan-symbolize; do
    # shellcheck disable=SC2086
    said 2 "$bin/"$command "--$hostile"
    grep -qF "$command: unrecognized option '--$escaped'" said || fail "not escaped: $(cat said)"
    # shellcheck disable=SC2086
    said 0 "$bin/"$command --version
    grep -qx "${command%% *} [0-9.]*" said || fail "no version: $(cat said)"
  done
  # In RSan's own messages, ends of lines, too.
  said 2 "$rsan" "$hostile"$'\n'b
  grep -qxF "rsan: there is no command $escaped\\nb" said || fail "not escaped: $(cat said)"
  said 2 "$rsan" report --format "$hostile"$'\n'b x
  grep -qF "rsan report: there is no format $escaped\\nb: text" said || fail "not escaped: $(cat said)"
  said 2 "$rsan" run --iterations "$hostile" true
  grep -qxF "rsan run: --iterations: $escaped is no number from 1 to 4294967295" said || fail "not escaped: $(cat said)"
  said 2 "$bin/rsan-replay" --seed "$hostile"
  grep -qxF "rsan-replay: --seed takes a number, not $escaped" said || fail "not escaped: $(cat said)"
  said 2 "$bin/rsan-replay" "$hostile"
  grep -qF "rsan-replay: $escaped: No such file" said || fail "not escaped: $(cat said)"
}

# Names of changed sources are escaped, and in the diff they are as patch reads them.
written() { # FOLDER ESCAPED
  printf '#include <stdatomic.h>\natomic_int x;\nvoid f(void) {\n  atomic_store(&x, 1);\n}\n' >"$1/b.c"
  cp "$1/b.c" before
  printf 'fence-after %s/b.c:4:3\n' "$1" >rules
  said 2 "$bin/rsan-edit" rules --binary "$1/nothing"
  grep -qF "rsan-edit: $2/nothing: No such file" said || fail "not escaped: $(cat said)"
  said 2 "$bin/rsan-edit" rules --binary "$1/json"
  grep -qF "rsan-edit: $2/json: its debug information cannot be read" said || fail "not escaped: $(cat said)"
  said 0 "$bin/rsan-edit" rules --output diff --write
  grep -qF "rsan-edit: $PWD/$2/b.c: changed" said || fail "not escaped: $(cat said)"
  no_controls diff
  ! cmp -s before "$1/b.c" || fail 'no change was written'
  patch -s -R -p1 <diff
  cmp before "$1/b.c" || fail 'the diff names another file'
}
