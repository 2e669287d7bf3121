// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "confirming.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/plural.h"
#include "file/line.h"
#include "file/regular.h"
#include "need.h"
#include "printable.h"
#include "report/classes.h"
#include "report/collection.h"
#include "report/confirmed.h"
#include "report/record.h"

static const char type[] = "robustness violation";

static const char *folder_of(const struct run_plan *plan, const char *file) {
  static char path[PATH_MAX + 32];
  snprintf(path, sizeof path, "%s/confirm%s", plan->folder, file);
  return path;
}

// The settings of the project were taken already: the options are in the environment.
static void start(const struct run_plan *plan, double seconds) {
  char time[32], jobs[32], timeout[32];
  size_t count = 0, words = 0;
  while (plan->command[words])
    words++;
  const char **argv = need(calloc(words + 16, sizeof *argv));
  snprintf(time, sizeof time, "--time=%.3f", seconds);
  snprintf(jobs, sizeof jobs, "--jobs=%u", plan->jobs);
  snprintf(timeout, sizeof timeout, "--timeout=%.3f", plan->timeout);
  argv[count++] = "rsan";
  argv[count++] = "--config=none";
  argv[count++] = "confirm";
  argv[count++] = "--output";
  argv[count++] = folder_of(plan, "");
  argv[count++] = "--format=json";
  argv[count++] = time;
  argv[count++] = jobs;
  if (plan->timeout > 0)
    argv[count++] = timeout;
  argv[count++] = "--";
  for (size_t i = 0; i < words; i++)
    argv[count++] = plan->command[i];
  const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (null >= 0 && dup2(null, STDOUT_FILENO) == STDOUT_FILENO)
    execv("/proc/self/exe", (char *const *)argv); // which leaves the strings as they are
  perror("rsan run: rsan confirm");
  _exit(127);
}

// The answers of the file of records, by token.
static void take_answers(struct records *records, const char *path) {
  FILE *in = file_open_regular(path, 0);
  char *line = NULL;
  size_t room = 0;
  while (in && file_line(&line, &room, in) >= 0) {
    cJSON *json = cJSON_Parse(line);
    const char *token = record_text(json, "token");
    struct record *record = token ? records_find(records, token) : NULL;
    const cJSON *answer = record_object(json, "confirmed");
    if (record && record->json && answer)
      record_answer(record, cJSON_Duplicate(answer, true));
    cJSON_Delete(json);
  }
  free(line);
  if (in)
    fclose(in);
}

void confirming_run(const struct run_plan *plan, struct runs *runs, double seconds) {
  if (!records_of_type(&runs->records, type) || runs->interrupted)
    return;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0)
    start(plan, seconds);
  int status = 0;
  pid_t ended;
  while (child > 0 && (ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
    ;
  const int code = child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (code == 2 || code == 127 || code < 0)
    fprintf(stderr, "rsan run: rsan confirm failed: whether the program fails was not tried\n");
  take_answers(&runs->records, folder_of(plan, "/reports.jsonl"));
}

struct tally {
  size_t violations, groups, fail, harmless;
};

// Collected as `rsan report' does it, which makes the groups.
static struct tally count(const struct records *records) {
  struct tally tally = {0};
  struct collection collection = {
      .modules = {.sysroot = ""}, .strip_prefix = "", .source_root = ""};
  for (size_t i = 0; i < records->count; i++)
    if (records->at[i].json && !records->at[i].known && strcmp(records->at[i].type, type) == 0)
      collection_add(&collection, cJSON_Parse(records->at[i].text), records->at[i].source, 0);
  collection_finish(&collection);
  for (size_t i = 0; i < collection.count; i++) {
    const struct entry *entry = &collection.at[i];
    bool first = true;
    for (size_t j = 0; j < i && entry->group.size; j++)
      first &= collection.at[j].group.first != entry->group.first || !collection.at[j].group.size;
    tally.violations++;
    tally.groups += first;
    tally.fail += record_is_confirmed(entry->record);
    tally.harmless += class_of(entry->record) == CLASS_HARMLESS;
  }
  collection_clear(&collection);
  return tally;
}

void confirming_print(const struct run_plan *plan, const struct runs *runs) {
  const struct tally tally = count(&runs->records);
  const size_t open = tally.violations - tally.fail - tally.harmless;
  if (!tally.violations)
    return;
  printf(
      "%zu violation%s in %zu group%s: %zu fail%s (confirmed), %zu of a harmless kind, %zu open\n",
      tally.violations, plural(tally.violations), tally.groups, plural(tally.groups), tally.fail,
      tally.fail == 1 ? "s" : "", tally.harmless, open);
  if (open)
    print_line(stdout, "to go on: rsan confirm --resume %s", folder_of(plan, ""));
}
