// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "places/rsan_field.h"

#include "port/rsan_tsan.h"

#include "common/rsan_source_name.h"
#include "places/rsan_place.h"

namespace __tsan {

static StaticSpinMutex fields_mutex;
// The texts are copies: the module that noted them may be unloaded. Each is the field's name, a
// null character, and the expression, which may be empty. Null: several names are known, or that
// there is none.
typedef DenseMap<u64, const char *> Fields;
static Fields *by_function SANITIZER_GUARDED_BY(fields_mutex); // by place and function
static Fields *by_place SANITIZER_GUARDED_BY(fields_mutex);    // by place alone

static u64 JoinKeys(u64 place, u64 function) {
  return (place ^ function * 0x9e3779b97f4a7c15u) >> 1; // the topmost values are DenseMap's own
}

// Looks for the place in the function with that full name. Symbolizers write some names differently
// from the compiler, so the place alone is enough for a function that is no instance of a template.
// It is not enough for an instance, because another instance may access another type at that place.
const char *RsanFieldAt(const SymbolizedStack *frames) {
  const SymbolizedStack *place = frames ? RsanPlaceOf(frames) : nullptr;
  u64 key = place ? RsanPlaceKey(place->info) : 0;
  if (!key || ctx->after_multithreaded_fork)
    return nullptr;
  const char *function = place->info.function;
  SpinMutexLock lock(&fields_mutex);
  if (!by_function)
    return nullptr;
  if (auto *found = by_function->find(JoinKeys(key, rsan_function_key(function))))
    return found->second;
  auto *found = internal_strchr(function, '<') ? nullptr : by_place->find(key);
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

// `name` is the field's, and in a second line, if it is known, the expression.
static bool IsSameField(const char *field, const char *name) {
  uptr length = internal_strlen(field);
  if (internal_strncmp(field, name, length))
    return false;
  return name[length]
             ? name[length] == '\n' && !internal_strcmp(field + length + 1, name + length + 1)
             : !field[length + 1];
}

// Adds the name under the key; two names for one key make the key useless. *copy starts as null,
// and keeps the copy that the first call makes of `name`, so that the next call does not make
// another.
static void NoteField(Fields *fields, u64 key, const char *name, const char **copy) {
  auto made = fields->insert({key, nullptr});
  const char *&field = made.first->getSecond();
  if (made.second && *name && !*copy)
    *copy = CopyField(name);
  if (made.second)
    field = *copy;
  else if (field && !IsSameField(field, name))
    field = nullptr;
}

} // namespace __tsan

using namespace __tsan;

struct RsanField {
  u64 place, function; // rsan_source_name.h
  const char *name;    // empty: it has none
};

// Called by the compiler's pass when a module is loaded.
extern "C" SANITIZER_INTERFACE_ATTRIBUTE void __rsan_note_field_names(const RsanField *noted,
                                                                      u32 count) {
  // Another thread may have held the lock when the process forked; nothing is reported there.
  if (ctx->after_multithreaded_fork)
    return;
  SpinMutexLock lock(&fields_mutex);
  if (!by_function) {
    by_function = New<Fields>();
    by_place = New<Fields>();
  }
  for (u32 i = 0; i < count; i++) {
    const RsanField &one = noted[i];
    const char *copy = nullptr;
    NoteField(by_function, JoinKeys(one.place, one.function), one.name, &copy);
    NoteField(by_place, one.place, one.name, &copy);
  }
}
