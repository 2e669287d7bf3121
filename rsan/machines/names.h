// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Targets as users write and read them.

#ifndef RSAN_MACHINES_NAMES_H
#define RSAN_MACHINES_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "../options.h"

// What a list of targets is made of, for messages.
#define RSAN_TARGETS_WANTED "c11, x86, armv8[-ldar][-lse], or several of them joined by +"

// Reads a list such as "c11+x86" (or "c11,x86"). ARMv8's may have its mapping behind it: -ldar (or
// -ldapr, the default), -lse (or -llsc). False: it is none, and *targets stays.
bool rsan_targets_parse(const char *text, uint32_t *targets);

// A target's place in lists; NULL past the end.
struct rsan_target_name {
  uint32_t bit;      // enum rsan_target
  uint32_t definite; // shows it whatever is not known: the same, but for ARMv8
  char option[8];    // in options and in JSON
  char printed[8];   // in reports
};
const struct rsan_target_name *rsan_target_at(unsigned index);
// "yes", "may" (of ARMv8: unless a dependency forbids it), or "no".
const char *rsan_target_answer(const struct rsan_target_name *target, uint32_t shown);

// "C11 yes, x86-64 no": of C11 and the targets asked for, which show it. At most `size` bytes.
#define RSAN_TARGETS_TEXT 160
void rsan_targets_describe(uint32_t asked, uint32_t shown, char *text, uint32_t size);

#endif
