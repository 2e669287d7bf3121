// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interceptors of functions that block, for start/.

#ifndef RSAN_SCHEDULED_H
#define RSAN_SCHEDULED_H

#include "base/rsan_simulating.h"

namespace __tsan {

// Puts what is scheduled, or delayed, in place of the functions that block, if `what` needs it. No
// other thread may be in such a function.
void RsanMeetsSimulated(RsanSimulated what);
// The process' threads stay on the processor on which the caller is (rsan_affinity.inc).
void RsanStayOnProcessor();

// With mapping_fences=1.
void RsanFenceMappings();

} // namespace __tsan

#endif
