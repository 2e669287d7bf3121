// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "places/rsan_field.h"

#include "port/rsan_tsan.h"

#include "places/rsan_place.h"

namespace __tsan {

static StaticSpinMutex fields_mutex;
// By the place's key. The texts are copies: the module that noted them may be unloaded. Each is the
// field's name, a null character, and the expression, which may be empty.
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

const char *RsanFieldOfAccess(const ReportDesc &report, uptr index) {
  const uptr count = report.mops.Size(), address = report.mops[index]->addr;
  const char *field = nullptr;
  for (uptr i = 0; i < count && !field; i++) {
    const ReportMop &mop = *report.mops[(index + i) % count];
    if (mop.addr == address && mop.stack)
      field = RsanFieldAt(mop.stack->frames);
  }
  return field;
}

const char *RsanFieldOfStep(const rsan_explanation &why, u32 index) {
  const rsan_step &of = why.steps[index];
  const char *field = nullptr;
  for (u32 i = 0; of.kind == RSAN_STEP_ACCESS && i < why.step_count && !field; i++) {
    const rsan_step &step = why.steps[(index + i) % why.step_count];
    if (step.kind == RSAN_STEP_ACCESS && step.address == of.address)
      field = RsanFieldAt(RsanStepFrames(step).frames());
  }
  return field;
}

const char *RsanFieldExpression(const char *field) {
  const char *expression = field + internal_strlen(field) + 1;
  return *expression ? expression : nullptr;
}

static const char *CopyField(const char *name) {
  uptr length = internal_strlen(name);
  char *copy = static_cast<char *>(InternalAlloc(length + 2));
  internal_memcpy(copy, name, length);
  copy[length] = copy[length + 1] = '\0';
  if (char *end = internal_strchr(copy, '\n'))
    *end = '\0';
  return copy;
}

} // namespace __tsan

using namespace __tsan;

struct RsanField {
  u64 key;          // of a place (rsan_source_name.h)
  const char *name; // and in a second line, if it is known, the expression
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
      made.first->getSecond() = CopyField(noted[i].name);
  }
}
