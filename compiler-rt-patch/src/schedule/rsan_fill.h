// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pattern that fills the heap's memory while the runtime looks for reads of memory that nobody
// has initialised (exploration/rsan_uninitialised.h), and how a record says which one.
//
// Memory that was given out before the first thread was created is the same in all executions: it
// has a pattern of its own, and what finds that is a gap of the proof. The first such execution is
// recorded, and its replay, another process, has another pattern there: it reports the read if that
// finds it.

#ifndef RSAN_FILL_H
#define RSAN_FILL_H

#include "base/rsan_shim.h"

namespace __tsan {

// The bytes before and after the first thread is created. A value seldom has such bytes alone, and
// no address has. Each has an alternative; read as a boolean, kRsanFill and its alternative differ.
static const u8 kRsanFillBefore = 0xa5, kRsanFill = 0xb7;

static const u32 kRsanMostSuspects = 32; // of one execution; others wait for a later one

struct RsanSuspect {
  u64 number;     // of the stacks of the read and of the allocation
  u64 read;       // which atomic read of the execution it is: 1 is the first
  bool before;    // of the memory from before the first thread
  bool confirmed; // or, if `before`, to be recorded
};

// Part of what the explorer and its runs share.
struct RsanSuspects {
  RsanSuspect at[kRsanMostSuspects];
  u32 count;
  // What a run is made for: to find suspects, to see whether they find the other pattern, or to
  // report those that have done so.
  enum For : u8 { kFind, kConfirm, kReport } run;
};

// Begins to fill memory: in a program that is explored, or in a replay, as the recorded run did.
void RsanFillFromNow();
void RsanFillAsRecorded(const char *options); // those of the record

// The program's first thread creates another one, or a run of the explorer begins: memory has the
// pattern of threads from now on, and reads are counted. Not done twice.
void RsanFillForThreads(RsanSuspects *suspects);

// Appends to the options of a record what its replay needs.
void RsanPutFill(char *options, uptr room);

// The suspects of this run. Null: no thread has been created so far.
RsanSuspects *RsanPresentSuspects();
u8 RsanWantedFill(); // what a read must find in a run that confirms or reports

} // namespace __tsan

#endif
