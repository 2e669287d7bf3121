// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a location may forget. Why that only hides violations is in docs/MODEL.md section 5.
//
//   base      A record (k, t) of thread p with k <= Vc[p] for every running thread: all of them
//             know version t, and so does every thread that they will create. Versions up to the
//             newest such t, and the records of them, are never asked for again. Exact.
//   bounded   A record is kept if it is one of its thread's last RSAN_COLLECT_KEPT, or the newest
//             that an entry Vc[p], Va[p], Vr[p] of a live thread reaches. Any other is merged
//             upward: the next kept one takes its epoch, which raises T_c. Where all threads but a
//             few that are far behind know a newer version, only each thread's newest record is
//             kept beside those that are reached. A version is kept if it is one of the last
//             RSAN_COLLECT_KEPT, or if it is the first after a t (the base's, a thread's newest
//             that not almost all know, or one that such an entry reaches) that some check can be
//             about: the first of all, the first plain one, the first that overwrote another value
//             than that did (strong CAS), and for each critical value the first and the first plain
//             one that overwrote it.
//
// Deviation 1: history=exact forgets what is below the base and nothing else. (The rule of section
// 4 keeps less, but needs the views of all locations and sync objects at one moment.)
// Deviation 2: section 4 pins versions after every kept t. Without those after the last few records
// that no clock reaches, a location with eight writers takes half the memory, and 4 in place of 2
// of 327,501 flags were missed (rsan-differential long --count 8000 --seed 777).
// Deviation 3: threads far behind. A main thread that waits for eight others, or 25, made a
// location take 8 to 16 KiB where it takes 3 to 5 now; 22 in place of 16 of 403,728 flags are
// missed (rsan-differential long --count 10000 --seed 777).

#ifndef RSAN_MEMORY_COLLECT_H
#define RSAN_MEMORY_COLLECT_H

#include "../base/counters.h"
#include "../lc/history.h"
#include "../lc/records.h"
#include "views.h"

// Under the location's lock. The clocks are asked what they need only where something is kept for
// that alone. Other threads' clocks are read while they change: an entry that is out of date is
// smaller, which lowers the base and pins another record. A clock whose base is being replaced is
// waited for if `patient`; else nothing is done and false is returned.
bool rsan_collect(struct rsan_history *history, struct rsan_records *records,
                  struct rsan_views *views, bool bounded, bool patient,
                  struct rsan_counters *counters);

#endif
