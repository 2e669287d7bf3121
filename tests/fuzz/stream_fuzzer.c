// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libFuzzer's entry: three bytes are an event of a run (see decode). All engines take each event
// in turn, and the explicit clocks say what the others may. Under ASan and UBSan.

#include <stdio.h>
#include <stdlib.h>

#include "legal.h"
#include "replay.h"
#include "subjects.h"

enum { EVENT_BYTES = 3, MAX_EVENTS = 400, MAX_SUBJECTS = 8, ROOTS = 4, THREADS = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum trace_order nth_order(unsigned orders, unsigned n) {
  unsigned count = (unsigned)__builtin_popcount(orders);
  int order = 0;
  for (n %= count; !(orders >> order & 1) || n--;)
    order++;
  return (enum trace_order)order;
}

// byte 0: operation    byte 1: thread (3 bits), object (2), failure order (2), success (1)
// byte 2: order (3 bits), value written (2), value expected (2)
static void decode(const uint8_t *bytes, struct trace_event *event) {
  *event = (struct trace_event){
      .op = (enum trace_op)(bytes[0] % TRACE_OP_COUNT),
      .thread = bytes[1] & 7,
      .object = bytes[1] >> 3 & 3,
      .ok = bytes[1] >> 7,
      .written = bytes[2] >> 3 & 3,
      .expected = bytes[2] >> 5 & 3,
  };
  unsigned orders = trace_op_orders(event->op);
  if (orders)
    event->order = nth_order(orders, bytes[2] & 7);
  if (event->op == TRACE_WEAK_CAS || event->op == TRACE_STRONG_CAS)
    event->failure = nth_order(TRACE_ORDERS_READ, bytes[1] >> 5 & 3);
  if (event->op == TRACE_CREATE || event->op == TRACE_JOIN)
    event->object = bytes[2] & 7;
}

// Threads from 0 on are roots, and exist from the start; the others come when they are created.
static bool can_be(struct legal *legal, struct trace_event *event) {
  if (event->op == TRACE_CREATE && event->object < ROOTS)
    return false;
  if (event->op == TRACE_JOIN && !legal_exists(legal, event->object, ROOTS))
    return false;
  return legal_exists(legal, event->thread, ROOTS) && legal_step(legal, event);
}

static void die(const struct trace *trace, const char *subject, bool explicit_flags) {
  struct trace shown = *trace;
  shown.id = (char *)subject;
  trace_write(stderr, &shown);
  fprintf(stderr, "the %s engine says %s of the last event\n", subject,
          explicit_flags ? "nothing" : "violation or race, the explicit one does not");
  abort();
}

static bool may_miss(const struct subject *subject, const struct replay *replay, enum trace_op op) {
  uint64_t stats[RSAN_STAT_COUNT];
  for (int stat = 0; stat < RSAN_STAT_COUNT; stat++)
    stats[stat] = replay_stat(replay, (enum rsan_stat)stat);
  return subject_may_miss(subject, op, subject_gave_up(stats));
}

static void step_all(struct replay *const *replays, const struct trace *trace) {
  const struct trace_event *event = &trace->events[trace->count - 1];
  enum replay_verdict reference = replay_step(replays[SUBJECT_EXPLICIT], event);
  for (size_t s = 0; s < subject_count; s++) {
    if (s == SUBJECT_EXPLICIT)
      continue;
    enum replay_verdict verdict = replay_step(replays[s], event);
    bool missing = reference == REPLAY_FLAG && verdict == REPLAY_SILENT;
    if (verdict != reference && !(missing && may_miss(&subjects[s], replays[s], event->op)))
      die(trace, subjects[s].name, reference != REPLAY_SILENT);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct replay *replays[MAX_SUBJECTS];
  struct trace trace = {.threads = THREADS};
  struct legal legal = {0};
  for (size_t s = 0; s < subject_count; s++) {
    replays[s] = replay_new(&subjects[s].options);
    for (uint32_t t = 0; t < ROOTS; t++)
      replay_make_root(replays[s], t);
  }
  for (size_t i = 0; i + EVENT_BYTES <= size && trace.count < MAX_EVENTS; i += EVENT_BYTES) {
    struct trace_event event;
    decode(data + i, &event);
    if (!can_be(&legal, &event))
      continue;
    trace_append(&trace, &event);
    step_all(replays, &trace);
  }
  for (size_t s = 0; s < subject_count; s++)
    replay_free(replays[s]);
  legal_clear(&legal);
  trace_free(&trace);
  return 0;
}
