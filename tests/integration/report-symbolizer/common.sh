# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What the tests of rsan-symbolize share; sourced by them.

fail() {
  echo "$(basename "$0"): $*" >&2
  exit 1
}

# run_reporting OUT OPTIONS PROGRAM: PROGRAM must end with RSan's exit code; its report goes to OUT.
run_reporting() {
  local status=0
  # What the caller has set for other programs must not decide this test.
  (unset TSAN_OPTIONS && RSAN_OPTIONS=$2 exec "$3") >/dev/null 2>"$1" || status=$?
  [ "$status" -eq 66 ] || fail "$3: exit code $status instead of 66: $(head -c 4000 "$1")"
}

# The same report of two runs differs in these.
without_run() {
  sed -E -e 's/0x[0-9a-f]{12}/ADDRESS/g' -e 's/pid=[0-9]+/PID/' -e 's/tid=[0-9]+/TID/' \
    -e 's/(TID, )(running|finished)/\1STATE/' "$1"
}

# expected_of RAW SYMBOLIZED: what the tool can make of RAW, when SYMBOLIZED is what the runtime makes
# of it.
expected_of() {
  local keep_globals=0 keep_ids=0
  # A runtime without symbolizer may not say which global an address belongs to.
  ! grep -q 'Location is global' "$1" || keep_globals=1
  # Frames in the form of other scripts have no build ids.
  ! grep -q '#0 .* (BuildId: ' "$1" || keep_ids=1
  awk -v keep_globals="$keep_globals" -v keep_ids="$keep_ids" '
    /llvm-symbolizer: error:/ { next } # lost among the lines of the report
    /Location is global/ && !keep_globals { skip = 1; next }
    skip && /^$/ { skip = 0; next }
    { skip = 0; if (!keep_ids) sub(/ \(BuildId: [0-9a-f]*\)/, ""); print }' "$2"
}

# A raw report does not name the globals in the steps of a cycle, whose column has another width then.
without_objects() {
  sed -E 's/^(.*    (failed )?(read|write|[a-z]+-[a-z-]+)) +[^ ]+   +(T[0-9]+|main) /\1 OBJECT   \4 /'
}

# same_reports EXPECTED ACTUAL
same_reports() {
  diff <(without_run "$1" | without_objects) <(without_run "$2" | without_objects) >&2 || fail "$2 differs from $1, see above"
}
