// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of shared libraries that have been unloaded. The dynamic linker unmaps it by calls
// that no interceptor sees, and the next library may be mapped there: its atomics must not go on
// with the history of the old ones.

#include "interceptors/rsan_library.h"

#include <link.h>

#include "port/rsan_tsan.h"

#include "base/rsan_checked.h"
#include "base/rsan_state.h"
#include "interceptors/rsan_models.h"
#include "locations/rsan_image.h"
#include "schedule/rsan_schedule.h"
#include "simulation/rsan_simulate.h"

namespace __tsan {

namespace {

struct Segment {
  uptr begin, size;
};

struct Libraries {
  u64 loaded, unloaded; // counts of the dynamic linker's
  Vector<Segment> writable;
};

} // namespace

static StaticSpinMutex libraries_mutex;
static Libraries *libraries SANITIZER_GUARDED_BY(libraries_mutex);

static int AddLibrary(dl_phdr_info *info, size_t, void *into) {
  Libraries *now = static_cast<Libraries *>(into);
  now->loaded = info->dlpi_adds;
  now->unloaded = info->dlpi_subs;
  for (uptr i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) &header = info->dlpi_phdr[i];
    if (header.p_type == PT_LOAD && (header.p_flags & PF_W))
      now->writable.PushBack(
          {static_cast<uptr>(info->dlpi_addr + header.p_vaddr), static_cast<uptr>(header.p_memsz)});
  }
  return 0;
}

static bool IsIn(const Vector<Segment> &segments, const Segment &segment) {
  for (uptr i = 0; i < segments.Size(); i++)
    if (segments[i].begin == segment.begin && segments[i].size == segment.size)
      return true;
  return false;
}

static void ForgetUnloaded(ThreadState *thr, const Libraries &before, const Libraries &now) {
  if (before.unloaded == now.unloaded)
    return;
  for (uptr i = 0; i < before.writable.Size(); i++) {
    const Segment &segment = before.writable[i];
    if (!IsIn(now.writable, segment))
      RsanForgetRange(thr, segment.begin, segment.size);
  }
}

void RsanLibrariesChanged(ThreadState *thr) {
  RsanReadImages();
  RsanModelLibraries();
  RsanForgetUnloadedRepairs();
  RsanForgetPlaces();
  RsanForgetSymbols();
  RsanScheduleForgetCode();
  if (!thr->rsan)
    return;
  RsanForgetCode();
  Libraries *now = New<Libraries>();
  dl_iterate_phdr(AddLibrary, now);
  Libraries *old = now;
  {
    // Under slot, so that fork waits for it. (Not above: whoever runs a library's constructors
    // holds the dynamic linker's own lock.)
    SlotLocker locker(thr);
    SpinMutexLock lock(&libraries_mutex);
    // If two threads come here at once, the first to look may be the last to lock.
    if (!libraries || libraries->loaded + libraries->unloaded < now->loaded + now->unloaded) {
      old = libraries;
      libraries = now;
    }
    if (old && old != now)
      ForgetUnloaded(thr, *old, *now);
  }
  DestroyAndFree(old);
}

// When the first instrumented module starts, the dynamic linker has bound all modules.
void RsanModuleStarts(uptr pc) {
  static atomic_uint8_t started;
  if (!atomic_exchange(&started, 1, memory_order_relaxed))
    RsanModelLibraries();
  if (RsanEngine() && !RsanIsLoaded(pc, 1))
    RsanReadImages();
  if (RsanHasForeignUnits())
    RsanWatchModules();
}

} // namespace __tsan
