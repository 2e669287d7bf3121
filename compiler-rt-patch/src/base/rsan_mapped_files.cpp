// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects that synchronise and lie in a file or a System V segment that is mapped with MAP_SHARED.
// The program may have mapped it at several addresses, at the same time or one after the other, so
// such an object is known by its place in the file: by device, inode and offset. One word of the
// runtime stands for each, and has TSan's SyncVar of it. Reports show the address by which the
// program used the object first.
//
// Deviation 1: the words stay in use. Where the table is full, after some 50,000 objects of this
// kind, an object is known by its address alone.
// Deviation 2: anonymous memory is known by its address. Only mremap(2) with a size of 0 can map it
// twice.

#include <sys/stat.h>

#include "base/rsan_shim.h"
#include "port/rsan_tsan.h"

namespace __tsan {

namespace {

struct MappedFile {
  u64 device, inode; // of a segment: kSegments and its number
};
const u64 kSegments = ~u64(0);

struct Mapping {
  uptr begin, end;
  MappedFile file;
  u64 offset; // in the file, of `begin`
};

struct Object {
  MappedFile file;
  u64 offset;
  uptr address; // at which the program used it first; 0: the entry is free
};

} // namespace

static const uptr kObjects = 1 << 16;
static const uptr kProbes = 64; // entries that an object may be in
static u64 words[kObjects];
static Object objects[kObjects];

static StaticSpinMutex mutex;     // not in the child of a fork of several threads
static Vector<Mapping> *mappings; // in no order; null: there was none
atomic_uintptr_t rsan_mapped_begin, rsan_mapped_end;

static bool IsSame(const MappedFile &a, const MappedFile &b) {
  return a.device == b.device && a.inode == b.inode;
}

static void AddMapping(const Mapping &mapping) {
  if (!mappings)
    mappings = New<Vector<Mapping>>();
  const bool is_first = !atomic_load_relaxed(&rsan_mapped_end);
  const uptr low = atomic_load_relaxed(&rsan_mapped_begin);
  atomic_store_relaxed(&rsan_mapped_begin, is_first ? mapping.begin : Min(low, mapping.begin));
  atomic_store_relaxed(&rsan_mapped_end, Max(atomic_load_relaxed(&rsan_mapped_end), mapping.end));
  mappings->PushBack(mapping);
}

// Removes the range from all mappings. It keeps the parts in front of the range and behind it.
static void DropMappings(uptr begin, uptr end) {
  for (uptr i = mappings ? mappings->Size() : 0; i-- > 0;) {
    const Mapping mapping = (*mappings)[i];
    if (mapping.end <= begin || end <= mapping.begin)
      continue;
    (*mappings)[i] = (*mappings)[mappings->Size() - 1];
    mappings->PopBack();
    if (mapping.begin < begin)
      mappings->PushBack({mapping.begin, begin, mapping.file, mapping.offset});
    if (end < mapping.end)
      mappings->PushBack({end, mapping.end, mapping.file, mapping.offset + (end - mapping.begin)});
  }
}

static const Mapping *MappingOf(uptr addr) {
  for (uptr i = 0; mappings && i < mappings->Size(); i++)
    if ((*mappings)[i].begin <= addr && addr < (*mappings)[i].end)
      return &(*mappings)[i];
  return nullptr;
}

// Two mappings of a device need not be the same memory, as those of /dev/zero are not.
static bool FileOf(int fd, MappedFile *file) {
  struct stat status;
  if (internal_iserror(internal_fstat(fd, &status)) || !S_ISREG(status.st_mode))
    return false;
  *file = {status.st_dev, status.st_ino};
  return true;
}

void RsanMapsShared(uptr addr, uptr size, int fd, u64 offset) {
  MappedFile file;
  if (ctx->after_multithreaded_fork || !FileOf(fd, &file))
    return;
  SpinMutexLock lock(&mutex);
  AddMapping({addr, addr + size, file, offset});
}

void RsanMapsSegment(uptr addr, uptr size, int segment) {
  if (ctx->after_multithreaded_fork)
    return;
  SpinMutexLock lock(&mutex);
  DropMappings(addr, addr + size);
  AddMapping({addr, addr + size, {kSegments, static_cast<u64>(segment)}, 0});
}

void RsanUnmapsShared(uptr addr, uptr size) {
  if (!atomic_load_relaxed(&rsan_mapped_end) || ctx->after_multithreaded_fork)
    return;
  SpinMutexLock lock(&mutex);
  DropMappings(addr, addr + size);
}

void RsanMovesMapping(uptr from, uptr old_size, uptr to, uptr size) {
  if (!atomic_load_relaxed(&rsan_mapped_end) || ctx->after_multithreaded_fork)
    return;
  SpinMutexLock lock(&mutex);
  const Mapping *found = MappingOf(from);
  Mapping moved = found ? *found : Mapping();
  DropMappings(from, from + old_size);
  DropMappings(to, to + size);
  if (found)
    AddMapping({to, to + size, moved.file, moved.offset + (from - moved.begin)});
}

// Returns the word's address, or 0 if all words that it may have are in use.
static uptr WordOf(const MappedFile &file, u64 offset, uptr addr) {
  MurMur2Hash64Builder hash(file.device);
  hash.add(file.inode);
  hash.add(offset);
  for (uptr i = 0; i < kProbes; i++) {
    const uptr at = (hash.get() + i) % kObjects;
    Object *object = &objects[at];
    if (!object->address)
      *object = {file, offset, addr};
    if (IsSame(object->file, file) && object->offset == offset)
      return reinterpret_cast<uptr>(&words[at]);
  }
  return 0;
}

uptr RsanFindMappedObject(uptr addr) {
  if (ctx->after_multithreaded_fork)
    return 0;
  SpinMutexLock lock(&mutex);
  const Mapping *mapping = MappingOf(addr);
  return mapping ? WordOf(mapping->file, mapping->offset + (addr - mapping->begin), addr) : 0;
}

bool RsanIsMappedObject(uptr addr) {
  const uptr begin = reinterpret_cast<uptr>(words);
  return begin <= addr && addr < begin + sizeof words;
}

uptr RsanShownAddress(uptr addr) {
  if (!RsanIsMappedObject(addr))
    return addr;
  return objects[(addr - reinterpret_cast<uptr>(words)) / sizeof *words].address;
}

} // namespace __tsan
