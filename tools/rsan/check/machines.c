// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "machines.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/line.h"
#include "file/output.h"
#include "machines/campaign.h"
#include "merge/content.h"
#include "need.h"
#include "printable.h"
#include "report/record.h"
#include "run/files.h"
#include "unit/bytes.h"

enum {
  HERE = 64,            // most executions that a process makes here between two rounds
  LEAST = 500,          // most executions of a unit in the first round; twice as many in each
  MOST = 32000,         // round that follows, up to this number
  SECONDS = 60,         // longest time of a unit
  PARTS_OF_A_SLOT = 2,  // more than one, so that a slot has work when a part is soon explored
  ENOUGH_PROCESSES = 4, // after so many here a round is begun with fewer parts than slots
  MOST_STATE = 1 << 28
};

struct machines {
  struct home *home;
  struct campaign campaign;
  unsigned long long round; // the one whose parts were given out last
  unsigned last;            // number of the last unit that was given out
  unsigned share, here;     // most executions of a unit in the next round, and of a process here
  bool failed;              // nothing can be explored here
  bool finished;            // nothing more is wanted
};

static const char *path_in(const struct machines *m, const char *name) {
  return campaign_path(&m->campaign, "%s", name);
}

static unsigned long long made(const struct machines *m) {
  return m->home->progress.executions - m->home->before;
}

// Of --executions; ULLONG_MAX: any number.
static unsigned long long left_to_make(const struct machines *m) {
  unsigned limit = m->home->kept->bounds.executions;
  if (!limit)
    return ULLONG_MAX;
  return made(m) < limit ? limit - made(m) : 0;
}

// -- given out --

static char *read_state(const struct machines *m, unsigned part) {
  const char *path = campaign_path(&m->campaign, "execution.part-%u", part);
  struct stat status;
  char *text = NULL;
  errno = 0;
  FILE *file = fopen(path, "r");
  if (file && fstat(fileno(file), &status) == 0 && status.st_size > 0 &&
      status.st_size < MOST_STATE) {
    unsigned char *bytes = need(malloc((size_t)status.st_size));
    if (fread(bytes, (size_t)status.st_size, 1, file) == 1)
      text = bytes_encode(bytes, (size_t)status.st_size);
    free(bytes);
  }
  if (!text)
    print_line(stderr, "%s: %s: %s", m->home->name, path,
               errno ? strerror(errno) : "empty, cut, or more than a unit can carry");
  if (file)
    fclose(file);
  return text;
}

// In seconds. A unit that takes longer hangs.
static double unit_timeout(const struct machines *m) {
  double timeout = m->home->kept->timeout;
  return timeout > 0 ? SECONDS + 3 * timeout + 60 : 1e6;
}

static bool put_line(const struct machines *m, unsigned part, const char *options, FILE *out) {
  char *state = read_state(m, part);
  if (!state)
    return false;
  cJSON *line = cJSON_CreateObject();
  cJSON_AddStringToObject(line, "options", options);
  cJSON_AddNumberToObject(line, "timeout", unit_timeout(m));
  cJSON_AddNumberToObject(line, "round", (double)m->round);
  cJSON_AddItemToObject(line, "state", cJSON_CreateStringReference(state));
  char *text = need(cJSON_PrintUnformatted(line));
  fprintf(out, "%s\n", text);
  cJSON_free(text);
  cJSON_Delete(line);
  free(state);
  return true;
}

// The lines of units that are done are empty objects (unit/tries.h).
static bool write_lines(const struct machines *m, unsigned parts, const char *options) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = need(open_memstream(&text, &size));
  bool read = true;
  for (unsigned number = 1; number <= m->last; number++)
    fputs("{}\n", out);
  for (unsigned part = 1; read && part <= parts; part++)
    read = put_line(m, part, options, out);
  fclose(out);
  bool written = read && file_output(path_in(m, "tries.jsonl"), text, size);
  if (read && !written)
    print_line(stderr, "%s: %s: %s", m->home->name, path_in(m, "tries.jsonl"), strerror(errno));
  free(text);
  return written;
}

static void remove_parts(const struct machines *m, const char *prefix, unsigned parts) {
  for (unsigned part = 1; part <= parts; part++)
    unlink(campaign_path(&m->campaign, "execution.%s-%u", prefix, part));
}

static bool give_out(struct machines *m) {
  struct campaign *campaign = &m->campaign;
  unsigned parts = m->home->progress.parts;
  unsigned long long most = left_to_make(m) / parts;
  struct home_bounds bounds = {.executions = m->share, .time = SECONDS};
  m->round = m->home->progress.round;
  if ((unsigned long long)bounds.executions > most)
    bounds.executions = (long long)most;
  char *options = home_options(m->home, "@RUN@", &bounds);
  bool written = write_lines(m, parts, options);
  free(options);
  remove_parts(m, "part", parts);
  if (!written)
    return false;
  campaign->next = m->last + 1;
  for (unsigned part = 0; part < parts; part++)
    shares_add(campaign, campaign->next, campaign->next);
  m->last += parts;
  if (!campaign->unit_runs && m->share < MOST)
    m->share *= 2;
  campaign->plan.timeout = unit_timeout(m);
  campaign->executions = m->home->progress.executions;
  return true;
}

// -- brought back --

static void bring(struct machines *m, const struct share *share, unsigned part) {
  char reason[1024], stage[PATH_MAX], from[PATH_MAX];
  struct content content;
  const struct run_plan staged = {.folder = stage};
  snprintf(stage, sizeof stage, "%s", path_in(m, "made"));
  mkdir(stage, 0777);
  if (content_read(campaign_path(&m->campaign, "units/%u-%u.tgz", share->first, share->last), stage,
                   0, &content, reason, sizeof reason)) {
    snprintf(from, sizeof from, "%s/execution.state", run_folder(&staged, share->first));
    if (rename(from, campaign_path(&m->campaign, "execution.made-%u", part)) != 0)
      print_line(stderr, "%s: %s: %s", m->home->name, from, strerror(errno));
  }
  content_free(&content);
  run_folders_remove(stage);
}

// Takes what there is of the parts that were given out, and forgets them.
static unsigned bring_all(struct machines *m) {
  struct campaign *campaign = &m->campaign;
  unsigned count = (unsigned)campaign->share_count;
  for (unsigned i = 0; i < count; i++)
    if (campaign->shares[i].done)
      bring(m, &campaign->shares[i], i + 1);
  return count;
}

static void forget(struct machines *m) {
  struct campaign *campaign = &m->campaign;
  for (size_t i = 0; i < campaign->share_count; i++)
    unlink(campaign_path(campaign, "units/%u-%u.tgz", campaign->shares[i].first,
                         campaign->shares[i].last));
  campaign->share_count = 0;
}

// -- here --

// False: the process did not come to its end.
static bool explore_here(struct machines *m, long long executions, unsigned parts) {
  const struct progress *progress = &m->home->progress;
  const struct home_bounds bounds = {
      .executions = executions, .time = m->home->kept->bounds.time, .parts = parts};
  home_explore(m->home, &bounds);
  m->campaign.interrupted |= m->home->runs.interrupted;
  return progress->ended;
}

static bool is_over(const struct machines *m) {
  const struct progress *progress = &m->home->progress;
  return progress->exhausted || (m->home->stop && progress->findings) || !left_to_make(m);
}

// Explores here until there are parts for a round. False: there will be none.
static bool prepare_round(struct machines *m) {
  const struct progress *progress = &m->home->progress;
  for (unsigned process = 1;; process++) {
    unsigned long long left = left_to_make(m);
    unsigned most = m->campaign.slots * PARTS_OF_A_SLOT;
    if (most > left)
      most = (unsigned)left;
    m->failed = !explore_here(m, left < m->here ? (long long)left : m->here, most ? most : 1);
    if (m->failed || is_over(m))
      return false;
    if (progress->parts < (process < ENOUGH_PROCESSES ? m->campaign.slots : 1))
      continue;
    if (left_to_make(m) >= progress->parts)
      return true;
    process = 0; // there are more parts than executions left
  }
}

static bool more(struct campaign *campaign, void *context) {
  struct machines *m = context;
  unsigned brought = bring_all(m);
  bool goes_on = prepare_round(m);
  remove_parts(m, "made", brought);
  forget(m);
  m->finished = !goes_on && !m->failed;
  if (campaign->interrupted)
    return true;
  if (goes_on && !give_out(m))
    campaign->interrupted = m->failed = true;
  return goes_on;
}

// -- all of it --

// Were the units of tries.jsonl made from the tree as it was saved last? Else they are given up.
static bool are_current(struct machines *m) {
  const struct campaign *campaign = &m->campaign;
  const struct progress *progress = &m->home->progress;
  char *line = NULL;
  size_t room = 0;
  unsigned lines = 0, sound = 0;
  FILE *file = fopen(path_in(m, "tries.jsonl"), "r");
  while (file && file_line(&line, &room, file) > 0) {
    cJSON *json = ++lines < campaign->shares[0].first ? NULL : cJSON_Parse(line);
    m->round = record_number(json, "round");
    sound += json && m->round == progress->round;
    cJSON_Delete(json);
  }
  free(line);
  if (file)
    fclose(file);
  return progress->parts && sound == campaign->share_count && sound == progress->parts &&
         lines == m->last;
}

static bool resume(struct machines *m) {
  struct campaign *campaign = &m->campaign;
  bool resumed = campaign_resume_tries(campaign);
  if (!resumed || !campaign->share_count)
    return resumed;
  m->last = campaign->shares[campaign->share_count - 1].last;
  campaign->plan.timeout = unit_timeout(m);
  if (!are_current(m))
    campaign->share_count = 0;
  return true;
}

// Joins what a round has brought that was broken off.
static void conclude(struct machines *m) {
  struct progress *progress = &m->home->progress;
  bool over =
      m->campaign.plan.time > 0 && now_seconds() - m->campaign.begun >= m->campaign.plan.time;
  if (m->failed || m->finished)
    return;
  unsigned brought = bring_all(m);
  if (!explore_here(m, -1, 0))
    return;
  remove_parts(m, "made", brought);
  forget(m);
  progress->ended &= over;
}

bool check_on_machines(struct home *home, const struct machines_asked *asked, bool *incomplete) {
  struct machines m = {.home = home, .campaign = campaign_of(home->name, &home->plan, asked)};
  m.campaign.resumed = campaign_is_kept(home->plan.folder);
  m.campaign.tries = more;
  m.campaign.context = &m;
  m.campaign.plan.time = home->kept->bounds.time;
  signal(SIGPIPE, SIG_IGN); // of ssh that has ended
  bool begun = !m.campaign.resumed || resume(&m);
  m.share = m.campaign.unit_runs ? m.campaign.unit_runs : LEAST;
  m.here = m.share < HERE ? m.share : HERE;
  if (begun) {
    campaign_make(&m.campaign);
    conclude(&m);
    *incomplete = !m.finished && !m.campaign.interrupted && !home->progress.ended &&
                  !home->progress.refused && home->progress.began;
  }
  home->progress.cpu = 0; // it was not that of all
  campaign_free(&m.campaign);
  return begun;
}
