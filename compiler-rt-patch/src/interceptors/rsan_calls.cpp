// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of functions that are not instrumented (compiler/pass/Calls.cpp). A lock or a queue may lie
// wholly in such code, and nothing of it is seen. So who has called it, or is called back by it,
// knows, for robustness, everything that any thread has done so far; with unseen_calls=2 for data
// races as well. Too much happens-before can only hide.
//
// A function is seen if it has the compiler's mark, tells of its entry (GCC), is the runtime's own,
// or belongs to the C or the C++ library, of which the runtime knows what synchronises.
//
// Deviation 1: an unseen function that acquires in a way that is not seen and then releases in one
// that is (unlocks a mutex, starts a thread) passes on what its thread knew when it was called.
// Deviation 2: calls back are noticed where functions tell of their entry; without that (-mllvm
// -tsan-instrument-func-entry-exit=0) none is. Nor are they in calls that are nested too deep
// (RsanUnseenCalls::kMost; counted: unseen_nested).
// Deviation 3: what is passed in the first call of a function that the dynamic linker finds only
// then (in programs that are not position-independent) is lent (rsan_lent.h) when the call has
// returned, and of more than four pointers the first four.
// Deviation 4: if GCC has compiled the caller, the runtime does not know which registers hold
// arguments, nor how large the objects are that they point to. So it takes each register for an
// argument. It lends a block of the heap whole, and of other memory four bytes: a lock that is
// passed by its address needs no more. It lends nothing that is passed on the stack.

#include "interceptors/rsan_calls.h"

#include <stdarg.h>

#include "atomics/rsan_kernel.h"
#include "base/rsan_own_code.h"
#include "base/rsan_state.h"
#include "base/rsan_unchecked.h"
#include "base/rsan_unseen_code.h"
#include "common/rsan_mark.h"
#include "failures/rsan_failure.h"
#include "interceptors/rsan_models.h"
#include "locations/rsan_image.h"
#include "locations/rsan_lent.h"
#include "port/rsan_tsan.h"
#include "races/rsan_race.h"
#include "schedule/rsan_schedule.h"
#include "sync/rsan_sync.h"

namespace __tsan {

// Code that no module has, such as what the program makes, is asked for from the kernel.
static StaticSpinMutex code_mutex; // not in the child of a fork of several threads
static Vector<RsanCodePart> *other_code SANITIZER_GUARDED_BY(code_mutex);

// From the kernel, and not from the dynamic linker, whose lock another thread may have that waits
// for this one.
static bool ReadOtherCode(Vector<RsanCodePart> *into) {
  InternalMmapVector<char> path(kMaxPathLength);
  MemoryMappingLayout mappings(false);
  MemoryMappedSegment segment(path.data(), path.size());
  into->Resize(0);
  while (mappings.Next(&segment))
    if (segment.IsExecutable())
      into->PushBack({segment.start, segment.end, RsanIsKnownLibrary(path.data())});
  return !mappings.Error();
}

static bool FindOtherCode(uptr address, RsanCodePart *part) SANITIZER_REQUIRES(code_mutex) {
  for (uptr i = 0; i < other_code->Size(); i++)
    if ((*other_code)[i].begin <= address && address < (*other_code)[i].end) {
      *part = (*other_code)[i];
      return true;
    }
  return false;
}

// False: it is nowhere, or it is not known where.
static bool CodeOf(uptr function, RsanCodePart *part) SANITIZER_REQUIRES(code_mutex) {
  if (RsanFindCode(function, part))
    return true;
  if (!other_code)
    other_code = New<Vector<RsanCodePart>>();
  if (FindOtherCode(function, part))
    return true;
  if (!ReadOtherCode(other_code))
    RsanCountUnchecked(kRsanUnchecked_CODE);
  return FindOtherCode(function, part);
}

// In a program that is not position-independent a function's address may be that of a stub, which
// jumps to where a pointer says. Returns that, or the function itself.
static uptr Behind(uptr function) {
  static const u8 landing[] = {0xf3, 0x0f, 0x1e, 0xfa}, jump[] = {0xff, 0x25};
  const u8 *at = reinterpret_cast<const u8 *>(function);
  if (internal_memcmp(at, landing, sizeof(landing)) == 0)
    at += sizeof(landing);
  if (*at == 0xf2)
    at++;
  if (internal_memcmp(at, jump, sizeof(jump)) != 0)
    return function;
  s32 offset;
  internal_memcpy(&offset, at + sizeof(jump), sizeof(offset));
  return *reinterpret_cast<const uptr *>(at + sizeof(jump) + sizeof(offset) + offset);
}

// -fsanitize=function puts a word of its own and the type's hash between mark and entry.
static bool IsMarked(uptr function, const RsanCodePart &where) {
  const u32 kTyped = 0xc105cafe;
  u32 before[3];
  if (function - where.begin < sizeof(before))
    return false;
  internal_memcpy(before, reinterpret_cast<const void *>(function - sizeof(before)),
                  sizeof(before));
  return before[2] == RSAN_MARK || (before[1] == kTyped && before[0] == RSAN_MARK);
}

// GCC's functions have no mark, but those that access memory or call anything tell of their entry,
// before they do anything else: by a call of the runtime's, or through a pointer (-fno-plt). The
// search ends at an instruction that ends the begin of a function. A function without one counts as
// unseen.
static bool TellsOfEntry(uptr function, const RsanCodePart &where) {
#if SANITIZER_X64
  const uptr kFar = 128, entry = reinterpret_cast<uptr>(&__tsan_func_entry);
  const u8 kCall = 0xe8, kJump = 0xe9, kShortJump = 0xeb, kReturn = 0xc3;
  const u8 indirect[] = {0xff, 0x15};
  for (uptr at = function; at - function < kFar && where.end - at > 6; at++) {
    const u8 *code = reinterpret_cast<const u8 *>(at);
    if (*code == kJump || *code == kShortJump || *code == kReturn)
      return false;
    bool through = internal_memcmp(code, indirect, sizeof(indirect)) == 0;
    if (*code != kCall && !through)
      continue;
    s32 offset;
    uptr length = through ? 6 : 5;
    internal_memcpy(&offset, code + length - sizeof(offset), sizeof(offset));
    uptr target = at + length + offset;
    if (through && target % sizeof(uptr) == 0 && RsanIsLoaded(target, sizeof(uptr)))
      target = *reinterpret_cast<const uptr *>(target);
    if (target == entry)
      return true;
  }
#endif
  return false;
}

// A stub that points into its own program has not found its function yet. That is unknown before
// the first call.
static rsan_callee Ask(uptr function, bool returned) SANITIZER_REQUIRES(code_mutex) {
  RsanCodePart where;
  if (!CodeOf(function, &where))
    return RSAN_CALLEE_UNSEEN;
  uptr target = Behind(function);
  if (target != function) {
    if (!returned && where.begin <= target && target < where.end)
      return RSAN_CALLEE_UNKNOWN;
    if (!CodeOf(target, &where))
      return RSAN_CALLEE_UNSEEN;
  }
  return where.is_known || IsMarked(target, where) || RsanIsOwnCode(target) ||
                 TellsOfEntry(target, where)
             ? RSAN_CALLEE_SEEN
             : RSAN_CALLEE_UNSEEN;
}

// Answers for function pointers, by address; the lowest bits hold the answer. Zero: none.
static const uptr kAnswers = 256;
static atomic_uintptr_t answers[kAnswers];

void RsanForgetCode() {
  SpinMutexLock lock(&code_mutex);
  if (other_code)
    other_code->Resize(0);
  for (auto &answer : answers)
    atomic_store_relaxed(&answer, 0);
}

static rsan_callee AnswerOf(uptr function, bool returned) {
  atomic_uintptr_t *kept = &answers[(function >> 4) % kAnswers];
  uptr known = atomic_load_relaxed(kept);
  if (known >> 2 == function)
    return static_cast<rsan_callee>(known & 3);
  SpinMutexLock lock(&code_mutex);
  rsan_callee answer = Ask(function, returned);
  if (answer != RSAN_CALLEE_UNKNOWN)
    atomic_store_relaxed(kept, function << 2 | answer);
  return answer;
}

// Between the hooks of a fork by a system call all locks are taken, and interceptors are ignored.
static bool Watches(ThreadState *thr) {
  return rsan_flags()->unseen_calls && thr->rsan && !ctx->after_multithreaded_fork &&
         !thr->ignore_interceptors;
}

static void Leave(RsanUnseenCalls *calls) {
  calls->innermost = calls->count ? calls->outer[--calls->count] : nullptr;
  calls->function = 0;
}

// Calls that an exception or longjmp has left were made further up the stack.
static RsanUnseenCalls *CallsOf(ThreadState *thr) {
  RsanUnseenCalls *calls = &thr->rsan_own.calls;
  while (calls->innermost > thr->shadow_stack_pos)
    Leave(calls);
  return calls;
}

// Makes the call the innermost unseen one. Returns false if its caller is unseen itself, or if the
// calls are nested too deep.
static bool Begin(ThreadState *thr, uptr function) {
  RsanForgetLent(thr);
  RsanUnseenCalls *calls = CallsOf(thr);
  calls->function = function;
  if (calls->innermost == thr->shadow_stack_pos)
    return false;
  if (calls->count == RsanUnseenCalls::kMost) {
    RsanCountNestedCall();
    return false;
  }
  if (calls->innermost)
    calls->outer[calls->count++] = calls->innermost;
  calls->innermost = thr->shadow_stack_pos;
  return true;
}

static void HasSynchronised(ThreadState *thr) {
  RsanForgetLent(thr);
  RsanAcquireEverything(thr, rsan_flags()->unseen_calls > 1);
}

static void End(ThreadState *thr, rsan_callee answer) {
  RsanUnseenCalls *calls = CallsOf(thr);
  if (calls->innermost == thr->shadow_stack_pos)
    Leave(calls);
  const u32 passed = calls->passed_count;
  calls->passed_count = 0;
  if (answer != RSAN_CALLEE_UNSEEN)
    return;
  for (u32 i = 0; i < passed; i++)
    RsanLend(thr, calls->passed[i].address, calls->passed[i].size);
  HasSynchronised(thr);
}

bool RsanIsUnseen(uptr function) {
  return AnswerOf(function, true) == RSAN_CALLEE_UNSEEN;
}

void RsanCallsUnseen(ThreadState *thr, uptr function, const uptr *arguments) {
  if (!Watches(thr))
    return;
  Begin(thr, function);
  for (u32 i = 0; i < kRsanArgumentRegisters; i++)
    RsanLend(thr, arguments[i], sizeof(u32));
}

void RsanCalledUnseen(ThreadState *thr) {
  if (Watches(thr))
    End(thr, RSAN_CALLEE_UNSEEN);
}

void RsanCalledBack(ThreadState *thr) {
  RsanAcquireCalledBack(thr);
  if (Watches(thr))
    HasSynchronised(thr);
}

bool RsanBeginCallsBack(ThreadState *thr) {
  return Watches(thr) && Begin(thr, 0);
}

void RsanEndCallsBack(ThreadState *thr) {
  RsanUnseenCalls *calls = CallsOf(thr);
  if (calls->innermost == thr->shadow_stack_pos)
    Leave(calls);
}

void RsanThreadRuns(ThreadState *thr, uptr function) {
  RsanThreadCanFail();
  RsanScheduleStarts(thr);
  if (Watches(thr) && AnswerOf(function, true) == RSAN_CALLEE_UNSEEN)
    Begin(thr, function);
  ProcessPendingSignals(thr); // some may have come before the runtime knew the thread
}

// (The function that was called may be syscall() itself, before that is known to be the runtime's.)
void RsanMeetsUnseenCaller(ThreadState *thr) {
  if (!Watches(thr))
    return;
  const RsanUnseenCalls *calls = CallsOf(thr);
  if (calls->innermost != thr->shadow_stack_pos)
    return;
  RsanAcquireCalledBack(thr);
  if (!calls->function || AnswerOf(calls->function, true) == RSAN_CALLEE_UNSEEN)
    HasSynchronised(thr);
}

} // namespace __tsan

using namespace __tsan;

// Called by the compiler's code before a call and when it has returned: of a function whose answer
// is not that it is seen, or of a function pointer that has no mark.
extern "C" {
SANITIZER_INTERFACE_ATTRIBUTE void __rsan_calling(u8 *answer, uptr function) {
  ThreadState *thr = cur_thread();
  if (!Watches(thr))
    return;
  if (*answer == RSAN_CALLEE_UNKNOWN)
    *answer = AnswerOf(function, false);
  if (*answer != RSAN_CALLEE_SEEN)
    Begin(thr, function);
}

SANITIZER_INTERFACE_ATTRIBUTE void __rsan_called(u8 *answer, uptr function) {
  ThreadState *thr = cur_thread();
  if (!Watches(thr))
    return;
  if (*answer == RSAN_CALLEE_UNKNOWN)
    *answer = AnswerOf(function, true);
  End(thr, static_cast<rsan_callee>(*answer));
}

// The pointers that are passed in the call that comes next: `count` pairs of an address and the
// size in bytes of the object there, 0 if that is not known. Called after __rsan_calling, with the
// same arguments, or after __rsan_calling_pointer, with no `answer`.
SANITIZER_INTERFACE_ATTRIBUTE void __rsan_passing(const u8 *answer, uptr function, u32 count, ...) {
  ThreadState *thr = cur_thread();
  if (!Watches(thr))
    return;
  const u8 known = answer ? *answer : AnswerOf(function, false);
  RsanUnseenCalls *calls = &thr->rsan_own.calls;
  va_list pairs;
  va_start(pairs, count);
  for (u32 i = 0; i < count; i++) {
    const uptr address = va_arg(pairs, uptr), size = va_arg(pairs, uptr);
    if (known == RSAN_CALLEE_UNSEEN)
      RsanLend(thr, address, size);
    else if (known == RSAN_CALLEE_UNKNOWN && calls->passed_count < ARRAY_SIZE(calls->passed))
      calls->passed[calls->passed_count++] = {address, size};
  }
  va_end(pairs);
}

// Assembly with atomic instructions or a full fence has been executed.
SANITIZER_INTERFACE_ATTRIBUTE void __rsan_passed_assembly() {
  ThreadState *thr = cur_thread();
  if (Watches(thr))
    HasSynchronised(thr);
}

SANITIZER_INTERFACE_ATTRIBUTE void __rsan_calling_pointer(uptr function) {
  ThreadState *thr = cur_thread();
  if (Watches(thr) && AnswerOf(function, false) != RSAN_CALLEE_SEEN)
    Begin(thr, function);
}

SANITIZER_INTERFACE_ATTRIBUTE void __rsan_called_pointer(uptr function) {
  ThreadState *thr = cur_thread();
  if (Watches(thr))
    End(thr, AnswerOf(function, true));
}
}
