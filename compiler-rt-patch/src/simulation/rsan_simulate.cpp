// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which rules apply at a program point: found when the point is first seen, whatever module it is
// in by then, and remembered. A module point is matched by the symbolizer's list of modules, which
// is what reports name; a source point by what the symbolizer says stands there, inlined frames
// included.

#include "port/rsan_errno.h"
#include "port/rsan_tsan.h"

#include "base/rsan_option_file.h"
#include "base/rsan_state.h"
#include "places/rsan_modules.h"
#include "places/rsan_place.h"
#include "rsan_config.h"
#include "simulation/rsan_simulate_file.h"

namespace __tsan {

// Program points that are remembered at a time, in 128 KiB. Where there are more, those that have
// been looked up longest ago make room, and are looked up again if they come back: slow, right, and
// counted.
static const uptr kPoints = 1 << 14, kProbes = 8;

// A point in one word, so that it is read without a lock: the pc (47 bits of a user's address), and
// below it what is done there. 0: empty.
static const u64 kBefore = 1, kAfter = 2, kOrderShift = 2, kSeen = 1 << 5, kPcShift = 16;
static_assert(RSAN_SEQ_CST < 8 && (u64)RSAN_SEQ_CST << kOrderShift < kSeen, "an order is 3 bits");
static atomic_uint64_t points[kPoints];

static Mutex mutex; // of what follows
static Vector<RsanRule> *rules SANITIZER_GUARDED_BY(mutex);
static bool has_source_rules SANITIZER_GUARDED_BY(mutex);
static uptr next_victim SANITIZER_GUARDED_BY(mutex);
static u64 unloaded_libraries SANITIZER_GUARDED_BY(mutex); // the dynamic linker's count

static atomic_uint64_t executed_fences, raised_orders, forgotten_points;

static u64 Encode(uptr pc, const RsanRepair &repair) {
  return (u64)pc << kPcShift | kSeen | (u64)repair.order << kOrderShift |
         (repair.after ? kAfter : 0) | (repair.before ? kBefore : 0);
}

static RsanRepair Decode(u64 point) {
  return {(point & kBefore) != 0, (point & kAfter) != 0,
          static_cast<rsan_order>(point >> kOrderShift & 7)};
}

// The least order that is not weaker than either.
static rsan_order Join(rsan_order a, rsan_order b) {
  if (a == RSAN_SEQ_CST || b == RSAN_SEQ_CST)
    return RSAN_SEQ_CST;
  bool acquires = rsan_order_acquires(a) || rsan_order_acquires(b);
  bool releases = rsan_order_releases(a) || rsan_order_releases(b);
  return acquires && releases ? RSAN_ACQ_REL
         : acquires           ? RSAN_ACQUIRE
         : releases           ? RSAN_RELEASE
                              : RSAN_RELAXED;
}

static void AddTo(RsanRepair *repair, const RsanRepair &more) {
  repair->before |= more.before;
  repair->after |= more.after;
  repair->order = Join(repair->order, more.order);
}

static bool MatchesModule(const RsanRule &rule, uptr pc, const char *module, uptr offset) {
  if (!rule.path)
    return rule.offset == pc;
  return module && !rule.line && RsanNamesPoint(rule.path, rule.offset, module, offset);
}

static bool MatchesSource(const RsanRule &rule, const SymbolizedStack *frames) {
  for (; frames; frames = frames->next)
    if (RsanIsSource(rule, frames->info.file, frames->info.line, frames->info.column))
      return true;
  return false;
}

// Where a program point is. To be found before the mutex is taken: whoever holds the dynamic
// linker's lock, in a callback of dl_iterate_phdr, may come to a new point.
struct Point {
  explicit Point(uptr pc) : pc(pc), call(StackTrace::GetPreviousInstructionPc(pc)) {
    module = RsanModuleAt(call, &offset);
  }
  uptr pc, call, offset = 0;
  const char *module;
};

// Calls `apply` with each rule for the point.
template <typename F> static void ForRulesAt(const Point &at, F apply) SANITIZER_REQUIRES(mutex) {
  // (Asked for code in no module the symbolizer waits for the dynamic linker, too.)
  SymbolizedStack *frames =
      has_source_rules && at.module ? Symbolizer::GetOrInit()->SymbolizePC(at.call) : nullptr;
  RsanNormalisePaths(frames);
  for (uptr i = 0; i < rules->Size(); i++) {
    RsanRule &rule = (*rules)[i];
    if (MatchesModule(rule, at.pc, at.module, at.offset) || MatchesSource(rule, frames))
      apply(rule);
  }
  if (frames)
    frames->ClearAll();
}

static uptr FirstSlot(uptr pc) {
  return (pc * 0x9e3779b97f4a7c15ull) >> 50;
}
static_assert(kPoints == 1 << 14, "FirstSlot takes the upper 14 bits of a product");

// The slot with the point, or else the one for it. Null: all taken by others.
static atomic_uint64_t *FindSlot(uptr pc, u64 *content) {
  uptr slot = FirstSlot(pc);
  for (uptr i = 0; i < kProbes; i++) {
    atomic_uint64_t *at = &points[(slot + i) % kPoints];
    *content = atomic_load_relaxed(at);
    if (!*content || *content >> kPcShift == pc)
      return at;
  }
  return nullptr;
}

static void Remember(uptr pc, const RsanRepair &repair) SANITIZER_REQUIRES(mutex) {
  u64 content;
  atomic_uint64_t *at = FindSlot(pc, &content);
  if (!at) {
    at = &points[(FirstSlot(pc) + next_victim++ % kProbes) % kPoints];
    atomic_fetch_add(&forgotten_points, 1, memory_order_relaxed);
  }
  atomic_store_relaxed(at, Encode(pc, repair));
}

static NOINLINE RsanRepair LookUp(uptr pc) {
  const int saved_errno = errno;
  ScopedIgnoreInterceptors ignore; // of the symbolizer's calls
  RsanRepair repair = {};
  const Point point(pc);
  {
    Lock lock(&mutex);
    ForRulesAt(point, [&](RsanRule &rule) {
      rule.matched = true;
      AddTo(&repair, rule.repair);
      if (rsan_flags()->count_repairs)
        RsanCountRuleAt(pc, static_cast<uptr>(&rule - &(*rules)[0]));
    });
    Remember(pc, repair);
  }
  errno = saved_errno;
  return repair;
}

RsanRepair RsanRepairAt(uptr pc) {
  u64 content;
  atomic_uint64_t *at = FindSlot(pc, &content);
  return LIKELY(at && content) ? Decode(content) : LookUp(pc);
}

static bool IsSame(const RsanRule &a, const RsanRule &b) {
  return a.offset == b.offset && a.repair.before == b.repair.before &&
         a.repair.after == b.repair.after && a.repair.order == b.repair.order && !a.line &&
         !b.line && (a.path ? b.path && !internal_strcmp(a.path, b.path) : !b.path);
}

static bool IsKnown(const RsanRule &rule) SANITIZER_REQUIRES(mutex) {
  for (uptr i = 0; i < rules->Size(); i++)
    if (IsSame((*rules)[i], rule))
      return true;
  return false;
}

static void MakeRules() SANITIZER_REQUIRES(mutex) {
  if (!rules)
    rules = New<Vector<RsanRule>>();
}

void RsanAddRepair(uptr pc, const RsanRepair &repair) {
  RsanRule rule = {};
  rule.repair = repair;
  rule.matched = true;
  const Point point(pc);
  rule.path = point.module;
  rule.offset = point.module ? point.offset : pc;
  Lock lock(&mutex);
  MakeRules();
  if (IsKnown(rule))
    return;
  rules->PushBack(rule);
  u64 content;
  if (FindSlot(pc, &content) && content) {
    RsanRepair all = Decode(content);
    AddTo(&all, repair);
    Remember(pc, all);
  } // else it is looked up when it is next seen
  RsanSimulateAlso(kRsanRepairs);
}

static bool IsLegal(RsanOperation operation, rsan_order order) {
  return order == RSAN_RELAXED || order == RSAN_SEQ_CST ||
         !(operation == RSAN_OPERATION_LOAD
               ? rsan_order_releases(order)
               : operation == RSAN_OPERATION_STORE && rsan_order_acquires(order));
}

static const char *const operation_names[] = {"a load", "a store", "a read-modify-write",
                                              "a fence"};
static const char *const order_names[] = {"relaxed", "consume", "acquire",
                                          "release", "acq_rel", "seq_cst"};

bool RsanRefuses(const RsanRule &rule, RsanOperation operation, rsan_order order,
                 InternalScopedString *why) {
  const rsan_order wanted = rule.repair.order;
  if (wanted == RSAN_RELAXED)
    return false;
  if (!IsLegal(operation, wanted))
    why->AppendF("%s cannot be %s: the point needs another order, or a column",
                 operation_names[operation], order_names[wanted]);
  else if (Join(wanted, order) == order && wanted != order)
    why->AppendF("order %s would weaken %s that is %s", order_names[wanted],
                 operation_names[operation], order_names[order]);
  return why->length() != 0;
}

// Ends the process if it is the rule's fault. What is weaker beside another rule does no harm.
static void CheckOrder(const RsanRule &rule, RsanOperation operation, rsan_order order,
                       rsan_order raised) {
  InternalScopedString why;
  if (!rule.stands_at || !RsanRefuses(rule, operation, order, &why) ||
      (IsLegal(operation, rule.repair.order) && Join(raised, order) != order))
    return;
  Printf("ThreadSanitizer: %s:%u: %s\n", Printable(rsan_flags()->simulate), rule.stands_at,
         why.data());
  RsanDieUnstarted();
}

rsan_order RsanRaise(uptr pc, RsanOperation operation, rsan_order order, rsan_order raised) {
  // Acquire for a read-modify-write that is release makes it both.
  const rsan_order joined = Join(raised, order);
  if (LIKELY(IsLegal(operation, raised) && (joined != order || raised == order))) {
    if (joined != order)
      atomic_fetch_add(&raised_orders, 1, memory_order_relaxed);
    return joined;
  }
  const Point point(pc);
  Lock lock(&mutex);
  ForRulesAt(point, [&](RsanRule &rule) { CheckOrder(rule, operation, order, raised); });
  return order; // a repair of our own that the place does not allow
}

rsan_order RsanRaiseFailure(rsan_order order, rsan_order raised) {
  if (raised != RSAN_SEQ_CST)
    raised = rsan_order_acquires(raised) ? RSAN_ACQUIRE : RSAN_RELAXED;
  return Join(order, raised);
}

void RsanCountSimulatedFence() {
  atomic_fetch_add(&executed_fences, 1, memory_order_relaxed);
}

// Other code may come to be where the library's was.
void RsanForgetUnloadedRepairs() {
  if (!RsanSimulates(kRsanRepairs))
    return;
  const u64 now = RsanReadModules();
  Lock lock(&mutex);
  if (unloaded_libraries == now)
    return;
  unloaded_libraries = now;
  for (uptr i = 0; i < kPoints; i++)
    atomic_store_relaxed(&points[i], 0);
}

static void CheckSymbolizer(const char *file, const RsanRule &rule) {
  if (!rule.line || RsanHasSymbolizer())
    return;
  Printf("ThreadSanitizer: %s:%u: file:LINE needs a symbolizer: install llvm-" RSAN_LLVM_MAJOR
         ", set "
         "external_symbolizer_path= in RSAN_OPTIONS, or write module+0xOFFSET\n",
         Printable(file), rule.stands_at);
  RsanDieUnstarted();
}

static void ReadRules(const char *file) SANITIZER_REQUIRES(mutex) {
  RsanReadRules(file, rules);
  for (uptr i = 0; i < rules->Size(); i++) {
    CheckSymbolizer(file, (*rules)[i]);
    has_source_rules |= (*rules)[i].line != 0;
  }
}

void RsanInitializeSimulation() {
  const char *file = rsan_flags()->simulate;
  if (!file || !*file)
    return;
  RsanReadModules();
  Lock lock(&mutex);
  MakeRules();
  ReadRules(file);
  if (rules->Size())
    RsanSimulateAlso(kRsanRepairs);
}

static uptr CountUnmatched() SANITIZER_REQUIRES(mutex) {
  uptr unmatched = 0;
  for (uptr i = 0; i < rules->Size(); i++)
    unmatched += !(*rules)[i].matched;
  return unmatched;
}

static void PrintUnmatched(uptr unmatched) SANITIZER_REQUIRES(mutex) {
  // All for `rsan run', which puts together what the processes say.
  const uptr kNamed = rsan_flags()->stats ? ~static_cast<uptr>(0) : 20;
  InternalScopedString lines;
  uptr named = 0;
  for (uptr i = 0; i < rules->Size(); i++)
    if (!(*rules)[i].matched && named++ < kNamed)
      lines.AppendF("%s%u", named == 1 ? "" : ", ", (*rules)[i].stands_at);
  Printf("WARNING: ThreadSanitizer: %zu of the rules of %s match no atomic access of this run "
         "(pid=%d): line%s %s%s\n",
         unmatched, rsan_flags()->simulate, static_cast<int>(internal_getpid()),
         unmatched == 1 ? "" : "s", lines.data(), named > kNamed ? ", ..." : "");
}

// What was found while running, as lines for a list.
static void PrintAdded() SANITIZER_REQUIRES(mutex) {
  Printf("ThreadSanitizer: repairs that were switched on (pid=%d), as lines for simulate=FILE:\n",
         static_cast<int>(internal_getpid()));
  for (uptr i = 0; i < rules->Size(); i++) {
    const RsanRule &rule = (*rules)[i];
    if (rule.stands_at)
      continue;
    const char *what = rule.repair.before ? "fence-before" : "fence-after";
    if (rule.repair.order == RSAN_RELAXED)
      Printf("%s %s+0x%zx\n", what, rule.path ? rule.path : "unknown", rule.offset);
    else
      Printf("order %s %s+0x%zx\n", order_names[rule.repair.order],
             rule.path ? rule.path : "unknown", rule.offset);
  }
}

void RsanFinalizeSimulation() {
  if (!RsanSimulates(kRsanRepairs) || ctx->after_multithreaded_fork)
    return;
  Lock lock(&mutex);
  uptr unmatched = CountUnmatched();
  if (rsan_flags()->stats && rules->Size()) {
    Printf("  %-16s %12zu  rules of simulated repairs\n", "repairs", rules->Size());
    Printf("  %-16s %12zu  rules whose program point was never reached\n", "unmatched", unmatched);
    Printf("  %-16s %12llu  simulated fences that were executed\n", "simulated_fences",
           (unsigned long long)atomic_load_relaxed(&executed_fences));
    Printf("  %-16s %12llu  accesses that had a stronger order by a rule\n", "simulated_orders",
           (unsigned long long)atomic_load_relaxed(&raised_orders));
    Printf("  %-16s %12llu  program points evicted from the cache and looked up again\n",
           "forgotten_points", (unsigned long long)atomic_load_relaxed(&forgotten_points));
  }
  if (rsan_flags()->count_repairs)
    RsanPrintCounts(*rules);
  else if (unmatched)
    PrintUnmatched(unmatched);
  if (rsan_flags()->repair_as_you_go)
    PrintAdded();
}

} // namespace __tsan
