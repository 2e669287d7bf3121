// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compact.h"

#include "../host.h"

static uint64_t s_known_by(const struct rsan_s_view *view, const struct rsan_s_location *location,
                           const struct rsan_records *hb_records, uint64_t known) {
  const struct rsan_s_fence *fence = view->fence;
  if (location)
    known = rsan_max(known, rsan_records_known(&location->records, &view->n));
  if (location && fence)
    known = rsan_max(known, rsan_records_known(&location->records, &fence->n));
  return fence ? rsan_max(known, rsan_records_known(hb_records, &fence->c)) : known;
}

uint64_t rsan_s_known(const struct rsan_s_thread *thread, const struct rsan_s_location *location,
                      const struct rsan_records *hb_records, bool seq_cst, uint64_t known) {
  if (!thread)
    return known;
  struct rsan_s_fence *fence = thread->c.f;
  if (!seq_cst)
    return fence ? s_known_by(&(struct rsan_s_view){.fence = fence}, location, hb_records, known)
                 : known;
  known = s_known_by(&thread->st, location, hb_records, known);
  if (rsan_s_covers(&thread->st, &thread->c.h))
    return known;
  return s_known_by(&thread->c.h, location, hb_records, known);
}

// The thread's next event: whatever it did before is po-before that, and what follows from there.
static void s_move_on(struct rsan_s_thread *thread) {
  rsan_s_merge(&thread->c.h, &thread->st);
}

static bool s_join_flows(struct rsan_s_flows *into, const struct rsan_s_flows *from) {
  bool f = rsan_s_fence_join(&into->f, from->f);
  bool h = rsan_s_merge(&into->h, &from->h);
  bool p = rsan_s_merge(&into->p, &from->p);
  return f || h || p;
}

static void s_flows_assign(struct rsan_s_flows *into, const struct rsan_s_flows *from) {
  rsan_s_fence_replace(&into->f, from->f);
  rsan_s_assign(&into->h, &from->h);
  rsan_s_assign(&into->p, &from->p);
}

static bool s_flows_are_empty(const struct rsan_s_flows *flows) {
  return !flows->f && rsan_s_is_empty(&flows->h) && rsan_s_is_empty(&flows->p);
}

bool rsan_s_leaves_nothing(const struct rsan_s_thread *thread, const struct rsan_access *access) {
  if (!thread)
    return true;
  if (access->order == RSAN_SEQ_CST || thread->c.f)
    return false;
  if (access->kind == RSAN_READ)
    return true;
  return rsan_order_releases(access->order)
             ? s_flows_are_empty(&thread->c) && rsan_s_is_empty(&thread->st)
             : s_flows_are_empty(&thread->r);
}

// What an access leaves for those after it at the location. `whole`: it has what `sm` has.
static void s_leave(struct rsan_s_location *location, const struct rsan_s_view *leaves, bool writes,
                    bool whole) {
  if (!writes && !location->read_since) {
    rsan_s_assign(&location->sw, &location->sm);
    location->read_since = true;
  }
  if (whole)
    rsan_s_assign(&location->sm, leaves);
  else
    rsan_s_merge(&location->sm, leaves);
  if (writes && location->read_since) {
    rsan_s_clear(&location->sw);
    location->read_since = false;
  }
}

// A view that has an event of S has what was before the event. So an access needs no record if the
// view before it knows the version. Returns whether it made one.
static bool s_record(const struct rsan_s_thread *thread, struct rsan_s_location *location,
                     const struct rsan_records *hb_records, bool writes, uint64_t newest) {
  const struct rsan_s_view *st = &thread->st;
  if (!writes && s_known_by(st, location, hb_records, 0) >= newest)
    return false;
  rsan_records_add(&location->records, st->n.thread, st->n.index, newest);
  return true;
}

// A seq_cst access as an event of S. It need not enter P: a fence that it happens before comes
// after what H has, by another event of the thread, or after an access that has read from it, or
// from its release sequence, to which SW has brought the same.
static bool s_take_place(struct rsan_s_thread *thread, struct rsan_s_location *location,
                         const struct rsan_records *hb_records, const struct rsan_s_view *brings,
                         bool writes, uint64_t newest) {
  bool whole = brings == &location->sm, changes = rsan_s_join(&thread->st, brings);
  changes |= rsan_s_join(&thread->st, &thread->c.h);
  thread->st.n.index++;
  changes |= s_record(thread, location, hb_records, writes, newest);
  s_leave(location, &thread->st, writes, whole);
  return changes;
}

// H in W as one view.
static void s_settle(struct rsan_s_location *location) {
  for (uint32_t i = 0; i < location->count; i++) {
    rsan_s_merge(&location->w.h, &(struct rsan_s_view){.n = location->pending[i]});
    rsan_stamp_clear(&location->pending[i]);
  }
  location->count = 0;
}

// Takes the flows of W. What of H the event that the thread just was has, the thread will have: so
// it is left out. Says by `*has` whether that was all.
static bool s_acquire_by_event(struct rsan_s_thread *thread, struct rsan_s_location *location,
                               bool *has) {
  bool changes = rsan_s_fence_join(&thread->c.f, location->w.f);
  changes |= !rsan_s_is_empty(&location->w.p) && rsan_s_merge(&thread->c.p, &location->w.p);
  *has = location->covered || rsan_s_covers(&thread->st, &location->w.h);
  for (uint32_t i = 0; *has && !location->covered && i < location->count; i++)
    *has = rsan_s_covers_stamp(&thread->st, &location->pending[i]);
  if (*has)
    return changes;
  s_settle(location);
  return rsan_s_merge(&thread->c.h, &location->w.h) || changes;
}

static void s_drop_pending(struct rsan_s_location *location) {
  while (location->count)
    rsan_stamp_clear(&location->pending[--location->count]);
}

// H in W joins `h`.
static void s_continue_h(struct rsan_s_location *location, const struct rsan_s_view *h) {
  struct rsan_stamp *pending = location->pending;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < location->count; i++) {
    if (rsan_s_covers_stamp(h, &pending[i]))
      rsan_stamp_clear(&pending[i]);
    else
      pending[kept++] = pending[i];
  }
  location->count = kept;
  if (rsan_s_covers_stamp(h, &location->w.h.n)) {
    rsan_stamp_assign(&location->w.h.n, &h->n);
  } else if (h->n.thread == RSAN_MERGED || kept == RSAN_S_PENDING) {
    s_settle(location);
    rsan_s_merge(&location->w.h, h);
  } else if (!rsan_s_covers_stamp(&location->w.h, &h->n)) {
    if (!pending)
      pending = location->pending = rsan_host_alloc(RSAN_S_PENDING * sizeof *pending);
    pending[location->count] = (struct rsan_stamp){0};
    rsan_stamp_assign(&pending[location->count++], &h->n);
  }
  rsan_s_fence_join(&location->w.h.fence, h->fence);
}

// What a write releases. `event`: it is one of S, and `has` H in the W that it continues, if any.
static void s_release(const struct rsan_s_thread *thread, struct rsan_s_location *location,
                      const struct rsan_access *access, bool event, bool has) {
  const struct rsan_s_flows *released =
      rsan_order_releases(access->order) ? &thread->c : &thread->r;
  bool covered = event || rsan_s_is_empty(&released->h);
  if (access->kind == RSAN_WRITE) {
    s_drop_pending(location);
    s_flows_assign(&location->w, released);
    location->covered = covered;
    return;
  }
  location->covered = covered && (event ? has : location->covered);
  rsan_s_fence_join(&location->w.f, released->f);
  if (!rsan_s_is_empty(&released->p))
    rsan_s_merge(&location->w.p, &released->p);
  s_continue_h(location, &released->h);
}

static bool s_is_own(const struct rsan_s_thread *thread, const struct rsan_record *record,
                     uint64_t index) {
  return record->thread == thread->st.n.thread && record->epoch == index;
}

static bool s_is_newest(const struct rsan_s_thread *thread, const struct rsan_records *records,
                        uint64_t newest) {
  return thread && records->count && rsan_records_newest(records)->version == newest &&
         s_is_own(thread, rsan_records_newest(records), thread->st.n.index);
}

// Would rsan_s_advance drop a record, if the write hides the thread's last release?
static bool s_repeats(const struct rsan_s_thread *thread, const struct rsan_s_location *location,
                      uint64_t newest) {
  const struct rsan_records *records = &location->records;
  return location->hidden && records->count > 1 && s_is_newest(thread, records, newest) &&
         s_is_own(thread, &records->at[records->count - 2], thread->st.n.index - 1);
}

// Would the same event once more find nothing but its own?
static bool s_is_steady(const struct rsan_s_thread *thread, const struct rsan_s_location *location,
                        uint64_t newest) {
  const struct rsan_s_view *st = &thread->st, *h = &thread->c.h, *w = &location->w.h;
  return h->n.base == st->n.base && h->n.thread == st->n.thread && h->n.index + 1 == st->n.index &&
         h->fence == st->fence && w->n.base == h->n.base && w->n.thread == h->n.thread &&
         w->n.index == h->n.index && w->fence == h->fence && location->w.f == thread->c.f &&
         !location->count && s_repeats(thread, location, newest);
}

// What a weak access is after comes before the thread's next fence. Fences do anyway.
static bool s_bring(struct rsan_s_thread *thread, const struct rsan_s_view *brings) {
  return !rsan_stamp_is_empty(&brings->n) && rsan_s_merge(&thread->c.p, brings);
}

bool rsan_s_access(struct rsan_s_thread *thread, struct rsan_s_location *location,
                   const struct rsan_records *hb_records, const struct rsan_access *access,
                   uint64_t newest, bool has_flows) {
  bool reads = access->kind != RSAN_WRITE, writes = access->kind != RSAN_READ, changes;
  bool event = access->order == RSAN_SEQ_CST, has = true;
  const struct rsan_s_view *brings =
      writes || !location->read_since ? &location->sm : &location->sw;
  rsan_s_stop(thread, location);
  s_move_on(thread);
  if (event) {
    changes = s_take_place(thread, location, hb_records, brings, writes, newest);
    if (reads && !has_flows)
      changes |= s_acquire_by_event(thread, location, &has);
  } else {
    struct rsan_s_view leaves = {.fence = thread->c.f};
    changes = s_bring(thread, brings);
    if (writes || !rsan_s_covers_fence(&location->sm, leaves.fence))
      s_leave(location, &leaves, writes, false);
    if (reads && !has_flows) {
      s_settle(location);
      changes |=
          s_join_flows(rsan_order_acquires(access->order) ? &thread->c : &thread->a, &location->w);
    }
  }
  if (writes)
    s_release(thread, location, access, event, has);
  if (writes && event && location->hidden && s_is_steady(thread, location, newest))
    rsan_fast_event_may_repeat(&thread->fast, &location->fast, location, thread->st.n.thread);
  return changes;
}

void rsan_s_depart(struct rsan_s_thread *thread, struct rsan_s_location *location,
                   const struct rsan_access *access, uint64_t version,
                   const struct rsan_s_flows *flows) {
  bool writes = access->kind != RSAN_READ, event = access->order == RSAN_SEQ_CST;
  const struct rsan_s_view *brings =
      writes || !location->read_since ? &location->sm : &location->sw;
  rsan_s_stop(thread, location);
  s_move_on(thread);
  if (event) {
    rsan_s_join(&thread->st, brings);
    rsan_s_join(&thread->st, &thread->c.h);
    thread->st.n.index++;
    rsan_records_insert(&location->records, thread->st.n.thread, thread->st.n.index, version);
  } else {
    rsan_s_merge(&thread->c.p, brings);
  }
  struct rsan_s_view behind_fence = {.fence = thread->c.f};
  s_leave(location, event ? &thread->st : &behind_fence, writes, false);
  if (access->kind != RSAN_WRITE)
    s_join_flows(rsan_order_acquires(access->order) ? &thread->c : &thread->a, flows);
}

void rsan_s_copy_released(struct rsan_s_flows *into, struct rsan_s_location *location) {
  s_settle(location);
  s_flows_assign(into, &location->w);
}

void rsan_s_fence_sc(struct rsan_s_thread *thread, const struct rsan_hb *hb,
                     struct rsan_s_fence **latest) {
  struct rsan_s_view *st = &thread->st;
  rsan_s_stop(thread, 0);
  s_join_flows(&thread->c, &thread->a); // H has ST: the event before this one
  if (*latest)
    rsan_stamp_join(&st->n, &(*latest)->n); // all of it, which `fence` is to have
  rsan_s_fence_join(&st->fence, *latest);
  rsan_s_join(st, &thread->c.h);
  rsan_s_join(st, &thread->c.p);
  st->n.index++;
  struct rsan_stamp n = {0}, c = {0};
  rsan_stamp_assign(&n, &st->n);
  rsan_stamp_assign(&c, &hb->c);
  c.index--; // the epoch before the fence's end
  struct rsan_s_fence *fence = rsan_s_fence_new(latest, &n, &c);
  rsan_s_fence_join(&st->fence, fence);
  rsan_s_fence_join(&thread->c.f, fence);
  rsan_s_assign(&thread->c.h, &(struct rsan_s_view){.fence = fence});
  rsan_s_fence_unshare(fence);
  rsan_s_clear(&thread->c.p); // the next fence comes after this one
  s_flows_assign(&thread->r, &thread->c);
}

void rsan_s_write_after_fence(struct rsan_s_location *location, struct rsan_s_fence *fence) {
  s_leave(location, &(struct rsan_s_view){.fence = fence}, true, false);
  rsan_s_write_after(location, &(struct rsan_s_flows){.f = fence, .h = {.fence = fence}});
}

void rsan_s_write_after(struct rsan_s_location *location, const struct rsan_s_flows *object) {
  rsan_fast_event_forget_there(&location->fast);
  s_settle(location);
  location->covered = false;
  s_join_flows(&location->w, object);
}

bool rsan_s_fence_weak(struct rsan_s_thread *thread, enum rsan_order order) {
  rsan_s_stop(thread, 0);
  s_move_on(thread);
  bool changes = rsan_order_acquires(order) && s_join_flows(&thread->c, &thread->a);
  if (rsan_order_releases(order))
    s_flows_assign(&thread->r, &thread->c);
  return changes;
}

void rsan_s_release(struct rsan_s_thread *thread, struct rsan_s_flows *object) {
  rsan_s_stop(thread, 0);
  s_move_on(thread);
  s_join_flows(object, &thread->c);
}

bool rsan_s_acquire(struct rsan_s_thread *thread, const struct rsan_s_flows *object) {
  rsan_s_stop(thread, 0);
  s_move_on(thread);
  return s_join_flows(&thread->c, object);
}

bool rsan_s_acquire_location(struct rsan_s_thread *thread, struct rsan_s_location *location) {
  s_settle(location);
  return rsan_s_acquire(thread, &location->w);
}

void rsan_s_pass(struct rsan_s_thread *thread, struct rsan_s_location *location) {
  rsan_s_stop(thread, location);
  s_move_on(thread);
  rsan_s_join(&thread->st, &thread->c.h);
  rsan_s_join(&thread->st, &location->sm);
  thread->st.n.index++;
  rsan_s_merge(&thread->c.p, &thread->st);
  s_leave(location, &thread->st, true, true);
  s_settle(location);
  location->covered = false;
  s_join_flows(&thread->c, &location->w);
  s_join_flows(&location->w, &thread->c);
}

void rsan_s_withdraw(struct rsan_s_location *into, struct rsan_s_location *from) {
  s_leave(into, &from->sm, true, false);
  s_settle(from);
  rsan_s_write_after(into, &from->w);
}

void rsan_s_advance(const struct rsan_s_thread *thread, struct rsan_s_location *location,
                    uint64_t newest, bool hides) {
  struct rsan_records *records = &location->records;
  if (hides && s_repeats(thread, location, newest)) {
    records->at[records->count - 2] = records->at[records->count - 1];
    records->count--;
  }
  location->hidden = hides && s_is_newest(thread, records, newest);
}

void rsan_s_flows_clear(struct rsan_s_flows *flows) {
  rsan_s_fence_unshare(flows->f);
  flows->f = 0;
  rsan_s_clear(&flows->h);
  rsan_s_clear(&flows->p);
}

void rsan_s_thread_free(struct rsan_s_thread *thread) {
  if (!thread)
    return;
  rsan_s_clear(&thread->st);
  rsan_s_flows_clear(&thread->c);
  rsan_s_flows_clear(&thread->a);
  rsan_s_flows_clear(&thread->r);
  rsan_host_free(thread);
}

// All but the memory of `pending` and the records.
static void s_clear_location(struct rsan_s_location *location) {
  rsan_s_clear(&location->sm);
  rsan_s_clear(&location->sw);
  s_drop_pending(location);
  rsan_s_flows_clear(&location->w);
}

void rsan_s_location_free(struct rsan_s_location *location) {
  if (!location)
    return;
  s_clear_location(location);
  rsan_host_free(location->pending);
  rsan_records_clear(&location->records);
  rsan_host_free(location);
}

bool rsan_s_location_is_small(const struct rsan_s_location *location) {
  return location->records.room * sizeof *location->records.at <= RSAN_RECORDS_FIRST;
}

void rsan_s_location_renew(struct rsan_s_location *location) {
  s_clear_location(location);
  *location = (struct rsan_s_location){
      .pending = location->pending,
      .records = {.at = location->records.at, .room = location->records.room},
  };
}
