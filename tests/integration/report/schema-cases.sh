# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash disable=SC2154 # variables of check-report
#
# Records have the form of packaging/record-1.schema.json.

check_schema() {
  /usr/bin/python3 "$here/check_schema.py" "$here/../../../packaging/record-1.schema.json" "$@" >made ||
    fail "not by the schema: $(cat made)"
}

case_schema() {
  cat >ends.c <<'END'
#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

static void take(pthread_mutex_t *one, pthread_mutex_t *other) {
  pthread_mutex_lock(one);
  pthread_mutex_lock(other);
  pthread_mutex_unlock(other);
  pthread_mutex_unlock(one);
}

static void *run(void *unused) {
  take(&second, &first);
  return unused;
}

int main(int count, char **arguments) {
  pthread_t thread;
  if (count > 1 && strcmp(arguments[1], "assert") == 0)
    assert(count == 1);
  if (count > 1)
    *(volatile int *)8 = 1;
  pthread_create(&thread, NULL, run, NULL);
  take(&first, &second);
  pthread_join(thread, NULL);
  for (;;)
    pthread_mutex_lock(&first);
}
END
  "$compiler" -fsanitize=robustness -g -O1 ends.c -o ends -pthread
  local records=report_format=json
  run_reporting race "$records" "$programs/reports"
  run_reporting raw "$records:symbolize=0" "$programs/reports"
  run_reporting all "$records:target=c11+x86+armv8:schedule=mix:seed=3:record=steps" "$programs/dekker"
  for how in '' assert crash; do
    # shellcheck disable=SC2086
    "$rsan" run --schedule -n 1 --output "ends-$how" ./ends $how >/dev/null 2>&1 && fail "ends $how ended with 0"
    cp "ends-$how/reports.jsonl" "ends$how.jsonl"
  done
  RSAN_TEST=one "$rsan" confirm --time 5 --output confirmed "$programs/dekker" >/dev/null 2>&1 || true
  cat race raw all ends*.jsonl confirmed/reports.jsonl >every
  expect 0 0 --format json every
  cp made again.jsonl
  check_schema race raw all ends*.jsonl confirmed/reports.jsonl again.jsonl
  # The twin: what the schema does not have, and what has another form.
  sed 's/{"rsan_report":1,/&"unheard_of":1,/' all >more
  ! (check_schema more) 2>/dev/null || fail 'a member that the schema does not have'
  sed 's/"order":"[a-z]*"/"order":"loose"/' all >other
  ! (check_schema other) 2>/dev/null || fail 'an order that there is not'
}
