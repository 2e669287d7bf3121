// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions and lines of code, and names of globals. The symbolizer is asked for each address of
// code once, with no lock of the program's threads held, and while report_budget= lasts: what it
// takes counts. After that there is the module, and the offset in it.

#include "port/rsan_tsan.h"

#include "base/rsan_state.h"
#include "common/rsan_source_name.h"

namespace __tsan {

static StaticSpinMutex mutex; // of `known`
static DenseMap<uptr, SymbolizedStack *> *known;
static atomic_uint64_t spent;    // nanoseconds
static atomic_uint64_t left_out; // questions
static atomic_uint64_t reports;  // in which there were such

namespace {

class Spending {
public:
  ~Spending() { atomic_fetch_add(&spent, MonotonicNanoTime() - begin_, memory_order_relaxed); }

private:
  const u64 begin_ = MonotonicNanoTime();
};

} // namespace

// Is report_budget= spent? Counts the caller's address as one without a name if so.
static bool IsUsedUp() {
  const u64 second = 1000 * 1000 * 1000;
  const int budget = rsan_flags()->report_budget;
  if (budget <= 0 || atomic_load_relaxed(&spent) < budget * second)
    return false;
  atomic_fetch_add(&left_out, 1, memory_order_relaxed);
  return true;
}

static char *CopyText(const char *text) {
  return text ? internal_strdup(text) : nullptr;
}

static SymbolizedStack *Copy(const SymbolizedStack *frames) {
  SymbolizedStack *first = nullptr, **next = &first;
  for (; frames; frames = frames->next) {
    SymbolizedStack *copy = SymbolizedStack::New(frames->info.address);
    copy->info = frames->info;
    copy->info.module = CopyText(frames->info.module);
    copy->info.function = CopyText(frames->info.function);
    copy->info.file = CopyText(frames->info.file);
    *next = copy;
    next = &copy->next;
  }
  return first;
}

static SymbolizedStack *FindKnown(uptr pc) {
  SpinMutexLock lock(&mutex);
  auto *found = known ? known->find(pc) : nullptr;
  return found ? Copy(found->second) : nullptr;
}

static void Remember(uptr pc, const SymbolizedStack *frames) {
  SymbolizedStack *copy = Copy(frames);
  {
    SpinMutexLock lock(&mutex);
    if (!known)
      known = New<DenseMap<uptr, SymbolizedStack *>>();
    if (known->insert({pc, copy}).second)
      return;
  }
  copy->ClearAll(); // another thread was faster
}

SymbolizedStack *RsanSymbolizeCode(uptr pc) {
  if (SymbolizedStack *frames = FindKnown(pc))
    return frames;
  if (IsUsedUp())
    return Symbolizer::GetOrInit()->SymbolizePC(pc, true);
  SymbolizedStack *frames;
  {
    const Spending spending;
    frames = Symbolizer::GetOrInit()->SymbolizePC(pc);
  }
  Remember(pc, frames);
  return frames;
}

bool RsanSymbolizeData(uptr address, DataInfo *info) {
  if (IsUsedUp())
    return false;
  const Spending spending;
  return Symbolizer::GetOrInit()->SymbolizeData(address, info);
}

void RsanDropNumbers(char *name) {
  rsan_drop_numbers(name);
}

void RsanForgetSymbols() {
  if (ctx->after_multithreaded_fork)
    return;
  SpinMutexLock lock(&mutex);
  if (!known)
    return;
  known->forEach([](auto &one) {
    one.second->ClearAll();
    return true;
  });
  known->clear();
}

u64 RsanLeftOut() {
  return atomic_load_relaxed(&left_out);
}

void RsanNoteReport(u64 left_out_before) {
  if (RsanLeftOut() != left_out_before)
    atomic_fetch_add(&reports, 1, memory_order_relaxed);
}

u64 RsanUnsymbolizedReports() {
  return atomic_load_relaxed(&reports);
}

void RsanPrintUnsymbolized() {
  const u64 count = RsanUnsymbolizedReports();
  if (!count || RsanWritesRecords())
    return;
  Printf(
      "ThreadSanitizer: %llu report%s modules and offsets in place of functions and lines, since "
      "finding those had taken %d s (report_budget); rsan-symbolize completes them\n",
      count, count == 1 ? " has" : "s have", rsan_flags()->report_budget);
  if (flags()->suppressions[0])
    Printf("ThreadSanitizer: suppressions of functions and files were not asked for these\n");
}

} // namespace __tsan
