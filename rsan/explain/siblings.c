// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The other hand-overs that a repair of orders has to do with.
//
// A critical cycle goes from a write to a read of another thread, and on within that thread. The
// reader may have read another write of the same stretch as well; the cycle along these two is one
// of the same run, and it is the only one in a schedule in which the reader comes too early for the
// first write. A repair of the first two accesses leaves that schedule as it is.

#include "../host.h"
#include "cycle.h"

struct stretch {
  uint32_t thread, first, end; // entries[first .. end) of the snapshot, in program order
};

// What comes after the first step of the stretch that the write at `step` ends, in its thread.
static struct stretch writers_stretch(const struct rsan_cycle *cycle, uint32_t step) {
  uint32_t first = step, thread = cycle->thread[step];
  while (first > 0 && cycle->explanation->steps[first - 1].to_next == RSAN_PROGRAM_ORDER)
    first--;
  const struct rsan_log_thread *log = &cycle->snapshot->threads[thread];
  bool logged = cycle->entry[first] != RSAN_NOT_LOGGED;
  return (struct stretch){thread, logged ? cycle->entry[first] + 1 : log->first, log->end};
}

// What comes before the last step of the stretch that the read at `step` begins.
static struct stretch readers_stretch(const struct rsan_cycle *cycle, uint32_t step) {
  uint32_t last = step, thread = cycle->thread[step];
  while (last < cycle->count && cycle->explanation->steps[last].to_next == RSAN_PROGRAM_ORDER)
    last++;
  const struct rsan_log_thread *log = &cycle->snapshot->threads[thread];
  return (struct stretch){thread, log->first, last < cycle->count ? cycle->entry[last] : log->end};
}

static bool reads_from(const struct rsan_log_entry *write, const struct rsan_log_entry *read) {
  return write->object == read->object &&
         (write->kind == RSAN_LOG_WRITE || write->kind == RSAN_LOG_RMW) &&
         rsan_log_edge(write, read, false) == RSAN_READS_FROM;
}

static bool has_sibling(const struct rsan_explanation *explanation,
                        const struct rsan_sibling *found) {
  for (uint32_t i = 0; i < explanation->sibling_count; i++)
    if (explanation->siblings[i].write.pc == found->write.pc &&
        explanation->siblings[i].read.pc == found->read.pc)
      return true;
  return false;
}

static void add_sibling(const struct rsan_cycle *cycle, const struct stretch *writer,
                        const struct stretch *reader, uint32_t step, uint32_t write,
                        uint32_t read) {
  const struct rsan_log_snapshot *snapshot = cycle->snapshot;
  struct rsan_explanation *explanation = cycle->explanation;
  struct rsan_sibling found = {
      .step = step,
      .write = rsan_step_of(&snapshot->entries[write], snapshot->threads[writer->thread].owner),
      .read = rsan_step_of(&snapshot->entries[read], snapshot->threads[reader->thread].owner)};
  found.releases = rsan_order_releases(found.write.order) ||
                   rsan_log_fences(snapshot, writer->first, write, RSAN_RELEASE);
  found.acquires = rsan_order_acquires(found.read.order) ||
                   rsan_log_fences(snapshot, read + 1, reader->end, RSAN_ACQUIRE);
  bool itself = found.write.pc == explanation->steps[step].pc &&
                found.read.pc == explanation->steps[step + 1].pc;
  if ((found.releases && found.acquires) || itself || has_sibling(explanation, &found))
    return;
  if (explanation->sibling_count == RSAN_SIBLINGS_MAX)
    explanation->siblings_missing = true;
  else
    explanation->siblings[explanation->sibling_count++] = found;
}

static bool is_repaired_by_order(const struct rsan_explanation *explanation, uint32_t step) {
  for (uint32_t i = 0; i < explanation->repair_count; i++)
    if (explanation->repairs[i].kind == RSAN_REPAIR_ORDER &&
        (explanation->repairs[i].step == step || explanation->repairs[i].step == step + 1))
      return true;
  return false;
}

// Looks at each pair of the two; of long stretches at what is next to the repaired accesses.
static void find_pairs(const struct rsan_cycle *cycle, uint32_t step) {
  const uint32_t reach = 1024;
  struct stretch writer = writers_stretch(cycle, step), reader = readers_stretch(cycle, step + 1);
  uint32_t first = writer.first, end = writer.end, at = cycle->entry[step];
  uint32_t low = at - first > reach ? at - reach : first;
  uint32_t high = end - at > reach ? at + reach : end;
  uint32_t from = reader.end - reader.first > reach ? reader.end - reach : reader.first;
  cycle->explanation->siblings_missing |= low != first || high != end || from != reader.first;
  const struct rsan_log_entry *entries = cycle->snapshot->entries;
  for (uint32_t read = from; read < reader.end; read++)
    for (uint32_t write = low; write < high; write++)
      if (reads_from(&entries[write], &entries[read]))
        add_sibling(cycle, &writer, &reader, step, write, read);
}

void rsan_find_siblings(const struct rsan_cycle *cycle) {
  for (uint32_t step = 0; step + 1 < cycle->count; step++)
    if (cycle->explanation->steps[step].to_next == RSAN_READS_FROM &&
        is_repaired_by_order(cycle->explanation, step) && cycle->entry[step] != RSAN_NOT_LOGGED)
      find_pairs(cycle, step);
}
