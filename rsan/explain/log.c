// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How an entry is packed, lowest bits first:
//
//   word 0   pc 48 | kind 3 | step 3 | check 3 | order 3 | log2 size 3 | unused 1
//   word 1   address            word 2   caller
//   word 3   object             word 4   number

#include "log.h"

#include "../host.h"
#include "../limits.h"

#define PC_BITS 48u

static uint64_t pack(const struct rsan_log_entry *entry) {
  uint64_t log2_size = entry->size ? (uint64_t)__builtin_ctz(entry->size) : 0;
  uint64_t meta = entry->kind | (uint64_t)entry->step << 3 | (uint64_t)entry->check << 6 |
                  (uint64_t)entry->order << 9 | log2_size << 12;
  return (entry->pc & ((UINT64_C(1) << PC_BITS) - 1)) | meta << PC_BITS;
}

static struct rsan_log_entry unpack(const uint64_t *words) {
  uint64_t meta = words[0] >> PC_BITS;
  return (struct rsan_log_entry){
      .pc = words[0] & ((UINT64_C(1) << PC_BITS) - 1),
      .address = words[1],
      .caller = words[2],
      .object = words[3],
      .number = words[RSAN_LOG_NUMBER],
      .kind = meta & 7,
      .step = meta >> 3 & 7,
      .check = meta >> 6 & 7,
      .order = meta >> 9 & 7,
      .size = (uint8_t)(1u << (meta >> 12 & 7)),
  };
}

static _Atomic uint64_t *words_of(struct rsan_log *log, uint64_t entry) {
  return &log->words[(entry & (log->room - 1)) * RSAN_LOG_WORDS];
}

// The words are stored with release order: who reads one of an entry that replaces another finds
// the head moved on to where the other is not valid any more. (On x86-64 plain stores.)
void rsan_log_append(struct rsan_log *log, const struct rsan_log_entry *entry) {
  uint64_t head = atomic_load_explicit(&log->head, memory_order_relaxed);
  _Atomic uint64_t *words = words_of(log, head);
  atomic_store_explicit(&words[0], pack(entry), memory_order_release);
  atomic_store_explicit(&words[1], entry->address, memory_order_release);
  atomic_store_explicit(&words[2], entry->caller, memory_order_release);
  atomic_store_explicit(&words[3], entry->object, memory_order_release);
  atomic_store_explicit(&words[RSAN_LOG_NUMBER], entry->number, memory_order_release);
  atomic_store_explicit(&log->head, head + 1, memory_order_release);
  bool access = entry->kind <= RSAN_LOG_RMW;
  log->last_object = access ? entry->object : 0;
  log->last_number = entry->number;
  log->last_fence = entry->kind == RSAN_LOG_FENCE ? entry->order : RSAN_RELAXED;
  log->last_released = entry->kind == RSAN_LOG_RELEASE ? entry->object : 0;
}

void rsan_logs_init(struct rsan_logs *logs, uint32_t history) {
  if (!history)
    return;
  logs->room = RSAN_LOG_MIN_ENTRIES;
  while (logs->room < history && logs->room < RSAN_LOG_MAX_ENTRIES)
    logs->room *= 2;
}

void rsan_logs_stop(struct rsan_logs *logs) {
  logs->room = 0;
}

static void free_all(struct rsan_log *log) {
  while (log) {
    struct rsan_log *next = log->next;
    rsan_host_free(log);
    log = next;
  }
}

void rsan_logs_clear(struct rsan_logs *logs) {
  free_all(logs->first);
  free_all(logs->spare);
}

static void put_first(struct rsan_logs *logs, struct rsan_log *log) {
  log->previous = 0;
  log->next = logs->first;
  if (log->next)
    log->next->previous = log;
  logs->first = log;
}

static void take_out(struct rsan_logs *logs, struct rsan_log *log) {
  *(log->previous ? &log->previous->next : &logs->first) = log->next;
  if (log->next)
    log->next->previous = log->previous;
}

static void add_retired(struct rsan_logs *logs, struct rsan_log *log) {
  put_first(logs, log);
  log->retired_next = 0;
  *(logs->retired ? &logs->newest_retired->retired_next : &logs->oldest_retired) = log;
  logs->newest_retired = log;
  logs->retired++;
}

static void free_oldest_retired(struct rsan_logs *logs) {
  struct rsan_log *oldest = logs->oldest_retired;
  logs->oldest_retired = oldest->retired_next;
  logs->retired--;
  take_out(logs, oldest);
  rsan_host_free(oldest);
}

static struct rsan_log *log_alloc(uint32_t room) {
  struct rsan_log *log =
      rsan_host_alloc(sizeof *log + (size_t)room * RSAN_LOG_WORDS * sizeof log->words[0]);
  log->room = room;
  log->last_taken = 0;
  return log;
}

struct rsan_log *rsan_log_new(struct rsan_logs *logs) {
  if (!logs->room)
    return 0;
  rsan_lock(&logs->lock);
  struct rsan_log *log = logs->spare;
  if (log)
    logs->spare = log->next;
  else
    log = log_alloc(logs->room);
  *log = (struct rsan_log){.owner = UINT32_MAX, // no thread has it yet
                           .room = log->room,
                           .last_taken = log->last_taken};
  put_first(logs, log);
  rsan_unlock(&logs->lock);
  return log;
}

void rsan_log_set_owner(struct rsan_logs *logs, struct rsan_log *log, uint32_t owner) {
  if (!log)
    return;
  rsan_lock(&logs->lock);
  log->owner = owner;
  rsan_unlock(&logs->lock);
}

// What is kept of the log of a thread that is gone: its newest entries, in a log of their own. The
// next thread gets the old log.
static struct rsan_log *shorten(struct rsan_logs *logs, struct rsan_log *log) {
  if (log->room <= RSAN_LOG_RETIRED_ENTRIES)
    return log;
  struct rsan_log *kept = log_alloc(RSAN_LOG_RETIRED_ENTRIES);
  uint64_t end = atomic_load_explicit(&log->head, memory_order_relaxed);
  for (uint64_t i = end > kept->room ? end - kept->room : 0; i < end; i++)
    for (uint32_t w = 0; w < RSAN_LOG_WORDS; w++)
      atomic_store_explicit(&words_of(kept, i)[w],
                            atomic_load_explicit(&words_of(log, i)[w], memory_order_relaxed),
                            memory_order_relaxed);
  kept->owner = log->owner;
  atomic_store_explicit(&kept->head, end, memory_order_relaxed);
  log->next = logs->spare;
  logs->spare = log;
  return kept;
}

void rsan_log_retire(struct rsan_logs *logs, struct rsan_log *log) {
  if (!log)
    return;
  rsan_lock(&logs->lock);
  take_out(logs, log);
  add_retired(logs, shorten(logs, log));
  if (logs->retired > RSAN_LOGS_RETIRED)
    free_oldest_retired(logs);
  rsan_unlock(&logs->lock);
}

// Copies what the ring holds before `position`; returns the number of entries.
static uint32_t copy_ring(struct rsan_log *log, uint64_t position, struct rsan_log_entry *to) {
  uint64_t end = atomic_load_explicit(&log->head, memory_order_acquire);
  end = position < end ? position : end;
  uint64_t first = end > log->room ? end - log->room : 0;
  for (uint64_t i = first; i < end; i++) {
    uint64_t words[RSAN_LOG_WORDS];
    for (uint32_t w = 0; w < RSAN_LOG_WORDS; w++)
      words[w] = atomic_load_explicit(&words_of(log, i)[w], memory_order_relaxed);
    to[i - first] = unpack(words);
  }
  atomic_thread_fence(memory_order_acquire);
  // The entry at head may be half written: it is in the place of head - room.
  uint64_t head = atomic_load_explicit(&log->head, memory_order_relaxed);
  uint64_t valid = head >= log->room ? head - log->room + 1 : 0;
  if (valid <= first)
    return (uint32_t)(end - first);
  if (valid >= end)
    return 0;
  for (uint64_t i = valid; i < end; i++)
    to[i - valid] = to[i - first];
  return (uint32_t)(end - valid);
}

void rsan_log_snapshot(struct rsan_logs *logs, const struct rsan_log *own, uint64_t position,
                       struct rsan_log_snapshot *snapshot) {
  rsan_lock(&logs->lock);
  uint32_t count = 0, end = 0;
  size_t room = 0;
  for (struct rsan_log *log = logs->first; log; log = log->next, count++)
    room += log->room;
  *snapshot = (struct rsan_log_snapshot){.thread_count = count};
  snapshot->threads = rsan_host_alloc(count * sizeof *snapshot->threads);
  snapshot->entries = rsan_host_alloc(room * sizeof *snapshot->entries);
  uint32_t t = 0;
  for (struct rsan_log *log = logs->first; log; log = log->next, t++) {
    uint32_t copied = copy_ring(log, log == own ? position : UINT64_MAX, &snapshot->entries[end]);
    snapshot->threads[t] =
        (struct rsan_log_thread){.owner = log->owner, .first = end, .end = end + copied};
    if (log == own)
      snapshot->own = t;
    end += copied;
  }
  rsan_unlock(&logs->lock);
}

void rsan_log_snapshot_clear(struct rsan_log_snapshot *snapshot) {
  rsan_host_free(snapshot->threads);
  rsan_host_free(snapshot->entries);
}
