// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "interceptors/rsan_adopt.h"

#include <aio.h>
#include <pthread.h>

#include "atomics/rsan_sole.h"
#include "base/rsan_state.h"
#include "exploration/rsan_explore.h"
#include "interceptors/rsan_carriers.h"
#include "locations/rsan_image.h"
#include "port/rsan_tsan.h"
#include "races/rsan_race.h"
#include "schedule/rsan_schedule.h"
#include "sync/rsan_sync.h"

namespace __tsan {

// Another request for notifications than one for a timer was made.
static atomic_uint8_t other_notices;

void RsanInitializeNobody() {
  reinterpret_cast<ThreadState *>(rsan_nobody)->ignore_sync = 1;
}

void RsanAsksForNotice(ThreadState *thr, uptr pc, bool of_timer) {
  if (!of_timer)
    atomic_store_relaxed(&other_notices, 1);
  RsanEndSoleForGood(thr);
  RsanSends(thr, pc, kRsanNotice, 0);
}

void RsanGetsAnswer(ThreadState *thr) {
  if (!ctx->after_multithreaded_fork)
    RsanAcquireEverything(thr, true);
}

static void AcquireCreation(ThreadState *thr, uptr pc, bool of_library) {
  if (of_library && !atomic_load_relaxed(&other_notices))
    RsanReceives(thr, pc, kRsanNotice, 0);
  else
    RsanGetsAnswer(thr);
}

// In an exploration the thread is not scheduled.
static void Begin(ThreadState *thr, uptr pc) {
  if (RsanExplores())
    RsanNoteGap(kRsanGap_TAKEN);
  else
    RsanScheduleAdopted(thr);
  RsanThreadRuns(thr, pc);
}

static bool IsOnStackOf(const pthread_attr_t &attributes) {
  void *stack = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &stack, &size);
  const uptr here = reinterpret_cast<uptr>(__builtin_frame_address(0));
  return here - reinterpret_cast<uptr>(stack) < size;
}

static bool IsOfPthreads() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes))
    return false;
  const bool known = IsOnStackOf(attributes);
  pthread_attr_destroy(&attributes);
  return known;
}

// Gives the thread what its allocations need. The C library may allocate here itself. Returns false
// if the thread is not one of POSIX threads.
static bool GiveProcessor(ThreadState *thr) {
  ThreadIgnoreBegin(thr, 0);
  ProcWire(ProcCreate(), thr);
  const bool is_pthread = IsOfPthreads();
  if (is_pthread)
    RsanFinalizeAtEnd();
  ThreadIgnoreEnd(thr);
  return is_pthread;
}

void RsanDropProcessor(ThreadState *thr) {
  Processor *const processor = thr->proc();
  ProcUnwire(processor, thr);
  ProcDestroy(processor);
  thr->is_dead = true;
}

// The memory of a thread that is not of POSIX threads may go at any time, so its state is
// elsewhere.
static ThreadState *MoveState(ThreadState *thr) {
  auto *own = static_cast<ThreadState *>(InternalAlloc(sizeof(ThreadState)));
  Processor *const processor = thr->proc();
  internal_memset(own, 0, sizeof *own);
  ProcUnwire(processor, thr);
  ProcWire(processor, own);
  own->ignore_interceptors = 1;
  set_cur_thread(own);
  return own;
}

static bool IsOfCLibrary(uptr pc) {
  RsanCodePart from;
  return RsanFindCode(pc, &from) && from.is_known;
}

// Returns whether the thread belongs to the program. It does not if the runtime is not initialised,
// if the runtime has already ended its state for the thread, or if the runtime made the thread.
static bool IsOfProgram(const ThreadState *thr) {
  return is_initialized && !thr->is_dead && !thr->ignore_interceptors;
}

static ThreadState *Adopt(ThreadState *thr, uptr pc) {
  thr->ignore_interceptors++;
  if (!thr->proc() && !GiveProcessor(thr))
    thr = MoveState(thr);
  if (!RsanExplores())
    MaybeSpawnBackgroundThread();
  const Tid tid = ThreadCreate(nullptr, 0, reinterpret_cast<uptr>(pthread_self()), true);
  ThreadStart(thr, tid, GetTid(), ThreadType::Worker);
  thr->ignore_interceptors--;
  AcquireCreation(thr, pc, IsOfCLibrary(pc));
  Begin(thr, pc);
  return thr;
}

// A call from inside the C library is not analysed, whichever thread makes it. So such a call does
// not make the thread known.
ThreadState *RsanFirstCall(uptr pc) {
  ThreadState *thr = cur_thread_init();
  if (thr->tctx || !IsOfProgram(thr))
    return thr;
  if (!IsOfCLibrary(pc))
    return Adopt(thr, pc);
  thr->ignore_interceptors++;
  if (!thr->proc())
    GiveProcessor(thr);
  thr->ignore_interceptors--;
  return thr;
}

bool RsanKnowsThread(ThreadState **thr, uptr pc) {
  if (LIKELY((*thr)->tctx))
    return true;
  ThreadState *own = cur_thread_init();
  if (!IsOfProgram(own))
    return false;
  *thr = Adopt(own, pc);
  return true;
}

// -- asynchronous input and output --

// The caller may not touch the memory before the operation has ended, so what it transfers counts
// as accessed here. When it has ended the kernel has also done what a call of read or write does.
void RsanBeginsTransfer(ThreadState *thr, uptr pc, const void *control, int operation) {
  const auto *asked = static_cast<const aiocb *>(control);
  RsanAsksForNotice(thr, pc, false);
  if (operation < 0)
    operation = asked->aio_lio_opcode;
  if (operation != LIO_NOP)
    MemoryAccessRange(thr, pc, reinterpret_cast<uptr>(const_cast<void *>(asked->aio_buf)),
                      asked->aio_nbytes, operation == LIO_READ);
  Release(thr, pc, reinterpret_cast<uptr>(control));
  FdRelease(thr, pc, asked->aio_fildes);
}

void RsanEndsTransfer(ThreadState *thr, uptr pc, const void *control) {
  const auto *asked = static_cast<const aiocb *>(control);
  Acquire(thr, pc, reinterpret_cast<uptr>(control));
  ThreadIgnoreBegin(thr, pc);
  FdAcquire(thr, pc, asked->aio_fildes); // it may be closed by now, which is no race
  ThreadIgnoreEnd(thr);
}

} // namespace __tsan
