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
#include "sanitizer_common/sanitizer_procmaps.h"
#include "tsan_platform.h"

namespace __tsan {

// Reads the object's bytes from the file that is mapped there, and says where the file's first
// bytes are. The mappings are asked of the kernel: the dynamic linker's list has a lock, and
// whoever holds it may be waiting for this location.
static bool ReadFile(uptr addr, char *into, u32 size, uptr *begin) {
  InternalMmapVector<char> path(kMaxPathLength);
  MemoryMappingLayout mappings(false);
  MemoryMappedSegment segment(path.data(), path.size());
  bool found = false;
  while (!found && mappings.Next(&segment)) {
    found = segment.start <= addr && addr + size <= segment.end;
    if (!segment.offset)
      *begin = path[0] == '/' ? segment.start : 0; // those of a file are in a row
  }
  if (!found || path[0] != '/')
    return false;
  fd_t file = OpenFile(path.data(), RdOnly);
  if (file == kInvalidFd)
    return false;
  uptr read = 0;
  uptr at = internal_lseek(file, segment.offset + (addr - segment.start), 0 /* SEEK_SET */);
  bool fine = !internal_iserror(at) && ReadFromFile(file, into, size, &read) && read == size;
  CloseFile(file);
  return fine;
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
