// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What has come back from hosts: it may be cut off, doubled, late, of another build, or no archive.

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "campaign.h"
#include "merge/content.h"
#include "merge/past.h"
#include "printable.h"
#include "report/record.h"
#include "run/files.h"
#include "unit/manifest.h"
#include "unit/tries.h"

static void note_runs(struct campaign *campaign, const struct past *past) {
  for (size_t i = 0; i < past->count; i++) {
    bool reporting = cJSON_GetArraySize(record_list(past->at[i].tree, "tokens")) > 0;
    campaign->runs_reporting += reporting;
    campaign->found |= reporting;
  }
  campaign->runs_done += past->count;
}

// Were its runs the tries that the share asks for? Without tries: was it made without tries?
static bool are_wanted(const struct campaign *campaign, const struct share *share,
                       const cJSON *json, char *reason, size_t size) {
  const char *digest = record_text(json, "tries");
  struct tries tries = {0};
  bool wanted = !campaign->tries && !digest;
  if (campaign->tries && tries_read(&tries, campaign_path(campaign, "tries.jsonl"), share->first,
                                    share->last, reason, size))
    wanted = digest && strcmp(digest, tries.digest) == 0;
  tries_free(&tries);
  if (!wanted)
    snprintf(reason, size, "its runs were other ones");
  return wanted;
}

// Reads all of it. The first unit of a campaign says what the others have to agree with.
static bool is_valid(struct campaign *campaign, const char *path, const struct share *share,
                     char *reason, size_t size) {
  char stage[PATH_MAX];
  struct content content;
  struct manifest manifest = {0};
  struct past past = {0};
  snprintf(stage, sizeof stage, "%s", campaign_path(campaign, ".check"));
  mkdir(stage, 0777);
  bool valid = content_read(path, stage, 0, &content, reason, size) &&
               manifest_read(&manifest, content.manifest, reason, size) &&
               past_read(&past, content.runs, manifest.first, manifest.last, reason, size);
  if (valid && (manifest.first != share->first || manifest.last != share->last)) {
    snprintf(reason, size, "it has the runs %u to %u", manifest.first, manifest.last);
    valid = false;
  }
  valid = valid && are_wanted(campaign, share, manifest.json, reason, size);
  if (valid && campaign->wanted)
    valid = manifest_agrees(campaign->wanted, manifest.json, reason, size);
  if (valid && !campaign->wanted) {
    campaign->wanted = manifest.json;
    manifest.json = NULL;
  }
  if (valid)
    note_runs(campaign, &past);
  past_free(&past);
  manifest_free(&manifest);
  content_free(&content);
  run_folders_remove(stage);
  return valid;
}

static struct share *find_share(struct campaign *campaign, unsigned first, unsigned last) {
  for (size_t i = 0; i < campaign->share_count; i++)
    if (campaign->shares[i].first == first && campaign->shares[i].last == last)
      return &campaign->shares[i];
  return NULL;
}

static bool take_one(struct campaign *campaign, const char *folder, const char *name) {
  char path[PATH_MAX + NAME_MAX], reason[3 * PATH_MAX];
  unsigned first, last;
  int length = 0;
  struct stat status;
  if (sscanf(name, "%u-%u.tgz%n", &first, &last, &length) != 2 || !length || name[length])
    return false;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  struct share *share = find_share(campaign, first, last);
  const char *home = campaign_path(campaign, "units/%s", name);
  bool is_home = strcmp(path, home) == 0;
  if (stat(path, &status) != 0 || status.st_size == 0 || !share || share->done) {
    if (!is_home)
      unlink(path); // empty, doubled or late
    return false;
  }
  if (!is_valid(campaign, path, share, reason, sizeof reason)) {
    print_line(stderr, "%s: the archive of the runs %u to %u is refused: %s", campaign->name, first,
               last, reason);
    unlink(path);
    return false;
  }
  share->done = is_home || rename(path, campaign_path(campaign, "units/%s", name)) == 0;
  return share->done;
}

size_t arrivals_take(struct campaign *campaign, const char *folder) {
  struct dirent *entry;
  size_t taken = 0;
  DIR *list = opendir(folder);
  while (list && (entry = readdir(list)))
    taken += take_one(campaign, folder, entry->d_name);
  if (list)
    closedir(list);
  return taken;
}

// -- --until-clean --

struct known {
  char **at;
  size_t count;
};

static bool is_news(struct known *known, const char *token) {
  for (size_t i = 0; i < known->count; i++)
    if (strcmp(known->at[i], token) == 0)
      return false;
  known->at = realloc(known->at, (known->count + 1) * sizeof *known->at);
  if (!known->at)
    abort();
  known->at[known->count++] = strdup(token);
  return true;
}

static void go_through(const struct past *past, struct known *known, unsigned *without_news) {
  for (size_t i = 0; i < past->count; i++) {
    const struct past_run *run = &past->at[i].run;
    bool news = run->end == RUN_FAILED || run->end == RUN_HUNG;
    const cJSON *token;
    cJSON_ArrayForEach(token, record_list(past->at[i].tree, "tokens")) news |=
        is_news(known, token->valuestring);
    *without_news = news ? 0 : *without_news + 1;
  }
}

bool arrivals_are_clean(const struct campaign *campaign) {
  struct known known = {0};
  unsigned without_news = 0;
  char reason[1024], stage[PATH_MAX];
  snprintf(stage, sizeof stage, "%s", campaign_path(campaign, ".check"));
  for (size_t i = 0; i < campaign->share_count; i++) {
    const struct share *share = &campaign->shares[i];
    struct content content;
    struct past past = {0};
    mkdir(stage, 0777);
    if (share->done &&
        content_read(campaign_path(campaign, "units/%u-%u.tgz", share->first, share->last), stage,
                     0, &content, reason, sizeof reason) &&
        past_read(&past, content.runs, share->first, share->last, reason, sizeof reason))
      go_through(&past, &known, &without_news);
    if (share->done)
      content_free(&content);
    past_free(&past);
    run_folders_remove(stage);
  }
  for (size_t i = 0; i < known.count; i++)
    free(known.at[i]);
  free(known.at);
  return without_news >= campaign->plan.until_clean;
}
