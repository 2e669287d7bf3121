// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "campaign.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "asked.h"
#include "bundle.h"
#include "merge/result.h"
#include "printable.h"
#include "run/files.h"
#include "run/folder.h"

struct campaign campaign_of(const char *name, const struct run_plan *plan,
                            const struct machines_asked *asked) {
  return (struct campaign){.name = name,
                           .plan = *plan,
                           .engine = asked->on,
                           .with = asked->with,
                           .unit_runs = asked->unit,
                           .next = 1};
}

// Late ones, too: of rounds of this call and of others.
static size_t take_arrivals(struct campaign *campaign) {
  size_t taken = 0;
  char folder[PATH_MAX];
  campaign_clear_progress();
  for (unsigned round = 1; round <= campaign->round; round++) {
    snprintf(folder, sizeof folder, "%s", campaign_path(campaign, "incoming/%u", round));
    taken += arrivals_take(campaign, folder);
  }
  return taken;
}

static bool is_finished(struct campaign *campaign) {
  const struct run_plan *plan = &campaign->plan;
  if (campaign->share_count && plan->until_clean && !campaign->clean)
    campaign->clean = arrivals_are_clean(campaign);
  return campaign_is_late(campaign) || campaign->clean ||
         (plan->stop_on_first && campaign->found) ||
         (plan->iterations && campaign->next > plan->iterations);
}

// False: no more than that can be done.
static bool make_round(struct campaign *campaign, const struct engine *engine) {
  size_t *missing = calloc(campaign->share_count, sizeof *missing), count = 0;
  char folder[PATH_MAX];
  if (!missing)
    abort();
  for (size_t i = 0; i < campaign->share_count && (!engine->most || count < engine->most); i++)
    if (!campaign->shares[i].done)
      missing[count++] = i;
  campaign->round++;
  snprintf(folder, sizeof folder, "%s", campaign_path(campaign, "incoming/%u", campaign->round));
  bool made = mkdir(folder, 0777) == 0;
  if (!made)
    print_line(stderr, "%s: %s: %s", campaign->name, folder, strerror(errno));
  else if ((campaign->round > 1 || campaign->tries) && !engine->prepare(campaign))
    made = false;
  else
    engine->round(campaign, missing, count, folder);
  free(missing);
  return take_arrivals(campaign) && made;
}

// The first runs are made here: they say how long a run takes, and whether COMMAND can be started.
static bool make_pilot(struct campaign *campaign, double *run_seconds) {
  char archive[PATH_MAX];
  unsigned last = campaign->plan.iterations ? campaign->plan.iterations : UINT_MAX - 1;
  snprintf(archive, sizeof archive, "%s", campaign_path(campaign, "units/first.tgz"));
  double begun = now_seconds();
  int status = bundle_pilot(campaign, last, archive);
  if (status) {
    print_line(stderr, "%s: the first runs could not be made here (exit status %d); see %s",
               campaign->name, status, campaign_named_log(campaign));
    return false;
  }
  *run_seconds = now_seconds() - begun;
  unsigned made = bundle_pilot_runs(archive);
  if (!made)
    return false;
  *run_seconds /= made;
  shares_add(campaign, 1, made);
  return rename(archive, campaign_path(campaign, "units/1-%u.tgz", made)) == 0 &&
         arrivals_take(campaign, campaign_path(campaign, "units")) == 1;
}

static bool begin(struct campaign *campaign, const struct engine *engine, double *run_seconds) {
  char units[PATH_MAX];
  mkdir(campaign_path(campaign, "incoming"), 0777);
  snprintf(units, sizeof units, "%s", campaign_path(campaign, "units"));
  if (mkdir(units, 0777) != 0 && errno != EEXIST) {
    print_line(stderr, "%s: %s: %s", campaign->name, units, strerror(errno));
    return false;
  }
  arrivals_take(campaign, units);
  take_arrivals(campaign);
  campaign->next = campaign->share_count ? campaign->shares[campaign->share_count - 1].last + 1 : 1;
  return bundle_make(campaign, engine == &engine_ssh) && engine->prepare(campaign) &&
         (campaign->share_count || campaign->unit_runs || campaign->tries ||
          make_pilot(campaign, run_seconds));
}

// Adds shares. False: no more are wanted.
static bool add_shares(struct campaign *campaign, double run_seconds) {
  if (campaign->tries ? campaign_is_late(campaign) || !campaign->tries(campaign, campaign->context)
                      : is_finished(campaign))
    return false;
  if (!campaign->tries)
    shares_cut(campaign, run_seconds);
  return true;
}

static void work(struct campaign *campaign, const struct engine *engine) {
  double run_seconds = 0;
  if (!begin(campaign, engine, &run_seconds))
    return;
  for (;;) {
    if (!shares_missing(campaign)) {
      campaign->finished = !add_shares(campaign, run_seconds);
      if (campaign->finished)
        return;
      if (!campaign_keep(campaign))
        return;
    }
    if (campaign->interrupted || !make_round(campaign, engine))
      return;
  }
}

// -- the end --

// What an earlier call has merged into the folder.
static void remove_result(const struct campaign *campaign) {
  static const char *const names[] = {"reports.jsonl", "reports.txt", "runs.jsonl"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    unlink(campaign_path(campaign, "%s", names[i]));
  run_folders_remove(campaign->plan.folder);
}

static int merge(const struct campaign *campaign) {
  struct merge_request request = {.name = campaign->name,
                                  .output = campaign->plan.folder,
                                  .made = campaign->plan.folder,
                                  .keep = campaign->plan.keep,
                                  .allow_empty = campaign->plan.allow_empty};
  char **archives = calloc(campaign->share_count + 1, sizeof *archives);
  size_t count = 0;
  if (!archives)
    abort();
  for (size_t i = 0; i < campaign->share_count; i++) {
    const struct share *share = &campaign->shares[i];
    if (share->done && !(archives[count++] = strdup(campaign_path(campaign, "units/%u-%u.tgz",
                                                                  share->first, share->last))))
      abort();
  }
  remove_result(campaign);
  bundle_add_modules(campaign, &request);
  request.archives = archives;
  signal(SIGPIPE, SIG_IGN); // of a symbolizer that has ended, and of standard output
  int status = count ? merge_archives(&request) : EXIT_INCOMPLETE;
  while (count)
    free(archives[--count]);
  free(archives);
  while (request.folder_count)
    free((char *)request.folders[--request.folder_count]);
  free(request.folders);
  return status;
}

// Time that is over leaves nothing to be made.
bool campaign_say_incomplete(const struct campaign *campaign, FILE *out) {
  if (campaign->finished || campaign_is_late(campaign))
    return false;
  if (shares_missing(campaign)) {
    fputs("incomplete: no host made the runs ", out);
    shares_print_missing(campaign, out);
  } else if (campaign->share_count) {
    fprintf(out, "incomplete: no runs from %u on were made", campaign->next);
  } else {
    fputs("incomplete: no run was made", out);
  }
  print_line(out, "; to go on: %s --resume %s", campaign->name,
             run_folder_named(campaign->plan.folder));
  return true;
}

static int conclude(const struct campaign *campaign) {
  int status = merge(campaign);
  bool incomplete = campaign_say_incomplete(campaign, stdout);
  if (campaign->interrupted)
    return status == 66 ? status : 130;
  return incomplete ? EXIT_INCOMPLETE : status;
}

void campaign_make(struct campaign *campaign) {
  const char *rest;
  const struct engine *engine = engine_find(campaign->engine, &rest);
  sigset_t signals, old;
  campaign_signals(&signals);
  sigprocmask(SIG_BLOCK, &signals, &old);
  campaign->begun = now_seconds();
  if (campaign->resumed || campaign_keep(campaign))
    work(campaign, engine);
  campaign_clear_progress();
  engine->end(campaign);
  sigprocmask(SIG_SETMASK, &old, NULL);
}

void campaign_free(struct campaign *campaign) {
  cJSON_Delete(campaign->wanted);
  cJSON_Delete(campaign->kept);
  free(campaign->kept_with);
  free(campaign->shares);
}

int campaign_run(struct campaign *campaign) {
  campaign_make(campaign);
  int status = conclude(campaign);
  campaign_free(campaign);
  return status;
}
