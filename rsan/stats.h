// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that is counted. What is dropped, capped or degraded stands here by name (G7).
// rsan_engine_stat (engine.h) reads a counter, at any time and from any thread.

#ifndef RSAN_STATS_H
#define RSAN_STATS_H

#include <stdint.h>

#define RSAN_STATS(X)                                                                              \
  X(violations, "accesses flagged, before de-duplication and suppression")                         \
  X(locations, "atomic locations ever tracked")                                                    \
  X(foreign_writes, "times a value was found that no analysed write left; history reset")          \
  X(unseen_writes,                                                                                 \
    "values by code that is not seen: who acquires one has all that was done so far")              \
  X(unseen_answers,                                                                                \
    "answers that may come from other processes: who has one has all that was done so far")        \
  X(mixed_locations, "locations withdrawn because accesses of other size or offset overlap them")  \
  X(collections, "times a location's history was collected")                                       \
  X(merged_records, "who-knew-what records merged into newer ones (history=bounded)")              \
  X(dropped_versions, "versions dropped that a check might have been about (history=bounded)")     \
  X(folded_versions, "writes that no check is about as long as none waits for their value")        \
  X(index_reuse, "thread indices reused where the creator knew of the old thread's end")           \
  X(forced_reuse, "thread indices reused where it did not: older writes can no longer be missed")  \
  X(late_seq_cst, "first seq_cst accesses after SC fences, whose order counts for all later ones") \
  X(explained, "violations whose cycle was found")                                                 \
  X(unexplained, "violations whose cycle passes through accesses older than the logs")

enum rsan_stat {
#define RSAN_STATS_ENUM(name, text) RSAN_STAT_##name,
  RSAN_STATS(RSAN_STATS_ENUM)
#undef RSAN_STATS_ENUM
      RSAN_STAT_COUNT
};

#endif
