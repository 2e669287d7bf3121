// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// While an engine works: how far it is, and what breaks a round off.

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/plural.h"
#include "campaign.h"
#include "run/files.h"

// What lies in the folder, and is not validated yet.
static void count_arrivals(const char *folder, size_t *units, unsigned long *runs) {
  struct dirent *entry;
  DIR *list = opendir(folder);
  while (list && (entry = readdir(list))) {
    struct stat status;
    unsigned first, last;
    int length = 0;
    if (sscanf(entry->d_name, "%u-%u.tgz%n", &first, &last, &length) != 2 || !length ||
        entry->d_name[length] || fstatat(dirfd(list), entry->d_name, &status, 0) != 0 ||
        status.st_size == 0)
      continue;
    ++*units;
    *runs += last - first + 1UL;
  }
  if (list)
    closedir(list);
}

static void say_progress(const struct campaign *campaign, const char *folder) {
  static double said;
  double now = now_seconds();
  size_t units = campaign->share_count - shares_missing(campaign);
  unsigned long runs = campaign->runs_done;
  if (!isatty(STDERR_FILENO) || now - said < 0.4)
    return;
  said = now;
  if (!campaign->round) {
    fprintf(stderr, "\r%s: the hosts are made ready, %.0f s\033[K", campaign->name,
            now - campaign->begun);
    return;
  }
  count_arrivals(folder, &units, &runs);
  fprintf(stderr, "\r%s: %zu of %zu units, ", campaign->name, units, campaign->share_count);
  if (campaign->executions)
    fprintf(stderr, "%llu executions before", campaign->executions);
  else
    fprintf(stderr, "%lu runs", runs);
  if (!campaign->tries)
    fprintf(stderr, ", %lu with reports so far", campaign->runs_reporting);
  if (campaign->hosts)
    fprintf(stderr, ", %u host%s", campaign->hosts, plural(campaign->hosts));
  fprintf(stderr, ", round %u, %.0f s\033[K", campaign->round, now - campaign->begun);
  fflush(stderr);
}

void campaign_clear_progress(void) {
  if (isatty(STDERR_FILENO))
    fputs("\r\033[K", stderr);
}

bool campaign_is_late(const struct campaign *campaign) {
  return campaign->plan.time && now_seconds() - campaign->begun >= campaign->plan.time;
}

void campaign_signals(sigset_t *signals) {
  sigemptyset(signals);
  sigaddset(signals, SIGCHLD);
  sigaddset(signals, SIGINT);
  sigaddset(signals, SIGTERM);
  sigaddset(signals, SIGHUP);
}

bool campaign_poll(struct campaign *campaign, const char *folder, double seconds) {
  sigset_t signals;
  struct timespec limit = {.tv_sec = (time_t)seconds,
                           .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
  campaign_signals(&signals);
  say_progress(campaign, folder);
  int signal = sigtimedwait(&signals, NULL, &limit);
  campaign->interrupted |= signal > 0 && signal != SIGCHLD;
  return campaign->interrupted || campaign_is_late(campaign);
}
