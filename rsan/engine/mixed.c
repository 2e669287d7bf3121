// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mixed.h"

#include "../host.h"
#include "../steps/cxx20.h"
#include "../steps/note.h"
#include "../steps/seqcst.h"
#include "check.h"
#include "extent.h"
#include "fence.h"
#include "unseen.h"
#include "update.h"

// An access, and where it is.
struct rsan_mixed_part {
  const struct rsan_access *access;
  struct rsan_mixed *mixed;
  struct rsan_location *whole;
  struct rsan_extent extent;
  uint32_t bytes;
};

static struct rsan_mixed_part mixed_place(const struct rsan_location *location,
                                          const struct rsan_access *access) {
  struct rsan_extent extent = {(uint32_t)access->address & (location->size - 1u), access->size};
  return (struct rsan_mixed_part){.access = access,
                                  .mixed = location->mixed,
                                  .whole = location->mixed->whole,
                                  .extent = extent,
                                  .bytes = rsan_extent_bytes(extent)};
}

// Returns the location's value `all` with the bytes of the access replaced by `value`.
static struct rsan_value mixed_value(struct rsan_value all, const struct rsan_mixed_part *part,
                                     struct rsan_value value) {
  return rsan_value_with(all, rsan_value_up(value, part->extent.offset), part->bytes);
}

static struct rsan_value mixed_left(const struct rsan_mixed_part *part) {
  return part->access->kind == RSAN_READ ? part->access->seen : part->access->written;
}

// Restarts the history. The bytes of the access have `value`.
static void mixed_restart(const struct rsan_thread *thread, const struct rsan_mixed_part *part,
                          struct rsan_value value) {
  rsan_location_restart(thread->engine, part->whole,
                        mixed_value(part->whole->history.value, part, value), thread->log);
  for (uint32_t i = 0; i < RSAN_MIXED_BYTES; i++)
    rsan_compact_location_restart(&part->mixed->bytes[i]);
  part->mixed->known = part->bytes;
  rsan_cxx20_restart_bytes(part->mixed);
}

// Learns the first value of bytes that no access had before. No version has changed them, so all
// versions have it. Asks the host who wrote it.
static void mixed_learn(struct rsan_thread *thread, const struct rsan_mixed_part *part,
                        uint32_t bytes) {
  struct rsan_history *history = &part->whole->history;
  struct rsan_value seen = rsan_value_up(part->access->seen, part->extent.offset);
  struct rsan_access first = *part->access;
  for (uint32_t i = 0; i < history->count; i++) {
    struct rsan_version *version = &history->at[i];
    version->overwrote = rsan_value_with(version->overwrote, seen, bytes);
    version->wrote = rsan_value_with(version->wrote, seen, bytes);
  }
  history->value = rsan_value_with(history->value, seen, bytes);
  part->mixed->known |= bytes;
  first.seen =
      rsan_value_of(history->count ? history->at[0].overwrote : history->value, part->extent);
  rsan_unseen_find(thread, part->whole, rsan_host_who_wrote(&first, true));
}

// As in access.c.
static void mixed_settle(struct rsan_thread *thread, const struct rsan_mixed_part *part) {
  struct rsan_location *whole = part->whole;
  uint32_t known = part->bytes & part->mixed->known;
  struct rsan_value seen = rsan_value_up(part->access->seen, part->extent.offset);
  struct rsan_value expected = rsan_value_with(whole->history.value, seen, known);
  if (!whole->started || !rsan_value_equal(whole->history.value, expected)) {
    bool first = !whole->started;
    RSAN_COUNT_OWN(&thread->counters, foreign_writes, !first);
    mixed_restart(thread, part, part->access->seen);
    rsan_unseen_find(thread, whole, rsan_host_who_wrote(part->access, first));
  } else if (known != part->bytes) {
    mixed_learn(thread, part, part->bytes & ~known);
  }
}

// A bit for each byte that the version wrote.
static uint32_t mixed_bytes_of(const struct rsan_version *version) {
  return rsan_extent_bytes(rsan_extent_unpack(version->extent));
}

// May the access miss the version, by its bytes? A store or read-modify-write may come before a
// plain store only if that has all bytes of the access (SIZES.md).
static bool mixed_matters(const struct rsan_version *version, const struct rsan_mixed_part *part) {
  uint32_t bytes = mixed_bytes_of(version);
  if (!(bytes & part->bytes))
    return false;
  struct rsan_version seen = *version;
  seen.overwrote = rsan_value_of(version->overwrote, part->extent);
  seen.plain = version->plain && !(part->bytes & ~bytes);
  return rsan_history_matters(&seen, part->access);
}

static bool mixed_is_visible(const struct rsan_thread *thread, const struct rsan_version *version) {
  return rsan_compact_is_visible(&thread->sc, &thread->engine->indices, version);
}

// As holds_anyway of lc/compact.c. `first` is visible.
static bool mixed_holds_anyway(const struct rsan_thread *thread, const struct rsan_mixed_part *part,
                               const struct rsan_version *first) {
  const struct rsan_history *history = &part->whole->history;
  const struct rsan_version *newest = history->at + history->count - 1;
  while (newest > first &&
         !(mixed_is_visible(thread, newest) && mixed_bytes_of(newest) & part->bytes))
    newest--;
  return rsan_condition_holds(&part->access->expected, rsan_value_of(newest->wrote, part->extent));
}

// Returns the first version that the access may miss. Looks at all versions, because the SC order
// is kept for each byte, so a visible version may follow one that is not visible.
static const struct rsan_version *mixed_find_missed(const struct rsan_thread *thread,
                                                    const struct rsan_mixed_part *part,
                                                    uint64_t known) {
  const struct rsan_history *history = &part->whole->history;
  if (known >= history->newest || !history->count)
    return 0;
  const struct rsan_version *end = history->at + history->count;
  const struct rsan_version *version = rsan_history_after(history, known);
  while (version && version < end &&
         !(mixed_matters(version, part) && mixed_is_visible(thread, version)))
    version++;
  if (!version || version == end)
    return 0;
  bool wait = part->access->check == RSAN_CHECK_WAIT && part->access->expected.alone;
  return wait && mixed_holds_anyway(thread, part, version) ? 0 : version;
}

// As check_compact of check.c.
static struct rsan_verdict mixed_check(const struct rsan_thread *thread,
                                       const struct rsan_mixed_part *part, uint64_t known) {
  struct rsan_verdict verdict = {mixed_find_missed(thread, part, known), known};
  if (!verdict.missed || !thread->s)
    return verdict;
  struct rsan_branch branches[2];
  unsigned count = rsan_branches_of(part->access, branches);
  verdict.missed = 0;
  for (unsigned i = 0; i < count && !verdict.missed; i++) {
    struct rsan_mixed_part branch = *part;
    branch.access = &branches[i].access;
    verdict.known = rsan_s_known(thread->s, part->whole->s, &part->whole->compact.records,
                                 branches[i].seq_cst, known);
    verdict.missed = mixed_find_missed(thread, &branch, verdict.known);
  }
  return verdict;
}

// Fills in T_c.
static bool mixed_judge(struct rsan_thread *thread, const struct rsan_mixed_part *part,
                        uint64_t *known, struct rsan_violation *violation) {
  mixed_settle(thread, part);
  *known = rsan_records_known(&part->whole->compact.records, &thread->hb.c);
  struct rsan_verdict verdict = mixed_check(thread, part, *known);
  if (!verdict.missed)
    return false;
  *violation = rsan_witness(thread, part->whole, part->access, verdict);
  struct rsan_extent missed = rsan_extent_unpack(verdict.missed->extent);
  violation->missed_size = (uint8_t)missed.size;
  violation->missed_offset = (int8_t)((int)missed.offset - (int)part->extent.offset);
  violation->stale = rsan_value_of(violation->stale, part->extent);
  violation->missed_value = rsan_value_of(violation->missed_value, part->extent);
  RSAN_COUNT_OWN(&thread->counters, violations, 1);
  return true;
}

static uint64_t mixed_update_sc(struct rsan_thread *thread, const struct rsan_mixed_part *part) {
  struct rsan_compact_location *from = &part->mixed->bytes[part->extent.offset];
  struct rsan_compact_location *end = from + part->extent.size, *byte;
  bool reads = part->access->kind == RSAN_READ;
  for (byte = from; byte < end; byte++)
    rsan_sc_join(&thread->sc, reads || rsan_compact_is_written_last(byte) ? &byte->w : &byte->m);
  if (reads) {
    for (byte = from; byte < end; byte++)
      rsan_compact_show(&thread->sc, byte);
    return 0;
  }
  rsan_sc_step(&thread->sc);
  for (byte = from; byte < end; byte++) {
    rsan_stamp_assign(&byte->w, &thread->sc.vs);
    rsan_stamp_clear(&byte->m);
  }
  return thread->sc.vs.index;
}

// Returns the newest version that has a byte in common with the access.
static uint64_t mixed_version(const struct rsan_mixed_part *part) {
  const struct rsan_history *history = &part->whole->history;
  uint32_t count = history->count;
  if (part->access->kind != RSAN_READ)
    return history->newest;
  while (count && !(mixed_bytes_of(&history->at[count - 1]) & part->bytes))
    count--;
  return count ? history->at[count - 1].number : part->whole->compact.records.base;
}

// As remember of access.c, except that a write never replaces an older version.
static void mixed_remember(struct rsan_thread *thread, const struct rsan_mixed_part *part,
                           const struct rsan_access *as_whole, uint64_t sc_index, uint64_t known) {
  struct rsan_location *whole = part->whole;
  struct rsan_history *history = &whole->history;
  struct rsan_records *records = &whole->compact.records;
  uint64_t epoch = rsan_hb_epoch(&thread->hb);
  if (part->access->kind == RSAN_READ && known >= mixed_version(part))
    return;
  rsan_fast_acts(&thread->hb.fast);
  if (rsan_hides_last_epoch(thread, whole, as_whole))
    rsan_records_advance(records, thread->hb.index, epoch - 1);
  if (part->access->kind != RSAN_READ) {
    struct rsan_access written = *part->access;
    written.written = mixed_value(history->value, part, written.written);
    rsan_history_append(history, &written, thread->hb.index, thread->owner, sc_index);
    history->at[history->count - 1].extent = rsan_extent_pack(part->extent);
  }
  rsan_records_insert(records, thread->hb.index, epoch, mixed_version(part));
}

static void mixed_note(const struct rsan_thread *thread, const struct rsan_mixed_part *part) {
  if (!thread->log)
    return;
  struct rsan_log_entry entry =
      rsan_log_access(part->access, part->whole->object, mixed_version(part));
  rsan_log_append(thread->log, &entry);
}

// Returns whether the SC order has the version before the access. The bytes of the access that the
// version does not have count as well: by one of them the access may come after a later write.
static bool mixed_comes_before(const struct rsan_thread *thread, const struct rsan_mixed_part *part,
                               const struct rsan_version *version, uint32_t others) {
  if (mixed_is_visible(thread, version))
    return true;
  for (uint32_t i = 0; i < RSAN_MIXED_BYTES; i++) {
    const struct rsan_compact_location *byte = &part->mixed->bytes[i];
    bool after_reads = part->access->kind != RSAN_READ && !rsan_compact_is_written_last(byte);
    if (others >> i & 1 &&
        rsan_stamp_get(after_reads ? &byte->m : &byte->w, version->writer) >= version->sc_index)
      return true;
  }
  return false;
}

// Returns whether the access may miss the version: they have a byte in common, and the thread does
// not know this version of that byte. A write can be ordered before plain stores only.
static bool mixed_may_miss(struct rsan_thread *thread, const struct rsan_mixed_part *part,
                           const struct rsan_version *version, bool reads, bool seq_cst) {
  uint32_t its = mixed_bytes_of(version);
  if (!(its & part->bytes) || !(reads || version->plain) ||
      !mixed_comes_before(thread, part, version, part->bytes & ~its))
    return false;
  for (uint32_t i = 0; i < RSAN_MIXED_BYTES; i++)
    if ((its & part->bytes) >> i & 1 &&
        rsan_cxx20_known_of_byte(thread, part->mixed, i, seq_cst) < version->number)
      return true;
  return false;
}

// Counts the access, while all executions are explored, if a processor may do with its bytes what
// no execution does. Then nothing is proved (SIZES.md).
static void mixed_ask_for_proof(struct rsan_thread *thread, const struct rsan_mixed_part *part) {
  const struct rsan_history *history = &part->whole->history;
  const struct rsan_access *access = part->access;
  if (!rsan_cxx20_is_on(thread->engine))
    return;
  bool reads = access->kind == RSAN_READ || access->compares;
  bool seq_cst =
      access->order == RSAN_SEQ_CST &&
      (!access->compares || (access->success == RSAN_SEQ_CST && access->failure == RSAN_SEQ_CST));
  for (uint32_t i = history->count; i-- > 0;)
    if (mixed_may_miss(thread, part, &history->at[i], reads, seq_cst)) {
      RSAN_COUNT_OWN(&thread->counters, mixed_accesses, 1);
      return;
    }
}

bool rsan_mixed_access(struct rsan_thread *thread, struct rsan_location *location,
                       const struct rsan_access *access, struct rsan_violation *violation) {
  struct rsan_mixed_part part = mixed_place(location, access);
  struct rsan_access as_whole = *access;
  if (access->kind == RSAN_WRITE && access->size < location->size)
    as_whole.kind = RSAN_RMW;
  uint64_t known;
  bool violates = mixed_judge(thread, &part, &known, violation);
  mixed_ask_for_proof(thread, &part);
  if (rsan_cxx20_is_on(thread->engine))
    rsan_cxx20_update_bytes(thread, part.mixed, part.extent.offset, access);
  uint64_t sc_index = mixed_update_sc(thread, &part);
  rsan_seqcst_advance(thread, part.whole, &as_whole);
  mixed_remember(thread, &part, &as_whole, sc_index, known);
  rsan_seqcst_update(thread, part.whole, &as_whole);
  rsan_update_hb(thread, part.whole, &as_whole, rsan_order_without_fence(access));
  mixed_note(thread, &part);
  return violates;
}

bool rsan_mixed_arrive(struct rsan_thread *thread, struct rsan_location *location,
                       const struct rsan_access *access, struct rsan_violation *violation) {
  struct rsan_mixed_part part = mixed_place(location, access);
  uint64_t known;
  bool violates = mixed_judge(thread, &part, &known, violation);
  mixed_ask_for_proof(thread, &part);
  return violates;
}

void rsan_mixed_unchecked(struct rsan_thread *thread, struct rsan_location *location,
                          const struct rsan_access *access) {
  struct rsan_mixed_part part = mixed_place(location, access);
  mixed_settle(thread, &part);
  mixed_restart(thread, &part, mixed_left(&part));
  rsan_hb_rmw(&thread->hb, &part.whole->hb_w, RSAN_ACQ_REL);
  rsan_fast_w_read(&part.whole->w, true);
  rsan_seqcst_pass(thread, part.whole);
  RSAN_COUNT_OWN(&thread->counters, mixed_accesses, rsan_cxx20_is_on(thread->engine));
}

void rsan_mixed_sole(struct rsan_thread *thread, struct rsan_location *location,
                     const struct rsan_access *access) {
  struct rsan_mixed_part part = mixed_place(location, access);
  mixed_settle(thread, &part);
  uint32_t known = part.mixed->known;
  mixed_restart(thread, &part, mixed_left(&part));
  part.mixed->known = known;
}
