// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the runtime uses of sanitizer_common that sanitizer_common's own files may include as well:
// base/ is compiled into both.

#ifndef RSAN_COMMON_H
#define RSAN_COMMON_H

#include "sanitizer_common/sanitizer_atomic.h"
#include "sanitizer_common/sanitizer_common.h"
#include "sanitizer_common/sanitizer_file.h"
#include "sanitizer_common/sanitizer_hash.h"
#include "sanitizer_common/sanitizer_internal_defs.h"
#include "sanitizer_common/sanitizer_libc.h"
#include "sanitizer_common/sanitizer_list.h"
#include "sanitizer_common/sanitizer_mutex.h"
#include "sanitizer_common/sanitizer_posix.h"

#ifndef RSAN_LLVM
#error "RSAN_LLVM must be the release of LLVM whose headers these are"
#endif

namespace __sanitizer {

// The kernel's number of a thread.
#if RSAN_LLVM >= 22
using RsanTaskId = ThreadID;
#else
using RsanTaskId = tid_t;
#endif

} // namespace __sanitizer

#endif
