// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules whose program `rsan replay' runs without --trust: a command of rsan has recorded one of
// the same build and arguments for this user (trust/list.h).

#ifndef REPLAY_TRUSTED_H
#define REPLAY_TRUSTED_H

#include <stdbool.h>

#include "head.h"

// Notes that rsan has recorded the schedule in that file.
void schedule_trust(const char *file);

bool schedule_is_trusted(const struct schedule_head *head);

#endif
