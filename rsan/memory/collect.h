// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Selects the records and versions that a location may forget. docs/internals/MODEL.md, section 5,
// proves that forgetting them can only hide violations.
//
//   base      A record (k, t) of thread p with k <= Vc[p] for every running thread: all of them
//             know version t, and so does every thread that they will create. Versions up to the
//             newest such t, and the records of them, are never asked for again. Exact.
//   bounded   A record is kept
//               - if it is one of its thread's last RSAN_COLLECT_KEPT; where all threads but a few
//                 that are far behind know a newer version, only the last one; and
//               - if it is the newest record that an entry Vc[p], Va[p] or Vr[p] of a live thread
//                 reaches.
//             Any other is merged upward: the next record that is kept takes its epoch, which
//             raises T_c. A version is kept if it is one of the last RSAN_COLLECT_KEPT. After the
//             base's version, after each thread's newest that is not known to almost all, and after
//             each version that an entry reaches as above, these are kept, for a check may be about
//             them:
//               - the next version, and the next plain one;
//               - the next that overwrote another value than the next one did (strong CAS);
//               - for each critical value the next one that overwrote it, and the next plain one.
//
// Measured: without versions after the last few records that no clock reaches a location with eight
// writers takes half the memory, and 4 in place of 2 of 327,501 flags were missed
// (rsan-differential long --count 8000 --seed 777). Where some threads are far behind, a main
// thread that waits for eight others, or 25, made a location take 8 to 16 KiB where it takes 3 to 5
// now; 22 in place of 16 of 403,728 flags are missed (rsan-differential long --count 10000 --seed
// 777).

#ifndef RSAN_MEMORY_COLLECT_H
#define RSAN_MEMORY_COLLECT_H

#include "../base/counters.h"
#include "../lc/history.h"
#include "../lc/records.h"
#include "views.h"

// Under the location's lock. The clocks are asked what they need only where something is kept for
// that alone. Other threads' clocks are read while they change: an entry that is out of date is
// smaller, which lowers the base and pins another record. A clock whose base is being replaced is
// waited for if `patient`; else nothing is done and false is returned. The base is not above
// `limit`, which is none below an earlier one's base.
bool rsan_collect(struct rsan_history *history, struct rsan_records *records,
                  struct rsan_views *views, bool bounded, bool patient, uint64_t limit,
                  struct rsan_counters *counters);

// The same for records that no clock is asked about: above `base`, with `bounded` each thread's
// last few. Returns how many were merged.
uint32_t rsan_collect_records(struct rsan_records *records, uint64_t base, bool bounded);

#endif
