// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <limits.h>
#include <stdlib.h>

#include "campaign.h"

// A unit lasts so long that the way to a host costs little, and is lost with little work. Each slot
// gets several, so that a slow host keeps none waiting.
enum { UNIT_SECONDS = 60, UNITS_OF_A_SLOT = 4 };

struct share *shares_add(struct campaign *campaign, unsigned first, unsigned last) {
  size_t size = (campaign->share_count + 1) * sizeof *campaign->shares;
  campaign->shares = realloc(campaign->shares, size);
  if (!campaign->shares)
    abort();
  struct share *share = &campaign->shares[campaign->share_count++];
  *share = (struct share){.first = first, .last = last};
  campaign->next = last + 1;
  return share;
}

static unsigned runs_of_a_unit(const struct campaign *campaign, double run_seconds) {
  unsigned limit = campaign->plan.iterations;
  double runs = run_seconds > 0 ? UNIT_SECONDS / run_seconds : UNIT_SECONDS;
  if (limit) {
    double left = limit - campaign->next + 1.0;
    double share = left / (UNITS_OF_A_SLOT * (campaign->slots ? campaign->slots : 1));
    runs = runs < share ? runs : share;
  }
  return runs < 1 ? 1 : runs > UINT_MAX / 4 ? UINT_MAX / 4 : (unsigned)runs;
}

void shares_cut(struct campaign *campaign, double run_seconds) {
  unsigned limit = campaign->plan.iterations, slots = campaign->slots ? campaign->slots : 1;
  unsigned size = campaign->unit_runs ? campaign->unit_runs : runs_of_a_unit(campaign, run_seconds);
  bool rounds = campaign->plan.until_clean || campaign->plan.stop_on_first || campaign->plan.time;
  for (unsigned made = 0; !rounds || made < slots * UNITS_OF_A_SLOT; made++) {
    unsigned first = campaign->next, last = first + size - 1;
    if ((limit && first > limit) || first > UINT_MAX - size - 1)
      break;
    shares_add(campaign, first, limit && last > limit ? limit : last);
  }
}

double shares_limit(const struct campaign *campaign, const size_t *shares, size_t count) {
  enum { RUN_SECONDS = 5, OTHER_SECONDS = 60 }; // until a run is ended; until the archive is there
  unsigned most = 0;
  for (size_t i = 0; i < count; i++) {
    const struct share *share = &campaign->shares[shares[i]];
    unsigned runs = share->last - share->first + 1;
    most = runs > most ? runs : most;
  }
  double timeout = campaign->plan.timeout;
  return timeout > 0 ? most * (timeout + RUN_SECONDS) + OTHER_SECONDS : 0;
}

size_t shares_missing(const struct campaign *campaign) {
  size_t missing = 0;
  for (size_t i = 0; i < campaign->share_count; i++)
    missing += !campaign->shares[i].done;
  return missing;
}

void shares_print_missing(const struct campaign *campaign, FILE *out) {
  enum { MOST = 8 };
  size_t printed = 0, missing = shares_missing(campaign);
  for (size_t i = 0; i < campaign->share_count && printed < MOST; i++) {
    const struct share *share = &campaign->shares[i];
    if (!share->done)
      fprintf(out, "%s%u..%u", printed++ ? ", " : "", share->first, share->last);
  }
  if (missing > printed)
    fprintf(out, " and %zu units more", missing - printed);
}
