// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See rsan_own_code.h. In a program the build has the runtime's functions in a section of that name
// (CMakeLists.txt). The shared runtime has no such section: it is known by its file.

#include "base/rsan_own_code.h"

#include <link.h>

extern "C" {
extern SANITIZER_WEAK_ATTRIBUTE __attribute__((visibility("hidden")))
const char __start_rsan_text[];
extern SANITIZER_WEAK_ATTRIBUTE __attribute__((visibility("hidden"))) const char __stop_rsan_text[];
}

namespace __tsan {

static struct Code {
  uptr begin, end;
  bool Has(uptr pc) const { return begin <= pc && pc < end; }
} first, shared_runtime;

static int ReadCode(dl_phdr_info *info, size_t, void *) {
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) &header = info->dlpi_phdr[i];
    const uptr begin = info->dlpi_addr + header.p_vaddr;
    const Code code = {begin, begin + header.p_memsz};
    if (header.p_type != PT_LOAD || !(header.p_flags & PF_X))
      continue;
    if (!first.end) // the program's file comes first
      first = code;
    else if (code.Has(reinterpret_cast<uptr>(&ReadCode)))
      shared_runtime = code;
  }
  return 0;
}

void RsanInitializeOwnCode() {
  dl_iterate_phdr(ReadCode, nullptr);
}

bool RsanIsOwnCode(uptr pc) {
  return pc - reinterpret_cast<uptr>(__start_rsan_text) <
             static_cast<uptr>(__stop_rsan_text - __start_rsan_text) ||
         shared_runtime.Has(pc);
}

bool RsanIsCodeOfFirstFile(uptr pc) {
  return first.Has(pc);
}

} // namespace __tsan
