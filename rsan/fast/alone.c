// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "alone.h"

#include "../host.h"

// As rsan_history_append and rsan_records_add would, where there is room.
static inline void alone_add(struct rsan_thread *thread, struct rsan_location *location,
                             const struct rsan_access *access) {
  struct rsan_history *history = &location->history;
  struct rsan_records *records = &location->compact.records;
  uint64_t number = ++history->newest;
  history->at[history->count++] = (struct rsan_version){
      .overwrote = access->seen, // what the history has: it was compared
      .wrote = access->written,
      .number = number,
      .sc_index = thread->sc.vs.index,
      .writer = thread->hb.index,
      .owner = thread->owner,
      .site = access->site,
      .order = (uint8_t)access->order,
      .plain = access->kind == RSAN_WRITE,
  };
  rsan_history_set_value(history, access->written);
  if (access->kind == RSAN_WRITE)
    history->newest_plain = number;
  records->at[records->count++] = (struct rsan_record){
      .epoch = rsan_hb_epoch(&thread->hb), .version = number, .thread = thread->hb.index};
}

static inline void alone_leave_w(struct rsan_thread *thread, struct rsan_location *location,
                                 const struct rsan_access *access) {
  struct rsan_stamp *w = &location->hb_w;
  bool releases = rsan_order_releases(access->order);
  const struct rsan_stamp *from = releases ? &thread->hb.c : &thread->hb.r;
  if (access->kind == RSAN_WRITE || from->index > w->index)
    rsan_stamp_assign(w, from);
  if (access->kind == RSAN_WRITE)
    rsan_fast_w_replaced(&location->w);
  else
    rsan_fast_w_updated(&location->w, false, releases);
  if (releases)
    rsan_hb_tick(&thread->hb);
}

static inline void alone_leave_ws(struct rsan_thread *thread, struct rsan_location *location) {
  rsan_sc_step(&thread->sc);
  rsan_stamp_assign(&location->compact.w, &thread->sc.vs);
}

static inline void alone_begin(struct rsan_thread *thread, struct rsan_location *location) {
  RSAN_ASSERT(
      rsan_records_know(&location->compact.records, &thread->hb.c, location->history.newest),
      "a thread does not know what it wrote");
  rsan_fast_forget(&location->write);
  rsan_fast_acts(&thread->hb.fast);
  alone_leave_ws(thread, location);
}

void rsan_alone_write(struct rsan_thread *thread, struct rsan_location *location,
                      const struct rsan_access *access) {
  alone_begin(thread, location);
  alone_add(thread, location, access);
  alone_leave_w(thread, location, access);
}

bool rsan_alone_try(struct rsan_thread *thread, struct rsan_location *location,
                    const struct rsan_access *access) {
  if (!rsan_alone_applies(thread, location, access))
    return false;
  alone_begin(thread, location);
  rsan_seqcst_advance(thread, location, access);
  alone_add(thread, location, access);
  rsan_seqcst_update(thread, location, access);
  alone_leave_w(thread, location, access);
  return true;
}
