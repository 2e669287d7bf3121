// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "replay.h"

#include <stdlib.h>

#include "core_order.h"
#include "engine.h"

enum {
  VALUE_BYTES = 8,
  // Events between an access and what is fetched for it (rsan_fetch_location).
  AHEAD_SLOT = 36,
  AHEAD_LOCATION = 24,
  AHEAD_CONTENTS = 12
};

struct atomic {
  struct rsan_location *location; // NULL before the first access and after re-allocation
  uint64_t value;                 // in memory
  uint64_t change;                // number, among all, of the last one there
};

// A thread's last loads, as hosts remember them: one of each few objects.
enum { LOAD_THREADS = 64, LOADS = 16 };
struct load {
  uint32_t thread, object;
  enum trace_order order;
  uint64_t change; // that it has read; 0: none
};

struct replay {
  struct rsan_engine *engine;
  enum rsan_seq_cst_mode seq_cst;
  bool on_machines;             // not on C11 alone
  struct rsan_thread **threads; // by the trace's numbers; NULL: not yet created, or joined
  struct atomic *atomics;
  struct rsan_sync **mutexes;
  struct rsan_cell **cells;    // non-atomic locations
  struct load (*loads)[LOADS]; // of each thread; threads whose numbers differ by 64 share a row
  size_t threads_capacity, atomics_capacity, mutexes_capacity, cells_capacity, loads_capacity;
  uint64_t changes;            // of atomic objects
  uint64_t position;           // of the event that is being stepped, from 1
  struct rsan_access access;   // of the last one with a check
  struct rsan_thread *checked; // who made it
  struct rsan_violation violation;
};

struct replay *replay_new(const struct rsan_options *options) {
  struct replay *replay = trace_allocate(sizeof *replay);
  replay->engine = rsan_engine_new(options);
  replay->seq_cst = options->seq_cst;
  replay->on_machines = options->targets & ~(uint32_t)RSAN_TARGET_C11;
  return replay;
}

void replay_free(struct replay *replay) {
  for (size_t i = 0; i < replay->threads_capacity; i++)
    if (replay->threads[i]) {
      rsan_thread_finish(replay->threads[i]);
      rsan_thread_free(replay->threads[i]);
    }
  for (size_t i = 0; i < replay->atomics_capacity; i++)
    rsan_location_free(replay->engine, replay->atomics[i].location);
  for (size_t i = 0; i < replay->mutexes_capacity; i++)
    rsan_sync_free(replay->mutexes[i]);
  for (size_t i = 0; i < replay->cells_capacity; i++)
    rsan_cell_free(replay->cells[i]);
  rsan_engine_free(replay->engine);
  free(replay->threads);
  free(replay->atomics);
  free(replay->mutexes);
  free(replay->cells);
  free(replay->loads);
  free(replay);
}

static struct rsan_thread **thread_slot(struct replay *replay, uint32_t thread) {
  replay->threads = trace_grow(replay->threads, &replay->threads_capacity, (size_t)thread + 1,
                               sizeof *replay->threads);
  return &replay->threads[thread];
}

void replay_make_root(struct replay *replay, uint32_t thread) {
  *thread_slot(replay, thread) = rsan_thread_create(replay->engine, NULL, thread);
}

struct replay *replay_new_for(const struct rsan_options *options, const struct trace *trace) {
  enum { UNUSED, USED, CREATED };
  struct replay *replay = replay_new(options);
  size_t capacity = 0;
  uint8_t *threads = trace_grow(NULL, &capacity, (size_t)trace->threads + 1, 1);
  for (size_t i = trace->count; i-- > 0;) { // backward: a creation comes before all events
    const struct trace_event *event = &trace->events[i];
    threads[event->thread] = USED;
    if (event->op == TRACE_JOIN)
      threads[event->object] = USED;
    if (event->op == TRACE_CREATE)
      threads[event->object] = CREATED;
  }
  for (uint32_t t = 0; t < trace->threads; t++)
    if (threads[t] == USED)
      replay_make_root(replay, t);
  free(threads);
  return replay;
}

static struct load *loads_of(struct replay *replay, uint32_t thread) {
  size_t row = thread % LOAD_THREADS;
  replay->loads =
      trace_grow(replay->loads, &replay->loads_capacity, row + 1, sizeof *replay->loads);
  return replay->loads[row];
}

static void forget_loads(struct replay *replay, uint32_t thread) {
  struct load *loads = loads_of(replay, thread);
  for (uint32_t i = 0; i < LOADS; i++)
    loads[i].change = 0;
}

// Does the event repeat a load of its thread? Remembers it if it is one.
static bool repeats_load(struct replay *replay, const struct trace_event *event,
                         struct atomic *atomic) {
  if (event->op != TRACE_LOAD) {
    atomic->change = ++replay->changes;
    return false;
  }
  struct load *load = &loads_of(replay, event->thread)[event->object % LOADS];
  bool repeats = load->change && load->change == atomic->change && load->thread == event->thread &&
                 load->object == event->object && load->order >= event->order;
  *load = (struct load){event->thread, event->object, event->order, atomic->change};
  return repeats;
}

static struct atomic *atomic_of(struct replay *replay, uint32_t object) {
  replay->atomics = trace_grow(replay->atomics, &replay->atomics_capacity, (size_t)object + 1,
                               sizeof *replay->atomics);
  struct atomic *atomic = &replay->atomics[object];
  if (!atomic->location) {
    atomic->location = rsan_location_new(replay->engine, 0, VALUE_BYTES);
    atomic->change = ++replay->changes;
  }
  return atomic;
}

static struct rsan_sync *mutex_of(struct replay *replay, uint32_t object) {
  replay->mutexes = trace_grow(replay->mutexes, &replay->mutexes_capacity, (size_t)object + 1,
                               sizeof *replay->mutexes);
  if (!replay->mutexes[object])
    replay->mutexes[object] = rsan_sync_new(replay->engine);
  return replay->mutexes[object];
}

static struct rsan_cell **cell_slot(struct replay *replay, uint32_t object) {
  replay->cells =
      trace_grow(replay->cells, &replay->cells_capacity, (size_t)object + 1, sizeof *replay->cells);
  return &replay->cells[object];
}

static bool is_cas(enum trace_op op) {
  return op == TRACE_WEAK_CAS || op == TRACE_STRONG_CAS;
}

static enum rsan_check core_check(enum trace_op op) {
  switch (op) {
  case TRACE_LOAD:
  case TRACE_WEAK_CAS:
    return RSAN_CHECK_READ;
  case TRACE_STRONG_CAS:
    return RSAN_CHECK_STRONG_CAS;
  case TRACE_WAIT:
  case TRACE_WAIT_BLOCKED:
    return RSAN_CHECK_WAIT;
  case TRACE_BCAS:
  case TRACE_BCAS_BLOCKED:
    return RSAN_CHECK_BCAS;
  default:
    return RSAN_CHECK_WRITE;
  }
}

static enum rsan_access_kind core_kind(const struct trace_event *event) {
  if (event->op == TRACE_STORE)
    return RSAN_WRITE;
  if (event->op == TRACE_LOAD || event->op == TRACE_WAIT || event->op == TRACE_WAIT_BLOCKED)
    return RSAN_READ;
  return is_cas(event->op) && !event->ok ? RSAN_READ : RSAN_RMW;
}

static struct rsan_access core_access(const struct replay *replay, const struct trace_event *event,
                                      const struct atomic *atomic) {
  bool failed = is_cas(event->op) && !event->ok;
  return (struct rsan_access){
      .pc = replay->position,
      .site = (uint32_t)replay->position,
      .address = event->object,
      .kind = core_kind(event),
      .check = core_check(event->op),
      .weak = event->op == TRACE_WEAK_CAS,
      .order = core_order(failed ? event->failure : event->order),
      .compares = is_cas(event->op),
      .success = core_order(event->order),
      .failure = core_order(event->failure),
      .size = VALUE_BYTES,
      .seen = {atomic->value, 0},
      .written = {event->written, 0},
      .expected = rsan_equals((struct rsan_value){event->expected, 0}),
  };
}

// Is it a write that repeats its thread's last? Hosts ask so first.
static bool repeats_write(struct rsan_thread *thread, struct rsan_location *location,
                          const struct rsan_access *access) {
  bool waits = access->check == RSAN_CHECK_WAIT || access->check == RSAN_CHECK_BCAS;
  bool other_branch = access->failure == RSAN_SEQ_CST && access->order != RSAN_SEQ_CST;
  if (access->kind == RSAN_READ || waits || (access->compares && other_branch))
    return false;
  enum rsan_repeated repeated =
      (access->kind == RSAN_WRITE ? rsan_store_repeats : rsan_rmw_repeats)(
          thread, location, access->order, access->site, access->seen.low, access->written.low);
  if (repeated == RSAN_REPEATED_UNNOTED)
    rsan_note_repeated(thread, location, access);
  return repeated != RSAN_NOT_REPEATED;
}

static bool step_access(struct replay *replay, const struct trace_event *event) {
  struct rsan_thread *thread = *thread_slot(replay, event->thread);
  struct atomic *atomic = atomic_of(replay, event->object);
  struct rsan_access *access = &replay->access;
  *access = core_access(replay, event, atomic);
  access->repeats = repeats_load(replay, event, atomic);
  replay->checked = thread;
  if (access->kind != RSAN_READ)
    atomic->value = event->written;
  if (repeats_write(thread, atomic->location, access))
    return false;
  return rsan_atomic_access(thread, atomic->location, access, &replay->violation);
}

bool replay_would_flag(struct replay *replay, const struct trace_event *access) {
  struct rsan_thread *thread = *thread_slot(replay, access->thread);
  struct atomic *atomic = atomic_of(replay, access->object);
  replay->access = core_access(replay, access, atomic);
  // What the order says has no effect then.
  if (replay->seq_cst != RSAN_SEQ_CST_EXACT && !replay->on_machines) {
    replay->access.order = RSAN_RELAXED;
    replay->access.compares = false;
  }
  replay->checked = thread;
  return rsan_arrive_blocked(thread, atomic->location, &replay->access, &replay->violation);
}

static void join(struct replay *replay, struct rsan_thread *joiner, uint32_t joined) {
  struct rsan_thread **slot = thread_slot(replay, joined);
  rsan_thread_finish(*slot);
  rsan_thread_join(joiner, *slot);
  rsan_thread_free(*slot);
  forget_loads(replay, joined);
  *slot = NULL;
}

static void forget_atomic(struct replay *replay, uint32_t object) {
  struct atomic *atomic = atomic_of(replay, object);
  rsan_location_free(replay->engine, atomic->location);
  *atomic = (struct atomic){0};
}

static bool step_plain(struct replay *replay, struct rsan_thread *thread,
                       const struct trace_event *event) {
  struct rsan_cell **cell = cell_slot(replay, event->object);
  if (!*cell)
    *cell = rsan_cell_new();
  return rsan_plain_access(thread, *cell, event->op == TRACE_PLAIN_WRITE);
}

static void forget_plain(struct replay *replay, uint32_t object) {
  struct rsan_cell **cell = cell_slot(replay, object);
  rsan_cell_free(*cell);
  *cell = NULL;
}

// Everything that has neither a check nor a race.
static void step_other(struct replay *replay, struct rsan_thread *thread,
                       const struct trace_event *event) {
  switch (event->op) {
  case TRACE_FENCE:
    rsan_fence(thread, core_order(event->order));
    break;
  case TRACE_LOCK:
    rsan_acquire(thread, mutex_of(replay, event->object), RSAN_CERTAIN);
    break;
  case TRACE_UNLOCK:
    rsan_release(thread, mutex_of(replay, event->object), RSAN_CERTAIN);
    break;
  case TRACE_CREATE:
    *thread_slot(replay, event->object) = rsan_thread_create(replay->engine, thread, event->object);
    break;
  case TRACE_JOIN:
    join(replay, thread, event->object);
    break;
  case TRACE_ALLOC:
    forget_atomic(replay, event->object);
    break;
  case TRACE_ALLOC_PLAIN:
    forget_plain(replay, event->object);
    break;
  default:
    break;
  }
}

enum replay_verdict replay_step(struct replay *replay, const struct trace_event *event) {
  struct rsan_thread *thread = *thread_slot(replay, event->thread);
  rsan_thread_at(thread, &(struct rsan_program_point){++replay->position, 0, event->object});
  bool flagged = false;
  if (trace_op_is_plain(event->op))
    return step_plain(replay, thread, event) ? REPLAY_RACE : REPLAY_SILENT;
  if (trace_op_is_access(event->op))
    flagged = step_access(replay, event);
  else if (trace_op_is_checked(event->op))
    flagged = replay_would_flag(replay, event);
  else
    step_other(replay, thread, event);
  return flagged ? REPLAY_FLAG : REPLAY_SILENT;
}

// The atomic object of the event at `distance`, or NULL. Objects of other kinds have numbers of
// their own, so for their events the result is an unrelated atomic object or NULL.
static const struct atomic *atomic_ahead(const struct replay *replay,
                                         const struct trace_event *events, size_t count,
                                         size_t distance) {
  return distance < count && events[distance].object < replay->atomics_capacity
             ? &replay->atomics[events[distance].object]
             : NULL;
}

void replay_look_ahead(const struct replay *replay, const struct trace_event *events,
                       size_t count) {
  const struct atomic *atomic = atomic_ahead(replay, events, count, AHEAD_SLOT);
  __builtin_prefetch(atomic);
  atomic = atomic_ahead(replay, events, count, AHEAD_LOCATION);
  if (atomic && atomic->location)
    rsan_fetch_location(atomic->location);
  atomic = atomic_ahead(replay, events, count, AHEAD_CONTENTS);
  if (atomic && atomic->location)
    rsan_fetch_contents(atomic->location);
}

const struct rsan_violation *replay_violation(const struct replay *replay) {
  return &replay->violation;
}

uint64_t replay_moves(struct replay *replay, uint32_t thread) {
  return *rsan_thread_changes(*thread_slot(replay, thread));
}

void replay_explain(const struct replay *replay, struct rsan_explanation *explanation) {
  rsan_explain(replay->checked, &replay->access, &replay->violation, explanation);
  rsan_explanation_place(explanation, replay->violation.site, 0);
}

void replay_begin_cxx20(struct replay *replay) {
  rsan_engine_begin_cxx20(replay->engine);
}

uint64_t replay_apart(const struct replay *replay) {
  return rsan_engine_apart(replay->engine);
}

bool replay_knows(struct replay *replay, uint32_t thread, uint32_t slot, uint64_t number) {
  return rsan_thread_knows(*thread_slot(replay, thread), slot, number);
}

uint64_t replay_stat(const struct replay *replay, enum rsan_stat stat) {
  return rsan_engine_stat(replay->engine, stat);
}

void replay_trace(const struct rsan_options *options, const struct trace *trace,
                  struct trace_indices *flags, struct trace_indices *races, uint64_t *stats) {
  replay_trace_shown(options, trace, flags, NULL, races, stats);
}

void replay_trace_shown(const struct rsan_options *options, const struct trace *trace,
                        struct trace_indices *flags, struct trace_indices *shown,
                        struct trace_indices *races, uint64_t *stats) {
  struct replay *replay = replay_new_for(options, trace);
  for (size_t i = 0; i < trace->count; i++) {
    replay_look_ahead(replay, &trace->events[i], trace->count - i);
    enum replay_verdict verdict = replay_step(replay, &trace->events[i]);
    if (shown && verdict == REPLAY_FLAG)
      trace_indices_append(shown, replay->violation.shown);
    if (verdict != REPLAY_SILENT)
      trace_indices_append(verdict == REPLAY_FLAG ? flags : races, i);
  }
  for (int stat = 0; stats && stat < RSAN_STAT_COUNT; stat++)
    stats[stat] += replay_stat(replay, (enum rsan_stat)stat);
  replay_free(replay);
}
