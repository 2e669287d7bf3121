// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernel carries from one thread to another by a number, for both detectors: System V
// semaphores and message queues by their numbers, files (POSIX queues, file locks) by device and
// inode, since two descriptors may be of one file. Each is an object, an address of the runtime's,
// at which threads release and acquire as at any other (Release, Acquire of tsan_rtl.h). There are
// 4,096 of them; if two have the same address, their users are ordered more than they have to be.
// So are threads that flock(2) one open file, which keeps nobody out.

#ifndef RSAN_CARRIERS_H
#define RSAN_CARRIERS_H

#include "tsan_rtl.h"

namespace __tsan {

uptr RsanCarrierOf(RsanCarrier carrier, u64 number);
// 0: there is no such descriptor.
uptr RsanCarrierOfFile(int fd);

// Releases or acquires there, unless it is 0.
void RsanGiveAt(ThreadState *thr, uptr pc, uptr carrier);
void RsanTakeAt(ThreadState *thr, uptr pc, uptr carrier);

// Before semop(2), and after it has succeeded: whoever lowers a semaphore comes after those that
// have raised it, and whoever waits for 0 after those that have lowered it.
void RsanBeforeSemop(ThreadState *thr, uptr pc, int set, const void *operations, uptr count);
void RsanAfterSemop(ThreadState *thr, uptr pc, int set, const void *operations, uptr count);

// Before and after a call that moves bytes from one descriptor to another (splice(2) and its kin).
// A full or an empty one may have had to wait for the other side, so both do both.
void RsanBeforeMove(ThreadState *thr, uptr pc, int from, int to);
void RsanAfterMove(ThreadState *thr, uptr pc, int from, int to);

// Does fcntl(2) lock or unlock with that command? Before and after it does.
bool RsanIsFileLock(int command);
void RsanBeforeFileLock(ThreadState *thr, uptr pc, int fd, int command);
void RsanAfterFileLock(ThreadState *thr, uptr pc, int fd, int command);

// After select(2): sets of descriptors, or null.
void RsanAfterSelect(ThreadState *thr, uptr pc, int count, const void *reads, const void *writes,
                     const void *others);

} // namespace __tsan

#endif
