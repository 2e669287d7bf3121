// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef SHOWN_H
#define SHOWN_H

#include "runs.h"

// Is the text of some report, and its schedule, from that run's folder?
bool run_is_shown(const struct run_plan *plan, const struct records *records, unsigned number);

#endif
