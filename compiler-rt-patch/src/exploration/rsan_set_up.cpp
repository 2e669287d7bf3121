// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "exploration/rsan_set_up.h"

#include "locations/rsan_lock.h"
#include "port/rsan_tsan.h"

namespace __tsan {

namespace {

struct Object {
  uptr addr;
  u32 size;
  bool known; // `value` is what it had when the threads began
  rsan_value value;
};

} // namespace

static const uptr kMostObjects = 1 << 12;
static Vector<Object> *objects;
static bool threads_run, met_unknown;
static u64 counted; // values of this execution's threads that the engine has counted as unseen

rsan_value RsanValueInMemory(uptr addr, u32 size) {
  rsan_value value = {};
  internal_memcpy(&value, reinterpret_cast<const void *>(addr), size);
  return value;
}

// Locks the location of the object, which may be one of several sizes that has its bytes. Returns
// none if there is none.
static RsanLocked LockObject(const Object &object) SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  SyncVar *s = ctx->metamap.GetSyncIfExists(object.addr);
  if (s && s->rsan.location && s->rsan.size == object.size)
    return {s, RsanLockLocation(s)};
  if (!RsanAnyMixes())
    return {};
  return RsanLockMixed(cur_thread(), object.addr, object.size);
}

// (An object without a location may have been freed: then there is nothing to read.)
static void BeginObject(Object *object) SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  const RsanLocked locked = LockObject(*object);
  object->known = locked.s != nullptr;
  if (!object->known)
    return;
  rsan_location_forget(locked.s->rsan.location);
  object->value = RsanValueInMemory(object->addr, object->size);
  RsanUnlockLocation(locked.s, locked.seq + 2);
}

void RsanSetUpEnds() {
  threads_run = true;
  counted = 0;
  for (uptr i = 0; objects && i < objects->Size(); i++)
    BeginObject(&(*objects)[i]);
}

void RsanThreadsEnd() {
  threads_run = false;
  if (RsanIsUnexplored() || met_unknown)
    RsanExcuseUnseen(counted);
}

static Object *Find(uptr addr, u32 size) {
  for (uptr i = 0; objects && i < objects->Size(); i++)
    if ((*objects)[i].addr == addr && (*objects)[i].size == size)
      return &(*objects)[i];
  return nullptr;
}

static void Note(uptr addr, u32 size) {
  if (!objects)
    objects = New<Vector<Object>>();
  if (size > sizeof(rsan_value) || objects->Size() == kMostObjects)
    return;
  objects->PushBack({addr, size, false, {}});
  met_unknown = true;
}

rsan_writer RsanWriterInTest(uptr addr, u32 size, rsan_value value, bool first,
                             rsan_writer writer) {
  if (!threads_run) {
    RsanExcuseUnseen(!first);
    return RSAN_WRITER_SEEN;
  }
  if (first && writer == RSAN_WRITER_SEEN)
    return writer;
  const Object *object = Find(addr, size);
  if (object && object->known && first && rsan_value_equal(object->value, value))
    return RSAN_WRITER_SEEN;
  if (!object && !RsanIsUnexplored())
    Note(addr, size);
  counted += !first + (writer == RSAN_WRITER_UNSEEN);
  return writer;
}

bool RsanMetUnknownObjects() {
  const bool met = met_unknown;
  met_unknown = false;
  return met;
}

} // namespace __tsan
