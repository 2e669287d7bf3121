// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "home.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/options.h"
#include "base/plural.h"
#include "need.h"
#include "printable.h"
#include "unit/libraries.h"

// The file's name, of an exploration with so many departures at most.
static const char *name_of(const struct check_bounds *bounds, unsigned departures) {
  static char name[32];
  if (bounds->graphs)
    return "graphs";
  if (!bounds->follow || !departures)
    return "execution";
  snprintf(name, sizeof name, "departing-%u", departures);
  return name;
}

const char *home_file(const struct home *home, unsigned departures) {
  static char path[PATH_MAX + 32];
  snprintf(path, sizeof path, "%s/%s", home->plan.folder, name_of(&home->kept->bounds, departures));
  return path;
}

char *home_options(const struct home *home, const char *folder, const struct home_bounds *bounds) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = need(open_memstream(&text, &size));
  const struct check_bounds *asked = &home->kept->bounds;
  const char *quote = options_quote(folder);
  fprintf(out,
          "history=exact:history_size=250:allocator_release_to_os_interval_ms=-1:explore=%s%s/"
          "%s%s:explore_preemptions=%lld:explore_loop=%u:explore_unroll=%u:"
          "explore_spurious=%u:"
          "explore_executions=%lld:explore_time=%.0f:explore_timeout=%.0f:explore_first=%d:"
          "explore_jobs=%u:explore_parts=%u:explore_resume=%d",
          quote, folder, name_of(asked, asked->departures), quote, asked->preemptions, asked->loop,
          asked->unroll, asked->spurious, bounds->executions, bounds->time, home->kept->timeout,
          home->stop, home->jobs, bounds->parts, home->goes_on && !asked->graphs);
  if (asked->follow && !asked->departures && !asked->graphs)
    fputs(":explore_until_violation=1", out);
  if (asked->graphs)
    fputs(":explore_by_graphs=1", out);
  else if (asked->departures)
    fprintf(out, ":weak=explored:weak_departures=%u", asked->departures);
  fclose(out);
  return text;
}

// -- while a process explores --

// "about 240 more"; nothing where that is not even a guess.
static void print_estimate(const struct progress *p) {
  if (p->left_share > 999000 || !p->left_share)
    return;
  double all = (double)p->executions / (1 - p->left_share / 1e6);
  fprintf(stderr, ", about %.0f more", all - (double)p->executions);
}

static void look(void *context) {
  struct home *home = context;
  const struct progress *p = &home->progress;
  progress_read(&home->progress);
  if (!home->on_terminal || !p->began)
    return;
  fprintf(stderr, "\rrsan check: %llu executions (%.0f/s), %llu of them known before their end, ",
          p->executions, (double)(p->executions - home->before) / (now_seconds() - home->begun),
          p->asleep);
  if (p->bound < 0)
    fputs("any number of preemptions, ", stderr);
  else
    fprintf(stderr, "up to %lld preemption%s, ", p->bound, plural(p->bound));
  fprintf(stderr, "%llu prefixes left", p->left);
  print_estimate(p);
  fprintf(stderr, ", %zu finding%s\033[K", p->findings, plural(p->findings));
  fflush(stderr);
}

// -- processes --

// A FIFO would make the reader wait for ever; EINVAL.
static FILE *open_execution(const char *path, bool goes_on) {
  struct stat status;
  int how = goes_on ? O_RDWR : O_RDWR | O_CREAT | O_TRUNC;
  int file = open(path, how | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
  if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode))
    return fdopen(file, "r+");
  if (file >= 0) {
    close(file);
    errno = EINVAL;
  }
  return NULL;
}

static bool open_progress(struct home *home, unsigned departures, struct progress *progress) {
  const char *path = home_file(home, departures);
  progress->file = open_execution(path, home->goes_on);
  if (!progress->file) {
    bool other = errno == EINVAL;
    print_line(stderr, "%s: %s: %s", home->name, other ? path : home->plan.folder,
               other ? "not a regular file" : strerror(errno));
    return false;
  }
  progress_read(progress);
  return true;
}

// With --resume: what earlier calls have explored before this exploration.
static bool open_earlier(struct home *home, unsigned departures) {
  if (!home->kept->bounds.follow || !departures || home->first.file || home->kept->bounds.graphs)
    return true;
  return open_progress(home, 0, &home->first) &&
         (departures == 1 || open_progress(home, departures - 1, &home->complete));
}

bool home_open(struct home *home) {
  struct progress *progress = &home->progress;
  struct program program;
  unsigned departures = home->kept->bounds.departures;
  if (!open_progress(home, departures, progress) || !open_earlier(home, departures))
    return false;
  if (program_find(home->plan.command[0], &program))
    libraries_pin(&program);
  home->before = progress->executions;
  home->begun = now_seconds();
  home->on_terminal = isatty(STDERR_FILENO);
  return true;
}

static void begin_process(struct home *home) {
  struct progress *progress = &home->progress;
  progress_read(progress);
  long read = ftell(progress->file);
  home->plan.earlier = progress->run;
  home->plan.iterations = progress->run + 1;
  fseek(progress->file, 0, SEEK_END);
  fprintf(progress->file, "run number=%u\n", home->plan.iterations);
  fflush(progress->file);
  fseek(progress->file, read, SEEK_SET);
}

void home_explore(struct home *home, const struct home_bounds *bounds) {
  char *options = home_options(home, home->plan.folder, bounds);
  begin_process(home);
  home->plan.options = options;
  home->plan.watch = look;
  home->plan.watched = home;
  records_free(&home->runs.records); // they are read again
  home->runs = (struct runs){0};
  runs_do(&home->plan, home->name, &home->runs);
  progress_read(&home->progress);
  if (home->on_terminal)
    fputs("\r\033[K", stderr);
  home->plan.options = NULL;
  home->goes_on = true;
  free(options);
}
