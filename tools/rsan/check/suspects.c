// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "suspects.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "replay/trusted.h"

static bool is_finding(const struct progress *progress, unsigned long long number) {
  for (size_t i = 0; i < progress->findings; i++)
    if (progress->finding[i].number == number)
      return true;
  return false;
}

// As `rsan replay' has it, with reports as records.
static char *options_of(const struct check_bounds *bounds, const char *schedule) {
  static const char exact[] = "history=exact:history_size=250:";
  char more[128];
  snprintf(more, sizeof more, "%s", exact);
  if (bounds->departures)
    snprintf(more, sizeof more, "%sweak=explored:weak_departures=%u:", exact, bounds->departures);
  return options_replay(more, schedule);
}

static bool reports_it(const struct records *records, unsigned run) {
  for (size_t i = 0; i < records->count; i++)
    if (records->at[i].last_run == run &&
        strcmp(records->at[i].type, "uninitialised atomic read") == 0)
      return true;
  return false;
}

// Writes behind what the explorer has written, and reads it.
static void tell(struct progress *progress, unsigned run, const struct finding *suspect) {
  const long read = ftell(progress->file);
  fseek(progress->file, 0, SEEK_END);
  fprintf(progress->file, "replayed number=%u\n", run);
  if (suspect)
    fprintf(progress->file,
            "finding what=report number=%llu execution=%llu steps=%llu departures=%llu "
            "preemptions=%lld schedule=%s\n",
            suspect->number, suspect->execution, suspect->steps, suspect->departures,
            suspect->preemptions, suspect->schedule);
  fflush(progress->file);
  fseek(progress->file, read, SEEK_SET);
  progress_read(progress);
}

void suspects_replay(struct run_plan *plan, const char *name, const struct check_bounds *bounds,
                     struct progress *progress, struct runs *runs) {
  for (size_t i = 0; progress->ended && i < progress->suspects; i++) {
    const struct finding *suspect = &progress->suspect[i];
    if (is_finding(progress, suspect->number))
      continue;
    schedule_trust(suspect->schedule);
    char *options = options_of(bounds, suspect->schedule);
    plan->options = options;
    plan->earlier = progress->run;
    plan->iterations = progress->run + 1;
    plan->watch = NULL;
    records_free(&runs->records); // they are read again
    *runs = (struct runs){0};
    runs_do(plan, name, runs);
    tell(progress, plan->iterations, reports_it(&runs->records, plan->iterations) ? suspect : NULL);
    free(options);
  }
}
