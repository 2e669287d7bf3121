// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Marks of the host (host_libc.h) for the events of a trace, whose numbers begin with 1.

#ifndef SEQCST_MARK_H
#define SEQCST_MARK_H

#include <stddef.h>

#include "host_libc.h"
#include "trace.h"

// Names the thread that makes the event. In a join it is the joined thread, because the replay lets
// that finish there.
static inline void mark_event(const struct trace_event *event, size_t position) {
  rsan_host_slot = event->op == TRACE_JOIN ? event->object : event->thread;
  rsan_host_number = position + 1;
}

#endif
