// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --on ssh:FILE: GNU parallel over ssh. FILE has a host on a line, [SLOTS/]HOST, as parallel's
// --sshloginfile; HOST is what the user's ssh configuration knows. Hosts need a shell, sha256sum,
// tar, gzip, and perl, which parallel asks for.

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "campaign.h"
#include "child.h"
#include "file/temporary.h"
#include "printable.h"

// A host that says nothing for fifteen seconds is gone, frozen ones among them. One connection is
// used for all units of a host.
#define SSH_OPTIONS                                                                                \
  " -o BatchMode=yes -o ConnectTimeout=15 -o ServerAliveInterval=5 -o ServerAliveCountMax=3"       \
  " -o ControlMaster=auto -o ControlPersist=60 -o ControlPath="

// Where the bundle is on a host, from the home folder there.
#define HOST_FOLDER ".cache/rsan"

static char control[PATH_MAX]; // the folder of the sockets, in /tmp because their paths are short
static char identity[17];      // of the bundle
static bool begun;             // the two above are known

// $1 the line of the host, $2 its slots or 0, $3 its name, $4 where to write what came of it, $5
// the bundle, $6 its folder on the host, $7 an archive to unpack there each time, as a whole, or
// nothing.
static const char prepare_script[] =
    "check='cd \"$HOME/'$6'\" 2>/dev/null && sha256sum -c --status sums && nproc'\n"
    "bring='d=\"$HOME/'$6'\" && umask 077 && mkdir -p \"$d.$$\" && cd \"$d.$$\" && tar -xzf - && "
    "sha256sum -c --status sums && rm -rf \"$d\" && mv \"$d.$$\" \"$d\" && nproc'\n"
    "if cores=$($PARALLEL_SSH \"$3\" \"sh -c '$check'\" </dev/null) ||\n"
    "  cores=$($PARALLEL_SSH \"$3\" \"sh -c '$bring'\" <\"$5\"); then\n"
    "  [ \"$2\" = 0 ] || cores=$2\n"
    "  add='cd \"$HOME/'$6'\" && cat >new && mv new '${7##*/}\n"
    "  [ -z \"$7\" ] || $PARALLEL_SSH \"$3\" \"sh -c '$add'\" <\"$7\" || exit 1\n"
    "  echo \"$cores/$3\" >\"$4/$1\"\n"
    "fi\n";

static const char *file_of(const struct campaign *campaign) {
  const char *rest;
  engine_find(campaign->engine, &rest);
  return rest;
}

// Names the bundle by its checksums.
static bool read_identity(struct campaign *campaign) {
  struct program sums;
  if (!program_find(campaign_path(campaign, "bundle/sums"), &sums))
    return false;
  snprintf(identity, sizeof identity, "%.16s", sums.sha256);
  return true;
}

static bool begin(struct campaign *campaign) {
  const char *own = getenv("PARALLEL_SSH");
  char *command;
  if (begun)
    return true;
  if (!read_identity(campaign) || !file_temporary_make("rsan-ssh", 0, control)) {
    print_line(stderr, "%s: %s: %s", campaign->name, control, strerror(errno));
    return false;
  }
  if (asprintf(&command, "%s" SSH_OPTIONS "%s/%%C", own && *own ? own : "ssh", control) < 0)
    abort();
  setenv("PARALLEL_SSH", command, 1);
  free(command);
  begun = true;
  return true;
}

// Writes the lines that parallel gives to the script. How many; 0 after a message.
static unsigned list_hosts(const struct campaign *campaign, const char *list) {
  const char *file = file_of(campaign);
  FILE *in = fopen(file, "r"), *out = in ? fopen(list, "w") : NULL;
  char *line = NULL;
  size_t room = 0;
  unsigned hosts = 0, number = 0;
  bool sound = true;
  while (sound && out && getline(&line, &room, in) >= 0) {
    char host[256], rest[2];
    unsigned slots = 0;
    number++;
    line[strcspn(line, "#\n")] = 0;
    if (!line[strspn(line, " \t")])
      continue;
    sound = (sscanf(line, " %u/%255s %1s", &slots, host, rest) == 2 && slots) ||
            (sscanf(line, " %255s %1s", host, rest) == 1 && !strchr(host, '/'));
    sound = sound && strcmp(host, ":") != 0 && *host != '-' && *host != '@';
    if (sound)
      fprintf(out, "%u\t%u\t%s\n", ++hosts, slots, host);
  }
  if (!in || !out)
    print_line(stderr, "%s: %s: %s", campaign->name, in ? list : file, strerror(errno));
  else if (!sound)
    print_line(stderr, "%s: %s:%u: it must be [SLOTS/]HOST, a host for ssh, not '%s'",
               campaign->name, file, number, line);
  else if (!hosts)
    print_line(stderr, "%s: %s: it names no host", campaign->name, file);
  free(line);
  if (in)
    fclose(in);
  if (out)
    fclose(out);
  return sound ? hosts : 0;
}

// Those hosts that are ready become the list for parallel.
static void gather(struct campaign *campaign, unsigned hosts, const char *list) {
  FILE *in = fopen(list, "r"), *out = fopen(campaign_path(campaign, "hosts"), "w");
  char line[512], host[256];
  campaign->hosts = campaign->slots = 0;
  for (unsigned i = 1; in && out && i <= hosts && fgets(line, sizeof line, in); i++) {
    FILE *ready = fopen(campaign_path(campaign, "ready/%u", i), "r");
    unsigned slots;
    if (ready && fscanf(ready, "%u/%255s", &slots, host) == 2 && slots) {
      fprintf(out, "%u/%s\n", slots, host);
      campaign->hosts++;
      campaign->slots += slots;
    } else {
      line[strcspn(line, "\n")] = 0;
      print_line(stderr, "%s: host %s cannot be used; see %s", campaign->name,
                 strrchr(line, '\t') + 1, campaign_named_log(campaign));
    }
    if (ready)
      fclose(ready);
  }
  if (in)
    fclose(in);
  if (out)
    fclose(out);
}

static bool prepare(struct campaign *campaign) {
  char list[PATH_MAX], ready[PATH_MAX], script[PATH_MAX], bundle[PATH_MAX], folder[64],
      tries[PATH_MAX];
  if (!begin(campaign))
    return false;
  snprintf(list, sizeof list, "%s", campaign_path(campaign, "hosts.list"));
  snprintf(ready, sizeof ready, "%s", campaign_path(campaign, "ready"));
  snprintf(script, sizeof script, "%s", campaign_path(campaign, "prepare.sh"));
  snprintf(bundle, sizeof bundle, "%s", campaign_path(campaign, "bundle.tgz"));
  snprintf(tries, sizeof tries, "%s", campaign_path(campaign, "tries.jsonl"));
  if (access(tries, R_OK) != 0)
    *tries = 0;
  snprintf(folder, sizeof folder, HOST_FOLDER "/%s", identity);
  unsigned hosts = list_hosts(campaign, list);
  FILE *out = hosts ? fopen(script, "w") : NULL;
  if (!out)
    return false;
  fputs(prepare_script, out);
  fclose(out);
  const char *const fresh[] = {"sh", "-c", "rm -rf \"$1\" && mkdir \"$1\"", "sh", ready, NULL};
  const char *const argv[] = {"parallel", "--will-cite", "--plain", "-j0",  "--timeout", "300",
                              "--colsep", "\t",          "-q",      "sh",   script,      "{1}",
                              "{2}",      "{3}",         ready,     bundle, folder,      tries,
                              "::::",     list,          NULL};
  child_status(campaign, fresh, NULL);
  pid_t child = child_start(campaign, argv, NULL);
  if (child > 0 && !child_await(campaign, child, ready))
    child_end(child, 5);
  gather(campaign, hosts, list);
  if (!campaign->hosts)
    print_line(stderr, "%s: no host of %s can be used", campaign->name, file_of(campaign));
  return campaign->hosts > 0;
}

static bool write_list(const struct campaign *campaign, const size_t *shares, size_t count,
                       const char *list) {
  FILE *out = fopen(list, "w");
  for (size_t i = 0; out && i < count; i++) {
    const struct share *share = &campaign->shares[shares[i]];
    fprintf(out, "%u %u %u\n", share->first, share->last, campaign->round);
  }
  return out && fclose(out) == 0;
}

static void make_round(struct campaign *campaign, const size_t *shares, size_t count,
                       const char *folder) {
  char list[PATH_MAX], hosts[PATH_MAX], results[PATH_MAX + 32], limit[32], retries[16], unit[128];
  snprintf(list, sizeof list, "%s", campaign_path(campaign, "round.list"));
  snprintf(hosts, sizeof hosts, "%s", campaign_path(campaign, "hosts"));
  snprintf(results, sizeof results, "%s/{1}-{2}.tgz", folder);
  snprintf(unit, sizeof unit, "sh \"$HOME\"/" HOST_FOLDER "/%s/unit.sh {1} {2} {3} -o -", identity);
  // A host that is refused or gone is soon done with its units: another one gets them then.
  snprintf(retries, sizeof retries, "%u", campaign->hosts);
  if (!write_list(campaign, shares, count, list)) {
    print_line(stderr, "%s: %s: %s", campaign->name, list, strerror(errno));
    return;
  }
  double seconds = shares_limit(campaign, shares, count);
  snprintf(limit, sizeof limit, "%.0f", seconds > 0 ? seconds : 1e9);
  const char *const argv[] = {"parallel",
                              "--will-cite",
                              "--plain",
                              "--sshloginfile",
                              hosts,
                              "--colsep",
                              " ",
                              "--results",
                              results,
                              "--retries",
                              retries,
                              "--timeout",
                              limit,
                              "--termseq",
                              "TERM,3000,KILL,25",
                              unit,
                              "::::",
                              list,
                              NULL};
  pid_t child = child_start(campaign, argv, "/dev/null");
  if (child > 0 && !child_await(campaign, child, folder))
    child_end(child, 10);
}

// Ends the connections, and with them what runs on hosts. The bundle stays for --resume.
static void end(struct campaign *campaign) {
  bool stays = shares_missing(campaign) > 0;
  char folder[64];
  if (!begun)
    return;
  snprintf(folder, sizeof folder, HOST_FOLDER "/%s", identity);
  const char *const argv[] = {
      "parallel",
      "--will-cite",
      "--plain",
      "-j0",
      "--timeout",
      "20",
      "--colsep",
      "/",
      "-q",
      "sh",
      "-c",
      "[ -z \"$2\" ] || $PARALLEL_SSH \"$1\" \"sh -c 'rm -rf \\\"\\$HOME\\\"/$2'\" </dev/null\n"
      "$PARALLEL_SSH -O exit \"$1\" </dev/null",
      "sh",
      "{2}",
      stays ? "" : folder,
      "::::",
      campaign_path(campaign, "hosts"),
      NULL};
  child_status(campaign, argv, NULL);
}

const struct engine engine_ssh = {
    .name = "ssh", .prepare = prepare, .round = make_round, .end = end};
