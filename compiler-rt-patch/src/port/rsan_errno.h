// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// errno for files that do not include <errno.h>, which declares it in another way.

#ifndef RSAN_ERRNO_H
#define RSAN_ERRNO_H

#include "sanitizer_common/sanitizer_errno.h"

#endif
