// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "replay.h"

enum {
  BATCH = 4096, // events made before the clock runs on
  SLICE = 64,   // events between two looks at clock and memory
  WARM = 32,    // events a location before that
  LINES = 9,    // cache lines that a compact event touches at a location, see memory_alone
  MEMORY_MAX_KIB = 3 << 20 // a cell that needs more stops there: explicit clocks are L * L big
};

struct run {
  uint32_t threads, locations;
  uint64_t random;  // state of the generator
  uint64_t *values; // by location
  struct trace_event batch[BATCH];
};

// Numerical Recipes' 64-bit LCG; the high half is good enough to draw events with.
static uint32_t draw(struct run *run, uint32_t below) {
  run->random = run->random * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)((run->random >> 32) * below >> 32);
}

// 46 % loads, 26 % stores, 20 % read-modify-writes, 5 % strong compare-exchanges, 3 % SC fences;
// half of the accesses are acquire and release.
static void make_event(struct run *run, struct trace_event *event) {
  uint32_t kind = draw(run, 100);
  bool ordered = draw(run, 2);
  *event = (struct trace_event){.thread = draw(run, run->threads)};
  if (kind < 3) {
    event->op = TRACE_FENCE;
    event->order = TRACE_SC;
    return;
  }
  event->object = draw(run, run->locations);
  uint64_t *value = &run->values[event->object];
  event->written = draw(run, 16);
  if (kind < 49) {
    event->op = TRACE_LOAD;
    event->order = ordered ? TRACE_ACQ : TRACE_RLX;
    return;
  }
  if (kind < 75) {
    event->op = TRACE_STORE;
    event->order = ordered ? TRACE_REL : TRACE_RLX;
  } else if (kind < 95) {
    event->op = TRACE_FETCH_OP;
    event->order = ordered ? TRACE_AR : TRACE_RLX;
  } else {
    event->op = TRACE_STRONG_CAS;
    event->order = ordered ? TRACE_AR : TRACE_RLX;
    event->expected = draw(run, 2) ? *value : *value + 1;
    event->ok = event->expected == *value;
    if (!event->ok)
      return;
  }
  *value = event->written;
}

// Processor time, so that other processes do not count.
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static bool out_of_memory(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss > MEMORY_MAX_KIB;
}

struct result {
  uint64_t events;
  double seconds;
  bool memory; // it ended for want of memory
};

// One batch of events, until `stop`; says how many.
static int run_batch(struct replay *replay, struct run *run, struct result *result, double stop) {
  for (int i = 0; i < BATCH; i++)
    make_event(run, &run->batch[i]);
  double begin = now(), end = begin;
  int i = 0;
  while (i < BATCH && !result->memory && result->seconds + (end - begin) < stop) {
    for (int slice = i + SLICE; i < slice; i++) {
      replay_look_ahead(replay, &run->batch[i], (size_t)(BATCH - i));
      replay_step(replay, &run->batch[i]);
    }
    end = now();
    result->memory = out_of_memory();
  }
  result->seconds += end - begin;
  return i;
}

// What is measured is not the beginning: each location has its first accesses behind it, as far as
// three times the time and the memory go.
static void warm_up(struct replay *replay, struct run *run, double seconds) {
  struct result result = {0};
  for (uint64_t events = 0; events < (uint64_t)run->locations * WARM && !result.memory;) {
    int done = run_batch(replay, run, &result, 3 * seconds);
    if (!done)
      return;
    events += (uint64_t)done;
  }
}

static struct result measure(const struct rsan_options *options, struct run *run, double seconds) {
  struct result result = {0};
  struct replay *replay = replay_new(options);
  for (uint32_t t = 0; t < run->threads; t++)
    replay_make_root(replay, t);
  warm_up(replay, run, seconds);
  while (result.seconds < seconds && !result.memory)
    result.events += (uint64_t)run_batch(replay, run, &result, seconds);
  return result; // the process ends here: nothing is freed
}

// What the machine takes for the memory alone: of a block of a location's usual size (1 KiB) the
// lines are written that an access with compact clocks writes (3 of the location, the newest record
// and version and the place of the next, and 3 snapshots that it lets go), each found in the one
// before. No clock that does not know what comes next can be faster, and it slows down where the
// caches end. (A replay knows: replay_look_ahead.)
static struct result memory_alone(struct run *run, double seconds) {
  enum { BLOCK = 16 }; // lines
  struct line {
    uint64_t next, count, rest[6];
  };
  struct result result = {0};
  struct line *lines = calloc(run->locations, BLOCK * sizeof *lines);
  for (uint64_t i = 0; lines && i < run->locations; i++)
    for (uint64_t line = 0; line < BLOCK; line++)
      lines[i * BLOCK + line].next = i * BLOCK + (line * 7 + 3) % BLOCK;
  while (lines && result.seconds < seconds) {
    double begin = now();
    for (int i = 0; i < BATCH; i++)
      for (uint64_t at = (uint64_t)draw(run, run->locations) * BLOCK, n = 0; n < LINES; n++) {
        lines[at].count++;
        at = lines[at].next;
      }
    result.events += BATCH;
    result.seconds += now() - begin;
  }
  return result;
}

// In a process of its own, whose result comes through a pipe. No options: the memory alone.
static bool measure_apart(const struct rsan_options *options, struct run *run, double seconds,
                          struct result *result) {
  int ends[2];
  if (pipe(ends) != 0)
    return false;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    *result = options ? measure(options, run, seconds) : memory_alone(run, seconds);
    _exit(write(ends[1], result, sizeof *result) != (ssize_t)sizeof *result);
  }
  close(ends[1]);
  bool ok = child > 0 && read(ends[0], result, sizeof *result) == (ssize_t)sizeof *result;
  close(ends[0]);
  int status;
  return child > 0 && waitpid(child, &status, 0) == child && ok && status == 0;
}

static const struct engine {
  const char *name;
  struct rsan_options options;
} engines[] = {
    {"compact/bounded", {.clocks = RSAN_CLOCKS_COMPACT, .history = RSAN_HISTORY_BOUNDED}},
    {"compact/exact", {.clocks = RSAN_CLOCKS_COMPACT, .history = RSAN_HISTORY_EXACT}},
    {"explicit", {.clocks = RSAN_CLOCKS_EXPLICIT}},
    {"memory alone", {0}}, // see memory_alone
};
enum { MEMORY_ALONE = sizeof engines / sizeof *engines - 1 };

static bool bench_row(struct run *run, double seconds, uint64_t seed) {
  printf("%7" PRIu32 " %9" PRIu32, run->threads, run->locations);
  for (size_t e = 0; e < sizeof engines / sizeof *engines; e++) {
    struct result result;
    run->random = seed;
    if (!measure_apart(e == MEMORY_ALONE ? NULL : &engines[e].options, run, seconds, &result)) {
      fprintf(stderr, "rsan-replay: the process that measured %s ended early\n", engines[e].name);
      return false;
    }
    printf(" %15.0f%c", (double)result.events / result.seconds, result.memory ? '*' : ' ');
  }
  putchar('\n');
  return true;
}

int bench_table(double seconds, uint64_t seed) {
  static const uint32_t threads[] = {2, 8, 32}, locations[] = {10, 1000, 100000};
  struct run *run = trace_allocate(sizeof *run);
  size_t capacity = 0;
  run->values = trace_grow(NULL, &capacity, locations[2], sizeof *run->values);
  printf("events a second of processor time (seed %" PRIu64 ", %.1f s each)\nthreads locations",
         seed, seconds);
  for (size_t e = 0; e < sizeof engines / sizeof *engines; e++)
    printf(" %15s ", engines[e].name);
  putchar('\n');
  bool ok = true;
  for (size_t t = 0; t < 3; t++)
    for (size_t x = 0; x < 3 && ok; x++) {
      run->threads = threads[t];
      run->locations = locations[x];
      ok = bench_row(run, seconds, seed);
    }
  printf("* until it had taken %d GiB\n", MEMORY_MAX_KIB >> 20);
  free(run->values);
  free(run);
  return ok ? 0 : 2;
}
