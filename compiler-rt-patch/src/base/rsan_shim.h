// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the patched files of TSan's runtime call, and nothing else: the patches are calls of these
// functions. Locks that each one needs are named; "slot" is TSan's per-thread slot lock, under
// which fork cannot happen, so that no lock of the core is ever held across a fork.

#ifndef RSAN_SHIM_H
#define RSAN_SHIM_H

#include "base/rsan_shim_state.h"
#include "port/rsan_tsan_types.h"

struct rsan_location;
struct rsan_thread;

namespace __sanitizer {
class FlagParser;
struct StackTrace;
struct DataInfo;
struct SymbolizedStack;
} // namespace __sanitizer

namespace __tsan {

// Marks a function that an entry point of instrumented code calls seldom, and not last: the entry
// point then saves no registers for the call.
#define RSAN_SELDOM_CALLED __attribute__((preserve_most))

class ReportDesc;
struct Flags;
class Shadow;
struct SyncVar;
struct ThreadState;
class ThreadContext;

// All epochs have been reset: of a thread that takes a new slot; of an object, all slots held.
void RsanResetThreadClocks(ThreadState *thr);
void RsanResetClocks(SyncVar *s);
// The thread has taken a slot, in this epoch of it; slot held.
void RsanSlotAttached(Sid sid, Epoch epoch);

// Start of the process, once, before the first thread. RSan's flags are registered with TSan's
// parser, which reads RSAN_OPTIONS after TSAN_OPTIONS.
void RsanSetFlagDefaults(Flags *flags);
void RsanRegisterFlags(__sanitizer::FlagParser *parser);
void RsanFlagsParsed();
// Says `name=value in where: must be wanted` and ends the process. `where` is null where that is
// not known.
// Ends a process whose options make no sense, before the program starts. The process has failed
// then, whatever exitcode= says of a program with reports: 66 if that is 0.
[[noreturn]] void RsanDieUnstarted();
void RsanRefuseOption(const char *name, const char *value, const char *where, const char *wanted);
void RsanCheckNumber(const char *name, int value, int least, int most);
bool RsanIgnoresPlainAccesses(); // races=0: every thread starts with them ignored
void RsanInitialize();
// An instrumented source file has been loaded.
void RsanNoteUnit();
void RsanFinalize();

// Memory for one of TSan's processors: a destroyed processor's memory, or zeroed memory. Threads
// may call both functions at the same time.
void *RsanProcessorMemory();
void RsanProcessorIsFree(void *memory);

// From RsanKeepProcessors on, which is called while there is one thread, a processor that would be
// destroyed is kept as it is for the next thread that needs one (null, false: it is not).
void RsanKeepProcessors();
Processor *RsanKeptProcessor();
bool RsanKeepProcessor(Processor *processor);

// Threads. Create: by the creator (null for the main thread), no lock held. Start, with the
// thread's stack and TLS known: no lock. Created, Finish, Free: in the thread registry's callbacks.
rsan_thread *RsanThreadCreate(ThreadState *creator);
rsan_thread *RsanThreadCreated(rsan_thread *thread,
                               const ThreadContext *context); // returns `thread`
void RsanThreadStart(ThreadState *thr, bool has_fresh_stack);
// The thread's own function has returned, or has called pthread_exit; or its destructors of
// thread_local objects, or of keys, have run. No lock held.
void RsanThreadEnding(ThreadState *thr);
// Both make the calling thread, which the runtime may not know yet, one of the program's threads
// (interceptors/rsan_adopt.h); `pc` is in the code that calls the runtime. RsanFirstCall is for
// intercepted calls, and returns the thread's state. RsanKnowsThread returns false if the thread
// cannot be made known, and sets *thr to its state otherwise. No lock held.
RSAN_SELDOM_CALLED bool RsanKnowsThread(ThreadState **thr, uptr pc);
ThreadState *RsanFirstCall(uptr pc);
void RsanFinalizeAtEnd();                 // when the thread's destructors of keys have run
void RsanDropProcessor(ThreadState *thr); // then, if the thread has only made allocations
// The thread is about to call its function. No lock held.
void RsanThreadRuns(ThreadState *thr, uptr function);
// An unseen function calls an instrumented one. No lock held.
RSAN_SELDOM_CALLED void RsanCalledBack(ThreadState *thr);
// The thread does nothing in the runtime any more.
void RsanThreadGone();
// Starts a thread of the runtime's own, which waits for none of the program's; the function calls
// RsanNoteOwnThread first. Returns what internal_start_thread does.
void *RsanStartOwnThread(void *(*function)(void *));
void RsanNoteOwnThread();
// Around fork and clone: after all other locks but the allocator's were taken; before they are
// given back, on both sides; and in the child, when they all are.
void RsanScheduleBeforeFork();
void RsanScheduleAfterFork();
void RsanAfterForkInChild();

// With explore=: the process forks before it creates its first thread (exploration/). True: all its
// schedules are explored.
bool RsanExploreFromHere();
// Is this race known from another execution, so that there is no more to do?
bool RsanFindsRace(StackTrace first, StackTrace second);
// Are findings noted and not printed?
bool RsanFindsQuietly();
// One is said to be benign, from now on.
void RsanMeetsBenignRace();
// There has been one, so the shadow there is made to show no more of them.
void RsanNoteRaceAt(RawShadow *shadow);
extern bool rsan_explores;
// What memory from the heap is filled with (exploration/rsan_uninitialised.cpp); 0: it is not.
extern __attribute__((visibility("hidden"))) u8 rsan_fills;
void RsanFill(void *block, uptr size);
// The heap of a test that follows execution graphs (exploration/rsan_test_heap.h). Null: the block
// comes from TSan's allocator.
static const uptr kRsanTestHeap = 1 << 30; // bytes
extern __attribute__((visibility("hidden"))) bool rsan_follows_graphs, rsan_uses_test_heap,
    rsan_has_test_heap;
void *RsanAllocateInTestHeap(uptr size, uptr align);
bool RsanIsInTestHeap(const void *block);
void RsanMeetsGuard(); // an initialisation by whoever comes first is asked for
void RsanMeetsAnnotation(const char *name);
void RsanLosesRace(); // the first of two accesses that race is not in its thread's trace any more
// The thread is about to unmap the memory.
void RsanUnmaps(ThreadState *thr, uptr pc, uptr addr, uptr size);
// The shadow of eight bytes has no free cell (exploration/rsan_accesses.cpp): records the access in
// a list. Returns false, which CheckRaces returns in its place: this is a tail call, as a call in
// the middle would cost each access a stack frame.
bool RsanStoreInFullShadow(ThreadState *thr, RawShadow *shadow, RawShadow access);
// The access, by the explored run, happens after all that the eight bytes have and that it
// conflicts with. The same in place of the rest of CheckRaces: records the access.
void RsanMeetsOrdered(ThreadState *thr, Shadow access, Shadow old, AccessType type); // with one
bool RsanStoreOrdered(ThreadState *thr, RawShadow *shadow, Shadow access, AccessType type);
// Checks an access that the trace has already, eight bytes at a time, and stops at the first that
// race.
void RsanCheckParts(ThreadState *thr, uptr addr, uptr size, AccessType type);
// The same for one eight bytes. Was a race found?
bool RsanCheckExactly(ThreadState *thr, RawShadow *shadow, Shadow access, AccessType type);
// The bytes may have a list of accesses. Is there one with which this one races?
bool RsanFindsInList(ThreadState *thr, RawShadow *shadow, Shadow access, AccessType type,
                     Shadow *old);
// Waits until the guard of an initialisation is not `value` any more; it has changed.
void RsanWaitForGuard(ThreadState *thr, atomic_uint32_t *guard, u32 value);
void RsanWakeGuard(atomic_uint32_t *guard);
// Waits as RsanWaitForGuard does, on a word that the schedule does not know.
void RsanWaitUnseen(atomic_uint32_t *word, u32 value);
// A call that may block begins: of `function`, if that is known; and ends.
const uptr kRsanLeavesItself = 1; // the schedule knows of what comes
void RsanBlocks(ThreadState *thr, uptr function);
void RsanReturns(ThreadState *thr, uptr function);
void RsanThreadStopping(ThreadState *thr); // its stack is not used by the program any more; no lock
void RsanThreadFinish(rsan_thread *thread);
void RsanThreadJoin(ThreadState *thr, rsan_thread *joined); // takes over `joined`
void RsanThreadFree(rsan_thread *thread);

// A semaphore is about to be posted. In a scheduled run this is the point of the post, so that a
// wait that comes before it does not acquire what it releases. No lock held.
void RsanPosts(ThreadState *thr, uptr semaphore);
// Barriers (sync/rsan_barriers.h). RsanArriveAtBarrier is the point of the arrival; it returns the
// object that the threads which now wait there together release to and acquire from. No lock held.
void RsanBeginBarrier(uptr barrier, u32 count);
void RsanEndBarrier(uptr barrier);
uptr RsanArriveAtBarrier(ThreadState *thr, uptr barrier);

// Mutexes: under slot and the SyncVar's lock (a read lock of it is enough for RsanReadLock).
void RsanLock(ThreadState *thr, SyncVar *s);
void RsanUnlock(ThreadState *thr, SyncVar *s);
void RsanReadLock(ThreadState *thr, SyncVar *s);
void RsanReadUnlock(ThreadState *thr, SyncVar *s);
void RsanCreates(SyncVar *s); // under slot

// SyncVar's own clocks, for data races, as mutexes use them; the same locks.
void RsanKeepClocks(ThreadState *thr); // the slot was taken, and the thread's clock stays as it is
void RsanAcquireClocks(ThreadState *thr, SyncVar *s, bool writes);
void RsanReleaseClock(ThreadState *thr, SyncVar *s);
void RsanReleaseReadClock(ThreadState *thr, SyncVar *s);

// Everything else that TSan takes for acquire and release; the same locks.
void RsanAcquire(ThreadState *thr, SyncVar *s);
void RsanRelease(ThreadState *thr, SyncVar *s, bool replace);

// Happens-before through other processes, and through the kernel: whoever receives anything takes
// what any thread had done before it sent anything, or forked; if there is memory that processes
// share, what any thread had done. Robustness has these edges always. Data races have them if
// `races`; without this argument, if the process has created another one, or has given away a
// descriptor. No lock held.
void RsanReleaseToProcesses(ThreadState *thr);
void RsanAcquireFromProcesses(ThreadState *thr);
void RsanAcquireFromProcesses(ThreadState *thr, bool races);
// Call RsanCreatesProcess before another process is created, and RsanSharesDescriptors before
// another process, or another descriptor of this one, may get what the descriptors of this process
// stand for. RsanTimesShared counts both.
void RsanCreatesProcess(ThreadState *thr, uptr pc);
void RsanSharesDescriptors();
u32 RsanTimesShared();

// Signals in code that makes no call (interceptors/rsan_delivery.h). Defers: a signal is pending
// that interrupted the thread at `context`. IsReminder: is this signal one by which the runtime has
// the thread interrupted again? Then all is done. StopReminding: before pending signals are
// handled, and at the thread's end.
void RsanDefersSignal(ThreadState *thr, void *info, void *context);
bool RsanIsReminder(ThreadState *thr, int signal, void *info, void *context);
void RsanStopReminding(ThreadState *thr);

// Kernel objects that order threads and that no descriptor stands for (rsan_carriers.h): a System V
// semaphore when it is raised and when it is lowered, a set of them, a System V queue, a signal, a
// file, and a notification that the program has asked for; a thread that was cancelled, and
// quick_exit(3). kRsanName stands for all names of semaphores and queues, and for all System V
// keys; kRsanPath for the name of a file.
enum RsanCarrier {
  kRsanRaised,
  kRsanLowered,
  kRsanQueue,
  kRsanSignal,
  kRsanFile,
  kRsanNotice,
  kRsanName,
  kRsanPath,
  kRsanSet,
  kRsanCancelled,
  kRsanQuickExit
};
// Release and acquire such an object, for races and robustness and towards other processes.
void RsanSends(ThreadState *thr, uptr pc, RsanCarrier carrier, u64 number);
void RsanReceives(ThreadState *thr, uptr pc, RsanCarrier carrier, u64 number);
// A file's name orders the threads that create it, remove it or ask for it. PATH is the program's
// argument, which may point to memory that cannot be read. Call RsanChangesName before a system
// call that may create or remove the file. Call RsanAsksName after a system call that tells whether
// the file exists; pass the result, -1 if the call has failed. It keeps errno. RsanOpens and
// RsanOpened do the same before and after open(2) with these flags.
void RsanChangesName(ThreadState *thr, uptr pc, const char *path);
void RsanAsksName(ThreadState *thr, uptr pc, const char *path, long result);
// The same after a call that also tells the file's state: its size, its times, its mode.
void RsanAsksFile(ThreadState *thr, uptr pc, const char *path, long result);
void RsanOpens(ThreadState *thr, uptr pc, const char *path, int flags);
void RsanOpened(ThreadState *thr, uptr pc, const char *path, int flags, long result);
// Call this after a function that reads the list of a folder's files. ENTRY is the struct dirent
// that it has read; if it is null, the function has come to the end of the list, or read all of it.
void RsanListed(ThreadState *thr, uptr pc, const void *entry);
// Call this after a call that tells which signals are pending; SET is a sigset_t of theirs.
void RsanAsksSignals(ThreadState *thr, uptr pc, const void *set);
// Call this after msgsnd(2) or msgrcv(2); the result is -1 if the call has failed.
void RsanQueued(ThreadState *thr, uptr pc, int queue, long result);
// Call this after ioctl(2), which may tell how much there is to read or to write.
void RsanAfterDeviceControl(ThreadState *thr, uptr pc, int fd, uptr request);
// A thread was asked to end by pthread_cancel(3); has this one been? Then it acquires.
void RsanCancels(ThreadState *thr, uptr pc, const void *thread);
bool RsanWasCancelled(ThreadState *thr);
// Call this before a call that may write to a file whose descriptor is not known.
void RsanWrites(ThreadState *thr, uptr pc);
// A program may use the name of a semaphore or queue, or a System V key, as a lock, because
// creating the object exclusively fails while it exists. Call RsanNamed after sem_open(3) or
// mq_open(3) with these flags has succeeded, RsanMade after semget(2), msgget(2) or shmget(2), and
// RsanUnnames before a name is removed. Call RsanControls before semctl(2), msgctl(2) or shmctl(2)
// with that command; the runtime need not be initialised.
void RsanNamed(ThreadState *thr, uptr pc, int flags);
void RsanMade(ThreadState *thr, uptr pc, int flags);
void RsanUnnames(ThreadState *thr, uptr pc);
void RsanControls(ThreadState *thr, uptr pc, int command);
// These are in tsan_fd.cpp. Call them before a signal is sent, and before a file is changed:
// descriptors of signalfd(2) and of inotify(7) may tell of that.
void FdSignalSent(ThreadState *thr, uptr pc);
void FdFileChanged(ThreadState *thr, uptr pc);
// Call these after a call that tells the state of files, or of what a descriptor stands for; and
// FdChangesFiles before a call that changes the state of a file.
void FdAsksFiles(ThreadState *thr, uptr pc);
void FdAsks(ThreadState *thr, uptr pc, int fd);
void FdChangesFiles(ThreadState *thr, uptr pc);
// A descriptor of unknown origin (rsan_descriptors.inc).
void FdUnknownCreate(ThreadState *thr, uptr pc, int fd);
void FdSocketPairCreate(ThreadState *thr, uptr pc, int one, int other);
// Call FdGivesRoom before a thread reads. Call FdTakesRoom after it has written: SENT is how many
// bytes, or -1 if it has failed; FROM is where they were, or null. Call FdFindsRoom when a thread
// has learnt that it may write, or, if `ended`, that the other end is closed; FdNarrows before the
// size of a buffer is changed; and FdPollFor at each call of epoll_ctl(2).
void FdGivesRoom(ThreadState *thr, uptr pc, int fd);
// The same where the runtime need not be initialised.
void RsanReadsFirst(ThreadState *thr, uptr pc, int fd);
void FdTakesRoom(ThreadState *thr, uptr pc, int fd, const void *from, sptr sent);
void FdFindsRoom(ThreadState *thr, uptr pc, int fd, bool ended);
void FdNarrows(ThreadState *thr, uptr pc, int fd);
void FdPollFor(ThreadState *thr, uptr pc, int epfd, const void *event);
// Does the new descriptor, which was opened by a name, stand for a file of a file system? The
// others are of named pipes and terminals, or one of the process's own was opened again.
bool RsanIsFile(int fd);
// A stream of C's: a FILE, or one that is standard, by its descriptor.
struct RsanStream {
  RsanStream(void *stream) : file(stream), fd(-1) {}
  explicit RsanStream(int number) : file(nullptr), fd(number) {}
  void *file;
  int fd;
};
// The stream that a function with these arguments reads, or writes to.
template <class... Rest> RsanStream RsanInput(void *file, Rest...) {
  return file;
}
template <class... Rest> RsanStream RsanInput(const char *, Rest...) {
  return RsanStream(0);
}
template <class... Rest> RsanStream RsanOutput(void *file, Rest...) {
  return file;
}
template <class... Rest> RsanStream RsanOutput(const char *, Rest...) {
  return RsanStream(1);
}
// Call these before and after a function that may read a stream, or write to one.
void RsanStreamReads(ThreadState *thr, uptr pc, RsanStream stream);
void RsanStreamHasRead(ThreadState *thr, uptr pc, RsanStream stream);
void RsanStreamWrites(ThreadState *thr, uptr pc, RsanStream stream);
void RsanStreamHasWritten(ThreadState *thr, uptr pc, RsanStream stream);
void RsanStreamReadsFirst(ThreadState *thr, uptr pc, RsanStream stream); // need not be initialised
// While a function reads a stream, or writes to one.
struct RsanReadingStream {
  RsanReadingStream(ThreadState *thr, uptr pc, RsanStream stream);
  ~RsanReadingStream();
  ThreadState *thr;
  uptr pc;
  RsanStream stream;
};
struct RsanWritingStream {
  RsanWritingStream(ThreadState *thr, uptr pc, RsanStream stream);
  ~RsanWritingStream();
  ThreadState *thr;
  uptr pc;
  RsanStream stream;
};
// Call this after poll(2) has found something. FDS is its array of struct pollfd.
void RsanAfterPoll(ThreadState *thr, uptr pc, const void *fds, uptr count);

// The SyncVar's memory has got another owner.
void RsanReset(SyncVar *s);

// The memory has got another owner, which TSan's own events do not tell; no lock held.
void RsanForgetRange(ThreadState *thr, uptr addr, uptr size);
// Forgets what was written to atomic objects there. Other threads may be using the memory, so sync
// variables stay.
void RsanForgetValues(ThreadState *thr, uptr addr, uptr size);

// The program has mapped that memory; the arguments are mmap's, and `flags` is 0 if it unmaps the
// memory. No lock held.
const int kRsanMapShared = 1; // MAP_SHARED; MAP_SHARED_VALIDATE has it, too
void RsanMapped(uptr addr, uptr size, int flags, int fd = -1, u64 offset = 0);
// Other processes may have that memory as well: a semaphore with a name is there.
void RsanShared(uptr addr, uptr size);
extern atomic_uintptr_t rsan_shared_begin, rsan_shared_end; // around all that there has been
void RsanShareMapping(uptr addr, uptr size);                // the same by MAP_SHARED
void RsanUnshare(uptr addr, uptr size);                     // it has been mapped anew, or unmapped
bool RsanIsInSharedRange(uptr addr);
inline bool RsanIsShared(uptr addr) { // by RsanMapped or RsanShared
  return addr < atomic_load_relaxed(&rsan_shared_end) &&
         atomic_load_relaxed(&rsan_shared_begin) <= addr && RsanIsInSharedRange(addr);
}
bool RsanSharesMemory(); // has there been such a mapping?

// Objects that synchronise and lie in a file that is mapped with MAP_SHARED, or in a System V
// segment (rsan_mapped_files.cpp). Returns the address that stands for the object, wherever it is
// mapped; 0 if there is none at `addr`.
extern atomic_uintptr_t rsan_mapped_begin, rsan_mapped_end; // around all that there has been
uptr RsanFindMappedObject(uptr addr);
inline uptr RsanMappedObject(uptr addr) {
  return LIKELY(addr >= atomic_load_relaxed(&rsan_mapped_end) ||
                addr < atomic_load_relaxed(&rsan_mapped_begin))
             ? 0
             : RsanFindMappedObject(addr);
}
inline uptr RsanMutexAddress(uptr addr) { // the same, or `addr`
  const uptr object = RsanMappedObject(addr);
  return object ? object : addr;
}
bool RsanIsMappedObject(uptr addr); // does that address stand for an object?
uptr RsanShownAddress(uptr addr);   // the program's address of the object; else `addr`
void RsanMapsShared(uptr addr, uptr size, int fd, u64 offset);
void RsanMapsSegment(uptr addr, uptr size, int segment); // by shmat(2)
void RsanUnmapsShared(uptr addr, uptr size);             // it is unmapped, or about to be mapped
void RsanMovesMapping(uptr from, uptr old_size, uptr to, uptr size); // by mremap(2)

// The thread passes the fence that another thread's membarrier has asked of it, before its next
// step. With and without its slot.
ALWAYS_INLINE bool RsanIsFenceDue(const RsanThreadState &own) {
  return UNLIKELY(atomic_load_relaxed(&own.fence_due));
}
RSAN_SELDOM_CALLED void RsanPassFence(ThreadState *thr);
RSAN_SELDOM_CALLED void RsanPassFenceInSlot(ThreadState *thr);

// After dlopen and dlclose; no lock held.
void RsanLibrariesChanged(ThreadState *thr);

// The suppressions of data races in the C++ library.
const char *RsanLibrarySuppressions();

// Report layer. In place of Symbolizer::SymbolizePC and SymbolizeData: within report_budget=.
SymbolizedStack *RsanSymbolizeCode(uptr pc);
bool RsanSymbolizeData(uptr address, DataInfo *info);
// Addresses that were not symbolized so far, since the budget was used up.
u64 RsanLeftOut();
// A report was printed. `left_out_before`: RsanLeftOut() before it was symbolized.
void RsanNoteReport(u64 left_out_before);
// Called by the symbolizer for each name (common/rsan_source_name.h).
void RsanDropNumbers(char *name);

// Before each report, says so once if no symbolizer was found. The two accesses of a
// robustness violation, in place of TSan's list of accesses.
void RsanWarnOfMissingSymbolizer();
void RsanPrintAccesses(const ReportDesc *report);
void RsanPrintRepairs(const ReportDesc *report); // before the summary
// The place (rsan_place.h) among a stack's frames, innermost first. If all of one's own are
// wrappers it is the outermost of them, and the first frame if nothing is one's own. Null: there
// are no frames.
const __sanitizer::SymbolizedStack *RsanPlaceOf(const __sanitizer::SymbolizedStack *frames);
// report_format=json: the whole report is written as a record; false: TSan is to print it.
bool RsanWritesRecords();
bool RsanPrintRecord(const ReportDesc *report, const char *type);
// Has the user suppressed the report by its token (suppressions=, type token)?
bool RsanIsSuppressed(const ReportDesc *report, const char *type);
// The line that de-duplicates reports.
void RsanPrintToken(const ReportDesc *report, const char *type);

} // namespace __tsan

extern "C" void rsan_call_guarded(void (*function)(), void (*give_up)(void *), void *arg);

#endif
