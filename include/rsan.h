/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * RSan's interface to the programs it checks, for C and C++. Everything here costs nothing and does
 * nothing where the program is not compiled with -fsanitize=robustness (the compiler then does not
 * define __SANITIZE_ROBUSTNESS__).
 *
 * All functions are thread-safe and may be called from any thread at any time.
 */

#ifndef RSAN_H
#define RSAN_H

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __SANITIZE_ROBUSTNESS__

/* Number of atomic accesses flagged so far in this process, before de-duplication and suppressions:
 * 0 or more, never falls. */
unsigned long __rsan_violation_count(void);

static inline unsigned long rsan_violation_count(void) {
  return __rsan_violation_count();
}

#else

static inline unsigned long rsan_violation_count(void) {
  return 0;
}

#endif

#ifdef __cplusplus
}
#endif

#endif
