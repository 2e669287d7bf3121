// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of sources of Rust (rust.c).

#ifndef RUST_H
#define RUST_H

#include <stdbool.h>

#include "edits.h"
#include "rule.h"

// A stronger order for the access at the rule's place. False after the reason is noted.
bool rust_place(const char *text, struct rule *rule, struct edits *edits);

#endif
