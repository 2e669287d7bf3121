// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// main() of every litmus program (litmus.h, scheduler.h). Compiled without a
// sanitizer. Exit status: 0 as expected, 1 not so, 2 wrong use.

#define _POSIX_C_SOURCE 200809L

#include "litmus.h"
#include "scheduler.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// From the runtime; weak, so that programs also link with plain
// -fsanitize=thread, where nothing is ever flagged but races are still found.
unsigned long __rsan_violation_count(void) __attribute__((weak));
int __tsan_get_report_data(void *report, const char **description, int *count, int *stacks,
                           int *mops, int *locations, int *mutexes, int *threads, int *unique_tids,
                           void **sleep_trace, unsigned long trace_size) __attribute__((weak));
void __sanitizer_set_report_fd(void *fd) __attribute__((weak));

// A binary has one program, or the one that it is called by (generate.py).
extern const struct litmus litmus_program __attribute__((weak));
const struct litmus *litmus_find(const char *name) __attribute__((weak));
static const struct litmus *program;

// The verdict is this program's exit status, not the runtime's 66. Every interleaving counts, so
// none may pass for a repetition of another. What programs call here synchronises nothing.
const char *__tsan_default_options(void) {
  return "exitcode=0:suppress_equal_stacks=0:unseen_calls=0";
}

static unsigned long race_reports, other_reports;

// Called by the runtime for each report it prints, one at a time.
void __tsan_on_report(void *report) {
  const char *description = "";
  int ignored;
  void *trace[1];
  if (__tsan_get_report_data)
    __tsan_get_report_data(report, &description, &ignored, &ignored, &ignored, &ignored, &ignored,
                           &ignored, &ignored, trace, 1);
  if (strncmp(description, "data-race", strlen("data-race")) == 0)
    race_reports++;
  else
    other_reports++;
}

struct outcome {
  bool flagged, raced, reported, weak;
};

struct start {
  int thread;
  void *shared;
};

static void *run_thread(void *argument) {
  const struct start *start = argument;
  litmus_enter(start->thread);
  program->thread[start->thread](start->shared);
  litmus_leave();
  return NULL;
}

static unsigned long violations(void) {
  return __rsan_violation_count ? __rsan_violation_count() : 0;
}

// One run on fresh locations, by fresh threads. The caller has begun a schedule.
static struct outcome run_once(void) {
  void *shared = calloc(1, program->size);
  struct start start[LITMUS_MAX_THREADS];
  pthread_t thread[LITMUS_MAX_THREADS];
  const unsigned long violations_before = violations();
  const unsigned long races_before = race_reports, others_before = other_reports;
  if (!shared)
    abort();
  if (program->init)
    program->init(shared);
  for (int t = 0; t < program->threads - program->children; t++) {
    start[t] = (struct start){t, shared};
    if (pthread_create(&thread[t], NULL, run_thread, &start[t]) != 0) {
      perror("pthread_create");
      abort();
    }
  }
  sched_wait();
  for (int t = 0; t < program->threads - program->children; t++)
    pthread_join(thread[t], NULL);
  struct outcome outcome = {
      .flagged = violations() != violations_before,
      .raced = race_reports != races_before,
      .reported = race_reports != races_before || other_reports != others_before,
      .weak = program->weak && program->weak(shared),
  };
  if (program->fini)
    program->fini(shared);
  free(shared);
  return outcome;
}

static void schedule_text(const struct schedule *schedule, char text[SCHED_MAX_STEPS + 1]) {
  for (int i = 0; i < schedule->length; i++)
    text[i] = (char)('0' + schedule->thread[i]);
  text[schedule->length] = '\0';
}

static bool is_listed(const char *list, const char *schedule) {
  const size_t length = strlen(schedule);
  for (const char *at = list; (at = strstr(at, schedule)) != NULL; at += length)
    if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
      return true;
  return false;
}

// Prints at most a few schedules of each kind.
static void complain(const char *what, const char *schedule, int *times) {
  if ((*times)++ < 5)
    printf("  schedule %s: %s\n", schedule, what);
}

// The text of reports goes to nowhere, or to stderr again.
static void show_reports(bool show) {
  static int nowhere = -1;
  if (nowhere < 0 && (nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)) < 0) {
    perror("/dev/null");
    abort();
  }
  if (__sanitizer_set_report_fd)
    __sanitizer_set_report_fd((void *)(intptr_t)(show ? STDERR_FILENO : nowhere));
}

// With --apart N each mode has a process of its own, and after N interleavings a new process goes
// on in its place: explicit clocks grow with all that a process has done, interleavings do not
// depend on each other. What came before is in the environment then.
static long apart;
static char **own_arguments;
#define SO_FAR "LITMUS_SO_FAR"

struct tally {
  long hits, all;
  int wrong, missing, unwanted, weak;
  char first_hits[6 * (SCHED_MAX_STEPS + 2)];
};

static void go_on_anew(const struct tally *tally, const struct schedule *next) {
  char text[SCHED_MAX_STEPS + 1], so_far[sizeof tally->first_hits + SCHED_MAX_STEPS + 100];
  schedule_text(next, text);
  snprintf(so_far, sizeof so_far, "%ld %ld %d %d %d %d %s%s", tally->hits, tally->all, tally->wrong,
           tally->missing, tally->unwanted, tally->weak, text, tally->first_hits);
  fflush(stdout);
  if (setenv(SO_FAR, so_far, 1) == 0)
    execv("/proc/self/exe", own_arguments);
  perror("/proc/self/exe");
  abort();
}

static void read_schedule(struct schedule *schedule, const char *digits) {
  for (schedule->length = 0; digits[schedule->length]; schedule->length++)
    schedule->thread[schedule->length] = (unsigned char)(digits[schedule->length] - '0');
}

static void resume(struct tally *tally, struct schedule *schedule) {
  const char *so_far = getenv(SO_FAR);
  char text[SCHED_MAX_STEPS + 1] = "";
  int read = 0;
  if (!so_far)
    return;
  if (sscanf(so_far, "%ld %ld %d %d %d %d %128[0-9]%n", &tally->hits, &tally->all, &tally->wrong,
             &tally->missing, &tally->unwanted, &tally->weak, text, &read) != 7)
    abort();
  strcpy(tally->first_hits, so_far + read);
  read_schedule(schedule, text);
  unsetenv(SO_FAR);
}

struct expectation {
  bool race; // data races are expected, and violations are not; else the other way round
  long hits, all;
};

static void count(struct tally *tally, const struct expectation *expected,
                  const struct outcome *outcome, const char *text) {
  const bool hit = expected->race ? outcome->raced : outcome->flagged;
  const bool other = expected->race ? outcome->flagged : outcome->raced;
  tally->all++;
  if (hit && tally->hits++ < 5)
    strcat(strcat(tally->first_hits, " "), text);
  if (program->flagged && hit && !is_listed(program->flagged, text))
    complain("reported, but should not be", text, &tally->wrong);
  if (program->flagged && !hit && is_listed(program->flagged, text))
    complain("not reported, but should be", text, &tally->missing);
  if (other)
    complain(expected->race ? "a robustness violation" : "a data race", text, &tally->unwanted);
  if (outcome->weak)
    complain("a result that no SC run has", text, &tally->weak);
}

static int run_all(const struct expectation *expected) {
  struct schedule schedule = {.length = 0};
  struct tally tally = {.hits = 0};
  char text[SCHED_MAX_STEPS + 1];
  bool more = true;
  resume(&tally, &schedule);
  show_reports(false); // there may be a thousand; --schedule shows the one of interest
  while (more) {
    sched_begin_controlled(&schedule, program->threads);
    const struct outcome outcome = run_once();
    schedule_text(&schedule, text);
    count(&tally, expected, &outcome, text);
    more = sched_next(&schedule);
    if (more && apart && tally.all % apart == 0)
      go_on_anew(&tally, &schedule);
  }
  show_reports(true);
  const bool pass = tally.hits == expected->hits && tally.all == expected->all &&
                    !(tally.wrong || tally.missing || tally.unwanted || tally.weak);
  printf("%ld/%ld interleavings %s, expected %ld/%ld%s%s\n", tally.hits, tally.all,
         expected->race ? "with a data race" : "flagged", expected->hits, expected->all,
         tally.hits ? ":" : "", tally.first_hits);
  if (!pass)
    printf("FAIL (--schedule DIGITS runs one of them)\n");
  return pass ? 0 : 1;
}

// With weak=random: every interleaving, again and again, until one has a result that no SC run has,
// or TIMES passes are over. Races that departures show are not wanted in robust programs either.
static int run_departures(bool wanted, long times) {
  long runs = 0, weak = 0, raced = 0;
  show_reports(false);
  for (long pass = 0; pass < times && !(wanted && weak); pass++) {
    struct schedule schedule = {.length = 0};
    do {
      sched_begin_controlled(&schedule, program->threads);
      const struct outcome outcome = run_once();
      runs++;
      weak += outcome.weak;
      raced += outcome.raced;
    } while (sched_next(&schedule));
  }
  show_reports(true);
  printf("%ld runs with departures: %ld with a result that no SC run has, %ld with a race; "
         "expected %s\n",
         runs, weak, raced, wanted ? "some" : "none");
  return (wanted ? weak > 0 : !weak && !raced) ? 0 : 1;
}

static int run_schedule(const char *digits) {
  struct schedule schedule = {.length = 0};
  char text[SCHED_MAX_STEPS + 1];
  for (; digits[schedule.length]; schedule.length++) {
    const int thread = digits[schedule.length] - '0';
    if (schedule.length == SCHED_MAX_STEPS || thread < 0 || thread >= program->threads) {
      fprintf(stderr, "--schedule: digits 0 to %d, at most %d of them\n", program->threads - 1,
              SCHED_MAX_STEPS);
      return 2;
    }
    schedule.thread[schedule.length] = (unsigned char)thread;
  }
  sched_begin_controlled(&schedule, program->threads);
  const struct outcome outcome = run_once();
  schedule_text(&schedule, text);
  printf("schedule %s: %s%s%s\n", text, outcome.flagged ? "flagged" : "not flagged",
         outcome.raced ? ", data race" : "", outcome.weak ? ", a result that no SC run has" : "");
  return 0;
}

static int run_free(long times) {
  long flagged = 0, reported = 0, weak = 0;
  for (long i = 0; i < times; i++) {
    sched_begin_free(program->threads);
    const struct outcome outcome = run_once();
    flagged += outcome.flagged;
    reported += outcome.reported;
    weak += outcome.weak;
  }
  printf("%ld runs: %ld flagged, %ld with a report, %ld with a result that no SC run has;"
         " expected 0\n",
         times, flagged, reported, weak);
  return flagged || reported || weak ? 1 : 0;
}

static int usage(const char *self) {
  fprintf(
      stderr,
      "usage: %s [--apart N] MODE... (one after the other)\n"
      "  --violations HITS/ALL | --races HITS/ALL   every interleaving\n"
      "  --schedule DIGITS                          one interleaving, with its report\n"
      "  --repeat N                                 N runs by the system's scheduler, no report\n"
      "  --departs some/N | none/N                  every interleaving, N times, with weak=random: "
      "are\n"
      "                                             there results that no SC run has?\n",
      self);
  return 2;
}

// 2: wrong use.
static int run_mode(const char *mode, const char *value) {
  char rest;
  const bool race = strcmp(mode, "--races") == 0;
  if (race || strcmp(mode, "--violations") == 0) {
    struct expectation expected = {.race = race};
    if (sscanf(value, "%ld/%ld%c", &expected.hits, &expected.all, &rest) != 2)
      return 2;
    return run_all(&expected);
  }
  if (strcmp(mode, "--schedule") == 0)
    return run_schedule(value);
  long times;
  char wanted[5];
  if (strcmp(mode, "--departs") == 0 &&
      sscanf(value, "%4[a-z]/%ld%c", wanted, &times, &rest) == 2 && times > 0)
    return run_departures(strcmp(wanted, "some") == 0, times);
  if (strcmp(mode, "--repeat") == 0 && sscanf(value, "%ld%c", &times, &rest) == 1 && times > 0)
    return run_free(times);
  return 2;
}

// A mode in a process of its own.
static int run_apart(char *self, char *times, char *mode, char *value) {
  char *arguments[] = {self, "--apart", times, mode, value, NULL};
  int status = 0;
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    execv("/proc/self/exe", arguments);
    _exit(2);
  }
  if (child < 0 || waitpid(child, &status, 0) != child) {
    perror(mode);
    return 1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv) {
  int first = 1;
  const char *name = strrchr(argv[0], '/');
  own_arguments = argv;
  program = litmus_find ? litmus_find(name ? name + 1 : argv[0]) : &litmus_program;
  if (!program) {
    fprintf(stderr, "%s: no litmus program is called so\n", argv[0]);
    return 2;
  }
  if (argc > 2 && strcmp(argv[1], "--apart") == 0) {
    apart = atol(argv[2]);
    first = 3;
  }
  if (argc <= first || (argc - first) % 2 || (first == 3 && apart <= 0))
    return usage(argv[0]);
  int status = 0;
  for (int i = first; i < argc; i += 2) {
    const bool alone = !apart || argc == first + 2;
    const int result =
        alone ? run_mode(argv[i], argv[i + 1]) : run_apart(argv[0], argv[2], argv[i], argv[i + 1]);
    if (result == 2)
      return usage(argv[0]);
    status |= result;
  }
  return status;
}
