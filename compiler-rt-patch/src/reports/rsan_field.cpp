// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/rsan_field.h"

#include "sanitizer_common/sanitizer_placement_new.h"

#include "reports/rsan_place.h"
#include "sanitizer_common/sanitizer_dense_map.h"
#include "tsan_mman.h"

namespace __tsan {

static StaticSpinMutex fields_mutex;
// By the place's key. The texts are copies: the module that noted them may be unloaded.
static DenseMap<u64, const char *> *fields SANITIZER_GUARDED_BY(fields_mutex);

const char *RsanFieldAt(const SymbolizedStack *frames) {
  const SymbolizedStack *place = frames ? RsanPlaceOf(frames) : nullptr;
  u64 key = place ? RsanPlaceKey(place->info) : 0;
  if (!key || ctx->after_multithreaded_fork)
    return nullptr;
  SpinMutexLock lock(&fields_mutex);
  auto *found = fields ? fields->find(key) : nullptr;
  return found ? found->second : nullptr;
}

} // namespace __tsan

using namespace __tsan;

struct RsanField {
  u64 key; // of a place (rsan_source_name.h)
  const char *name;
};

// Called by the compiler's pass when a module is loaded.
extern "C" SANITIZER_INTERFACE_ATTRIBUTE void __rsan_note_fields(const RsanField *noted,
                                                                 u32 count) {
  // Another thread may have held the lock when the process forked; nothing is reported there.
  if (ctx->after_multithreaded_fork)
    return;
  SpinMutexLock lock(&fields_mutex);
  if (!fields)
    fields = New<DenseMap<u64, const char *>>();
  for (u32 i = 0; i < count; i++) {
    auto made = fields->insert({noted[i].key, nullptr});
    if (made.second)
      made.first->getSecond() = internal_strdup(noted[i].name);
  }
}
