// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "calls.h"

#include "engine.h"
#include "host_libc.h"
#include "limits.h"
#include "subjects.h"

enum { MAX_SUBJECTS = 4, MAX_SLEEPERS = RSAN_THREAD_INDEX_SOFT_MAX };

// One engine and what it owns.
struct side {
  struct rsan_engine *engine;
  struct rsan_thread *threads[CALLS_THREADS], *sleepers[MAX_SLEEPERS];
  struct rsan_location *locations[CALLS_LOCATIONS];
  struct rsan_sync *syncs[CALLS_SYNCS];
};

// The thread that writes what is not seen, in the explicit clocks alone, and what it acquires.
struct unseen {
  struct rsan_thread *writer;
  struct rsan_sync *everything;
};

struct run {
  struct side sides[MAX_SUBJECTS];
  enum { NOT_YET, RUNS, FINISHED, GONE } threads[CALLS_THREADS];
  uint32_t running;
  struct rsan_value memory[CALLS_LOCATIONS];
  bool is_foreign[CALLS_LOCATIONS], is_unseen[CALLS_LOCATIONS]; // what no access has found yet
  bool is_withdrawn[CALLS_LOCATIONS];
  bool was_sole[CALLS_LOCATIONS]; // a sole thread has been there: versions have other numbers
  struct unseen unseen;
  struct calls_result result;
};

static void begin(struct run *run, const struct calls *calls) {
  for (size_t s = 0; s < subject_count; s++) {
    struct side *side = &run->sides[s];
    side->engine = rsan_engine_new(&subjects[s].options);
    for (uint32_t t = 0; t < calls->roots; t++)
      side->threads[t] = rsan_thread_create(side->engine, NULL, t);
    for (uint32_t i = 0; calls->sleepers && i < MAX_SLEEPERS - calls->roots; i++)
      side->sleepers[i] = rsan_thread_create(side->engine, NULL, 0);
    for (uint32_t x = 0; x < CALLS_LOCATIONS; x++)
      side->locations[x] = rsan_location_new(side->engine, 0, calls_size(x));
    for (uint32_t i = 0; i < CALLS_SYNCS; i++)
      side->syncs[i] = rsan_sync_new(side->engine);
  }
  struct rsan_engine *reference = run->sides[SUBJECT_EXPLICIT].engine;
  run->unseen.writer = rsan_thread_create(reference, NULL, 0);
  run->unseen.everything = rsan_sync_new(reference);
  for (uint32_t t = 0; t < calls->roots; t++)
    run->threads[t] = RUNS;
  run->running = calls->roots;
}

static void end(struct run *run) {
  rsan_thread_free(run->unseen.writer);
  rsan_sync_free(run->unseen.everything);
  for (size_t s = 0; s < subject_count; s++) {
    struct side *side = &run->sides[s];
    for (uint32_t t = 0; t < CALLS_THREADS; t++)
      rsan_thread_free(side->threads[t]);
    for (uint32_t i = 0; i < MAX_SLEEPERS; i++)
      rsan_thread_free(side->sleepers[i]);
    for (uint32_t x = 0; x < CALLS_LOCATIONS; x++)
      rsan_location_free(side->engine, side->locations[x]);
    for (uint32_t i = 0; i < CALLS_SYNCS; i++)
      rsan_sync_free(side->syncs[i]);
    rsan_engine_free(side->engine);
  }
}

static void differ(struct run *run, const char *what) {
  if (!run->result.difference)
    run->result.difference = what;
}

// --- threads ---

static bool can_act(struct run *run, const struct call *call) {
  if (call->thread >= CALLS_THREADS || run->threads[call->thread] != RUNS)
    return false;
  bool self = call->other == call->thread;
  switch (call->kind) {
  case CALL_CREATE:
    return run->threads[call->other] == NOT_YET;
  case CALL_FINISH:
    return run->threads[call->other] == RUNS && !self && run->running > 1;
  case CALL_JOIN:
  case CALL_FREE:
    return run->threads[call->other] == FINISHED;
  default:
    return true;
  }
}

static void change_thread(struct run *run, const struct call *call) {
  static const int becomes[CALL_KINDS] = {
      [CALL_CREATE] = RUNS, [CALL_FINISH] = FINISHED, [CALL_JOIN] = GONE, [CALL_FREE] = GONE};
  run->threads[call->other] = becomes[call->kind];
  run->running += (call->kind == CALL_CREATE) - (call->kind == CALL_FINISH);
  for (size_t s = 0; s < subject_count; s++) {
    struct side *side = &run->sides[s];
    struct rsan_thread *thread = side->threads[call->thread], **other = &side->threads[call->other];
    if (call->kind == CALL_CREATE)
      *other = rsan_thread_create(side->engine, thread, call->other);
    if (call->kind == CALL_FINISH && s == SUBJECT_EXPLICIT)
      rsan_release_merge(*other, run->unseen.everything, RSAN_UNCERTAIN);
    if (call->kind == CALL_FINISH)
      rsan_thread_finish(*other);
    if (call->kind == CALL_JOIN)
      rsan_thread_join(thread, *other);
    if (call->kind == CALL_JOIN || call->kind == CALL_FREE) {
      rsan_thread_free(*other);
      *other = NULL;
    }
  }
}

// --- accesses ---

static bool names_value(enum rsan_check check) {
  return check == RSAN_CHECK_WAIT || check == RSAN_CHECK_BCAS;
}

// False: blocked, the condition does not hold.
static bool make_access(const struct run *run, const struct call *call,
                        struct rsan_access *access) {
  uint32_t size = calls_size(call->object);
  bool holds = rsan_condition_holds(&call->condition, run->memory[call->object]);
  *access = (struct rsan_access){
      .kind = call->access,
      .check = call->check,
      .order = call->order,
      .size = size,
      .seen = run->memory[call->object],
      .written = calls_value(size, call->written),
      .expected = call->condition,
  };
  bool cas = call->check == RSAN_CHECK_STRONG_CAS ||
             (call->check == RSAN_CHECK_READ && call->access == RSAN_RMW);
  if (cas)
    access->kind = holds ? RSAN_RMW : RSAN_READ;
  if (names_value(call->check))
    access->kind = call->check == RSAN_CHECK_WAIT ? RSAN_READ : RSAN_RMW;
  return holds || !names_value(call->check);
}

// The definition: would the access be flagged if it waited for one of the values?
static bool flagged_for_a_value(struct side *side, const struct call *call,
                                const struct rsan_access *access) {
  for (uint32_t n = 0; n < CALLS_VALUES; n++) {
    struct rsan_value value = calls_value(access->size, n);
    struct rsan_access asked = *access;
    struct rsan_violation violation;
    asked.expected = rsan_equals(value);
    if (rsan_condition_holds(&access->expected, value) &&
        rsan_arrive_blocked(side->threads[call->thread], side->locations[call->object], &asked,
                            &violation))
      return true;
  }
  return false;
}

static bool gave_up(const struct side *side) {
  uint64_t stats[RSAN_STAT_COUNT];
  for (int stat = 0; stat < RSAN_STAT_COUNT; stat++)
    stats[stat] = rsan_engine_stat(side->engine, (enum rsan_stat)stat);
  return subject_gave_up(stats);
}

static bool is_same_witness(const struct rsan_violation *a, const struct rsan_violation *b,
                            bool numbers) {
  if (numbers)
    return a->known == b->known && a->missed == b->missed;
  return rsan_value_equal(a->stale, b->stale) &&
         rsan_value_equal(a->missed_value, b->missed_value) && a->owner == b->owner &&
         a->order == b->order;
}

static void compare(struct run *run, size_t s, const struct call *call, bool flagged, bool expected,
                    const struct rsan_violation *violation,
                    const struct rsan_violation *reference) {
  static const enum trace_op ops[] = {[RSAN_CHECK_READ] = TRACE_LOAD,
                                      [RSAN_CHECK_WRITE] = TRACE_STORE,
                                      [RSAN_CHECK_WAIT] = TRACE_WAIT,
                                      [RSAN_CHECK_BCAS] = TRACE_BCAS,
                                      [RSAN_CHECK_STRONG_CAS] = TRACE_STRONG_CAS};
  bool lossy = gave_up(&run->sides[s]);
  if (flagged && !expected)
    differ(run,
           subjects[s].bounded ? "compact/bounded: a false alarm" : "compact/exact: a false alarm");
  if (!flagged && expected && !subject_may_miss(&subjects[s], ops[call->check], lossy))
    differ(run, subjects[s].bounded ? "compact/bounded: missed" : "compact/exact: missed");
  if (flagged && expected && !lossy && !subjects[s].bounded &&
      !is_same_witness(violation, reference, !run->was_sole[call->object]))
    differ(run, "compact/exact: another witness");
}

// Before an access of that engine's: the reference knows already.
static void ask_whether_unseen(const struct run *run, size_t s, uint32_t object) {
  bool unseen = run->is_unseen[object] && s != SUBJECT_EXPLICIT;
  rsan_host_writer = unseen ? RSAN_WRITER_UNSEEN : RSAN_WRITER_SEEN;
}

static void found(struct run *run, uint32_t object) {
  run->is_foreign[object] = run->is_unseen[object] = false;
  rsan_host_writer = RSAN_WRITER_SEEN;
}

// Makes the access in one engine. The compact engines leave out the analysis if the thread is sole,
// as a host may; the explicit clocks judge whether that is right.
static bool access_one(struct run *run, size_t s, const struct call *call,
                       const struct rsan_access *access, struct rsan_violation *violation) {
  struct side *side = &run->sides[s];
  struct rsan_thread *thread = side->threads[call->thread];
  struct rsan_location *location = side->locations[call->object];
  if (s == SUBJECT_EXPLICIT || !rsan_thread_is_sole(thread))
    return rsan_atomic_access(thread, location, access, violation);
  run->was_sole[call->object] = true;
  run->result.sole++;
  if (!rsan_sole_update(location, access->seen,
                        access->kind == RSAN_READ ? access->seen : access->written))
    rsan_sole_access(thread, location, access);
  return false;
}

static void access_all(struct run *run, const struct call *call) {
  struct rsan_access access;
  bool goes_on = make_access(run, call, &access);
  bool flagged[MAX_SUBJECTS];
  struct rsan_violation violations[MAX_SUBJECTS];
  bool defined =
      names_value(call->check) && flagged_for_a_value(&run->sides[SUBJECT_EXPLICIT], call, &access);
  for (size_t s = 0; s < subject_count; s++) {
    struct side *side = &run->sides[s];
    ask_whether_unseen(run, s, call->object);
    flagged[s] = goes_on
                     ? access_one(run, s, call, &access, &violations[s])
                     : rsan_arrive_blocked(side->threads[call->thread],
                                           side->locations[call->object], &access, &violations[s]);
  }
  bool expected = flagged[SUBJECT_EXPLICIT];
  run->result.accesses++;
  run->result.flags += expected;
  // An access of order seq_cst has its fence first.
  if (names_value(call->check) && !(goes_on && call->order == RSAN_SEQ_CST)) {
    run->result.conditions++;
    // Where the value serves nothing else, a wait that would go on in any case misses nothing.
    if (call->condition.alone ? expected && !defined : defined != expected)
      differ(run, "explicit: not what the values say");
  }
  for (size_t s = 0; s < subject_count; s++)
    if (s != SUBJECT_EXPLICIT) {
      compare(run, s, call, flagged[s], expected, &violations[s], &violations[SUBJECT_EXPLICIT]);
      run->result.bounded_flags += subjects[s].bounded && flagged[s];
    }
  found(run, call->object);
  if (goes_on && access.kind != RSAN_READ)
    run->memory[call->object] = access.written;
}

static void access_unchecked(struct run *run, const struct call *call) {
  struct rsan_access access;
  if (!make_access(run, call, &access))
    return;
  for (size_t s = 0; s < subject_count; s++) {
    struct side *side = &run->sides[s];
    ask_whether_unseen(run, s, call->object);
    rsan_unchecked_access(side->threads[call->thread], side->locations[call->object], &access);
  }
  found(run, call->object);
  if (access.kind != RSAN_READ)
    run->memory[call->object] = access.written;
}

// One at a time: a second one could bring back what was there.
static void write_foreign(struct run *run, const struct call *call) {
  if (run->is_foreign[call->object])
    return;
  run->memory[call->object] = calls_value(calls_size(call->object), call->written);
  run->is_foreign[call->object] = true;
}

static const struct rsan_sync *everything_of(struct run *run) {
  for (uint32_t t = 0; t < CALLS_THREADS; t++)
    if (run->threads[t] == RUNS)
      rsan_release_merge(run->sides[SUBJECT_EXPLICIT].threads[t], run->unseen.everything,
                         RSAN_UNCERTAIN);
  return run->unseen.everything;
}

static void acquire_everything(struct run *run, const struct call *call) {
  for (size_t s = 0; s < subject_count; s++)
    if (s != SUBJECT_EXPLICIT)
      rsan_acquire_everything(run->sides[s].threads[call->thread], RSAN_STAT_unseen_answers);
  struct side *reference = &run->sides[SUBJECT_EXPLICIT];
  rsan_acquire(reference->threads[call->thread], everything_of(run), RSAN_UNCERTAIN);
}

static void write_unseen(struct run *run, const struct call *call) {
  struct side *reference = &run->sides[SUBJECT_EXPLICIT];
  uint32_t size = calls_size(call->object);
  struct rsan_access write = {.kind = RSAN_WRITE,
                              .check = RSAN_CHECK_WRITE,
                              .order = RSAN_RELEASE,
                              .size = size,
                              .seen = run->memory[call->object],
                              .written = calls_value(size, call->written)};
  // Neither one that cannot be noticed, nor one at an object that is not analysed.
  if (rsan_value_equal(write.seen, write.written) || run->is_foreign[call->object] ||
      run->is_withdrawn[call->object])
    return;
  rsan_acquire(run->unseen.writer, everything_of(run), RSAN_UNCERTAIN);
  rsan_unchecked_access(run->unseen.writer, reference->locations[call->object], &write);
  run->memory[call->object] = write.written;
  run->is_foreign[call->object] = run->is_unseen[call->object] = true;
}

// --- the rest ---

static void change_object(struct side *side, const struct call *call) {
  struct rsan_thread *thread = side->threads[call->thread];
  enum rsan_edge edge = call->uncertain ? RSAN_UNCERTAIN : RSAN_CERTAIN;
  struct rsan_location **location = &side->locations[call->object % CALLS_LOCATIONS];
  struct rsan_sync *sync = side->syncs[call->object % CALLS_SYNCS];
  switch (call->kind) {
  case CALL_FENCE:
    rsan_fence(thread, call->order);
    break;
  case CALL_RELEASE:
    rsan_release(thread, sync, edge);
    break;
  case CALL_RELEASE_MERGE:
    rsan_release_merge(thread, sync, edge);
    break;
  case CALL_ACQUIRE:
    rsan_acquire(thread, sync, edge);
    break;
  case CALL_ACQUIRE_LOCATION:
    rsan_acquire_location(thread, *location);
    break;
  case CALL_WITHDRAW:
    rsan_location_withdraw(side->engine, *location, calls_size(call->object));
    break;
  case CALL_TRACK:
    rsan_track(*location, call->condition.operand);
    break;
  case CALL_RENEW:
    rsan_location_retire(thread, *location);
    *location = rsan_location_new(side->engine, thread, calls_size(call->object));
    break;
  default:
    break;
  }
}

static void change_objects(struct run *run, const struct call *call) {
  if (call->kind == CALL_WITHDRAW && run->is_unseen[call->object])
    return; // nobody has noticed yet
  if (call->kind == CALL_RENEW)
    found(run, call->object);
  if (call->kind == CALL_RENEW || call->kind == CALL_WITHDRAW)
    run->is_withdrawn[call->object] = call->kind == CALL_WITHDRAW;
  for (size_t s = 0; s < subject_count; s++)
    change_object(&run->sides[s], call);
}

static void run_call(struct run *run, const struct call *call) {
  if (!can_act(run, call))
    return;
  struct call load = {.kind = CALL_ACCESS, .thread = call->thread, .object = call->object};
  if (call->kind == CALL_ACQUIRE_LOCATION) // stands beside a relaxed load
    access_all(run, &load);
  if (call->kind == CALL_ACCESS)
    access_all(run, call);
  else if (call->kind == CALL_UNCHECKED)
    access_unchecked(run, call);
  else if (call->kind >= CALL_CREATE)
    change_thread(run, call);
  else if (call->kind == CALL_UNSEEN)
    write_unseen(run, call);
  else if (call->kind == CALL_EVERYTHING)
    acquire_everything(run, call);
  else if (call->kind == CALL_FOREIGN)
    write_foreign(run, call);
  else
    change_objects(run, call);
}

struct calls_result calls_run(const struct calls *calls) {
  static struct run run;
  run = (struct run){0};
  begin(&run, calls);
  for (size_t i = 0; i < calls->count && !run.result.difference; i++) {
    run.result.at = i;
    run_call(&run, &calls->at[i]);
  }
  end(&run);
  return run.result;
}

void calls_reduce(struct calls *calls) {
  calls->count = calls_run(calls).at + 1;
  static struct calls smaller;
  for (size_t chunk = calls->count; chunk > 0; chunk /= 2)
    for (size_t at = 0; at < calls->count;) {
      smaller = *calls;
      smaller.count = 0;
      for (size_t i = 0; i < calls->count; i++)
        if (i < at || i >= at + chunk)
          smaller.at[smaller.count++] = calls->at[i];
      if (calls_run(&smaller).difference)
        *calls = smaller;
      else
        at += chunk;
    }
}
