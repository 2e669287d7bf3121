// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rule of departures (docs/internals/DEPARTURES.md) in its slow and obvious form: full vectors,
// nothing is shared, forgotten or skipped. It knows nothing of the core. What an access may be
// given is a list of choices; which one is taken is up to the caller, so that all can be tried.
//
// The letters are those of docs/internals/ALGORITHM.md and of docs/internals/MODEL.md section 4. A
// view is what goes where happens-before goes: Vc, and F, H and P of S. Views of S have two halves:
// of each thread the newest event that is S-before, and the newest epoch that is before an SC fence
// that is.
//
// A model is a value: model_copy makes another one. Runs have at most MODEL_STEPS steps.
#ifndef RSAN_TESTS_WEAK_MODEL_H
#define RSAN_TESTS_WEAK_MODEL_H

#include "graph.h"
#include "programs.h"

enum {
  MODEL_THREADS = PROGRAM_MAX_THREADS,
  MODEL_LOCATIONS = PROGRAM_MAX_LOCATIONS,
  MODEL_STEPS = 240,
  MODEL_CHOICES = 2 * (MODEL_STEPS + 1),
  MODEL_ALL_VERSIONS = MODEL_STEPS, // of a bound on how many versions can be missed
};

// What looks right, and is not: a clause of the rule in another form. Three clauses are not here,
// for no wrong form of them lets anything pass that must not: what a departing access leaves in SM
// and SW, and the views of other threads than its own in D, are implied by D's other parts, and a
// record of a newer version than the one read only leaves fewer candidates. The comparison with the
// core (lockstep.c) has them.
#define MODEL_WRONG_RULES(X)                                                                       \
  X(JOINS_NEWEST, "a stale read joins the W of the newest write")                                  \
  X(JOINS_NOTHING, "a stale read acquires nothing")                                                \
  X(JOINS_ALWAYS, "a relaxed stale read acquires at once")                                         \
  X(STORE_PUBLISHES, "a departing write leaves in W what it would without departing")              \
  X(TAKES_TWICE, "two read-modify-writes on one stale version")                                    \
  X(WRITES_UNDER_RMW, "a write under a version that a read-modify-write left")                     \
  X(RECORDS_MISSED, "the record of a departing write is below the missed version")                 \
  X(RECORDS_NOTHING, "a departing access leaves no record")                                        \
  X(RECORDS_APPENDED, "the record of a departing access comes last")                               \
  X(S_RECORDS_MISSED, "the record in S of a departing write is below the missed version")          \
  X(S_RECORDS_NOTHING, "a departing access leaves no record in S")                                 \
  X(S_IS_NO_EVENT, "a departing seq_cst access has no place in S")                                 \
  X(S_BRINGS_NOTHING, "a departing access is S-after nothing of its location")                     \
  X(FLOWS_STAY, "a stale read joins Wp in happens-before alone")                                   \
  X(KNOWS_HB_ALONE, "K is T_c, whatever S says")                                                   \
  X(K_OF_OTHER_BRANCH, "both branches of a compare-exchange have the success order's K")           \
  X(NO_D, "D is not kept")                                                                         \
  X(D_OF_SEQ_CST_ALONE, "D is for departing seq_cst accesses, not for those behind an SC fence")   \
  X(D_NOT_BEHIND_FENCES, "D counts for seq_cst accesses, not for those behind an SC fence")        \
  X(LATE_S_ALONE, "S begins with the first seq_cst access, and fences before it are not in S")     \
  X(ANY_VERSION, "a version is missed that is not hbSC-visible")                                   \
  X(ANY_VALUE, "a value that the operation would not act on")

enum model_wrong_rule {
#define MODEL_WRONG_RULE(name, text) MODEL_##name,
  MODEL_WRONG_RULES(MODEL_WRONG_RULE)
#undef MODEL_WRONG_RULE
      MODEL_WRONG_RULE_COUNT
};

// One more bit, of a right rule: S begins with the first seq_cst access, and the fences before that
// stand in S before all else (what the core has with bounded history, steps/seqcst.h).
#define MODEL_LATE_S (1u << MODEL_WRONG_RULE_COUNT)

typedef uint16_t model_count; // all clocks, and structs of clocks, are of these

struct model_s {
  model_count event[MODEL_THREADS], fence[MODEL_THREADS];
};

struct model_view {
  model_count hb[MODEL_THREADS];
  struct model_s f, h, p;
};

struct model_thread {
  struct model_view c, a, r;
  model_count vs[MODEL_THREADS];
  struct model_s st;
};

struct model_version {
  uint32_t node; // of the graph; GRAPH_INITIAL
  uint64_t value;
  bool plain, taken;
  model_count writer, sc_index;
  struct model_view w; // Wp
};

struct model_record {
  model_count thread, at, version; // at: epoch, or index in S
};

struct model_location {
  uint32_t versions_count, records_count, s_records_count;
  struct model_view w;
  model_count ws[MODEL_THREADS], ms[MODEL_THREADS];
  struct model_s sw, sm;
  struct model_version versions[MODEL_STEPS + 1]; // 0: the initial one
  struct model_record records[MODEL_STEPS], s_records[MODEL_STEPS];
};

struct model {
  uint32_t wrong;  // a bit for each wrong rule that stands in place of the right one
  uint32_t newest; // so many of the newest versions can be missed
  bool has_s;      // S has begun
  uint32_t departures;
  struct model_s d;
  struct model_view fence_w;
  struct model_thread threads[MODEL_THREADS];
  struct model_location locations[MODEL_LOCATIONS];
};

// One way for an access to take effect. It departs if `version` is not the newest one.
struct model_choice {
  bool departs;
  bool ok; // the branch of a compare-exchange
  uint32_t version;
};

// `rules`: bits of wrong ones, and MODEL_LATE_S.
void model_begin(struct model *model, uint32_t rules, uint32_t newest);
void model_copy(struct model *into, const struct model *from);

// What the access may be given now: the ways without a departure first. None: it blocks.
size_t model_choices(const struct model *model, const struct trace_event *access,
                     struct model_choice choices[MODEL_CHOICES]);

// The access has come, and may yet block: S begins if it, or its other branch, is seq_cst.
void model_arrive(struct model *model, const struct trace_event *access);

// Makes the access. `written`: the value that it leaves if it writes; `node`: of the graph.
void model_access(struct model *model, const struct trace_event *access,
                  const struct model_choice *choice, uint64_t written, uint32_t node);
void model_fence(struct model *model, uint32_t thread, enum trace_order order);

// What the access does to memory, and with which order, in that branch.
enum graph_kind model_kind(enum trace_op op, bool ok);
enum trace_order model_order(const struct trace_event *access, bool ok);

extern const char *const model_wrong_rules[MODEL_WRONG_RULE_COUNT];

#endif
