// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which access TSan's shadow forgets when it has no room for another one. The shadow keeps four
// for eight bytes; where all schedules are explored no race may be missed, so one is forgotten that
// can be in no race which another one is not in, too:
//
//   - it happens before the new access, whose bytes include its own; the new one writes, or it only
//     reads; and it is atomic if the new one is. Whoever would race with it, and so does not happen
//     after it, does not happen after the new one either, and races with that.
//   - it happens before what every thread does from now on.
//
// If there is none it is noted that the run is no proof.

#include "exploration/rsan_exploration.h"
#include "schedule/rsan_token.h"
#include "tsan_shadow.h"

namespace __tsan {

static AccessType TypeOf(Shadow access) {
  AccessType type;
  access.GetAccess(nullptr, nullptr, &type);
  return type;
}

static bool HappensBefore(const ThreadState *thr, Shadow old) {
  return thr->fast_state.sid() == old.sid() || thr->clock.Get(old.sid()) >= old.epoch();
}

static bool Replaces(const ThreadState *thr, Shadow access, Shadow old) {
  const AccessType type = TypeOf(access), other = TypeOf(old);
  return HappensBefore(thr, old) && !(old.access() & ~access.access()) &&
         (!(type & kAccessRead) || (other & kAccessRead)) &&
         (!(type & kAccessAtomic) || (other & kAccessAtomic));
}

// (Only the thread with the token runs, so nobody's clock changes meanwhile.)
static bool IsBeforeAll(Shadow old) SANITIZER_NO_THREAD_SAFETY_ANALYSIS {
  const auto &threads = rsan_schedule_state->threads;
  for (uptr i = 0; i < threads.Size(); i++)
    if (!threads[i]->dead && !(threads[i]->thr && HappensBefore(threads[i]->thr, old)))
      return false;
  return true;
}

uptr RsanEvict(ThreadState *thr, RawShadow *shadow, RawShadow access) {
  for (uptr i = 0; i < kShadowCnt; i++) {
    const Shadow old(LoadShadow(&shadow[i]));
    if ((TypeOf(old) & kAccessFree) || old.raw() == Shadow::kRodata)
      continue;
    if (Replaces(thr, Shadow(access), old) || IsBeforeAll(old))
      return i;
  }
  rsan_shadow_evicted = true;
  return atomic_load_relaxed(&thr->trace_pos) / sizeof(Event) % kShadowCnt;
}

} // namespace __tsan
