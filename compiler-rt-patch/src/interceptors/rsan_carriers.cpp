// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/rsan_carriers.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/stat.h>

#include "sanitizer_common/sanitizer_libc.h"
#include "sanitizer_common/sanitizer_posix.h"
#include "tsan_fd.h"

namespace __tsan {

static const u64 kCarriers = 4096;
static u64 carriers[kCarriers];

static u64 Mix(u64 hash, u64 value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 29;
}

static uptr AddressOf(u64 hash) {
  return reinterpret_cast<uptr>(&carriers[hash % kCarriers]);
}

uptr RsanCarrierOf(RsanCarrier carrier, u64 number) {
  return AddressOf(Mix(Mix(0, carrier + 1), number));
}

uptr RsanCarrierOfFile(int fd) {
  struct stat status;
  if (internal_iserror(internal_fstat(fd, &status)))
    return 0;
  return AddressOf(Mix(Mix(Mix(0, kRsanFile + 1), status.st_dev), status.st_ino));
}

void RsanGiveAt(ThreadState *thr, uptr pc, uptr carrier) {
  if (carrier)
    Release(thr, pc, carrier);
}

void RsanTakeAt(ThreadState *thr, uptr pc, uptr carrier) {
  if (carrier)
    Acquire(thr, pc, carrier);
}

void RsanSends(ThreadState *thr, uptr pc, RsanCarrier carrier, u64 number) {
  RsanReleaseToProcesses(thr);
  RsanGiveAt(thr, pc, RsanCarrierOf(carrier, number));
}

void RsanReceives(ThreadState *thr, uptr pc, RsanCarrier carrier, u64 number) {
  RsanAcquireFromProcesses(thr);
  RsanTakeAt(thr, pc, RsanCarrierOf(carrier, number));
}

static u64 SemaphoreOf(int set, const sembuf &operation) {
  return static_cast<u64>(static_cast<u32>(set)) << 16 | operation.sem_num;
}

// The kernel takes 500 operations at most (SEMOPM).
static const uptr kMostOperations = 500;

void RsanBeforeSemop(ThreadState *thr, uptr pc, int set, const void *operations, uptr count) {
  const auto *operation = static_cast<const sembuf *>(operations);
  if (count > kMostOperations || !operations)
    return;
  for (uptr i = 0; i < count; i++)
    if (operation[i].sem_op)
      RsanGiveAt(thr, pc,
                 RsanCarrierOf(operation[i].sem_op > 0 ? kRsanRaised : kRsanLowered,
                               SemaphoreOf(set, operation[i])));
}

void RsanAfterSemop(ThreadState *thr, uptr pc, int set, const void *operations, uptr count) {
  const auto *operation = static_cast<const sembuf *>(operations);
  for (uptr i = 0; i < count; i++)
    if (operation[i].sem_op <= 0)
      RsanTakeAt(thr, pc,
                 RsanCarrierOf(operation[i].sem_op < 0 ? kRsanRaised : kRsanLowered,
                               SemaphoreOf(set, operation[i])));
}

static bool IsOfOpenFile(int command) {
  return command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

bool RsanIsFileLock(int command) {
  return command == F_SETLK || command == F_SETLKW || IsOfOpenFile(command);
}

void RsanBeforeFileLock(ThreadState *thr, uptr pc, int fd, int command) {
  RsanReleaseToProcesses(thr);
  if (IsOfOpenFile(command))
    RsanGiveAt(thr, pc, RsanCarrierOfFile(fd));
}

void RsanAfterFileLock(ThreadState *thr, uptr pc, int fd, int command) {
  RsanAcquireFromProcesses(thr);
  if (IsOfOpenFile(command))
    RsanTakeAt(thr, pc, RsanCarrierOfFile(fd));
}

void RsanOpened(ThreadState *thr, uptr pc, const char *name, int flags) {
  if (flags & O_EXCL)
    Acquire(thr, pc, File2addr(name));
}

void RsanBeforeMove(ThreadState *thr, uptr pc, int from, int to) {
  FdRelease(thr, pc, to);
  FdRelease(thr, pc, from);
}

void RsanAfterMove(ThreadState *thr, uptr pc, int from, int to) {
  FdAcquire(thr, pc, from);
  FdAcquire(thr, pc, to);
}

void RsanAfterPoll(ThreadState *thr, uptr pc, const void *fds, uptr count) {
  const auto *polled = static_cast<const pollfd *>(fds);
  RsanAcquireFromProcesses(thr);
  for (uptr i = 0; i < count; i++)
    if (polled[i].fd >= 0 && polled[i].revents)
      FdAcquire(thr, pc, polled[i].fd);
}

void RsanAfterSelect(ThreadState *thr, uptr pc, int count, const void *reads, const void *writes,
                     const void *others) {
  const fd_set *const sets[] = {static_cast<const fd_set *>(reads),
                                static_cast<const fd_set *>(writes),
                                static_cast<const fd_set *>(others)};
  for (const fd_set *set : sets)
    for (int fd = 0; set && fd < count && fd < FD_SETSIZE; fd++)
      if (FD_ISSET(fd, set))
        FdAcquire(thr, pc, fd);
}

} // namespace __tsan
