// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every bound of the core, with its arithmetic and what happens when it is hit.

#ifndef RSAN_LIMITS_H
#define RSAN_LIMITS_H

// Entries that a clock has room for when it is first written. One cache line of 64-bit entries.
#define RSAN_CLOCK_MIN_ENTRIES 8u

// Thread indices handed out before a finished thread's index is taken again by a thread whose
// creator does not know of its end (thread_index.h). 1,024 indices are 8 KiB a vector clock. A hit
// costs violations that rest on the old thread's writes, is counted (stats.h: forced_reuse), and
// invents nothing. Threads that are alive at once are not bounded by it.
#define RSAN_THREAD_INDEX_SOFT_MAX 1024u

// Indices that can be taken again by force. Higher ones are handed out only while more threads than
// that are alive; they are reused where the creator knows of the end, else left unused.
#define RSAN_THREAD_INDEX_FLOORS 16384u

// Epochs, SC indices and version numbers are 64-bit: at 10^9 events a second they last 584 years,
// so overflow is not handled.

#endif
