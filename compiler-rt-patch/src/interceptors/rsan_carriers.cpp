// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/rsan_carriers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "port/rsan_signal_handlers.h"
#include "port/rsan_tsan.h"
#include "schedule/rsan_schedule.h"

namespace __tsan {

static const u64 kCarriers = 4096;
static u64 carriers[kCarriers];

static uptr AddressOf(RsanCarrier carrier, u64 first, u64 second) {
  MurMur2Hash64Builder hash(carrier);
  hash.add(first);
  hash.add(second);
  return reinterpret_cast<uptr>(&carriers[hash.get() % kCarriers]);
}

uptr RsanCarrierOf(RsanCarrier carrier, u64 number) {
  return AddressOf(carrier, number, 0);
}

static atomic_uint8_t used_files; // somebody has asked for the carrier of a file

uptr RsanCarrierOfFile(int fd) {
  atomic_store_relaxed(&used_files, 1);
  struct stat status;
  if (internal_iserror(internal_fstat(fd, &status)))
    return 0;
  return AddressOf(kRsanFile, status.st_dev, status.st_ino);
}

static const u32 kMemoryDevices = 1; // /dev/null and others

bool RsanIsFile(int fd) {
  struct stat status;
  if (internal_iserror(internal_fstat(fd, &status)) || S_ISREG(status.st_mode) ||
      S_ISDIR(status.st_mode))
    return true;
  if (S_ISCHR(status.st_mode))
    return major(status.st_rdev) == kMemoryDevices;
  RsanSharesDescriptors();
  return false;
}

void RsanCreatesProcess(ThreadState *thr, uptr pc) {
  RsanWrites(thr, pc);
  RsanSharesDescriptors();
}

static atomic_uint8_t cancels; // a thread was cancelled

void RsanCancels(ThreadState *thr, uptr pc, const void *thread) {
  RsanSends(thr, pc, kRsanCancelled, reinterpret_cast<u64>(thread));
  atomic_store_relaxed(&cancels, 1);
}

bool RsanWasCancelled(ThreadState *thr) {
  if (!atomic_load_relaxed(&cancels))
    return false;
  Acquire(thr, 0, RsanCarrierOf(kRsanCancelled, static_cast<u64>(pthread_self())));
  return true;
}

void RsanWrites(ThreadState *thr, uptr pc) {
  RsanReleaseToProcesses(thr);
  FdFileChanged(thr, pc);
}

// (Calls without a carrier may run programs that change files.)
void RsanGiveAt(ThreadState *thr, uptr pc, uptr carrier) {
  RsanReleaseToProcesses(thr);
  if (carrier)
    Release(thr, pc, carrier);
  else
    FdFileChanged(thr, pc);
}

void RsanTakeAt(ThreadState *thr, uptr pc, uptr carrier) {
  RsanAcquireFromProcesses(thr);
  if (carrier)
    Acquire(thr, pc, carrier);
}

void RsanSends(ThreadState *thr, uptr pc, RsanCarrier carrier, u64 number) {
  if (carrier == kRsanSignal || carrier == kRsanNotice)
    FdSignalSent(thr, pc);
  RsanGiveAt(thr, pc, RsanCarrierOf(carrier, number));
}

// A scheduled wait ends, as the kernel's does. Other waits for the object try again.
static void InterruptWait(ThreadState *thr, int signal) {
  auto *wait = &thr->rsan_own.interruptible;
  if (!wait->object || (!wait->timed && RsanRestartsCalls(signal)))
    return;
  wait->ended = true;
  RsanScheduleWakeUnseen(wait->object);
}

// (Timers and others send signals, too.)
void RsanReceives(ThreadState *thr, uptr pc, RsanCarrier carrier, u64 number) {
  if (carrier == kRsanSignal) {
    InterruptWait(thr, static_cast<int>(number));
    Acquire(thr, pc, RsanCarrierOf(kRsanNotice, 0));
    if (number == SIGIO || number == SIGURG)
      RsanAcquireFromProcesses(thr, true); // the kernel sends it when a descriptor is ready
  }
  RsanTakeAt(thr, pc, RsanCarrierOf(carrier, number));
}

static u64 SemaphoreOf(int set, const sembuf &operation) {
  return static_cast<u64>(static_cast<u32>(set)) << 16 | operation.sem_num;
}

static const uptr kMostOperations = 500; // the kernel refuses more (SEMOPM)

// These stand for all semaphores of a set: the first one for operations, the second one for calls
// that set or remove all of them.
static uptr OperationsOn(int set) {
  return RsanCarrierOf(kRsanSet, static_cast<u32>(set));
}

static uptr ControlOf(int set) {
  return RsanCarrierOf(kRsanSet, 1ull << 32 | static_cast<u32>(set));
}

static bool IsGone() {
  return errno == EIDRM || errno == EINVAL;
}

void RsanBeforeSemop(ThreadState *thr, uptr pc, int set, const void *operations, uptr count) {
  const auto *operation = static_cast<const sembuf *>(operations);
  RsanReleaseToProcesses(thr);
  Release(thr, pc, OperationsOn(set));
  if (count > kMostOperations || !operations)
    return;
  for (uptr i = 0; i < count; i++)
    if (operation[i].sem_op)
      Release(thr, pc,
              RsanCarrierOf(operation[i].sem_op > 0 ? kRsanRaised : kRsanLowered,
                            SemaphoreOf(set, operation[i])));
}

void RsanAfterSemop(ThreadState *thr, uptr pc, int set, const void *operations, uptr count,
                    long result) {
  const auto *operation = static_cast<const sembuf *>(operations);
  if (result == -1 && !IsGone())
    return;
  RsanTakeAt(thr, pc, ControlOf(set));
  for (uptr i = 0; result != -1 && i < count; i++)
    if (operation[i].sem_op <= 0)
      Acquire(thr, pc,
              RsanCarrierOf(operation[i].sem_op < 0 ? kRsanRaised : kRsanLowered,
                            SemaphoreOf(set, operation[i])));
}

// Releases to, or acquires from, both carriers of a semaphore.
static void OfBothCarriers(void (*act)(ThreadState *, uptr, uptr), ThreadState *thr, uptr pc,
                           int set, int number) {
  const sembuf operation = {static_cast<unsigned short>(number), 0, 0};
  act(thr, pc, RsanCarrierOf(kRsanRaised, SemaphoreOf(set, operation)));
  act(thr, pc, RsanCarrierOf(kRsanLowered, SemaphoreOf(set, operation)));
}

void RsanBeforeSemctl(ThreadState *thr, uptr pc, int set, int number, int command) {
  RsanReleaseToProcesses(thr);
  RsanControls(thr, pc, command);
  if (command == SETVAL)
    OfBothCarriers(Release, thr, pc, set, number);
  if (command != SETVAL && command != SETALL && command != IPC_RMID && command != IPC_SET)
    return;
  Release(thr, pc, OperationsOn(set));
  Release(thr, pc, ControlOf(set));
}

void RsanAfterSemctl(ThreadState *thr, uptr pc, int set, int number, int command) {
  RsanAcquireFromProcesses(thr);
  if (command == GETVAL)
    OfBothCarriers(Acquire, thr, pc, set, number);
  else
    Acquire(thr, pc, OperationsOn(set));
}

void RsanQueued(ThreadState *thr, uptr pc, int queue, long result) {
  if (result != -1 || IsGone())
    RsanReceives(thr, pc, kRsanQueue, queue);
}

void RsanBeforeQueueControl(ThreadState *thr, uptr pc, int queue, int command) {
  RsanControls(thr, pc, command);
  if (command == IPC_RMID || command == IPC_SET)
    RsanSends(thr, pc, kRsanQueue, queue);
}

void RsanAfterQueueControl(ThreadState *thr, uptr pc, int queue) {
  RsanReceives(thr, pc, kRsanQueue, queue);
}

static bool IsOfOpenFile(int command) {
  return command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

bool RsanIsFileLock(int command) {
  return command == F_SETLK || command == F_SETLKW || IsOfOpenFile(command);
}

void RsanBeforeFileLock(ThreadState *thr, uptr pc, int fd, int command) {
  RsanGiveAt(thr, pc, IsOfOpenFile(command) ? RsanCarrierOfFile(fd) : 0);
}

void RsanAfterFileLock(ThreadState *thr, uptr pc, int fd, int command) {
  RsanTakeAt(thr, pc, IsOfOpenFile(command) ? RsanCarrierOfFile(fd) : 0);
}

void RsanReadsFirst(ThreadState *thr, uptr pc, int fd) {
  if (thr->is_inited)
    FdGivesRoom(thr, pc, fd);
}

void RsanShutsDown(ThreadState *thr, uptr pc, int fd) {
  FdRelease(thr, pc, fd);
  FdGivesRoom(thr, pc, fd);
}

void RsanSetsOption(ThreadState *thr, uptr pc, int fd, int level, int option) {
  if (level == SOL_SOCKET && (option == SO_SNDBUF || option == SO_SNDBUFFORCE))
    FdNarrows(thr, pc, fd);
}

void RsanAfterDeviceControl(ThreadState *thr, uptr pc, int fd, uptr request) {
  if (request == FIONREAD)
    FdAsks(thr, pc, fd);
  else if (request == TIOCOUTQ)
    FdFindsRoom(thr, pc, fd, true);
}

void RsanAfterSeek(ThreadState *thr, uptr pc, int fd, int how) {
  if (how == SEEK_END)
    FdAsks(thr, pc, fd);
}

void RsanBeforeFileControl(ThreadState *thr, uptr pc, int fd, int command) {
  switch (command) {
  case F_SETFD:
  case F_SETFL:
  case F_SETOWN:
  case F_SETSIG:
  case F_SETPIPE_SZ:
  case F_SETLEASE:
  case F_ADD_SEALS:
    FdRelease(thr, pc, fd);
  }
}

void RsanAfterFileControl(ThreadState *thr, uptr pc, int fd, int command, int got) {
  switch (command) {
  case F_DUPFD:
  case F_DUPFD_CLOEXEC:
    if (got != -1)
      FdDup(thr, pc, fd, got, true);
    return;
  case F_GETFD:
  case F_GETFL:
  case F_GETOWN:
  case F_GETLK:
  case F_OFD_GETLK:
  case F_GETPIPE_SZ:
  case F_GETLEASE:
  case F_GET_SEALS:
    FdAsks(thr, pc, fd);
  }
}

void RsanCloses(ThreadState *thr, uptr pc, int fd) {
  RsanReleaseToProcesses(thr);
  const uptr carrier = atomic_load_relaxed(&used_files) ? RsanCarrierOfFile(fd) : 0;
  if (carrier)
    Release(thr, pc, carrier);
}

// The last part of the path, because the same file may be asked for by another path.
static uptr CarrierOfName(const char *path) {
  uptr end = internal_strlen(path);
  while (end && path[end - 1] == '/')
    end--;
  MurMur2Hash64Builder hash;
  while (end && path[end - 1] != '/')
    hash.add(static_cast<u64>(path[--end]));
  return RsanCarrierOf(kRsanPath, hash.get());
}

// sigprocmask(2) reads the set before it refuses the number -1: EINVAL, or EFAULT. No other call
// asks for memory without a descriptor and in any sandbox.
bool RsanIsReadable(const void *address) {
  auto *word =
      reinterpret_cast<__sanitizer_sigset_t *>(RoundDownTo(reinterpret_cast<uptr>(address), 8));
  int error = 0;
  return word &&
         (!internal_iserror(internal_sigprocmask(-1, word, nullptr), &error) || error != EFAULT);
}

static uptr CarrierOfAnyName() {
  return RsanCarrierOf(kRsanName, 1);
}

void RsanChangesName(ThreadState *thr, uptr pc, const char *path) {
  RsanWrites(thr, pc);
  Release(thr, pc, CarrierOfAnyName());
  if (RsanIsReadable(path))
    Release(thr, pc, CarrierOfName(path));
}

// The kernel has read the path of a call that has succeeded. (Another process may have created or
// removed the file.)
static void TakeName(ThreadState *thr, uptr pc, const char *path, long result,
                     bool from_processes) {
  const int saved_errno = errno;
  if (from_processes)
    RsanAcquireFromProcesses(thr);
  if (path && (result != -1 || RsanIsReadable(path)))
    Acquire(thr, pc, CarrierOfName(path));
  errno = saved_errno;
}

void RsanAsksName(ThreadState *thr, uptr pc, const char *path, long result) {
  TakeName(thr, pc, path, result, true);
}

void RsanAsksFile(ThreadState *thr, uptr pc, const char *path, long result) {
  RsanAsksName(thr, pc, path, result);
  FdAsksFiles(thr, pc);
}

void RsanAsksSignals(ThreadState *thr, uptr pc, const void *set) {
  const auto *pending = static_cast<const sigset_t *>(set);
  for (int number = 1; number < 65; number++)
    if (sigismember(pending, number) == 1)
      RsanTakeAt(thr, pc, RsanCarrierOf(kRsanSignal, number));
}

void RsanListed(ThreadState *thr, uptr pc, const void *entry) {
  const int saved_errno = errno;
  if (entry)
    RsanAsksName(thr, pc, static_cast<const dirent *>(entry)->d_name, 0);
  else
    RsanTakeAt(thr, pc, CarrierOfAnyName());
  errno = saved_errno;
}

// Both calls write entries that begin as struct dirent does. That of the old call has the name one
// byte earlier, where struct dirent has the type.
void RsanAfterList(ThreadState *thr, uptr pc, const void *list, uptr size, bool old) {
  const auto *bytes = static_cast<const char *>(list);
  if (!size)
    RsanListed(thr, pc, nullptr);
  for (uptr at = 0; at < size;) {
    const auto *entry = reinterpret_cast<const dirent *>(bytes + at);
    RsanAsksName(thr, pc, old ? reinterpret_cast<const char *>(&entry->d_type) : entry->d_name, 0);
    at += entry->d_reclen;
  }
}

void RsanOpens(ThreadState *thr, uptr pc, const char *path, int flags) {
  if (flags & (O_CREAT | O_TRUNC))
    RsanChangesName(thr, pc, path);
  else
    RsanReleaseToProcesses(thr); // the other end of a named pipe may be waited for
}

void RsanOpened(ThreadState *thr, uptr pc, const char *path, int flags, long result) {
  TakeName(thr, pc, path, result, flags & O_EXCL);
}

void RsanNamed(ThreadState *thr, uptr pc, int flags) {
  if (flags & O_EXCL)
    RsanReceives(thr, pc, kRsanName, 0);
}

void RsanMade(ThreadState *thr, uptr pc, int flags) {
  if (flags & IPC_EXCL)
    RsanReceives(thr, pc, kRsanName, 0);
}

void RsanUnnames(ThreadState *thr, uptr pc) {
  RsanSends(thr, pc, kRsanName, 0);
}

void RsanControls(ThreadState *thr, uptr pc, int command) {
  if (command == IPC_RMID && thr->is_inited)
    RsanUnnames(thr, pc);
}

void RsanBeforeMove(ThreadState *thr, uptr pc, int from, int to) {
  FdRelease(thr, pc, to);
  FdRelease(thr, pc, from);
  FdGivesRoom(thr, pc, from);
}

void RsanAfterMove(ThreadState *thr, uptr pc, int from, int to) {
  FdAcquire(thr, pc, from);
  FdAcquire(thr, pc, to);
  FdNarrows(thr, pc, to); // how many bytes were moved is not known
  FdFindsRoom(thr, pc, to, false);
}

// A stream in memory has no descriptor, nor has a flush of all streams.
static int DescriptorOf(RsanStream stream) {
  if (!stream.file)
    return stream.fd;
  const int saved_errno = errno, fd = fileno_unlocked(static_cast<FILE *>(stream.file));
  errno = saved_errno;
  return fd;
}

void RsanStreamReads(ThreadState *thr, uptr pc, RsanStream stream) {
  FdGivesRoom(thr, pc, DescriptorOf(stream));
}

void RsanStreamReadsFirst(ThreadState *thr, uptr pc, RsanStream stream) {
  if (thr->is_inited)
    RsanStreamReads(thr, pc, stream);
}

void RsanStreamHasRead(ThreadState *thr, uptr pc, RsanStream stream) {
  FdAcquire(thr, pc, DescriptorOf(stream));
}

void RsanStreamWrites(ThreadState *thr, uptr pc, RsanStream stream) {
  const int fd = DescriptorOf(stream);
  if (fd < 0)
    RsanWrites(thr, pc);
  else
    FdRelease(thr, pc, fd);
}

void RsanStreamHasWritten(ThreadState *thr, uptr pc, RsanStream stream) {
  const int fd = DescriptorOf(stream);
  FdNarrows(thr, pc, fd); // how many bytes were written is not known
  FdFindsRoom(thr, pc, fd, false);
}

RsanReadingStream::RsanReadingStream(ThreadState *thr, uptr pc, RsanStream stream)
    : thr(thr), pc(pc), stream(stream) {
  RsanStreamReads(thr, pc, stream);
}

RsanReadingStream::~RsanReadingStream() {
  RsanStreamHasRead(thr, pc, stream);
}

RsanWritingStream::RsanWritingStream(ThreadState *thr, uptr pc, RsanStream stream)
    : thr(thr), pc(pc), stream(stream) {
  RsanStreamWrites(thr, pc, stream);
}

RsanWritingStream::~RsanWritingStream() {
  RsanStreamHasWritten(thr, pc, stream);
}

static void FindsReady(ThreadState *thr, uptr pc, int fd, bool writable, bool ended) {
  FdAcquire(thr, pc, fd);
  if (writable || ended)
    FdFindsRoom(thr, pc, fd, ended);
}

void RsanAfterPoll(ThreadState *thr, uptr pc, const void *fds, uptr count) {
  const auto *polled = static_cast<const pollfd *>(fds);
  for (uptr i = 0; i < count; i++)
    if (polled[i].fd >= 0 && polled[i].revents)
      FindsReady(thr, pc, polled[i].fd, polled[i].revents & POLLOUT,
                 polled[i].revents & (POLLERR | POLLHUP));
}

void RsanAfterSelect(ThreadState *thr, uptr pc, int count, const void *reads, const void *writes,
                     const void *others) {
  const fd_set *const sets[] = {static_cast<const fd_set *>(reads),
                                static_cast<const fd_set *>(writes),
                                static_cast<const fd_set *>(others)};
  for (const fd_set *set : sets)
    for (int fd = 0; set && fd < count && fd < FD_SETSIZE; fd++)
      if (FD_ISSET(fd, set))
        FindsReady(thr, pc, fd, set == writes, false);
}

} // namespace __tsan
