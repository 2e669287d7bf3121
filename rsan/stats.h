// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that is counted. What is dropped, capped or degraded stands here by name (G7).
// rsan_engine_stat (engine.h) reads a counter, at any time and from any thread.

#ifndef RSAN_STATS_H
#define RSAN_STATS_H

#include <stdint.h>

#define RSAN_STATS(X)                                                                              \
  X(violations, "violations found, before de-duplication and suppression")                         \
  X(locations, "atomic objects tracked so far")                                                    \
  X(foreign_writes,                                                                                \
    "times an object had a value that no analysed write left: its history began anew")             \
  X(unseen_writes,                                                                                 \
    "values that code which is not seen wrote: who acquires one knows all that was done so far")   \
  X(unseen_answers,                                                                                \
    "answers that may come from other processes: who has one knows all that was done so far")      \
  X(unseen_calls,                                                                                  \
    "calls of code that is not instrumented: who made one knows all that was done so far")         \
  X(membarriers, "membarriers while others ran: who made one knows all that was done so far")      \
  X(mixed_locations, "objects that are accessed with several sizes, or at addresses that overlap") \
  X(mixed_accesses, "accesses to such objects that were not checked, or not for a proof")          \
  X(collections, "times that an object's history was searched for what nobody can ask for")        \
  X(merged_records, "records of who knew which version, merged into newer ones (history=bounded)") \
  X(dropped_versions,                                                                              \
    "versions dropped though an access might have missed them (history=bounded)")                  \
  X(cut_histories,                                                                                 \
    "times that one of many objects gave up all but location_budget bytes of its history")         \
  X(folded_versions,                                                                               \
    "writes not kept as versions: an access that misses them misses a later one, too")             \
  X(index_reuse, "slots of ended threads that were reused by a creator who knew of the end")       \
  X(forced_reuse, "slots reused by one who did not: older writes can no longer be missed")         \
  X(late_seq_cst, "first seq_cst accesses after SC fences, whose order counts for all later ones") \
  X(explained, "violations whose cycle was found in the logs")                                     \
  X(unexplained, "violations whose cycle passes through accesses that the logs no longer have")

enum rsan_stat {
#define RSAN_STATS_ENUM(name, text) RSAN_STAT_##name,
  RSAN_STATS(RSAN_STATS_ENUM)
#undef RSAN_STATS_ENUM
      RSAN_STAT_COUNT
};

#endif
