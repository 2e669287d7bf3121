// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "drive.h"

#include "access.h"
#include "reports.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ATOMIC_STRIDE = 16, PLAIN_STRIDE = 8 };

// Memory is fresh for each trace: the allocator's, which TSan then takes for new.
static struct {
  const struct carrier *carrier;
  const struct trace *trace;
  enum drive_plain plain;
  char *atomics;
  uint32_t *atomic_now; // by the trace's number: index of the object that it now denotes
  pthread_mutex_t *mutexes;
  bool *held; // by mutex; a trace may end before the unlock
  uint32_t *plain_now;
  uint32_t *plain_of; // by number of the plain access: the object accessed
  char *plains;       // one word an object, or one for each two accesses
  size_t plain_count, objects, atomics_used, plains_used;
  size_t index, plain_index; // of the event now, of the next plain access
} drive;

static void die(const char *what) {
  fprintf(stderr, "%s: event %zu: %s\n", drive.trace->id, drive.index, what);
  exit(2);
}

_Noreturn void carrier_die(const char *what) {
  fprintf(stderr, "runtime-replay: %s\n", what);
  exit(2);
}

static void *fresh(size_t count, size_t size) {
  void *memory = calloc(count ? count : 1, size);
  if (!memory)
    carrier_die("out of memory");
  return memory;
}

const char *drive_refuses(const struct trace *trace) {
  if (trace->threads > CARRIER_MAX_THREADS)
    return "too many threads";
  for (size_t i = 0; i < trace->count; i++) {
    const struct trace_event *event = &trace->events[i];
    if (event->op == TRACE_WAIT || event->op == TRACE_WAIT_BLOCKED)
      return "a wait, which no instruction is";
    if (event->op == TRACE_BCAS || event->op == TRACE_BCAS_BLOCKED)
      return "a blocking compare-exchange, which no instruction is";
    if (event->op == TRACE_WEAK_CAS && !event->ok && event->read == event->expected)
      return "a weak compare-exchange that fails spuriously, which nothing can force";
    if (event->read > (word)-1 || event->written > (word)-1 || event->expected > (word)-1)
      return "a value that is too large";
  }
  return NULL;
}

static void count_objects(void) {
  drive.objects = drive.plain_count = 0;
  for (size_t i = 0; i < drive.trace->count; i++) {
    const struct trace_event *event = &drive.trace->events[i];
    drive.objects = event->object >= drive.objects ? event->object + 1 : drive.objects;
    drive.plain_count += trace_op_is_plain(event->op);
  }
}

// An object that has been allocated anew is another object.
static void name_plains(void) {
  size_t access = 0;
  for (size_t i = 0; i < drive.trace->count; i++) {
    const struct trace_event *event = &drive.trace->events[i];
    if (event->op == TRACE_ALLOC_PLAIN)
      drive.plain_now[event->object] = (uint32_t)drive.plains_used++;
    else if (trace_op_is_plain(event->op))
      drive.plain_of[access++] = drive.plain_now[event->object];
  }
}

static void begin(const struct trace *trace) {
  drive.trace = trace;
  drive.index = drive.plain_index = 0;
  count_objects();
  size_t objects = drive.objects, most = objects + trace->count;
  drive.atomics_used = drive.plains_used = objects;
  drive.atomics = fresh(most, ATOMIC_STRIDE);
  drive.atomic_now = fresh(objects, sizeof *drive.atomic_now);
  drive.plain_now = fresh(objects, sizeof *drive.plain_now);
  drive.plain_of = fresh(drive.plain_count, sizeof *drive.plain_of);
  drive.mutexes = fresh(objects, sizeof *drive.mutexes);
  drive.held = fresh(objects, sizeof *drive.held);
  for (uint32_t i = 0; i < objects; i++) {
    drive.atomic_now[i] = drive.plain_now[i] = i;
    pthread_mutex_init(&drive.mutexes[i], NULL);
  }
  name_plains();
  bool pairs = drive.plain == DRIVE_PAIRS;
  drive.plains = fresh(pairs ? drive.plain_count * drive.plain_count : most, PLAIN_STRIDE);
}

static void end(void) {
  for (size_t i = 0; i < drive.objects; i++)
    if (!drive.held[i])
      pthread_mutex_destroy(&drive.mutexes[i]);
  free(drive.atomics);
  free(drive.atomic_now);
  free(drive.plain_now);
  free(drive.plain_of);
  free(drive.mutexes);
  free(drive.held);
  free(drive.plains);
}

static int order_of(enum trace_order order) {
  static const int orders[TRACE_ORDER_COUNT] = {[TRACE_RLX] = __ATOMIC_RELAXED,
                                                [TRACE_ACQ] = __ATOMIC_ACQUIRE,
                                                [TRACE_REL] = __ATOMIC_RELEASE,
                                                [TRACE_AR] = __ATOMIC_ACQ_REL,
                                                [TRACE_SC] = __ATOMIC_SEQ_CST};
  return orders[order];
}

static word fetch_op(word *at, const struct trace_event *event, int order) {
  word read = (word)event->read, written = (word)event->written;
  enum access_rmw op = (enum access_rmw)(drive.index % ACCESS_RMW_COUNT);
  word operand = (word)(op == ACCESS_ADD   ? written - read
                        : op == ACCESS_SUB ? read - written
                                           : read ^ written);
  return access_fetch_op(at, op, operand, order);
}

static void act_atomic(const struct trace_event *event) {
  word *at = (word *)(drive.atomics + (size_t)drive.atomic_now[event->object] * ATOMIC_STRIDE);
  int order = order_of(event->order), failure = order_of(event->failure);
  word read = (word)event->read, written = (word)event->written, expected = (word)event->expected;
  switch (event->op) {
  case TRACE_LOAD:
    read = access_load(at, order);
    break;
  case TRACE_STORE:
    access_store(at, written, order);
    break;
  case TRACE_FETCH_OP:
    read = fetch_op(at, event, order);
    break;
  case TRACE_EXCHANGE:
    read = access_exchange(at, written, order);
    break;
  case TRACE_WEAK_CAS:
    read = access_weak_cas(at, expected, written, order, failure);
    break;
  default:
    read = access_strong_cas(at, expected, written, order, failure);
  }
  if (read != (word)event->read)
    die("another value was read");
}

static void touch(size_t at, bool writes) {
  word *plain = (word *)(drive.plains + at * PLAIN_STRIDE);
  if (writes)
    access_plain_write(plain, 1);
  else
    access_plain_read(plain);
}

static void act_plain(const struct trace_event *event) {
  bool writes = event->op == TRACE_PLAIN_WRITE;
  size_t now = drive.plain_index, count = drive.plain_count;
  if (drive.plain == DRIVE_ONE_WORD) {
    touch(drive.plain_of[now], writes);
    return;
  }
  for (size_t other = 0; other < count; other++)
    if (other != now && drive.plain_of[other] == drive.plain_of[now])
      touch(other < now ? other * count + now : now * count + other, writes);
}

static void act(void *argument) {
  const struct trace_event *event = argument;
  if (trace_op_is_access(event->op))
    act_atomic(event);
  else if (trace_op_is_plain(event->op))
    act_plain(event);
  else if (event->op == TRACE_FENCE)
    access_fence(order_of(event->order));
  else if (event->op == TRACE_LOCK)
    pthread_mutex_lock(&drive.mutexes[event->object]);
  else if (event->op == TRACE_UNLOCK)
    pthread_mutex_unlock(&drive.mutexes[event->object]);
  else if (event->op == TRACE_CREATE)
    drive.carrier->start(event->object);
}

static void step(const struct trace_event *event) {
  if (event->op == TRACE_ALLOC)
    drive.atomic_now[event->object] = (uint32_t)drive.atomics_used++;
  else if (event->op == TRACE_JOIN)
    drive.carrier->join(event->thread, event->object);
  else
    drive.carrier->run(event->thread, act, (void *)event);
  if (event->op == TRACE_LOCK || event->op == TRACE_UNLOCK)
    drive.held[event->object] = event->op == TRACE_LOCK;
  drive.plain_index += trace_op_is_plain(event->op);
}

static void judge(const struct trace_event *event, const struct reports *before,
                  struct trace_indices *flags, struct trace_indices *races) {
  struct reports now = reports_so_far();
  uint64_t violations = now.violations - before->violations;
  if (now.counted - before->counted != violations)
    die("violations and reports of them differ in number");
  if (violations > (uint64_t)(event && trace_op_is_checked(event->op)))
    die("a violation where none can be");
  if (now.races != before->races && !(event && trace_op_is_plain(event->op)))
    die("a race where none can be");
  if (now.others != before->others)
    die("a report that is neither of a violation nor of a race");
  if (violations)
    trace_indices_append(flags, drive.index);
  if (now.races != before->races)
    trace_indices_append(races, drive.index);
}

// As in rsan-replay, the threads that are never created (ROOT) exist from the beginning.
enum state { UNUSED, ROOT, CREATED, RUNNING };

static void find_threads(const struct trace *trace, enum state *states) {
  memset(states, 0, CARRIER_MAX_THREADS * sizeof *states);
  for (size_t i = trace->count; i-- > 0;) { // backward: a creation comes before all events
    const struct trace_event *event = &trace->events[i];
    states[event->thread] = ROOT;
    if (event->op == TRACE_JOIN)
      states[event->object] = ROOT;
    if (event->op == TRACE_CREATE)
      states[event->object] = CREATED;
  }
}

void drive_trace(const struct carrier *carrier, enum drive_plain plain, const struct trace *trace,
                 struct trace_indices *flags, struct trace_indices *races) {
  enum state states[CARRIER_MAX_THREADS];
  struct reports before = reports_so_far();
  drive.carrier = carrier;
  drive.plain = plain;
  begin(trace);
  carrier->begin();
  find_threads(trace, states);
  for (uint32_t t = 0; t < trace->threads; t++)
    if (states[t] == ROOT) {
      carrier->start(t);
      states[t] = RUNNING;
    }
  for (; drive.index < trace->count; drive.index++) {
    const struct trace_event *event = &trace->events[drive.index];
    before = reports_so_far();
    step(event);
    judge(event, &before, flags, races);
    if (event->op == TRACE_CREATE)
      states[event->object] = RUNNING;
    if (event->op == TRACE_JOIN)
      states[event->object] = UNUSED;
  }
  before = reports_so_far();
  for (uint32_t t = 0; t < trace->threads; t++)
    if (states[t] == RUNNING)
      carrier->stop(t);
  carrier->end();
  end();
  judge(NULL, &before, flags, races);
}
