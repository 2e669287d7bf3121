// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --on slurm[:OPTIONS OF SBATCH]: an array of jobs for each round, in a folder that all nodes
// share. The queue says when a round is over, and no more: a unit is made when its archive is
// there.

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/shell.h"
#include "campaign.h"
#include "child.h"
#include "printable.h"

enum {
  MOST_TASKS = 1000, // Slurm's own limit is 1001 (MaxArraySize)
  PATIENCE = 300,    // seconds without an answer, or with no node that could work
  CALM = 5           // seconds between two questions at most; a short round is over soon
};

static char job[32];  // the array's number
static char name[48]; // the array's name, which no other has; "" if none is there

static const char *options_of(const struct campaign *campaign) {
  const char *rest;
  engine_find(campaign->engine, &rest);
  return rest;
}

// The first line that the shell's command prints. False: it failed.
static bool ask(struct campaign *campaign, const char *command, char *line, size_t size) {
  char answer[PATH_MAX];
  const char *const argv[] = {"sh", "-c", command, NULL};
  snprintf(answer, sizeof answer, "%s", campaign_path(campaign, "slurm.answer"));
  *line = 0;
  if (child_status(campaign, argv, answer) != 0)
    return false;
  FILE *in = fopen(answer, "r");
  if (in && fgets(line, (int)size, in))
    line[strcspn(line, "\n")] = 0;
  if (in)
    fclose(in);
  return in;
}

// Keeps the name of the jobs that are there, or that there are none.
static void keep_name(const struct campaign *campaign) {
  FILE *out = fopen(campaign_path(campaign, "slurm.job"), "w");
  if (out && *name)
    fprintf(out, "%s\n", name);
  if (out)
    fclose(out);
}

// By name: the number of an array that was begun by a call which was killed may be unknown, or
// another job's by now.
static void cancel(const struct campaign *campaign) {
  char named[64];
  snprintf(named, sizeof named, "--name=%s", name);
  const char *const argv[] = {"scancel", named, NULL};
  if (*name)
    child_status(campaign, argv, NULL);
  *name = 0;
  keep_name(campaign);
}

// What a call has begun that was killed would be made twice, beside each other. Units that it has
// carried out count.
static void cancel_old(const struct campaign *campaign) {
  FILE *in = fopen(campaign_path(campaign, "slurm.job"), "r");
  if (in && fscanf(in, "%47[-a-z0-9]", name) != 1)
    *name = 0;
  if (in)
    fclose(in);
  cancel(campaign);
}

static bool prepare(struct campaign *campaign) {
  char line[256];
  unsigned processors = 0;
  if (campaign->slots)
    return true;
  cancel_old(campaign);
  // Allocated, idle, other and all processors.
  if (!ask(campaign, "sinfo -h -o %C", line, sizeof line) ||
      sscanf(line, "%*u/%*u/%*u/%u", &processors) != 1 || !processors) {
    print_line(stderr, "%s: Slurm has no processors, or does not answer (sinfo); see %s",
               campaign->name, campaign_named_log(campaign));
    return false;
  }
  campaign->slots = processors;
  return true;
}

// A task takes the line of its number from the list, which has as many characters in each.
static bool write_files(const struct campaign *campaign, const size_t *shares, size_t count,
                        const char *folder, const char *script, const char *list) {
  FILE *out = fopen(list, "w");
  double limit = shares_limit(campaign, shares, count);
  for (size_t i = 0; out && i < count; i++) {
    const struct share *share = &campaign->shares[shares[i]];
    fprintf(out, "%u %u\n", share->first, share->last);
  }
  if (!out || fclose(out) != 0)
    return false;
  out = fopen(script, "w");
  if (!out)
    return false;
  fputs("#!/bin/sh\nset -- $(sed -n \"$((SLURM_ARRAY_TASK_ID + 1))p\" ", out);
  shell_quote(list, out);
  fputs(")\nexec ", out);
  if (limit)
    fprintf(out, "timeout -k 25 %.0f ", limit);
  fputs("sh ", out);
  shell_quote(campaign_path(campaign, "bundle/unit.sh"), out);
  fprintf(out, " \"$1\" \"$2\" %u -o ", campaign->round);
  shell_quote(folder, out);
  fputs("/\"$1-$2.tgz\"\n", out);
  return fclose(out) == 0;
}

static bool submit(struct campaign *campaign, size_t count, const char *script) {
  char *command = NULL, line[256];
  size_t size;
  FILE *out = open_memstream(&command, &size);
  if (!out)
    abort();
  snprintf(name, sizeof name, "rsan-%08lx-%lx-%d", gethostid() & 0xffffffff, (long)time(NULL),
           (int)getpid());
  keep_name(campaign);
  fprintf(out,
          "sbatch --parsable --array=0-%zu --no-requeue --output=/dev/null --error=", count - 1);
  shell_quote(campaign_path(campaign, "engine.log"), out);
  fprintf(out, " --open-mode=append %s --job-name=%s ", options_of(campaign), name);
  shell_quote(script, out);
  fclose(out);
  bool sent = ask(campaign, command, line, sizeof line) && isdigit((unsigned char)*line);
  free(command);
  if (sent)
    snprintf(job, sizeof job, "%.*s", (int)strspn(line, "0123456789"), line);
  else
    print_line(stderr, "%s: sbatch has refused the units; see %s", campaign->name,
               campaign_named_log(campaign));
  return sent;
}

// Is a node there that works, or could?
static bool has_nodes(struct campaign *campaign) {
  char line[256];
  return ask(campaign, "sinfo -h -t idle,alloc,mix,comp -N -o %N", line, sizeof line) && *line;
}

enum queue { QUEUE_EMPTY, QUEUE_WAITS, QUEUE_SILENT, QUEUE_WORKS };

static enum queue look(struct campaign *campaign) {
  char line[256], command[256];
  snprintf(
      command, sizeof command,
      "q=$(squeue -h -j %s -o %%T 2>&1) || case $q in *nvalid\\ job\\ id*) exit 0 ;; *) exit 1 ;; "
      "esac; printf '%%s\\n' \"$q\" | sort -r | head -n 1",
      job);
  if (!ask(campaign, command, line, sizeof line))
    return QUEUE_SILENT;
  if (!*line)
    return QUEUE_EMPTY;
  return strcmp(line, "PENDING") == 0 && !has_nodes(campaign) ? QUEUE_WAITS : QUEUE_WORKS;
}

static void make_round(struct campaign *campaign, const size_t *shares, size_t count,
                       const char *folder) {
  char script[PATH_MAX], list[PATH_MAX];
  snprintf(script, sizeof script, "%s", campaign_path(campaign, "slurm-%u.sh", campaign->round));
  snprintf(list, sizeof list, "%s", campaign_path(campaign, "slurm-%u.list", campaign->round));
  if (!write_files(campaign, shares, count, folder, script, list)) {
    print_line(stderr, "%s: %s: %s", campaign->name, script, strerror(errno));
    return;
  }
  if (!submit(campaign, count, script))
    return;
  const double begun = now_seconds();
  double worked = begun, asked = 0;
  bool over = false;
  while (!over && !campaign_poll(campaign, folder, 0.2)) {
    double pause = (now_seconds() - begun) / 10;
    if (now_seconds() - asked < (pause < CALM ? pause : CALM))
      continue;
    enum queue queue = look(campaign);
    asked = now_seconds();
    if (queue == QUEUE_WORKS)
      worked = asked;
    over = queue == QUEUE_EMPTY || asked - worked > PATIENCE;
  }
  cancel(campaign);
}

static void end(struct campaign *campaign) {
  cancel(campaign);
}

const struct engine engine_slurm = {
    .name = "slurm", .prepare = prepare, .round = make_round, .end = end, .most = MOST_TASKS};
