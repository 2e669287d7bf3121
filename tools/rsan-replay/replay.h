// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the events of a recorded run (trace.h) to calls of the core (rsan/engine.h): the host's side
// of the analysis without a running program. Nothing is decided here.
//
// How to read the signatures: the replay comes first. It owns its engine and all objects in there,
// and is used by one thread at a time. Events must come from a well-formed trace (trace_check).

#ifndef RSAN_TOOLS_REPLAY_H
#define RSAN_TOOLS_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "explanation.h"
#include "options.h"
#include "stats.h"
#include "trace.h"
#include "violation.h"

struct replay;

enum replay_verdict { REPLAY_SILENT, REPLAY_FLAG, REPLAY_RACE };

// Without threads. Those that no event creates must be made before the first event: one that comes
// later would be taken to know what the others know.
struct replay *replay_new(const struct rsan_options *options);
void replay_make_root(struct replay *replay, uint32_t thread);
// With the roots of that trace: threads that have events or are joined, and are never created.
struct replay *replay_new_for(const struct rsan_options *options, const struct trace *trace);
void replay_free(struct replay *replay);

// One event: its verdict, and its effect.
enum replay_verdict replay_step(struct replay *replay, const struct trace_event *event);

// To be called before each step of a run that is known ahead, with the `count` events from that one
// on: the memory of those that follow is fetched into the caches meanwhile. Has no other effect.
void replay_look_ahead(const struct replay *replay, const struct trace_event *events, size_t count);

// Would `access`, an event with a check, be flagged as the next one? Has no effect. Its outcome
// (what is read, success) plays no part in the check and is ignored; so is an SC fence that its
// order brings.
bool replay_would_flag(struct replay *replay, const struct trace_event *access);

// The violation of the event that was just stepped and flagged, and its explanation. Program points
// are the events' positions, from 1; addresses are objects.
const struct rsan_violation *replay_violation(const struct replay *replay);
void replay_explain(const struct replay *replay, struct rsan_explanation *explanation);

// rsan_thread_changes.
uint64_t replay_moves(struct replay *replay, uint32_t thread);

// C++20's fences beside RC20's, from the first event on: rsan_engine_begin_cxx20, _apart, and
// rsan_thread_knows.
void replay_begin_cxx20(struct replay *replay);
uint64_t replay_apart(const struct replay *replay);
bool replay_knows(struct replay *replay, uint32_t thread, uint32_t slot, uint64_t number);

uint64_t replay_stat(const struct replay *replay, enum rsan_stat stat);

// A whole trace on an engine of its own. Appends to the lists; adds to stats[RSAN_STAT_COUNT]
// unless that is NULL.
void replay_trace(const struct rsan_options *options, const struct trace *trace,
                  struct trace_indices *flags, struct trace_indices *races, uint64_t *stats);
// The same. For each flag, what shows it: enum rsan_target.
void replay_trace_shown(const struct rsan_options *options, const struct trace *trace,
                        struct trace_indices *flags, struct trace_indices *shown,
                        struct trace_indices *races, uint64_t *stats);

#endif
