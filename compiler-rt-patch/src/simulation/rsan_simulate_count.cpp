// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// count_repairs=1: how often each rule of simulate= would act, for how many callers, and whether it
// could. Nothing is changed. The program's threads count at a table of program points without a
// lock; at exit each rule gets the sum over its points.

#include "port/rsan_tsan.h"

#include "base/rsan_state.h"
#include "simulation/rsan_simulate_file.h"

namespace __tsan {

namespace {

const uptr kPoints = 1 << 12, kCallers = 8;
const u32 kOrders = RSAN_SEQ_CST + 1;

struct Counted {
  atomic_uint64_t pc; // 0: free
  atomic_uint64_t executions;
  atomic_uint64_t callers[kCallers]; // return addresses of the function that the point is in
  atomic_uint32_t operations;        // a bit for each operation and order that was seen
};
static_assert((RSAN_OPERATION_FENCE + 1) * kOrders <= 32, "operations and orders are 32 bits");

// A rule that applies at a point.
struct Match {
  uptr rule, point;
};

} // namespace

static Counted table[kPoints];
static atomic_uint64_t uncounted; // executions of points that the table has no room for
static Mutex mutex;
static Vector<Match> *matches SANITIZER_GUARDED_BY(mutex);

// The entry of a point, made if there is none. kPoints: the table is full.
static uptr EntryOf(uptr pc) {
  static_assert(kPoints == 1 << 12, "the upper 12 bits of a product");
  const uptr first = pc * 0x9e3779b97f4a7c15ull >> 52;
  for (uptr i = 0; i < kPoints; i++) {
    atomic_uint64_t *entry = &table[(first + i) % kPoints].pc;
    u64 there = atomic_load_relaxed(entry);
    if ((!there && atomic_compare_exchange_strong(entry, &there, pc, memory_order_relaxed)) ||
        there == pc)
      return (first + i) % kPoints;
  }
  return kPoints;
}

void RsanCountRuleAt(uptr pc, uptr rule) {
  const uptr point = EntryOf(pc);
  if (point == kPoints)
    return; // and its executions are counted as uncounted
  Lock lock(&mutex);
  if (!matches)
    matches = New<Vector<Match>>();
  for (uptr i = 0; i < matches->Size(); i++)
    if ((*matches)[i].rule == rule && (*matches)[i].point == point)
      return;
  matches->PushBack({rule, point});
}

static void NoteCaller(Counted *counted, u64 caller) {
  for (auto &known : counted->callers) {
    u64 there = atomic_load_relaxed(&known);
    if ((!there && atomic_compare_exchange_strong(&known, &there, caller, memory_order_relaxed)) ||
        there == caller)
      return;
  }
}

void RsanCountExecution(const ThreadState *thr, uptr pc, RsanOperation operation,
                        rsan_order order) {
  const uptr point = EntryOf(pc);
  if (point == kPoints) {
    atomic_fetch_add(&uncounted, 1, memory_order_relaxed);
    return;
  }
  Counted *counted = &table[point];
  atomic_fetch_add(&counted->executions, 1, memory_order_relaxed);
  NoteCaller(counted, RsanCaller(thr));
  const u32 bit = 1u << (operation * kOrders + order);
  u32 seen = atomic_load_relaxed(&counted->operations);
  while (!(seen & bit) && !atomic_compare_exchange_weak(&counted->operations, &seen, seen | bit,
                                                        memory_order_relaxed)) {
  }
}

static bool FindRefusal(const RsanRule &rule, u32 operations, InternalScopedString *why) {
  for (u32 bit = 0; bit < 32; bit++)
    if ((operations >> bit & 1) && RsanRefuses(rule, static_cast<RsanOperation>(bit / kOrders),
                                               static_cast<rsan_order>(bit % kOrders), why))
      return true;
  return false;
}

// One line a rule, which `rsan fix' reads.
static void PrintRule(const RsanRule &rule, uptr number) SANITIZER_REQUIRES(mutex) {
  InternalScopedString why;
  u64 executions = 0;
  uptr callers = 0;
  bool refused = false;
  for (uptr i = 0; matches && i < matches->Size(); i++) {
    if ((*matches)[i].rule != number)
      continue;
    Counted &point = table[(*matches)[i].point];
    executions += atomic_load_relaxed(&point.executions);
    for (auto &caller : point.callers)
      callers += atomic_load_relaxed(&caller) != 0;
    refused = refused || FindRefusal(rule, atomic_load_relaxed(&point.operations), &why);
  }
  Printf("ThreadSanitizer: %s:%u: %llu executions, %zu callers%s%s\n", rsan_flags()->simulate,
         rule.stands_at, (unsigned long long)executions, callers, refused ? ": " : "", why.data());
}

void RsanPrintCounts(const Vector<RsanRule> &rules) {
  Lock lock(&mutex);
  for (uptr i = 0; i < rules.Size(); i++)
    PrintRule(rules[i], i);
  if (const u64 lost = atomic_load_relaxed(&uncounted))
    Printf("WARNING: ThreadSanitizer: %llu executions of atomic accesses were not counted: there "
           "are more than %zu places (pid=%d)\n",
           (unsigned long long)lost, kPoints, static_cast<int>(internal_getpid()));
}

} // namespace __tsan
