// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types that TSan's headers and the shim share: tsan_rtl.h itself includes them by the shim.

#ifndef RSAN_TSAN_TYPES_H
#define RSAN_TSAN_TYPES_H

#include "port/rsan_common.h"
#include "tsan_defs.h"
#include "tsan_vector_clock.h"

#endif
