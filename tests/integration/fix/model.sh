# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
#
# What the tests of rsan fix on models of programs (model.c) share.
# shellcheck source=tests/integration/packaging/common.sh
. "$(dirname "$0")/../packaging/common.sh"

write_source() {
  cat >"$CASE/model.c" <<'END'
#include <stdatomic.h>
atomic_int x, y, z;
#define STORE(p) (void)atomic_store_explicit(p, 1, memory_order_relaxed)
int first(void) {
  /*a*/atomic_store_explicit(&x, 1, memory_order_relaxed);
  int r = /*b*/atomic_load_explicit(&y, memory_order_relaxed);
  return r + /*c*/atomic_load_explicit(&z, memory_order_relaxed);
}
int second(void) {
  /*d*/atomic_store_explicit(&y, 1, memory_order_relaxed);
  return /*e*/atomic_load_explicit(&x, memory_order_relaxed);
}
void third(void) {
  /*m*/STORE(&z);
}
int fourth(void) {
  int r = /*h*/atomic_load_explicit(&x, memory_order_relaxed);
  return r + /*i*/atomic_load_explicit(&y, memory_order_relaxed);
}
END
  "$STOCK" -g -c "$CASE/model.c" -o "$CASE/model.o"
}

# Runs rsan fix on the model, with options.
fix() {
  local wanted=$1 model=$2
  shift 2
  [[ -e $CASE/model.c ]] || write_source
  printf '%s\n' "$model" >"$CASE/model.json"
  rm -f "$CASE/model.json.counter"
  expect_status "$wanted" env -C "$CASE" "$BUILD/bin/rsan" fix --runs 10 "$@" -- "$FIX_MODEL" "$CASE/model.json"
}

expect_rules() { # exactly these, by mark
  local rule found
  found=$(sed -n "s/^  \(\(fence\|order\)[^/]*\) .*model.c:\([0-9:]*\)$/\1 \3/p" "$CASE/out" | sort | xargs -d '\n' printf '%s;')
  local wanted=''
  while read -r rule; do
    wanted+=$(point_of "$rule")';'
  done < <(printf '%s\n' "$@")
  wanted=$(tr ';' '\n' <<<"${wanted%;}" | sort | xargs -d '\n' printf '%s;')
  [[ $found == "$wanted" ]] || {
    cat "$CASE/out" >&2
    fail "rules $found, not $wanted"
  }
}

point_of() { # "fence-after a" -> "fence-after 5:8"
  local mark=${1##* }
  awk -v mark="/*$mark*/" -v kind="${1% *}" \
    '{ at = index($0, mark); if (at) print kind " " FNR ":" at + length(mark) }' "$CASE/model.c"
}

# x = 1; read y || y = 1; read x
SB='{"token": "1", "cycle": ["a po", "b fr", "d po", "e fr"],
  "repairs": [{"kind": "fence", "frame": "a"}, {"kind": "fence", "frame": "d"}],
  "needs": [["fence-after a", "fence-before b"], ["fence-after d", "fence-before e"]]}'
