// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses that could not be checked, by reason. A check is lost where something that it needs is
// not there, and where an object is left out of the analysis. Not counted here is what is lost by
// design: docs/internals/MODEL.md has a list, and stats=1 the numbers.

#include "base/rsan_unchecked.h"

#include "base/rsan_state.h"

namespace __tsan {

static atomic_uint64_t counts[kRsanUncheckedCount];

void RsanCountUnchecked(RsanUnchecked kind) {
  atomic_fetch_add(&counts[kind], 1, memory_order_relaxed);
}

// The core counts accesses to objects that it does not analyse.
static u64 Count(u32 kind) {
  if (kind == kRsanUnchecked_MIXED)
    return RsanEngine() ? rsan_engine_stat(RsanEngine(), RSAN_STAT_mixed_accesses) : 0;
  return atomic_load_relaxed(&counts[kind]);
}

u64 RsanUncheckedCount() {
  u64 all = 0;
  for (u32 i = 0; i < kRsanUncheckedCount; i++)
    all += Count(i);
  return all;
}

// `rsan run` and `rsan report` read the line: tools/rsan/report/unchecked.c.
void RsanPrintUnchecked() {
  static const char *const texts[] = {
#define RSAN_UNCHECKED_TEXT(name, text) text,
      RSAN_UNCHECKED(RSAN_UNCHECKED_TEXT)
#undef RSAN_UNCHECKED_TEXT
  };
  if (ctx->after_multithreaded_fork)
    return;
  const u64 all = RsanUncheckedCount();
  if (!all)
    return;
  InternalScopedString line;
  line.AppendF("ThreadSanitizer: %llu access%s could not be checked", all, all == 1 ? "" : "es");
  const char *separator = ": ";
  for (u32 i = 0; i < kRsanUncheckedCount; i++)
    if (const u64 count = Count(i)) {
      line.AppendF("%s%llu %s", separator, count, texts[i]);
      separator = "; ";
    }
  Printf("%s\n", line.data());
}

} // namespace __tsan
