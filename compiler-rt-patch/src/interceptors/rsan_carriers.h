// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls by which the kernel orders threads order races and robustness here. Each kernel object that
// no descriptor stands for is one of 4,096 addresses of the runtime, at which threads release and
// acquire (tsan_rtl.h). System V objects and signals are known by their numbers, files by device
// and inode, because two descriptors may refer to one file. Two kernel objects may share an
// address; then their users are ordered although the kernel does not order them. The same is true
// of threads that flock(2) one open file, since that lock does not exclude them from each other.
//
// A descriptor of signalfd(2) tells of any signal, and one of inotify(7) of any file: each of the
// two kinds is one object (tsan_fd.cpp), to which whoever sends a signal, or may change a file,
// releases. All names of semaphores and queues, and all System V keys, are one object as well:
// who removes one releases, and who creates one exclusively acquires. A file's name is the
// last part of its path: calls that may create or remove the file release, and calls that tell
// whether it exists acquire. A program that reads a folder's list to its end learns which files do
// not exist, so the end acquires from every change of a name.
//
// Every function here also tells the other processes (RsanReleaseToProcesses and its counterpart).

#ifndef RSAN_CARRIERS_H
#define RSAN_CARRIERS_H

#include "port/rsan_tsan.h"

namespace __tsan {

uptr RsanCarrierOf(RsanCarrier carrier, u64 number);
// Returns 0 if the process has no such descriptor.
uptr RsanCarrierOfFile(int fd);

// Can the eight bytes around the address be read?
bool RsanIsReadable(const void *address);

// Releases and acquires the carrier; 0 stands for a call that only orders processes.
void RsanGiveAt(ThreadState *thr, uptr pc, uptr carrier);
void RsanTakeAt(ThreadState *thr, uptr pc, uptr carrier);

// Call these before and after semop(2). `result` is what it has returned: -1 if it has failed. A
// thread that lowers a semaphore acquires from the threads that raised it. A thread that waits for
// 0 acquires from the threads that lowered it.
void RsanBeforeSemop(ThreadState *thr, uptr pc, int set, const void *operations, uptr count);
void RsanAfterSemop(ThreadState *thr, uptr pc, int set, const void *operations, uptr count,
                    long result);

// Call these before semctl(2) and after it has succeeded. A thread that sets a semaphore may raise
// or lower it, and a thread that asks for its value learns of that.
void RsanBeforeSemctl(ThreadState *thr, uptr pc, int set, int number, int command);
void RsanAfterSemctl(ThreadState *thr, uptr pc, int set, int number, int command);

// Call these before msgctl(2) and after it has succeeded.
void RsanBeforeQueueControl(ThreadState *thr, uptr pc, int queue, int command);
void RsanAfterQueueControl(ThreadState *thr, uptr pc, int queue);

// Call these before and after a call that moves bytes between two descriptors, as splice(2) does.
// Both descriptors release and acquire, because the call may wait for the other side of either: for
// bytes at one, for room at the other.
void RsanBeforeMove(ThreadState *thr, uptr pc, int from, int to);
void RsanAfterMove(ThreadState *thr, uptr pc, int from, int to);

// Returns whether fcntl(2) locks or unlocks a file with that command.
bool RsanIsFileLock(int command);
// Call these before and after such a call. Locks of open files (OFD) order threads; POSIX locks
// order only processes, because the threads of a process share them.
void RsanBeforeFileLock(ThreadState *thr, uptr pc, int fd, int command);
void RsanAfterFileLock(ThreadState *thr, uptr pc, int fd, int command);
// Call this after lseek(2), which may tell a file's size.
void RsanAfterSeek(ThreadState *thr, uptr pc, int fd, int how);
// Call these before and after fcntl(2) with another command; its result is -1 if it has failed.
void RsanBeforeFileControl(ThreadState *thr, uptr pc, int fd, int command);
void RsanAfterFileControl(ThreadState *thr, uptr pc, int fd, int command, int got);
// Call these before shutdown(2) and setsockopt(2).
void RsanShutsDown(ThreadState *thr, uptr pc, int fd);
void RsanSetsOption(ThreadState *thr, uptr pc, int fd, int level, int option);

// Call this before a descriptor is closed, which ends the locks of its open file.
void RsanCloses(ThreadState *thr, uptr pc, int fd);

// Call this after getdents64(2) or, if `old`, getdents(2) has written so many bytes of a folder's
// list.
void RsanAfterList(ThreadState *thr, uptr pc, const void *list, uptr size, bool old);

// Call this after select(2). Each set is a fd_set of ready descriptors, or null.
void RsanAfterSelect(ThreadState *thr, uptr pc, int count, const void *reads, const void *writes,
                     const void *others);

} // namespace __tsan

#endif
