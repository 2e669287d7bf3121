// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The initial values of objects with static storage: the bytes of the file that is mapped there;
// where the file is position independent, and the object holds the address of another one, what the
// dynamic linker has made of it.
//
// Deviation: addresses of other modules' objects, and relocations that are packed (DT_RELR), are
// not known here.

#include <elf.h>

#include "locations/rsan_initial.h"
#include "sanitizer_common/sanitizer_file.h"
#include "sanitizer_common/sanitizer_placement_new.h"
#include "sanitizer_common/sanitizer_procmaps.h"
#include "tsan_platform.h"

namespace __tsan {

namespace {

// A part of a file in memory.
struct Part {
  uptr start, end, offset;
  uptr begin; // where the file's first bytes are; 0: nowhere
  const char *path;

  bool Has(uptr addr, u32 size) const { return start <= addr && addr + size <= end; }
};

// All parts of files, as /proc/self/maps has them. (The dynamic linker's list of modules is not
// used: its lock may be held by a thread that waits for this location.)
class Parts {
public:
  Parts() : path_(kMaxPathLength), mappings_(false), segment_(path_.data(), path_.size()) {}

  bool Next(Part *part) {
    while (mappings_.Next(&segment_)) {
      const bool is_file = path_[0] == '/';
      if (!segment_.offset)
        begin_ = is_file ? segment_.start : 0; // those of a file are in a row
      *part = {segment_.start, segment_.end, segment_.offset, begin_, path_.data()};
      if (is_file)
        return true;
    }
    return false;
  }

  bool IsData() const { return segment_.IsWritable(); }

private:
  InternalMmapVector<char> path_;
  MemoryMappingLayout mappings_;
  MemoryMappedSegment segment_;
  uptr begin_ = 0;
};

} // namespace

// The writable parts, which RsanKnowStatic has read; null: /proc/self/maps is read at each
// question.
static Vector<Part> *data;
static atomic_uint32_t data_is_old;

void RsanKnowStatic() {
  data = New<Vector<Part>>();
  Parts parts;
  for (Part part; parts.Next(&part);)
    if (parts.IsData()) {
      part.path = internal_strdup(part.path);
      data->PushBack(part);
    }
}

void RsanForgetStatic() {
  atomic_store_relaxed(&data_is_old, 1);
}

static const Part *Find(uptr addr, u32 size) {
  const uptr count = data && !atomic_load_relaxed(&data_is_old) ? data->Size() : 0;
  for (uptr i = 0; i < count; i++)
    if ((*data)[i].Has(addr, size))
      return &(*data)[i];
  return nullptr;
}

static bool ReadPart(const Part &part, uptr addr, char *into, u32 size) {
  fd_t file = OpenFile(part.path, RdOnly);
  if (file == kInvalidFd)
    return false;
  uptr read = 0;
  uptr at = internal_lseek(file, part.offset + (addr - part.start), 0 /* SEEK_SET */);
  bool fine = !internal_iserror(at) && ReadFromFile(file, into, size, &read) && read == size;
  CloseFile(file);
  return fine;
}

// Reads the object's bytes from the file that is mapped there, and says where the file's first
// bytes are.
static bool ReadFile(uptr addr, char *into, u32 size, uptr *begin) {
  if (const Part *part = Find(addr, size)) {
    *begin = part->begin;
    return ReadPart(*part, addr, into, size);
  }
  Parts parts;
  for (Part part; parts.Next(&part);)
    if (part.Has(addr, size)) {
      *begin = part.begin;
      return ReadPart(part, addr, into, size);
    }
  return false;
}

namespace {

// A module in memory.
struct Module {
  uptr bias = 0; // of its addresses
  const Elf64_Dyn *dynamic = nullptr;

  explicit Module(uptr begin) {
    const auto *header = reinterpret_cast<const Elf64_Ehdr *>(begin);
    if (internal_memcmp(header->e_ident, ELFMAG, SELFMAG))
      return;
    const auto *segment = reinterpret_cast<const Elf64_Phdr *>(begin + header->e_phoff);
    for (u32 i = 0; i < header->e_phnum; i++) {
      if (segment[i].p_type == PT_LOAD && !segment[i].p_offset)
        bias = begin - segment[i].p_vaddr;
      if (segment[i].p_type == PT_DYNAMIC)
        dynamic = reinterpret_cast<const Elf64_Dyn *>(bias + segment[i].p_vaddr);
    }
  }

  u64 Find(Elf64_Sxword tag) const {
    for (const Elf64_Dyn *entry = dynamic; entry && entry->d_tag != DT_NULL; entry++)
      if (entry->d_tag == tag)
        return entry->d_un.d_val;
    return 0;
  }

  // (The dynamic linker may have made an address of it already.)
  const Elf64_Rela *Relocations() const {
    const uptr at = Find(DT_RELA);
    return reinterpret_cast<const Elf64_Rela *>(at < bias ? at + bias : at);
  }
};

} // namespace

static bool IsRelocatedTo(uptr begin, uptr addr, u64 value) {
  const Module module(begin);
  const Elf64_Rela *relocation = module.Relocations();
  for (u64 left = module.Find(DT_RELASZ) / sizeof *relocation; left; left--, relocation++)
    if (module.bias + relocation->r_offset == addr)
      return ELF64_R_TYPE(relocation->r_info) == R_X86_64_RELATIVE &&
             value == module.bias + relocation->r_addend;
  return false;
}

bool RsanIsInitial(uptr addr, u32 size, rsan_value value) {
  if (HeapMemBeg() <= addr && addr < HeapMemEnd())
    return false; // of these there may be many, and to ask the kernel takes long
  rsan_value initial = {};
  uptr begin = 0;
  if (!ReadFile(addr, reinterpret_cast<char *>(&initial), size, &begin))
    return false;
  return (initial.low == value.low && initial.high == value.high) ||
         (size == sizeof(uptr) && begin && IsRelocatedTo(begin, addr, value.low));
}

} // namespace __tsan
