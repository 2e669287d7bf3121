# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The cases of check-command that are about the text: what passes, and in which forms a report comes.

# What is no report passes byte by byte, and no symbolizer is needed for it.
case_pass_through() {
  {
    printf 'a line\n\nwith\r\nNUL\0here\n    #0 no frame\n    #1\n#2 <null> <null> (x)\n'
    printf '    #0 <null> <null> (prog12345)\n    #0 <null> <null> (prog+12)\n'
    printf '    #0 0x (prog+0x1)\n    #0 <null> <null> (prog+0x)\n    #0 <null> <null> prog+0x1)\n'
    printf 'SUMMARY: ThreadSanitizer: data race a.c:1 in f (x)\nSUMMARY: other (prog+0x12)\n'
    head -c 2000000 /dev/zero | tr '\0' 'x'
    printf '\n==================\nWARNING: ThreadSanitizer: cut off\n    #0 f a.c:1 (p+0x1)\nno newline'
  } >text
  expect 0 0 --symbolizer=/bin/false text
  unchanged text
  : >text
  expect 0 0 --symbolizer=/bin/false text
  unchanged text
}

case_symbolized_already() {
  use dekker # all of whose frames have names
  expect 0 0 --symbolizer=/bin/false symbolized
  unchanged symbolized
}

# As `ctest -V` and log collectors write them.
case_line_prefixes() {
  use reports
  sed 's/^/12: /' raw >prefixed
  sed -i 's/^/12: /' expected
  symbolized prefixed
}

case_line_ends() {
  use dekker
  sed 's/$/\r/' raw >crlf
  sed -i 's/$/\r/' expected
  symbolized crlf
}

# A report comes out when it is complete, not when the input ends.
case_stream() {
  use dekker
  local line
  coproc "$tool" 2>errors
  cat raw >&"${COPROC[1]}"
  while IFS= read -r line <&"${COPROC[0]}"; do
    echo "$line"
    [[ $line != 'ThreadSanitizer: reported'* ]] || break
  done >made
  same_reports expected made
  exec {COPROC[1]}>&-
  wait "$COPROC_PID"
}

# A stack and a summary outside of any report, and a report that is cut off.
case_pieces() {
  use dekker
  local raw_frame frame summary
  summary=$(grep '^SUMMARY' raw)
  raw_frame="    #0 0x55d0c0de0001 $(grep -o '([^ ]*+0x[0-9a-f]*)' <<<"$summary")"
  frame=$(grep -m 1 '#0 ' expected)
  printf '%s\n' "$raw_frame" "$summary" >pieces
  expect 0 0 pieces
  [ "$(sed -n 1p made)" = "${frame% (BuildId*}" ] || fail "not $frame: $(cat made)"
  [ "$(tail -n 1 made)" = "$(grep '^SUMMARY' expected)" ] || fail "$(cat made)"
  head -n 4 raw | head -c -1 >cut
  expect 0 0 cut -m bin
  same_reports <(head -n 5 expected | head -c -1) made # the line is two frames now
}

# Names of globals, for runtimes that tell where they are: any address within the object will do.
case_global() {
  use dekker
  local line address place
  line=$(grep 'Location is global' symbolized)
  address=$(grep -o '0x[0-9a-f]\{12\}' <<<"$line")
  place=$(grep -o '(dekker+0x[0-9a-f]*)' <<<"$line")
  local offset=${place#*+}
  offset=${offset%)}
  grep '^SUMMARY' raw >summary # has the path
  for byte in 0 3; do
    printf "WARNING: ThreadSanitizer: x\n  Location is global '<null>' at 0x%012x (dekker+0x%x)\n\n" \
      $((address + byte)) $((offset + byte)) >global
    cat summary >>global
    expect 0 0 global
    [ "$(sed -n 2p made)" = "${line%+*}+$(printf '0x%x' $((offset + byte))))" ] || fail "$(cat made)"
  done
  # Nothing is there: the line stays.
  printf "WARNING: ThreadSanitizer: x\n  Location is global '<null>' at 0x%012x (dekker+0x1)\n" \
    "$address" >global
  cat summary >>global
  expect 0 0 global
  [ "$(sed -n 2p made)" = "$(sed -n 2p global)" ] || fail "$(cat made)"
}

case_sysroot() {
  use dekker
  mkdir -p "root$work" root/lib root/usr
  mv bin "root$work/"
  ln -s /lib/x86_64-linux-gnu root/lib/
  expect 1 1 raw
  symbolized --sysroot="$work/root" raw
}

# Blanks, parentheses and either kind of quotes in a path; with both kinds llvm-symbolizer cannot
# be asked.
case_names() {
  local name
  for name in 'my (own) folder+0x1' "it's" 'a "b"'; do
    use dekker
    mv bin "$name"
    run_reporting raw symbolize=0 "$work/$name/dekker"
    symbolized raw
    rm -r "$name"
  done
  use dekker
  mv bin "it's \"b\""
  run_reporting raw symbolize=0 "$work/it's \"b\"/dekker"
  expect 1 1 raw
  says "llvm-symbolizer cannot be asked about a name with both kinds of quotes: $work/it's \"b\"/dekker"
}

# with_global RAW SYMBOLIZED: RAW, with the line that a runtime may write of the global that
# SYMBOLIZED names.
with_global() {
  local line
  ! grep 'Location is global' "$1" >/dev/null || { cat "$1" && return; }
  line=$(grep 'Location is global' "$2" | sed "s/'.*' of size [0-9]*/'<null>'/")
  awk -v line="$line" '{ print }
    /but it does not happen before this access/ { printf "\n%s\n", line }' "$1"
}

# Reports of two builds in one log. A line that says less than a frame (that of a global has no build
# id) is about the build of the frames before it.
case_two_builds() {
  local build
  mkdir other
  cp "$programs/no-pie/dekker" other/
  use dekker
  for build in bin other bin other; do
    run_reporting raw symbolize=0 "$work/$build/dekker"
    run_reporting symbolized symbolize=1 "$work/$build/dekker"
    with_global raw symbolized >>both
    cat symbolized >>all
  done
  mv all expected
  symbolized both
}
