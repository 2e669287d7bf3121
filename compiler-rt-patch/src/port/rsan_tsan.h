// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that the runtime uses of ThreadSanitizer and sanitizer_common. Only the headers of
// this folder include theirs, so that a version of LLVM with other headers changes this folder
// alone.

#ifndef RSAN_TSAN_H
#define RSAN_TSAN_H

#include "port/rsan_tsan_types.h"
#include "sanitizer_common/sanitizer_allocator_internal.h"
#include "sanitizer_common/sanitizer_dense_map.h"
#include "sanitizer_common/sanitizer_flag_parser.h"
#include "sanitizer_common/sanitizer_flags.h"
#include "sanitizer_common/sanitizer_flat_map.h"
#include "sanitizer_common/sanitizer_linux.h"
#include "sanitizer_common/sanitizer_placement_new.h"
#include "sanitizer_common/sanitizer_procmaps.h"
#include "sanitizer_common/sanitizer_report_decorator.h"
#include "sanitizer_common/sanitizer_stackdepot.h"
#include "sanitizer_common/sanitizer_stacktrace.h"
#include "sanitizer_common/sanitizer_stacktrace_printer.h"
#include "sanitizer_common/sanitizer_symbolizer.h"
#include "sanitizer_common/sanitizer_vector.h"
#include "tsan_fd.h"
#include "tsan_flags.h"
#include "tsan_interface.h"
#include "tsan_mman.h"
#include "tsan_platform.h"
#include "tsan_report.h"
#include "tsan_rtl.h"
#include "tsan_shadow.h"
#include "tsan_suppressions.h"
#include "tsan_symbolize.h"
#include "tsan_sync.h"

namespace __tsan {

// The functions at the address of a call or of the last instruction of a stack.
inline SymbolizedStack *RsanSymbolizeFrames(uptr address) {
#if RSAN_LLVM >= 22
  return SymbolizeCode(address, false);
#else
  return SymbolizeCode(address);
#endif
}

} // namespace __tsan

#endif
