// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the engine's structs hold. For engine/, fast/, steps/ and unit tests only.

#ifndef RSAN_STEPS_TYPES_H
#define RSAN_STEPS_TYPES_H

#include "../base/lock.h"
#include "../base/thread_index.h"
#include "../engine.h"
#include "../explain/log.h"
#include "../lc/compact.h"
#include "../memory/budget.h"
#include "../memory/collect.h"
#include "../memory/views.h"
#include "../race/hb.h"
#include "../seqcst/compact.h"

// seq_cst accesses exactly (steps/seqcst.h): views, made when there is something in them.
struct rsan_engine_seqcst {
  bool exact;
  bool from_fences;           // they are kept from the first SC fence on
  _Atomic bool on;            // the views are kept: from the first seq_cst event on
  struct rsan_s_fence *start; // stands for the SC fences before that; NULL: there were none
  struct rsan_s_view *ends;   // by thread index, of the threads that had it; with `index_lock`
  uint32_t ends_room;
};

// A location's further parts, if it has any.
struct rsan_location_more {
  struct rsan_reference_location *reference;
  struct rsan_machines_location *machines;
  struct rsan_weak_location *weak;   // weak/weak.h
  struct rsan_cxx20_location *cxx20; // steps/cxx20.h, here and below: NULL until there is something
  uint64_t unseen_writes; // of the engine's, when the history was last known to be up to date
};

// Shared by all locations that have none.
extern const struct rsan_location_more rsan_nothing_more;

// Keeps what one thread writes out of the cache lines that others read.
struct rsan_gap {
  char line[64];
};

// What each access asks, and nobody writes, first; then what is written together.
struct rsan_engine {
  struct rsan_options options;
  struct rsan_reference *reference; // NULL: the compact clocks alone (steps/reference.h)
  struct rsan_machines *machines;   // NULL: C11 alone
  struct rsan_weak *weak;           // NULL: no access departs
  struct rsan_cxx20 *cxx20;         // NULL: no second analysis has been made
  struct rsan_index_table indices;
  struct rsan_location *withdrawn; // all withdrawn locations are this one; with `withdrawn_lock`
  struct rsan_sync *ending;        // what all threads had done whose function has returned
  struct rsan_engine_seqcst seqcst;

  struct rsan_gap before_fences;
  struct rsan_lock fence_lock;
  struct rsan_stamp fence_w;         // W(f) of the SC fences' location
  _Atomic uint64_t fences;           // number of fences that have changed it, and one
  struct rsan_s_fence *latest_fence; // for views of S

  struct rsan_gap before_views;
  struct rsan_views views;

  struct rsan_gap before_others;
  struct rsan_budget budget;
  struct rsan_counters counters;
  struct rsan_lock index_lock, withdrawn_lock, ending_lock;
  _Atomic uint32_t next_writer;
  _Atomic uint64_t unseen_writes; // engine/unseen.h; not counted with C11's compact clocks alone
  struct rsan_logs logs;
};

struct rsan_thread {
  struct rsan_engine *engine;
  struct rsan_view view;
  struct rsan_hb hb;
  struct rsan_sc_view sc;
  struct rsan_reference_thread *reference;
  struct rsan_machines_thread *machines; // NULL when it has finished
  struct rsan_s_thread *s;               // NULL: its views of S are empty
  struct rsan_cxx20_thread *cxx20;
  // Its accesses have more to do than the fast answers know of: `reference`, weak or cxx20.
  bool in_full;
  uint32_t owner;
  struct rsan_fast_writer writer;
  struct rsan_own_counters counters;
  struct rsan_log *log;  // NULL: none is kept
  struct rsan_sync *end; // what it has released to who joins it; NULL: it has not finished
  struct rsan_program_point at;
  struct rsan_location *spare[RSAN_SPARE_LOCATIONS];     // as new, with room for the first versions
  struct rsan_s_location *spare_s[RSAN_SPARE_LOCATIONS]; // renewed
  uint32_t spare_count, spare_s_count;
};

// The state of a location that is accessed in several sizes, or at addresses within it.
struct rsan_mixed {
  struct rsan_location *whole; // happens-before, S, history and records of all bytes
  uint32_t known;              // whose values are known, a bit for each byte
  struct rsan_compact_location bytes[RSAN_MIXED_BYTES]; // the SC order of each byte; no records
  struct rsan_cxx20_bytes *cxx20;                       // steps/cxx20.h; NULL: none yet
};

// Three cache lines. What accesses write lies in the first and the last: the one in between stays
// in the caches of all threads that come here.
struct rsan_location {
  uint8_t size;
  bool started : 1; // version 0 has its value
  bool withdrawn : 1;
  bool large : 1; // for engine->budget
  bool mixes : 1; // `mixed` is there, and the location is withdrawn from what asks of one size
  struct rsan_fast_w w; // of hb_w
  struct rsan_fast_write write;
  struct rsan_stamp hb_w;
  struct rsan_history history;
  struct rsan_s_location *s; // the same, here and in sync objects
  union {
    uint64_t object;          // identity in the logs, of what stands since the last restart
    struct rsan_mixed *mixed; // if it mixes
  };
  // Never NULL. With C11's compact clocks alone all locations share rsan_nothing_more.
  struct rsan_location_more *more;
  uint32_t collect_at; // entries at which the history is collected
  uint32_t collected;  // number, modulo 2^32, of its last collection among all
  struct rsan_compact_location compact;
};
_Static_assert(offsetof(struct rsan_location, history.value.high) == 64 &&
                   offsetof(struct rsan_location, compact.records.base) == 128,
               "the line in between");
_Static_assert(sizeof(struct rsan_location) == 192, "three cache lines");

struct rsan_sync {
  struct rsan_stamp c, vs;
  struct rsan_reference_sync *reference;
  struct rsan_cxx20_sync *cxx20;
  struct rsan_s_flows *s;
  uint64_t object, releases; // identity in the logs, and how many it has seen; 0: none
  struct rsan_machines_sync *machines;
};

// A write that replaces W, while W is what the thread released at the end of its last epoch and
// nobody has acquired it (docs/internals/MODEL.md section 5). (Relaxed writes release the epoch of
// a release fence again and again, but make records of later ones. Epochs up to the floor anyone
// may know.)
static inline bool rsan_hides_last_epoch(const struct rsan_thread *thread,
                                         const struct rsan_location *location,
                                         const struct rsan_access *access) {
  const struct rsan_stamp *w = &location->hb_w;
  bool replaces = access->kind == RSAN_WRITE ||
                  (access->kind == RSAN_RMW && rsan_order_releases(access->order));
  return replaces && rsan_fast_w_is_unread(&location->w) && w->thread == thread->hb.index &&
         w->index + 1 == rsan_hb_epoch(&thread->hb) &&
         w->index > rsan_index_epoch_floor(thread->hb.indices, thread->hb.index);
}

struct rsan_location *rsan_location_make(struct rsan_engine *engine); // one that is not counted
void rsan_location_unmix(struct rsan_engine *engine, struct rsan_location *location); // if it mixes
void rsan_location_drop_spares(struct rsan_thread *thread);
// Starts the location's history over, known to all, with `value`. The happens-before clock stays:
// too much of it only hides. `log`: of the thread that sees it; NULL: nothing will rest on it.
void rsan_location_restart(struct rsan_engine *engine, struct rsan_location *location,
                           struct rsan_value value, struct rsan_log *log);

#endif
