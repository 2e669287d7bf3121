// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "again.h"

#include "../host.h"
#include "../steps/note.h"
#include "../steps/seqcst.h"
#include "alone.h"

// Inlined into all callers.
#define RSAN_INLINED static inline __attribute__((always_inline))

const uint64_t *rsan_thread_changes(const struct rsan_thread *thread) {
  return &thread->sc.fast.view_changes;
}

void rsan_again_begin(struct rsan_thread *thread) {
  struct rsan_fast_writer *writer = &thread->writer;
  _Atomic uint32_t *next = &thread->engine->next_writer;
  do
    writer->writer_number = (atomic_fetch_add_explicit(next, 1, memory_order_relaxed) + 1)
                            << RSAN_FAST_WRITER;
  while (!writer->writer_number);
  bool compact = !thread->in_full && !thread->engine->machines;
  writer->asks_first = compact ? writer->writer_number : UINT32_MAX;
}

static struct rsan_version *newest_version(const struct rsan_location *location) {
  return &location->history.at[location->history.count - 1];
}

static bool is_known(const struct rsan_thread *thread, const struct rsan_location *location,
                     const struct rsan_access *access) {
  return rsan_records_know(&location->compact.records, &thread->hb.c, location->history.newest) &&
         location->started && !location->withdrawn &&
         rsan_value_equal(location->history.value, access->seen) &&
         !rsan_asks_of_value(access->check) && (thread->s || !rsan_seqcst_concerns(access));
}

// Does a read by a thread that knows W change nothing in S?
static bool learns_nothing_in_s(const struct rsan_thread *thread,
                                const struct rsan_location *location,
                                const struct rsan_access *access) {
  const struct rsan_s_thread *views = thread->s;
  const struct rsan_s_location *there = location->s;
  if (!there)
    return !views || rsan_s_leaves_nothing(views, access);
  return views && access->order != RSAN_SEQ_CST && rsan_s_reads_nothing(views, there);
}

static void stop_in_s(const struct rsan_thread *thread, struct rsan_location *location) {
  struct rsan_s_location *there = location->s;
  if (!there)
    return;
  if (thread->s)
    rsan_s_stop(thread->s, there);
  if (there->hidden)
    there->hidden = false;
}

// Does a read of a known version teach its thread nothing?
static bool learns_nothing(const struct rsan_thread *thread, const struct rsan_location *location,
                           const struct rsan_access *access) {
  return rsan_hb_reads_nothing(&thread->hb, &location->hb_w, access->order) &&
         rsan_stamp_covers(&thread->sc.vs, &location->compact.w) &&
         learns_nothing_in_s(thread, location, access);
}

// The thread's own write may be repeated after its own read, if that leaves MS as it is: WS.
static void learn_nothing(struct rsan_thread *thread, struct rsan_location *location) {
  rsan_compact_show(&thread->sc, &location->compact);
  if (location->write.repeatable_write &&
      !(rsan_fast_is_writer(&location->write, &thread->writer) &&
        rsan_compact_is_written_last(&location->compact)))
    rsan_fast_forget(&location->write);
  stop_in_s(thread, location);
  rsan_fast_w_read(&location->w, location->hb_w.thread != thread->hb.index);
}

__attribute__((noinline)) static void learn(struct rsan_thread *thread,
                                            struct rsan_location *location,
                                            const struct rsan_access *access) {
  bool knows_w = rsan_hb_reads_nothing(&thread->hb, &location->hb_w, access->order);
  rsan_fast_forget(&location->write);
  rsan_compact_read(&thread->sc, &location->compact);
  if (knows_w && learns_nothing_in_s(thread, location, access)) {
    stop_in_s(thread, location);
  } else {
    rsan_seqcst_advance(thread, location, access);
    rsan_seqcst_update(thread, location, access);
  }
  if (!knows_w)
    rsan_hb_read(&thread->hb, &location->hb_w, access->order);
  rsan_fast_w_read(&location->w, location->hb_w.thread != thread->hb.index);
}

// A load that repeats another one knows the version as that did, and has W, WS and what is S-before
// loads there. MS alone may lack something. (What SC fences leave for others aside.)
static bool is_repeated(const struct rsan_thread *thread, const struct rsan_location *location,
                        const struct rsan_access *access) {
  const struct rsan_s_thread *views = thread->s;
  return access->repeats && access->order != RSAN_SEQ_CST && !location->withdrawn &&
         rsan_value_equal(location->history.value, access->seen) && !(views && views->c.f);
}

bool rsan_read_again(struct rsan_thread *thread, struct rsan_location *location,
                     const struct rsan_access *access) {
  bool repeated = is_repeated(thread, location, access);
  if (!repeated && !is_known(thread, location, access))
    return false;
  if (repeated || learns_nothing(thread, location, access))
    learn_nothing(thread, location);
  else
    learn(thread, location, access);
  rsan_note_access(thread, location, access);
  return true;
}

// The epoch of the newest record, which is the writer's of the newest version.
static inline uint64_t epoch_of_write(const struct rsan_location *location) {
  return rsan_records_newest(&location->compact.records)->epoch;
}

// W is what the thread has released last, in its last epoch and by its last write here, and Vc has
// nothing else since.
RSAN_INLINED bool releases_next(const struct rsan_thread *thread,
                                const struct rsan_location *location) {
  const struct rsan_stamp *w = &location->hb_w, *c = &thread->hb.c;
  return rsan_fast_w_is_unread(&location->w) && w->index == epoch_of_write(location) &&
         w->thread == c->thread && w->index + 1 == c->index && w->base == c->base;
}

RSAN_INLINED bool repeats_in_s(const struct rsan_thread *thread,
                               const struct rsan_location *location,
                               const struct rsan_access *access) {
  const struct rsan_engine *engine = thread->engine;
  if (access->order == RSAN_SEQ_CST && engine->seqcst.exact)
    return rsan_s_goes_on(thread->s, location->s);
  return !thread->s && !location->s &&
         (engine->options.seq_cst == RSAN_SEQ_CST_ACQ_REL || !rsan_seqcst_concerns(access));
}

// `writer`: the thread's number as one.
RSAN_INLINED bool repeats(const struct rsan_thread *thread, uint32_t writer,
                          const struct rsan_location *location, const struct rsan_access *access) {
  bool plain = access->kind == RSAN_WRITE;
  return location->write.repeatable_write == rsan_fast_write_of(writer, access->order, plain) &&
         !rsan_asks_of_value(access->check) &&
         rsan_value_equal(location->history.value, access->seen) &&
         thread->sc.vs.base == location->compact.w.base &&
         (rsan_order_releases(access->order)
              ? releases_next(thread, location)
              : epoch_of_write(location) == rsan_hb_epoch(&thread->hb)) &&
         repeats_in_s(thread, location, access);
}

// Stores only if the value changes: each store delays the next taking of the lock.
RSAN_INLINED void repeat(struct rsan_thread *thread, struct rsan_location *location,
                         const struct rsan_access *access) {
  struct rsan_history *history = &location->history;
  struct rsan_version *version = newest_version(location);
  struct rsan_record *record = rsan_records_newest(&location->compact.records);
  version->overwrote = access->seen; // what the history has: it was compared
  version->wrote = access->written;
  rsan_history_set_value(history, access->written);
  if (version->site != access->site)
    version->site = access->site;
  version->number = record->version = ++history->newest;
  RSAN_ASSERT(!thread->sc.changed, "VS has changed, and has a base that is released");
  version->sc_index = location->compact.w.index = ++thread->sc.vs.index;
  rsan_fast_view_changed(&thread->sc.fast, true);
  RSAN_COUNT_OWN(&thread->counters, folded_versions, 1);
  if (access->kind == RSAN_WRITE) {
    history->newest_plain = history->newest;
    rsan_fast_w_replaced(&location->w);
  }
  if (rsan_order_releases(access->order)) {
    record->epoch = ++location->hb_w.index; // the present epoch: releases_next
    rsan_hb_tick(&thread->hb);
  }
  RSAN_ASSERT(!thread->hb.fast.idle_since && !thread->hb.fast.unchanged_since,
              "a thread has written and done nothing");
}

// Is the log's newest entry the write before, by the same stack?
RSAN_INLINED bool is_noted(const struct rsan_thread *thread, const struct rsan_location *location,
                           const struct rsan_access *access) {
  return newest_version(location)->site == access->site &&
         (!thread->log ||
          rsan_log_repeats(thread->log, location->object, location->history.newest));
}

// Says whether it is noted.
RSAN_INLINED bool repeat_all(struct rsan_thread *thread, struct rsan_location *location,
                             const struct rsan_access *access) {
  bool noted = is_noted(thread, location, access);
  repeat(thread, location, access);
  uint64_t number = location->history.newest;
  if (access->order == RSAN_SEQ_CST && thread->engine->seqcst.exact)
    rsan_s_go_on(thread->s, location->s, number);
  if (noted && thread->log)
    rsan_log_renumber(thread->log, number);
  return noted;
}

bool rsan_write_again(struct rsan_thread *thread, struct rsan_location *location,
                      const struct rsan_access *access) {
  if (!repeats(thread, thread->writer.writer_number, location, access))
    return false;
  if (!repeat_all(thread, location, access))
    rsan_note_access(thread, location, access);
  return true;
}

RSAN_INLINED enum rsan_repeated repeats_write(struct rsan_thread *thread,
                                              struct rsan_location *location,
                                              enum rsan_access_kind kind, enum rsan_order order,
                                              uint32_t site, uint64_t seen, uint64_t written) {
  struct rsan_access access = {.kind = kind,
                               .check = RSAN_CHECK_WRITE,
                               .order = order,
                               .site = site,
                               .seen = {seen, 0},
                               .written = {written, 0}};
  if (!repeats(thread, thread->writer.asks_first, location, &access))
    return thread->writer.asks_first != UINT32_MAX && rsan_alone_has_w(thread, location) &&
                   rsan_alone_try(thread, location, &access)
               ? RSAN_REPEATED_UNNOTED
               : RSAN_NOT_REPEATED;
  return repeat_all(thread, location, &access) ? RSAN_REPEATED : RSAN_REPEATED_UNNOTED;
}

void rsan_note_repeated(const struct rsan_thread *thread, const struct rsan_location *location,
                        const struct rsan_access *access) {
  rsan_note_access(thread, location, access);
}

enum rsan_repeated rsan_store_repeats(struct rsan_thread *thread, struct rsan_location *location,
                                      enum rsan_order order, uint32_t site, uint64_t seen,
                                      uint64_t written) {
  return repeats_write(thread, location, RSAN_WRITE, order, site, seen, written);
}

enum rsan_repeated rsan_rmw_repeats(struct rsan_thread *thread, struct rsan_location *location,
                                    enum rsan_order order, uint32_t site, uint64_t seen,
                                    uint64_t written) {
  return repeats_write(thread, location, RSAN_RMW, order, site, seen, written);
}

static bool has_brought(const struct rsan_s_thread *views, const struct rsan_s_location *there) {
  const struct rsan_s_view *brings = there->read_since ? &there->sw : &there->sm;
  if (!views)
    return rsan_stamp_is_empty(&brings->n);
  return rsan_s_is_at_least(&views->c.p, &brings->n) || rsan_s_is_at_least(&views->st, &brings->n);
}

static bool has_all_of_repeated(const struct rsan_thread *thread,
                                const struct rsan_location *location,
                                const struct rsan_access *access) {
  const struct rsan_stamp *w = &location->hb_w;
  bool has_w = rsan_stamp_is_at_least(&thread->hb.c, w) ||
               (!rsan_order_acquires(access->order) &&
                (thread->hb.a.base || rsan_stamp_is_at_least(&thread->hb.a, w)));
  return has_w && is_known(thread, location, access) &&
         rsan_stamp_covers(&thread->sc.vs, &location->compact.w) &&
         (!location->s || has_brought(thread->s, location->s));
}

static void save(const struct rsan_thread *thread, const struct rsan_location *location,
                 struct rsan_again_state *state) {
  *state = (struct rsan_again_state){
      .location = *location, .sc = thread->sc, .epoch = rsan_hb_epoch(&thread->hb)};
  if (location->history.count)
    state->version = *newest_version(location);
  if (location->compact.records.count)
    state->record = *rsan_records_newest(&location->compact.records);
}

bool rsan_again_applies(const struct rsan_thread *thread, const struct rsan_location *location,
                        const struct rsan_access *access, struct rsan_again_state *before) {
  RSAN_ASSERT(!is_repeated(thread, location, access) ||
                  has_all_of_repeated(thread, location, access),
              "a load that repeats another one misses something");
  save(thread, location, before);
  if (access->kind == RSAN_READ) {
    before->in_place = learns_nothing(thread, location, access);
    return is_known(thread, location, access);
  }
  before->in_place = true;
  if (repeats(thread, thread->writer.writer_number, location, access))
    return true;
  const struct rsan_hb *hb = &thread->hb;
  before->alone = rsan_alone_applies(thread, location, access);
  before->in_place =
      location->compact.w.base == thread->sc.vs.base &&
      location->hb_w.base == (rsan_order_releases(access->order) ? hb->c.base : hb->r.base);
  return before->alone;
}

static bool same_history(const struct rsan_again_state *a, const struct rsan_again_state *b) {
  const struct rsan_history *of_a = &a->location.history, *of_b = &b->location.history;
  const struct rsan_version *va = &a->version, *vb = &b->version;
  return of_a->count == of_b->count && of_a->newest == of_b->newest &&
         of_a->newest_plain == of_b->newest_plain && rsan_value_equal(of_a->value, of_b->value) &&
         rsan_value_equal(va->overwrote, vb->overwrote) && rsan_value_equal(va->wrote, vb->wrote) &&
         va->number == vb->number && va->sc_index == vb->sc_index && va->writer == vb->writer &&
         va->owner == vb->owner && va->site == vb->site && va->order == vb->order &&
         va->plain == vb->plain &&
         a->location.compact.records.count == b->location.compact.records.count &&
         a->record.epoch == b->record.epoch && a->record.version == b->record.version &&
         a->epoch == b->epoch;
}

// (How often the view has changed is not compared, only whether it has: hosts ask for no more, and
// a seq_cst write that is made in full counts twice.)
static bool same_clocks(const struct rsan_again_state *a, const struct rsan_again_state *b,
                        uint64_t changes) {
  return a->location.w.acquired_by_others == b->location.w.acquired_by_others &&
         rsan_stamp_is_same(&a->location.hb_w, &b->location.hb_w) &&
         rsan_stamp_is_same(&a->location.compact.w, &b->location.compact.w) &&
         rsan_stamp_is_same(&a->location.compact.m, &b->location.compact.m) &&
         rsan_stamp_is_same(&a->sc.vs, &b->sc.vs) && a->sc.changed == b->sc.changed &&
         (a->sc.fast.view_changes != changes) == (b->sc.fast.view_changes != changes);
}

static void go_back(struct rsan_thread *thread, struct rsan_location *location,
                    const struct rsan_again_state *state) {
  *location = state->location;
  if (location->history.count)
    *newest_version(location) = state->version;
  if (location->compact.records.count)
    *rsan_records_newest(&location->compact.records) = state->record;
  thread->sc = state->sc;
  __atomic_store_n(&thread->hb.c.index, state->epoch, __ATOMIC_RELAXED); // see rsan_hb_peek
}

void rsan_again_compare(struct rsan_thread *thread, struct rsan_location *location,
                        const struct rsan_access *access, const struct rsan_again_state *before) {
  struct rsan_again_state obvious, fast;
  save(thread, location, &obvious);
  const struct rsan_stamp *m = &location->compact.m, *m_before = &before->location.compact.m;
  // (Another base may be in the place of one that was freed.)
  if (!before->in_place || m_before->base != m->base || m_before->thread != m->thread) {
    RSAN_ASSERT(before->alone || same_history(before, &obvious),
                "a read of what is known has left something");
    return;
  }
  go_back(thread, location, before);
  if (access->kind == RSAN_READ)
    learn_nothing(thread, location);
  else if (before->alone)
    rsan_alone_write(thread, location, access);
  else
    repeat(thread, location, access);
  save(thread, location, &fast);
  bool same_write = obvious.location.write.repeatable_write == fast.location.write.repeatable_write;
  RSAN_ASSERT((same_write || access->kind == RSAN_READ) && same_history(&obvious, &fast) &&
                  same_clocks(&obvious, &fast, before->sc.fast.view_changes),
              "an access of which all is known is not what it would be otherwise");
}
