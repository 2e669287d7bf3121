// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/command.h"
#include "base/plural.h"
#include "base/shell.h"
#include "checked.h"
#include "departures.h"
#include "end.h"
#include "guard.h"
#include "history.h"
#include "printable.h"
#include "replay/trusted.h"
#include "runs.h"

// Seconds from SIGTERM, which lets a test runner say what it was at, to SIGKILL.
enum { GRACE = 2 };

// Seconds for the report of a time-out, which is symbolized; and for a look whether it is made.
enum { REPORT = 10 };

// Bytes: with less the disk is full, because a file takes whole blocks.
enum { LEAST_ROOM = 1 << 16 };
static const double look = 0.02;

// Seconds within which another signal is the same one.
static const double same_signal = 0.2;

struct loop {
  const struct run_plan *plan;
  const char *name;
  struct runs *runs;
  struct run_process *processes; // plan->jobs; pid 0: free
  unsigned started, running;
  double begun;
  double signalled[2]; // now_seconds() of the last signal: to this process, and one passed on
  bool stop;           // nothing more is started
  bool on_terminal;
};

static void say_progress(const struct loop *loop) {
  const struct run_plan *plan = loop->plan;
  const struct runs *runs = loop->runs;
  if (!loop->on_terminal)
    return;
  fprintf(plan->progress, "\r%s: %u", loop->name, runs_ended(runs));
  if (plan->iterations)
    fprintf(plan->progress, " of %u", plan->iterations - (plan->elsewhere ? plan->earlier : 0));
  fprintf(plan->progress, " runs, %zu report%s, %u failed, %u hung, %.0f s\033[K",
          records_reports(&runs->records), plural(records_reports(&runs->records)),
          runs->count[RUN_FAILED], runs->count[RUN_HUNG], now_seconds() - loop->begun);
  fflush(plan->progress);
}

static void clear_progress(const struct loop *loop) {
  if (loop->on_terminal)
    fputs("\r\033[K", loop->plan->progress);
}

__attribute__((format(printf, 2, 3))) static void say(const struct loop *loop, const char *format,
                                                      ...) {
  if (!loop->plan->progress)
    return;
  va_list values;
  clear_progress(loop);
  va_start(values, format);
  print_line_values(loop->plan->progress, format, values);
  va_end(values);
}

struct log_reader {
  const struct loop *loop;
  unsigned number;
  struct records_seen seen;
};

static void read_log(void *context, const char *path) {
  struct log_reader *reader = context;
  const struct loop *loop = reader->loop;
  if (!records_read(&loop->runs->records, path, reader->number, &reader->seen))
    say(loop, "%s: %s: %s", loop->name, path, strerror(errno));
}

// Every process of the run that has RSan's runtime has written report.PID.
static struct records_seen read_logs(const struct loop *loop, unsigned number) {
  struct log_reader reader = {.loop = loop, .number = number};
  run_files(loop->plan, number, "report.", read_log, &reader);
  return reader.seen;
}

static void say_news(const struct loop *loop, unsigned number, size_t known) {
  const struct records *records = &loop->runs->records;
  for (size_t i = known; i < records->count; i++)
    if (!records->at[i].known)
      say(loop, "run %u: %s%s%s", number, records->at[i].type, *records->at[i].place ? " " : "",
          records->at[i].place);
}

static void say_failure(const struct loop *loop, const struct run_process *process, int status,
                        bool core) {
  const char *folder = run_folder(loop->plan, process->number);
  if (process->hung)
    say(loop, "run %u: hung, ended after %g s; see %s", process->number, loop->plan->timeout,
        folder);
  else if (WIFSIGNALED(status))
    say(loop, "run %u: killed by signal %d (%s)%s; see %s", process->number, WTERMSIG(status),
        strsignal(WTERMSIG(status)), core ? ", core kept" : "", folder);
  else
    say(loop, "run %u: exit status %d; see %s", process->number, WEXITSTATUS(status), folder);
}

static enum run_end judge(const struct run_process *process, int status, unsigned reports) {
  if (process->hung)
    return RUN_HUNG;
  if (reports)
    return RUN_REPORTING;
  if (process->signalled)
    return RUN_STOPPED;
  return status == 0 ? RUN_CLEAN : RUN_FAILED;
}

// What a shell would call the exit status.
static int failure_of(enum run_end end, int status) {
  return end == RUN_HUNG ? 124 : shell_status(status); // 124: as timeout(1) has it
}

// Counts the run among those that ended so.
static void count(struct loop *loop, const struct run_process *process, enum run_end end,
                  int status, struct records_seen seen) {
  struct runs *runs = loop->runs;
  runs->count[end]++;
  if ((end == RUN_HUNG || end == RUN_FAILED) && !runs->first_failed) {
    runs->first_failed = process->number;
    runs->failure = failure_of(end, status);
  }
  if (seen.fresh || end == RUN_HUNG || end == RUN_FAILED)
    runs->without_news = 0;
  else if (end != RUN_STOPPED)
    runs->without_news++;
}

static bool has_departed(const struct run_plan *plan, unsigned number) {
  struct departures departures;
  if (!plan->weak)
    return false;
  departures_read(&departures, plan, number);
  bool departed = departures.count > 0;
  departures_free(&departures);
  return departed;
}

static void write_history(const struct loop *loop, const struct run_process *process,
                          enum run_end end, int status, bool departed, bool core) {
  const struct run_plan *plan = loop->plan;
  struct past_run run = {.number = process->number,
                         .end = end,
                         .status = failure_of(end, status),
                         .seconds = now_seconds() - process->begun,
                         .departed = departed,
                         .core = core};
  if (plan->history)
    history_write(plan->history, &run, &loop->runs->records);
}

// How the run has ended is a record among the others.
static void add_end(const struct loop *loop, const struct run_process *process, int status) {
  char path[PATH_MAX + 16];
  int error = end_write(loop->plan, process, status);
  snprintf(path, sizeof path, "%s/report.end", run_folder(loop->plan, process->number));
  if (!error) {
    struct log_reader reader = {.loop = loop, .number = process->number};
    read_log(&reader, path);
  } else {
    say(loop, "%s: %s: %s", loop->name, path, strerror(error));
  }
}

// Reads what the run has left. True: its folder is kept.
static bool take(struct loop *loop, const struct run_process *process, int status) {
  const struct run_plan *plan = loop->plan;
  struct runs *runs = loop->runs;
  size_t known = runs->records.count;
  bool killed = WIFSIGNALED(status) && !process->signalled;
  bool core = killed && run_take_core(plan, process);
  struct records_seen seen = read_logs(loop, process->number);
  enum run_end end = judge(process, status, seen.reports);
  if ((end == RUN_HUNG && !seen.hangs) || (end == RUN_FAILED && !seen.failed_tests))
    add_end(loop, process, status);
  bool departed = has_departed(plan, process->number);
  runs->cores += core;
  runs->departed += departed;
  say_news(loop, process->number, known);
  if (end == RUN_HUNG || end == RUN_FAILED || killed)
    say_failure(loop, process, status, core);
  count(loop, process, end, status, seen);
  write_history(loop, process, end, status, departed, core);
  if (seen.reports && plan->stop_on_first)
    loop->stop = true;
  if (plan->until_clean && runs->without_news >= plan->until_clean)
    loop->stop = true;
  return end != RUN_CLEAN || plan->keep;
}

static bool ask_guide(struct loop *loop, const struct run_process *process, int status) {
  const struct run_guide *guide = loop->plan->guide;
  const struct run_result result = {.number = process->number,
                                    .status = status,
                                    .seconds = now_seconds() - process->begun,
                                    .hung = process->hung,
                                    .stopped = process->signalled && !process->hung};
  if (WIFSIGNALED(status) && !process->signalled)
    loop->runs->cores += run_take_core(loop->plan, process);
  count(loop, process, judge(process, status, 0), status, (struct records_seen){0});
  return guide->ended(guide->context, &result);
}

static void trust_schedule(void *context, const char *path) {
  (void)context;
  schedule_trust(path);
}

// A full disk takes what a run writes without a word of the run's, so that a report may be missing.
// Its folder has not been removed yet, so that the disk is still as full as it was.
static void check_room(struct loop *loop) {
  struct statvfs status;
  const char *folder = loop->plan->folder;
  if (loop->runs->start_error || statvfs(folder, &status) != 0 || !status.f_blocks)
    return;
  fsblkcnt_t blocks = geteuid() == 0 ? status.f_bfree : status.f_bavail;
  if ((unsigned long long)blocks * status.f_frsize >= LEAST_ROOM)
    return;
  loop->runs->start_error = ENOSPC;
  loop->stop = true;
  clear_progress(loop);
  print_line(stderr,
             "%s: %s has less than %d KB of room left: what the runs have written there may not be "
             "whole",
             loop->name, folder, LEAST_ROOM >> 10);
}

static void finish(struct loop *loop, struct run_process *process, int status) {
  check_room(loop);
  bool kept = loop->plan->guide ? ask_guide(loop, process, status) : take(loop, process, status);
  if (kept) {
    loop->runs->kept++;
    run_files(loop->plan, process->number, "schedule.", trust_schedule, NULL);
  } else {
    run_folder_remove(loop->plan, process->number);
  }
  process->pid = 0;
  loop->running--;
}

// What was asked to end is ended with all it has started, before its number can be another's.
static void reap(struct loop *loop) {
  for (unsigned i = 0; i < loop->plan->jobs; i++) {
    struct run_process *process = &loop->processes[i];
    siginfo_t info = {0};
    int status;
    if (!process->pid ||
        waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
        info.si_pid != process->pid)
      continue;
    if (process->signalled)
      run_signal(process, SIGKILL);
    waitpid(process->pid, &status, 0);
    finish(loop, process, status);
  }
}

static void ask_to_end(struct run_process *process) {
  process->signalled = now_seconds();
  run_signal(process, SIGTERM);
}

static void check_times(struct loop *loop) {
  double now = now_seconds();
  for (unsigned i = 0; i < loop->plan->jobs; i++) {
    struct run_process *process = &loop->processes[i];
    if (!process->pid)
      continue;
    if (!process->signalled && loop->plan->timeout && now - process->begun >= loop->plan->timeout) {
      process->hung = true;
      // Its processes say what their threads do.
      if (now - process->begun >= loop->plan->timeout + REPORT || !run_is_reporting(process))
        ask_to_end(process);
    } else if (!process->signalled && loop->stop) {
      ask_to_end(process);
    } else if (process->signalled && !process->killed && now - process->signalled >= GRACE) {
      process->killed = true;
      run_signal(process, SIGKILL);
    }
  }
}

// Seconds until check_times has something to do; a second at most, for the progress.
static double patience(const struct loop *loop) {
  double now = now_seconds(), least = loop->plan->watch ? 0.2 : 1;
  for (unsigned i = 0; i < loop->plan->jobs; i++) {
    const struct run_process *process = &loop->processes[i];
    double at = process->signalled        ? process->signalled + GRACE
                : process->hung           ? now + look
                : loop->plan->timeout > 0 ? process->begun + loop->plan->timeout
                                          : now + 1;
    if (process->pid && !process->killed && at - now < least)
      least = at - now;
  }
  return least > 0.001 ? least : 0.001;
}

static void await(struct loop *loop, const sigset_t *signals) {
  double seconds = patience(loop);
  struct timespec limit = {.tv_sec = (time_t)seconds,
                           .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
  siginfo_t info;
  int signal = sigtimedwait(signals, &info, &limit);
  if (signal < 0 || signal == SIGCHLD)
    return;
  // A signal to the whole group reaches the front as well, which passes it on, and timeout signals
  // both the group and the front: all these count as one signal.
  double now = now_seconds(), *last = &loop->signalled[guard_has_passed(&info)];
  if (*last && now - *last < same_signal)
    return;
  bool second = *last;
  *last = now;
  // A second Ctrl-C does not wait for anybody.
  for (unsigned i = 0; second && i < loop->plan->jobs; i++)
    if (loop->processes[i].pid)
      run_signal(&loop->processes[i], SIGKILL);
  loop->runs->interrupted = loop->stop = true;
}

static bool may_start(const struct loop *loop) {
  const struct run_plan *plan = loop->plan;
  return !loop->stop && loop->running < plan->jobs &&
         (!plan->iterations || loop->started < plan->iterations) &&
         (!plan->time || now_seconds() - loop->begun < plan->time) &&
         (!plan->guide || plan->guide->more(plan->guide->context));
}

static void start(struct loop *loop) {
  struct run_process *process = loop->processes;
  while (process->pid)
    process++;
  int error = run_start(loop->plan, loop->started + 1, process);
  if (error) {
    if (process->pid > 0)
      waitpid(process->pid, NULL, 0);
    process->pid = 0;
    const char *folder = run_folder(loop->plan, loop->started + 1);
    bool had_folder = access(folder, F_OK) == 0;
    run_folder_remove(loop->plan, loop->started + 1);
    loop->runs->start_error = error;
    loop->stop = true;
    clear_progress(loop);
    bool of_command = had_folder && runs_start_status(error) != EXIT_USAGE;
    print_line(stderr, "%s: %s: %s", loop->name, of_command ? loop->plan->command[0] : folder,
               strerror(error));
    return;
  }
  loop->started++;
  loop->running++;
}

bool runs_do(const struct run_plan *plan, const char *name, struct runs *runs) {
  struct loop loop = {.plan = plan, .name = name, .runs = runs, .begun = now_seconds()};
  sigset_t signals, old;
  loop.processes = calloc(plan->jobs, sizeof *loop.processes);
  if (!loop.processes)
    abort();
  loop.on_terminal = plan->progress && isatty(fileno(plan->progress));
  if (plan->guide || plan->elsewhere)
    loop.started = plan->earlier;
  while (loop.started < plan->earlier)
    read_logs(&loop, ++loop.started);
  if (!checked_make(plan->folder)) {
    runs->start_error = errno;
    print_line(stderr, "%s: %s/checked: %s", name, plan->folder, strerror(errno));
    free(loop.processes);
    return false;
  }
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGHUP);
  sigprocmask(SIG_BLOCK, &signals, &old);
  guard_adopt_left();
  do {
    while (may_start(&loop))
      start(&loop);
    say_progress(&loop);
    if (plan->watch)
      plan->watch(plan->watched);
    if (loop.running)
      await(&loop, &signals);
    reap(&loop);
    check_times(&loop);
  } while (loop.running || may_start(&loop));
  clear_progress(&loop);
  guard_end_left();
  sigprocmask(SIG_SETMASK, &old, NULL);
  free(loop.processes);
  runs->records.checked |= checked_read(plan->folder);
  runs->made = loop.started - plan->earlier;
  return runs->made > 0;
}

// None of the first four is execve()'s.
int runs_start_status(int error) {
  switch (error) {
  case ENOSPC:
  case EDQUOT:
  case EFBIG:
  case EROFS:
    return EXIT_USAGE;
  case ENOENT:
    return 127;
  default:
    return 126;
  }
}

unsigned runs_ended(const struct runs *runs) {
  return runs->count[RUN_CLEAN] + runs->count[RUN_REPORTING] + runs->count[RUN_FAILED];
}

int runs_status(const struct run_plan *plan, const struct runs *runs) {
  if (plan->fail_on ? records_failing(&runs->records, plan->fail_on)
                    : records_reports(&runs->records))
    return 66;
  if (runs->start_error)
    return runs_start_status(runs->start_error);
  if (runs->first_failed)
    return runs->failure;
  return runs->interrupted ? 130 : checked_status(&runs->records, plan->allow_empty, 0);
}
