// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runs of `rsan confirm' on other machines. Which run is made next depends on what came of
// those before it. So it is asked here, for one run after another, as if they were made here one at
// a time; but a run that some archive has already is taken from there. When none has the next one,
// that one is given to the machines with others that may follow: those which would be begun beside
// it. What is asked for differently in the end has been made for nothing. The result is that of
// `rsan confirm --jobs 1'.
//
// A run is known by its line in tries.jsonl, which is all that it depends on.

#include <cjson/cJSON.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "aim.h"
#include "base/options.h"
#include "compiler-rt-patch/src/common/rsan_source_name.h"
#include "confirm.h"
#include "file/line.h"
#include "logs.h"
#include "machines/bundle.h"
#include "machines/campaign.h"
#include "merge/content.h"
#include "merge/past.h"
#include "need.h"
#include "printable.h"
#include "run/files.h"
#include "unit/manifest.h"

enum { LEAST_TRIES_OF_A_SLOT = 16 }; // that are given out at a time

struct try {
  char *line; // owned
  uint64_t hash;
  struct past_run made; // number 0: it was not made yet
  bool taken, claimed;  // claimed: one of the runs that may follow is this one
};

struct machines {
  struct confirm *confirm;
  struct campaign campaign;
  struct logs logs;
  struct try *at; // the run that hosts call N is at[N - 1]
  size_t count;
  unsigned taken;
  double seconds; // of all that were made
  unsigned made;
};

static const char *path_in(const struct machines *m, const char *name) {
  return campaign_path(&m->campaign, "%s", name);
}

// -- lines --

static uint64_t hash_of(const char *line) {
  return rsan_hash_line(RSAN_HASH_START, line);
}

// What the run is given, for free().
static char *line_of(struct machines *m, const struct trial *trial) {
  char *places = NULL, *moved = NULL;
  size_t size = 0;
  cJSON *line = cJSON_CreateObject();
  char *options = confirm_options(m->confirm, trial, "@RUN@", "@RUN@/places");
  cJSON_AddStringToObject(line, "options", options);
  cJSON_AddNumberToObject(line, "timeout", confirm_timeout(m->confirm));
  if (trial->recipe.departures) {
    FILE *out = need(open_memstream(&places, &size));
    confirm_write_places(m->confirm, trial, out);
    fclose(out);
    out = need(open_memstream(&moved, &size));
    places_write_moved(places, m->logs.modules, m->logs.module_count, out);
    fclose(out);
    cJSON_AddStringToObject(line, "places", moved);
  }
  char *text = need(cJSON_PrintUnformatted(line));
  cJSON_Delete(line);
  free(options);
  free(places);
  free(moved);
  return text;
}

static struct try *add(struct machines *m, char *line) {
  m->at = need(realloc(m->at, (m->count + 1) * sizeof *m->at));
  m->at[m->count] = (struct try){.line = line, .hash = hash_of(line)};
  return &m->at[m->count++];
}

// A run of that line which was not taken, nor claimed, yet; of those that were made if MADE.
static struct try *find(const struct machines *m, const char *line, bool made) {
  uint64_t hash = hash_of(line);
  for (size_t i = 0; i < m->count; i++) {
    struct try *try = &m->at[i];
    if (!try->taken && !try->claimed && (!made || try->made.number) && try->hash == hash &&
        strcmp(try->line, line) == 0)
      return try;
  }
  return NULL;
}

static bool write_lines(const struct machines *m, size_t first) {
  const char *path = path_in(m, "tries.jsonl");
  FILE *file = fopen(path, first ? "a" : "w");
  for (size_t i = first; file && i < m->count; i++)
    fprintf(file, "%s\n", m->at[i].line);
  bool written = file && !ferror(file);
  if (file)
    written &= fclose(file) == 0;
  if (!written)
    print_line(stderr, "%s: %s: %s", m->confirm->name, path, strerror(errno));
  return written;
}

// -- what archives have --

static void collect_share(struct machines *m, const struct share *share) {
  char reason[1024], stage[PATH_MAX];
  struct content content;
  struct past past = {0};
  struct manifest manifest = {0};
  snprintf(stage, sizeof stage, "%s", path_in(m, "made"));
  mkdir(stage, 0777);
  if (content_read(campaign_path(&m->campaign, "units/%u-%u.tgz", share->first, share->last), stage,
                   0, &content, reason, sizeof reason) &&
      past_read(&past, content.runs, share->first, share->last, reason, sizeof reason)) {
    for (size_t i = 0; i < past.count; i++) {
      m->at[share->first - 1 + i].made = past.at[i].run;
      m->seconds += past.at[i].run.seconds;
      m->made++;
    }
    if (manifest_read(&manifest, content.manifest, reason, sizeof reason))
      m->confirm->records.checked |= manifest_checked(manifest.json);
  }
  manifest_free(&manifest);
  past_free(&past);
  content_free(&content);
}

static void collect(struct machines *m) {
  for (size_t i = 0; i < m->campaign.share_count; i++) {
    const struct share *share = &m->campaign.shares[i];
    if (share->done && share->last <= m->count && !m->at[share->first - 1].made.number)
      collect_share(m, share);
  }
}

static int status_of(const struct past_run *run) {
  return run->signal ? run->signal : run->status << 8; // as waitpid gives it
}

static void take(struct machines *m, struct try *try, const struct trial *trial) {
  struct confirm *confirm = m->confirm;
  const struct run_plan made = {.folder = path_in(m, "made")};
  const struct run_result result = {.number = ++confirm->plan.earlier,
                                    .status = status_of(&try->made),
                                    .seconds = try->made.seconds,
                                    .hung = try->made.end == RUN_HUNG};
  char from[PATH_MAX];
  snprintf(from, sizeof from, "%s", run_folder(&made, try->made.number));
  const char *to = run_folder(&confirm->plan, result.number);
  if (rename(from, to) != 0 || !logs_bring_home(&m->logs, &confirm->plan, result.number))
    print_line(stderr, "%s: %s: %s", confirm->name, to, strerror(errno));
  try->taken = true;
  m->taken++;
  trials_begin(&confirm->trials, trial);
  if (!confirm_ended(confirm, &result, trial, &try->made.ceased))
    run_folder_remove(&confirm->plan, result.number);
}

static bool has_more(const struct machines *m) {
  for (size_t i = 0; i < m->count; i++)
    if (m->at[i].made.number && !m->at[i].taken)
      return true;
  return false;
}

// Takes runs as long as the next one was made; to the LAST of them, if no more will be: what is
// missing is passed over.
static void take_runs(struct machines *m, bool last) {
  struct trials *trials = &m->confirm->trials;
  struct trial next;
  while (!m->confirm->refusal && (!last || has_more(m))) {
    if (!trials_next(trials, &next)) {
      if (!trials->controls_only)
        return;
      trials->controls_only = false;
      trials->running_count = 0;
      confirm_say_violations(m->confirm);
      aim_tries(m->confirm);
      continue;
    }
    char *line = line_of(m, &next);
    struct try *try = find(m, line, true);
    free(line);
    if (try)
      take(m, try, &next);
    else if (last)
      trials_begin(trials, &next);
    else
      return;
  }
}

// -- what is given out --

// Adds the runs that would be begun now if so many could be at a time. How many are new.
static size_t add_next(struct machines *m) {
  struct trials *trials = &m->confirm->trials;
  unsigned *started = need(calloc(trials->violation_count + 1, sizeof *started));
  size_t known = m->count, least = (size_t)m->campaign.slots * LEAST_TRIES_OF_A_SLOT;
  size_t most = trials->controls_only ? SIZE_MAX : m->taken > least ? m->taken : least;
  struct trial next;
  for (size_t i = 0; i < trials->violation_count; i++)
    started[i] = trials->violation[i].started;
  while (m->count - known < most && trials_next(trials, &next)) {
    char *line = line_of(m, &next);
    struct try *try = find(m, line, false);
    if (try)
      free(line);
    else
      try = add(m, line);
    try->claimed = true;
    trials_begin(trials, &next);
  }
  for (size_t i = 0; i < m->count; i++)
    m->at[i].claimed = false;
  for (size_t i = 0; i < trials->violation_count; i++)
    trials->violation[i].started = started[i];
  trials->running_count = 0;
  free(started);
  return m->count - known;
}

static void add_module(void *context, const char *file) {
  logs_add_module(context, file);
}

static bool more(struct campaign *campaign, void *context) {
  struct machines *m = context;
  if (!m->logs.module_count)
    bundle_modules(campaign, add_module, &m->logs);
  if (campaign->next > m->count) { // else there are some that are in no share yet
    collect(m);
    take_runs(m, false);
    size_t known = m->count, count = m->confirm->refusal ? 0 : add_next(m);
    if (!count)
      return false;
    if (!write_lines(m, known)) {
      campaign->interrupted = true;
      return true;
    }
    campaign->plan.iterations = (unsigned)m->count;
    campaign->plan.timeout = confirm_timeout(m->confirm);
  }
  shares_cut(campaign, m->made ? m->seconds / m->made : 0);
  return true;
}

// -- all of it --

// What an earlier call has made of the archives: all of it is made again.
static void forget_result(const struct machines *m) {
  unlink(path_in(m, "runs.jsonl"));
  run_folders_remove(path_in(m, "made"));
  run_folders_remove(m->campaign.plan.folder);
}

// The lines of units that were cut. False after a message.
static bool read_lines(struct machines *m) {
  const struct campaign *campaign = &m->campaign;
  size_t wanted = campaign->share_count ? campaign->shares[campaign->share_count - 1].last : 0;
  char *line = NULL;
  size_t room = 0;
  ssize_t length;
  FILE *file = fopen(path_in(m, "tries.jsonl"), "r");
  while (file && m->count < wanted && (length = file_line(&line, &room, file)) > 0) {
    line[length - 1] = 0;
    add(m, need(strdup(line)));
  }
  free(line);
  if (file)
    fclose(file);
  m->campaign.plan.iterations = (unsigned)m->count;
  if (m->count == wanted)
    return write_lines(m, 0);
  print_line(stderr, "%s: cannot resume: %s is damaged", m->confirm->name,
             path_in(m, "tries.jsonl"));
  return false;
}

static bool resume(struct machines *m) {
  return campaign_resume_tries(&m->campaign) && read_lines(m);
}

static void free_machines(struct machines *m) {
  for (size_t i = 0; i < m->count; i++)
    free(m->at[i].line);
  free(m->at);
  logs_free(&m->logs);
  campaign_free(&m->campaign);
}

static char *incomplete_line(const struct campaign *campaign) {
  char *line = NULL;
  size_t size = 0;
  FILE *out = need(open_memstream(&line, &size));
  bool incomplete = campaign_say_incomplete(campaign, out);
  fclose(out);
  if (incomplete)
    return line;
  free(line);
  return NULL;
}

bool confirm_runs_on(struct confirm *confirm, const struct machines_asked *asked, bool resumed,
                     char **incomplete) {
  char *prefix = options_value("strip_path_prefix"); // as the runtime has it
  struct machines m = {
      .confirm = confirm,
      .logs = {.symbols = {.modules = {.sysroot = ""}, .strip_prefix = prefix ? prefix : ""}},
      .campaign = campaign_of(confirm->name, &confirm->plan, asked)};
  m.campaign.resumed = resumed;
  m.campaign.tries = more;
  m.campaign.context = &m;
  m.campaign.plan.time = confirm->time;
  signal(SIGPIPE, SIG_IGN); // of a symbolizer that has ended
  forget_result(&m);
  bool begun = !resumed || resume(&m);
  confirm->trials.controls_only = true;
  if (begun) {
    campaign_make(&m.campaign);
    collect(&m);
    take_runs(&m, true);
    confirm->interrupted = m.campaign.interrupted;
    run_folders_remove(path_in(&m, "made"));
    confirm_say_refusal(confirm);
    *incomplete = confirm->refusal ? NULL : incomplete_line(&m.campaign);
  }
  confirm->trials.controls_only = false;
  free_machines(&m);
  free(prefix);
  return begun && !confirm->refusal;
}
