// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model.h"

#include <string.h>

const char *const model_wrong_rules[MODEL_WRONG_RULE_COUNT] = {
#define MODEL_WRONG_RULE_TEXT(name, text) text,
    MODEL_WRONG_RULES(MODEL_WRONG_RULE_TEXT)
#undef MODEL_WRONG_RULE_TEXT
};

static bool wrong(const struct model *model, enum model_wrong_rule rule) {
  return model->wrong >> rule & 1;
}

static void join_counts(void *into, const void *from, size_t count) {
  model_count *to = into;
  const model_count *of = from;
  for (size_t i = 0; i < count; i++)
    if (to[i] < of[i])
      to[i] = of[i];
}
#define JOIN(into, from) join_counts(&(into), &(from), sizeof(into) / sizeof(model_count))

static bool is_zero(const struct model_s *view) {
  static const struct model_s zero;
  return memcmp(view, &zero, sizeof zero) == 0;
}

static bool acquires(enum trace_order order) {
  return order == TRACE_ACQ || order >= TRACE_AR;
}

static bool releases(enum trace_order order) {
  return order >= TRACE_REL;
}

void model_begin(struct model *model, uint32_t rules, uint32_t newest) {
  memset(model, 0, sizeof *model);
  model->wrong = rules;
  model->newest = newest;
  model->has_s = !(rules & MODEL_LATE_S) && !wrong(model, MODEL_LATE_S_ALONE);
  for (uint32_t t = 0; t < MODEL_THREADS; t++)
    model->threads[t].c.hb[t] = 1;
  for (uint32_t x = 0; x < MODEL_LOCATIONS; x++) {
    model->locations[x].versions_count = 1;
    model->locations[x].versions[0].node = GRAPH_INITIAL;
  }
}

void model_copy(struct model *into, const struct model *from) {
  memcpy(into, from, offsetof(struct model, locations));
  for (uint32_t x = 0; x < MODEL_LOCATIONS; x++) {
    struct model_location *to = &into->locations[x];
    const struct model_location *of = &from->locations[x];
    memcpy(to, of, offsetof(struct model_location, versions));
    memcpy(to->versions, of->versions, of->versions_count * sizeof *of->versions);
    memcpy(to->records, of->records, of->records_count * sizeof *of->records);
    memcpy(to->s_records, of->s_records, of->s_records_count * sizeof *of->s_records);
  }
}

enum graph_kind model_kind(enum trace_op op, bool ok) {
  if (op == TRACE_STORE)
    return GRAPH_WRITE;
  bool cas = op == TRACE_WEAK_CAS || op == TRACE_STRONG_CAS;
  return op == TRACE_LOAD || op == TRACE_WAIT || (cas && !ok) ? GRAPH_READ : GRAPH_RMW;
}

enum trace_order model_order(const struct trace_event *access, bool ok) {
  bool cas = access->op == TRACE_WEAK_CAS || access->op == TRACE_STRONG_CAS;
  return cas && !ok ? access->failure : access->order;
}

// Records rise by version: the first that is known from the newest back is the newest known.
static uint32_t newest_known(const struct model_record *records, uint32_t count,
                             const model_count *known) {
  while (count-- > 0)
    if (records[count].at <= known[records[count].thread])
      return records[count].version;
  return 0;
}

// What a view begins with where S begins late.
static void order_fences_first(const struct model *model, struct model_s *view) {
  if (!wrong(model, MODEL_LATE_S_ALONE))
    JOIN(view->fence, model->fence_w.hb);
}

// K: no access of that order may be given a version older than this one.
static uint32_t threshold(const struct model *model, const struct model_thread *thread,
                          const struct model_location *x, enum trace_order order) {
  uint32_t k = newest_known(x->records, x->records_count, thread->c.hb);
  if (wrong(model, MODEL_KNOWS_HB_ALONE))
    return k;
  struct model_s b = thread->c.f;
  if (order == TRACE_SC) {
    b = thread->st;
    JOIN(b, thread->c.h);
    if (!model->has_s)
      order_fences_first(model, &b);
  }
  if (!is_zero(&b) && (order == TRACE_SC || !wrong(model, MODEL_D_NOT_BEHIND_FENCES)))
    JOIN(b, model->d);
  uint32_t by_event = newest_known(x->s_records, x->s_records_count, b.event);
  uint32_t by_fence = newest_known(x->records, x->records_count, b.fence);
  k = by_event > k ? by_event : k;
  return by_fence > k ? by_fence : k;
}

static bool value_fits(const struct model *model, const struct trace_event *access, bool ok,
                       uint64_t value, bool departs) {
  if (departs && wrong(model, MODEL_ANY_VALUE))
    return true;
  switch (access->op) {
  case TRACE_WAIT:
  case TRACE_BCAS:
    return value == access->expected;
  case TRACE_WEAK_CAS:
    return !ok || value == access->expected;
  case TRACE_STRONG_CAS:
    return ok == (value == access->expected);
  default:
    return true;
  }
}

static bool is_visible(const struct model_thread *thread, const struct model_version *version) {
  return thread->vs[version->writer] >= version->sc_index;
}

// May the access miss versions[p + 1], and what came after it?
static bool is_candidate(const struct model *model, const struct model_location *x,
                         const struct trace_event *access, bool ok, uint32_t p) {
  const struct model_version *version = &x->versions[p];
  enum graph_kind kind = model_kind(access->op, ok);
  bool under_rmw = !version[1].plain && !wrong(model, MODEL_WRITES_UNDER_RMW);
  bool is_taken = version->taken && !wrong(model, MODEL_TAKES_TWICE);
  if (kind != GRAPH_READ && under_rmw)
    return false;
  if (kind == GRAPH_RMW && is_taken)
    return false;
  return value_fits(model, access, ok, version->value, true);
}

static size_t candidates(const struct model *model, const struct trace_event *access, bool ok,
                         struct model_choice *out) {
  const struct model_thread *thread = &model->threads[access->thread];
  const struct model_location *x = &model->locations[access->object];
  bool other = wrong(model, MODEL_K_OF_OTHER_BRANCH);
  uint32_t n = x->versions_count - 1, first = n > model->newest ? n - model->newest : 0;
  size_t count = 0;
  uint32_t k = threshold(model, thread, x, model_order(access, ok || other));
  for (uint32_t p = k; p < n; p++) {
    if (!is_visible(thread, &x->versions[p + 1]) && !wrong(model, MODEL_ANY_VERSION))
      break;
    if (p >= first && is_candidate(model, x, access, ok, p))
      out[count++] = (struct model_choice){.departs = true, .ok = ok, .version = p};
  }
  return count;
}

size_t model_choices(const struct model *model, const struct trace_event *access,
                     struct model_choice choices[MODEL_CHOICES]) {
  const struct model_location *x = &model->locations[access->object];
  uint32_t n = x->versions_count - 1;
  bool branches = access->op == TRACE_WEAK_CAS || access->op == TRACE_STRONG_CAS;
  size_t count = 0;
  for (int ok = branches; ok >= 0; ok--)
    if (value_fits(model, access, ok, x->versions[n].value, false))
      choices[count++] = (struct model_choice){.ok = ok, .version = n};
  for (int ok = branches; ok >= 0; ok--)
    count += candidates(model, access, ok, choices + count);
  return count;
}

static void add_record(struct model_record *records, uint32_t *count, struct model_record record,
                       bool by_version) {
  uint32_t at = (*count)++;
  for (; by_version && at > 0 && records[at - 1].version > record.version; at--)
    records[at] = records[at - 1];
  records[at] = record;
}

static void order_sc(struct model_thread *thread, struct model_location *x, uint32_t t, bool writes,
                     bool appends, const struct model_version *version) {
  if (writes) {
    thread->vs[t]++;
    JOIN(thread->vs, x->ms);
    memcpy(x->ms, thread->vs, sizeof x->ms);
    memcpy(x->ws, thread->vs, sizeof x->ws);
  } else {
    JOIN(thread->vs, x->ws);
    JOIN(x->ms, thread->vs);
  }
  if (!appends)
    return;
  struct model_version *newest = &x->versions[x->versions_count++];
  *newest = *version;
  newest->writer = (model_count)t;
  newest->sc_index = thread->vs[t];
}

// The access in S. Returns what it comes after there by its location.
static struct model_s order_s(const struct model *model, struct model_thread *thread,
                              struct model_location *x, uint32_t t, bool writes, bool seq_cst,
                              bool departs, uint32_t version) {
  struct model_s inc = writes ? x->sm : x->sw, con = thread->c.f;
  if (departs && wrong(model, MODEL_S_BRINGS_NOTHING))
    memset(&inc, 0, sizeof inc);
  if (departs && wrong(model, MODEL_S_IS_NO_EVENT))
    seq_cst = false;
  if (seq_cst) {
    struct model_s s = thread->st;
    JOIN(s, thread->c.h);
    JOIN(s, inc);
    s.event[t] = ++thread->st.event[t];
    thread->st = con = s;
    JOIN(thread->c.p, s);
    if (departs && writes && wrong(model, MODEL_S_RECORDS_MISSED))
      version--;
    if (!(departs && wrong(model, MODEL_S_RECORDS_NOTHING)))
      add_record(x->s_records, &x->s_records_count,
                 (struct model_record){(model_count)t, s.event[t], (model_count)version}, true);
  }
  JOIN(thread->c.p, inc);
  JOIN(x->sm, con);
  if (writes)
    x->sw = x->sm;
  return inc;
}

static void raise_d(struct model *model, const struct model_s *took, bool seq_cst,
                    bool behind_fence) {
  bool counts = seq_cst || (behind_fence && !wrong(model, MODEL_D_OF_SEQ_CST_ALONE));
  if (!counts || wrong(model, MODEL_NO_D))
    return;
  JOIN(model->d, *took);
  for (uint32_t t = 0; t < MODEL_THREADS; t++)
    JOIN(model->d, model->threads[t].st);
}

static void order_hb(const struct model *model, struct model_thread *thread,
                     struct model_location *x, enum graph_kind kind, enum trace_order order,
                     const struct model_choice *choice) {
  struct model_view from = x->w;
  if (choice->departs && !wrong(model, MODEL_JOINS_NEWEST)) {
    from = x->versions[choice->version].w;
    if (wrong(model, MODEL_FLOWS_STAY))
      memset(&from.f, 0, 3 * sizeof from.f);
  }
  bool at_once = acquires(order) || (choice->departs && wrong(model, MODEL_JOINS_ALWAYS));
  bool joins = !(choice->departs && wrong(model, MODEL_JOINS_NOTHING));
  if (kind != GRAPH_WRITE && joins && at_once)
    JOIN(thread->c, from);
  else if (kind != GRAPH_WRITE && joins)
    JOIN(thread->a, from);
  if (kind == GRAPH_READ || (choice->departs && !wrong(model, MODEL_STORE_PUBLISHES)))
    return;
  const struct model_view *left = releases(order) ? &thread->c : &thread->r;
  if (kind == GRAPH_WRITE)
    x->w = *left;
  else
    JOIN(x->w, *left);
}

static uint32_t version_to_record(const struct model *model, const struct model_location *x,
                                  const struct model_choice *choice, bool writes) {
  uint32_t newest = x->versions_count - 1;
  if (!choice->departs)
    return newest;
  return choice->version + (writes && !wrong(model, MODEL_RECORDS_MISSED));
}

void model_arrive(struct model *model, const struct trace_event *access) {
  bool cas = access->op == TRACE_WEAK_CAS || access->op == TRACE_STRONG_CAS;
  if (model->has_s || (access->order != TRACE_SC && !(cas && access->failure == TRACE_SC)))
    return;
  model->has_s = true;
  for (uint32_t t = 0; t < MODEL_THREADS; t++)
    order_fences_first(model, &model->threads[t].st);
}

void model_access(struct model *model, const struct trace_event *access,
                  const struct model_choice *choice, uint64_t written, uint32_t node) {
  struct model_thread *thread = &model->threads[access->thread];
  struct model_location *x = &model->locations[access->object];
  enum graph_kind kind = model_kind(access->op, choice->ok);
  enum trace_order order = model_order(access, choice->ok);
  uint32_t t = access->thread;
  bool departs = choice->departs, writes = kind != GRAPH_READ, seq_cst = order == TRACE_SC;
  model_arrive(model, access);
  bool behind_fence = !is_zero(&thread->c.f);
  struct model_version version = {.node = node, .value = written, .plain = kind == GRAPH_WRITE};
  JOIN(thread->c.h, thread->st);
  order_sc(thread, x, t, writes, writes && !departs, &version);
  struct model_record record = {(model_count)t, thread->c.hb[t],
                                (model_count)version_to_record(model, x, choice, writes)};
  if (!(departs && wrong(model, MODEL_RECORDS_NOTHING)))
    add_record(x->records, &x->records_count, record, !wrong(model, MODEL_RECORDS_APPENDED));
  uint32_t in_s = departs ? choice->version + writes : x->versions_count - 1;
  struct model_s took = order_s(model, thread, x, t, writes, seq_cst, departs, in_s);
  if (departs)
    raise_d(model, &took, seq_cst, behind_fence);
  order_hb(model, thread, x, kind, order, choice);
  if (writes && releases(order))
    thread->c.hb[t]++;
  if (!departs) {
    if (writes)
      x->versions[x->versions_count - 1].w = x->w;
    return;
  }
  if (kind == GRAPH_RMW)
    x->versions[choice->version].taken = true;
  model->departures++;
}

static void order_fence_s(struct model_thread *thread, uint32_t t) {
  struct model_s s = thread->st;
  JOIN(s, thread->c.h);
  JOIN(s, thread->c.p);
  s.event[t] = ++thread->st.event[t];
  JOIN(s.fence, thread->c.hb);
  thread->st = s;
  JOIN(thread->c.f, s);
  JOIN(thread->c.h, s);
  JOIN(thread->c.p, s);
}

static void fence_sc(struct model *model, struct model_thread *thread, uint32_t t) {
  JOIN(thread->c, thread->a);
  JOIN(thread->c, model->fence_w);
  if (model->has_s)
    order_fence_s(thread, t);
  JOIN(model->fence_w, thread->c);
  thread->c.hb[t]++;
}

void model_fence(struct model *model, uint32_t t, enum trace_order order) {
  struct model_thread *thread = &model->threads[t];
  JOIN(thread->c.h, thread->st);
  if (order == TRACE_SC)
    fence_sc(model, thread, t);
  else if (acquires(order))
    JOIN(thread->c, thread->a);
  if (releases(order)) {
    thread->r = thread->c;
    thread->c.hb[t]++;
  }
}
