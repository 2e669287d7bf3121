// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The initial values of objects with static or thread storage: what their module began with
// (rsan_image.cpp). Memory into which the program has mapped a file privately began with the bytes
// of the file, which is opened by its name in /proc/self/maps. If that fails, the failure is
// counted.

#include <sys/mman.h>

#include "base/rsan_unchecked.h"
#include "locations/rsan_image.h"
#include "locations/rsan_initial.h"
#include "port/rsan_tsan.h"

namespace __tsan {

static atomic_uint32_t maps_files;

void RsanMapsFile() {
  atomic_store_relaxed(&maps_files, 1);
}

static bool ReadFile(const char *path, uptr offset, char *into, u32 size) {
  fd_t file = OpenFile(path, RdOnly);
  if (file == kInvalidFd)
    return false;
  uptr read = 0;
  uptr at = internal_lseek(file, offset, 0 /* SEEK_SET */);
  bool fine = !internal_iserror(at) && ReadFromFile(file, into, size, &read) && read == size;
  CloseFile(file);
  return fine;
}

static RsanBegins CompareWithFile(uptr addr, u32 size, const void *bytes) {
  InternalMmapVector<char> path(kMaxPathLength);
  MemoryMappingLayout mappings(false);
  if (mappings.Error())
    return kRsanBeginsLost;
  MemoryMappedSegment segment(path.data(), path.size());
  while (mappings.Next(&segment)) {
    if (addr < segment.start || segment.end <= addr || path[0] != '/')
      continue;
    rsan_value initial = {};
    if (segment.end - addr < size || !ReadFile(path.data(), segment.offset + (addr - segment.start),
                                               reinterpret_cast<char *>(&initial), size))
      return kRsanBeginsLost;
    return internal_memcmp(&initial, bytes, size) ? kRsanBeginsElse : kRsanBeginsSo;
  }
  return kRsanBeginsUnknown;
}

bool RsanIsInitial(uptr addr, u32 size, rsan_value value) {
  if (HeapMemBeg() <= addr && addr < HeapMemEnd())
    return false; // of these there may be many
  RsanBegins begins = RsanCompareWithImage(addr, size, &value);
  if (begins == kRsanBeginsLost)
    RsanCountUnchecked(kRsanUnchecked_GLOBAL);
  if (begins == kRsanBeginsUnknown && atomic_load_relaxed(&maps_files)) {
    begins = CompareWithFile(addr, size, &value);
    if (begins == kRsanBeginsLost)
      RsanCountUnchecked(kRsanUnchecked_FILE);
  }
  return begins == kRsanBeginsSo;
}

void RsanMapped(uptr addr, uptr size, int flags, int fd, u64 offset) {
  RsanUnmapsShared(addr, size);
  if (flags & kRsanMapShared) {
    if (!(flags & MAP_ANONYMOUS))
      RsanMapsShared(addr, size, fd, offset);
    return RsanShareMapping(addr, size);
  }
  if (flags && !(flags & MAP_ANONYMOUS))
    RsanMapsFile();
  RsanUnshare(addr, size);
}

} // namespace __tsan
