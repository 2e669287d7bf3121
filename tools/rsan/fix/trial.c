// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the runs are clean with the chosen rules.

#include "fix.h"

unsigned fix_scheduled(const struct fix *fix) {
  return fix->runs / 2;
}

bool fix_confirm(struct fix *fix, const bool *chosen, struct runs *runs) {
  unsigned scheduled = fix_scheduled(fix);
  bool stop = !fix_given_up(fix) && !fix->harmless_count; // what is left is reported in each run
  if (!fix_run(fix, chosen, NULL, fix->runs - scheduled, stop, runs))
    return false;
  if (fix_goals(fix, &runs->records) || fix->interrupted || !scheduled)
    return true;
  records_free(&runs->records);
  fix->plan.schedule = "mix";
  bool done = fix_run(fix, chosen, NULL, scheduled, stop, runs);
  fix->plan.schedule = NULL;
  return done;
}

bool fix_is_late(const struct fix *fix) {
  return fix->time > 0 && now_seconds() - fix->begun > fix->time;
}

bool fix_drop_refused(struct fix *fix) {
  bool any = fix->refused;
  fix->refused = false;
  if (any)
    fix_cover(&fix->problem, fix->chosen);
  return any;
}
