// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every bound of the core, with its arithmetic and what happens when it is hit.

#ifndef RSAN_LIMITS_H
#define RSAN_LIMITS_H

// Locations that a thread keeps of those that it has retired, for its next ones: 384 bytes each.
#define RSAN_SPARE_LOCATIONS 8u

// Bytes of the largest location: a location that is accessed in several sizes has SC clocks for
// each, 1 KiB together.
#define RSAN_MIXED_BYTES 16u

// Entries that a clock has room for when it is first written: with the head of a snapshot
// (base/stamp.h), which is as big as one, a cache line.
#define RSAN_CLOCK_MIN_ENTRIES 7u

// Thread indices handed out before a finished thread's index is taken again by a thread whose
// creator does not know of its end (base/thread_index.h): 2 KiB a vector clock. A hit
// (forced_reuse) costs violations that rest on the old thread's writes and invents none. Live
// threads are not bounded.
#define RSAN_THREAD_INDEX_SOFT_MAX 256u

// Indices that can be taken again by force. Higher ones share one floor of epochs, and are handed
// out only while more threads than that are alive; they are reused where the creator knows of the
// end, else left unused.
#define RSAN_THREAD_INDEX_FLOORS 16384u

// The history of a location is collected (memory/collect.h) when it has this many versions and
// records, and then each time it has doubled: 1 KiB at most where few threads write in turns.
#define RSAN_COLLECT_MIN_ENTRIES 16u

// A location's arrays are filled before the next collection if they have room for up to this many
// versions or records: the collection would give no memory back.
#define RSAN_COLLECT_FULL_ROOM 32u

// Versions and records, together, that memory/budget.h reckons for a location with a long history:
// 5.5 KiB. If too many locations have one, all of them share the memory that is reckoned for the
// largest permitted number.
#define RSAN_LARGE_ENTRIES 128u

// Room for versions, and for records, that a location keeps whose history starts over (memory that
// is handed round by plain writes does so again and again): 1,024 and 512 bytes at most.
#define RSAN_RESTART_KEPT_ROOM    16u
#define RSAN_RESTART_KEPT_RECORDS 21u

// A location is busy if its history was collected among the last RSAN_COLLECT_BUSY_SPAN collections
// of all locations. Its next collection is due at RSAN_COLLECT_BUSY_FACTOR times as many entries as
// another location's. A busy location's history then takes some 22 KiB, and all that can
// be busy at the same time take 1.4 MiB; the arrays have room for up to twice as many entries.
#define RSAN_COLLECT_BUSY_FACTOR 32u
#define RSAN_COLLECT_BUSY_SPAN   64u

// A collection of a location shrinks the location's arrays if these are half empty and at least
// this many collections, of whatever locations, have been made since the location was last
// collected.
#define RSAN_COLLECT_QUIET_SPAN (4 * RSAN_COLLECT_BUSY_SPAN)

// A collection meets another thread that is just joining a clock: up to this many entries it is put
// off by half of the above, from there on it waits.
#define RSAN_COLLECT_WAIT_ENTRIES 128u

// history=bounded: newest versions of a location, and newest records of each thread there, that are
// kept although no live thread's clock needs them. A hit (dropped_versions, merged_records) can
// cost a violation and invents none. With 4 in place of 8, and nothing kept for live clocks, 10 to
// 34 % of the violations of adversarial random traces were missed; with both 0.05 to 0.3 %.
#define RSAN_COLLECT_KEPT 8u

// history=bounded: so many threads may be far behind, and one of that many running ones. What
// all others know is kept as each thread's newest record alone, and versions as far as the threads
// that are behind know them. Else a thread that waits for the others to end would keep some 10 KiB
// a location. A hit (merged_records) can cost a violation by a thread far behind that has learnt of
// the others since, and invents none.
#define RSAN_COLLECT_FAR_BEHIND      7u
#define RSAN_COLLECT_THREADS_FOR_ONE 5u

// history=bounded: conditions that a wait or BCAS has named and whose versions are kept at a
// location. Beyond that the one named longest ago is given up: violations may be missed.
#define RSAN_CRITICAL_CONDITIONS 8u

// history=bounded, ARMv8 asked for: records of who accessed which version, at a location. Older
// ones count as of newer versions, which can cost a violation and invents none.
#define RSAN_ARM_RECORDS 64u

// With the option weak: how many versions of a location, before the newest one, are kept for
// accesses that depart; some 170 bytes each. An access cannot depart to an older version.
#define RSAN_WEAK_VERSIONS 24u

// Log of recent accesses, for explanations (explain/log.h): entries a thread that a host may ask
// for, rounded up to a power of two; 40 bytes each. A cycle that passes through older accesses is
// not explained (stats.h: unexplained).
#define RSAN_LOG_MIN_ENTRIES 16u
#define RSAN_LOG_MAX_ENTRIES 65536u

// Logs that are kept of threads that are gone, as the missed write's often is, and entries of each.
#define RSAN_LOGS_RETIRED        32u
#define RSAN_LOG_RETIRED_ENTRIES 256u

// Execution graphs (graph/graph.h): rows of bits take 5 n² / 8 bytes for n events, 10 MiB for
// these. A run that would have more is cut (RSAN_EXPLORE_CUT), and a text that has more is refused.
#define RSAN_GRAPH_MOST_EVENTS 4096u
// Threads of an execution graph: a word has a bit for each. A text that has more is refused.
#define RSAN_GRAPH_MOST_THREADS 64u

// Epochs, SC indices and version numbers are 64-bit: at 10^9 events a second they last 584 years,
// so overflow is not handled.

#endif
