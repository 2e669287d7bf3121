// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reasons.h"

#include <stddef.h>
#include <string.h>

// The runtime's names are those of RSAN_GIVEN_UP and RSAN_GAPS.
static const struct {
  const char *why, *text;
} reasons[] = {
    {"PREEMPTIONS", "needed more preemptions than --preemptions allows"},
    {"STEPS", "had more steps than an execution may have (65,535): try --unroll"},
    {"THREADS", "had more threads than can be explored (64)"},
    {"DIVERGED", "did not repeat an earlier execution: the program depends on more than its "
                 "schedule, such as time or addresses"},
    {"TAKEN", "had a thread that slept, or waited, where the schedule does not see it"},
    {"CALLS", "made a call that may block, or that reads input from outside, whose times of "
              "arrival are not explored"},
    {"TIMED", "had a wait with a time limit; it ended only when no other thread could go on"},
    {"SIGNALS", "had signal handlers, whose times are not explored"},
    {"WOKEN", "came to a state in which no thread could go on, unless a signal handler or an "
              "unscheduled thread wakes one"},
    {"CHILDREN", "made a child process, which is not explored"},
    {"ONCE", "had an initialisation by the first thread to come; other first threads are not "
             "explored"},
    {"UNSEEN", "called code that is not instrumented and may synchronise, or had atomic objects "
               "written by it"},
    {"HISTORY", "had more history than the analysis keeps"},
    {"OLDER",
     "had a wait that an older value might have ended, which acquires less; --weak explores that"},
    {"RACES", "may have had a data race whose first access the race detector has forgotten"},
    {"SYNCHRONISED", "synchronised outside the steps of the schedule, as by an annotation"},
    {"CANCELLED", "cancelled a thread, or asked whether one has ended, at a time that is not "
                  "explored"},
    {"SUPPRESSED", "may have had findings that options or suppressions hide, or that are in the "
                   "standard library"},
    {"CODE", "may have had unseen accesses: the program has assembly, or functions that are "
             "excluded from the analysis"},
    {"FENCES", "had fences of seq_cst=fence or simulate=; their order is not explored"},
    {"WIDE", "had accesses of more than 8 bytes, which are never given an older value"},
    {"VERSIONS", "had an access that might have read an older value than the 24 that are kept of "
                 "an object"},
    {"UNINITIALISED", "read atomically memory from malloc or new that may be uninitialised, "
                      "before the first thread was created or in an execution graph"},
    {"UNFILLED", "had a block of more than 64 MiB, in which atomic reads may find uninitialised "
                 "memory"},
    {"MEMBARRIER", "had a membarrier; not every order of its fences in other threads is explored"},
    {"UNCHECKED", "had accesses that could not be checked: their objects are accessed with several "
                  "sizes, code that is not instrumented has their addresses, or globals or code "
                  "could not be read"},
    {"LOCAL_FENCE", "had a read-modify-write of a local object that counts as a fence, which it is "
                    "on x86-64 alone"},
    {"SILENT", "ended without the runtime's knowledge, as by _exit"},
};

const char *reason_text(const char *why) {
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
    if (strcmp(reasons[i].why, why) == 0)
      return reasons[i].text;
  return why;
}
