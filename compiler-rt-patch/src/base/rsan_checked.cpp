// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notes in the file of checked_file= that this process has the runtime, that some of its code is
// instrumented, and that an atomic access was analysed. The file is mapped once, at the start, so
// that what is noted later needs no descriptor, no path and no end of the process.
//
// Each source file that a compiler has instrumented calls __tsan_init when it is loaded; the
// runtime's own call at the start of the process is another function. The files that
// RSan's pass has seen call __rsan_note_compiled before that. The others were compiled by GCC,
// rustc or clang -fsanitize=thread.

#include "base/rsan_checked.h"

#include "common/rsan_checked_file.h"
#include "port/rsan_tsan.h"

#include <sys/mman.h>

namespace __tsan {

bool rsan_atomics_noted;
static atomic_uint32_t instrumented_units, compiled_units;
static atomic_uint8_t reported; // a violation was
static atomic_uint8_t *file;    // null: there is none

// The file's page lies over this one, so that the file shifts no address of the program's.
alignas(RSAN_CHECKED_SIZE) static atomic_uint8_t page[RSAN_CHECKED_SIZE];

static void Note(rsan_checked fact) {
  if (file)
    atomic_store_relaxed(&file[fact], 1);
}

// Does the process write its reports below the folder of the file? Otherwise the tool that has made
// the file does not read them.
static bool ReportsBeside(const char *path) {
  const char *log = common_flags()->log_path, *slash = internal_strrchr(path, '/');
  return log && slash && internal_strncmp(log, path, static_cast<uptr>(slash - path) + 1) == 0;
}

static atomic_uint8_t *Map(const char *path) {
  const fd_t descriptor = OpenFile(path, RdWr);
  if (descriptor == kInvalidFd)
    return nullptr;
  if (internal_filesize(descriptor) <
      RSAN_CHECKED_SIZE) { // not made by a tool: its page is missing
    CloseFile(descriptor);
    return nullptr;
  }
  const bool over = GetPageSizeCached() == RSAN_CHECKED_SIZE;
  const uptr mapped =
      internal_mmap(over ? page : nullptr, RSAN_CHECKED_SIZE, PROT_READ | PROT_WRITE,
                    MAP_SHARED | (over ? MAP_FIXED : 0), descriptor, 0);
  CloseFile(descriptor);
  return internal_iserror(mapped) ? nullptr : reinterpret_cast<atomic_uint8_t *>(mapped);
}

void RsanInitializeChecked() {
  const char *path = rsan_flags()->checked_file;
  if (!path[0])
    return;
  file = Map(path);
  if (!ReportsBeside(path)) {
    Note(RSAN_CHECKED_ELSEWHERE);
    file = nullptr;
  }
  Note(RSAN_CHECKED_PROCESS);
}

void RsanNoteRefusal() {
  Note(RSAN_CHECKED_REFUSAL);
}

// The child of a fork of several threads analyses nothing.
void RsanNoteFirstAtomic() {
  if (ctx->after_multithreaded_fork)
    return;
  rsan_atomics_noted = true;
  Note(RSAN_CHECKED_ATOMICS);
}

void RsanNoteUnit() {
  atomic_fetch_add(&instrumented_units, 1, memory_order_relaxed);
  Note(RSAN_CHECKED_CODE);
}

// The runtime's own call, before the constructors.
void RsanInitializeEarly();
void RsanInitializeEarly() {
  Initialize(cur_thread_init());
}

static u32 ForeignUnits(u32 *all) {
  *all = atomic_load_relaxed(&instrumented_units);
  const u32 compiled = atomic_load_relaxed(&compiled_units);
  return *all > compiled ? *all - compiled : 0;
}

bool RsanHasForeignUnits() {
  u32 all;
  return ForeignUnits(&all) != 0;
}

void RsanPrintUnits() {
  u32 all;
  const u32 foreign = ForeignUnits(&all);
  Printf("  %-16s %12u  source files that are instrumented\n", "units", all);
  Printf("  %-16s %12u  of them compiled by GCC, rustc or clang -fsanitize=thread\n",
         "foreign_units", foreign);
}

void RsanNoteViolation() {
  atomic_store_relaxed(&reported, 1);
}

void RsanPrintForeignUnits() {
  u32 all;
  const u32 foreign = ForeignUnits(&all);
  if (foreign && atomic_load_relaxed(&reported))
    Printf("ThreadSanitizer: %u of %u instrumented source files were compiled without RSan's pass "
           "(by GCC, rustc or clang -fsanitize=thread): there a violation of a loop that only "
           "waits may be harmless; compile them with rsan-clang -fsanitize=robustness\n",
           foreign, all);
}

} // namespace __tsan

using namespace __tsan;

extern "C" {
// Called by a constructor of each source file that RSan's pass has seen.
SANITIZER_INTERFACE_ATTRIBUTE void __rsan_note_compiled() {
  atomic_fetch_add(&compiled_units, 1, memory_order_relaxed);
}
}
