// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each thread does when the time is up. A thread of the runtime waits for that time. It asks
// the kernel which system call each thread is in, then sends a signal that the program does not
// use to all of them: its handler reads the stack. A thread that blocks all signals does not
// answer; its stack then consists of its instrumented functions.

#include "failures/rsan_time_limit.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "exploration/rsan_exploration.h"
#include "failures/rsan_failure.h"
#include "port/rsan_tsan.h"
#include "schedule/rsan_os_thread.h"
#include "schedule/rsan_token.h"

namespace __tsan {

static const u64 kSecond = 1000000000;
static const u32 kMostThreads = 256;
static const u32 kMostFrames = 128;
static const int kPatience = 500; // ms for all threads to answer
// The same for those that compute: they answer as soon as they have a processor.
static const int kPatienceWithRunning = 5000;

namespace {

struct Sample {
  atomic_uint32_t os_id; // 0: it is not to answer any more
  atomic_uint32_t done;
  bool runs; // it was in no system call
  const ThreadContext *context;
  ThreadState *thr;
  u32 size;
  uptr trace[kMostFrames];
};

struct Limit {
  u64 time; // ns of the monotonic clock
  u32 seconds;
  bool ends; // the process ends
};

} // namespace

static Limit limit;
static Sample *samples;
static u32 sample_count;

static void OnSample(int, siginfo_t *info, void *context) {
  const u32 me = static_cast<u32>(GetTid());
  for (u32 i = 0; i < sample_count; i++) {
    Sample *sample = &samples[i];
    if (atomic_load(&sample->os_id, memory_order_acquire) != me ||
        atomic_load_relaxed(&sample->done))
      continue;
    const ScopedIgnoreInterceptors ignore;
    const SignalContext at(info, context);
    BufferedStackTrace stack;
    stack.Reset();
    stack.Unwind(StackTrace::GetNextInstructionPc(at.pc), at.bp, context, false);
    sample->size = Min(stack.size, kMostFrames);
    for (u32 f = 0; f < sample->size; f++)
      sample->trace[f] = stack.trace_buffer[sample->size - 1 - f];
    atomic_store(&sample->done, 1, memory_order_release);
    return;
  }
}

// The last signal that has the default action; 0: there is none.
static int FreeSignal() {
  for (int signal = 64; signal > 34; signal--) {
    struct sigaction old = {};
    if (!internal_iserror(internal_sigaction(signal, nullptr, &old)) && old.sa_handler == SIG_DFL)
      return signal;
  }
  return 0;
}

static void AddSample(ThreadContextBase *base, void *) {
  auto *context = static_cast<ThreadContext *>(base);
  if (context->status != ThreadStatusRunning || !context->thr || sample_count == kMostThreads)
    return;
  Sample *sample = &samples[sample_count++];
  sample->context = context;
  sample->thr = context->thr;
  atomic_store_relaxed(&sample->os_id, static_cast<u32>(context->os_id));
}

static const char *CallText(s64 call) {
  switch (call) {
  case SYS_futex:
    return "wait on a word of memory";
  case SYS_nanosleep:
  case SYS_clock_nanosleep:
    return "sleep";
  case SYS_read:
  case SYS_readv:
  case SYS_recvfrom:
  case SYS_recvmsg:
    return "read";
  case SYS_write:
  case SYS_writev:
  case SYS_sendto:
  case SYS_sendmsg:
    return "write";
  case SYS_ppoll:
  case SYS_pselect6:
  case SYS_epoll_pwait:
#ifdef SYS_poll
  case SYS_poll:
  case SYS_select:
  case SYS_epoll_wait:
#endif
    return "wait for file descriptors";
  case SYS_accept:
  case SYS_accept4:
    return "wait for a connection";
  case SYS_wait4:
  case SYS_waitid:
    return "wait for a child process";
  case SYS_rt_sigtimedwait:
  case SYS_rt_sigsuspend:
#ifdef SYS_pause
  case SYS_pause:
#endif
    return "wait for a signal";
  default:
    return "system call";
  }
}

// The thread whose own structure of the C library has the word: it is waited for by a join. The
// structure is at the end of its thread-local storage, or at the beginning.
static Tid JoinedAt(uptr word) {
  const uptr size = ThreadDescriptorSize();
  for (u32 i = 0; i < sample_count; i++) {
    const ThreadState *thr = samples[i].thr;
#if defined(__x86_64__)
    const uptr begin = thr->tls_addr + thr->tls_size - size;
#else
    const uptr begin = thr->tls_addr;
#endif
    if (thr->tls_size && word >= begin && word - begin < size)
      return samples[i].context->tid;
  }
  return kInvalidTid;
}

static bool Computes(const RsanOsCall &call) {
  return call.runs || call.number < 0;
}

static void DescribeCall(const RsanOsCall &call, RsanWait *wait) {
  const bool runs = Computes(call);
  wait->kind = !call.known ? "it is not known what" : runs ? "running" : CallText(call.number);
  if (runs || !call.known || call.number != SYS_futex)
    return;
  const uptr word = static_cast<uptr>(call.argument[0]);
  wait->object = word;
  wait->other = RsanOwnerOf(word);
  if (wait->other != kInvalidTid) {
    wait->kind = "lock";
    return;
  }
  wait->other = JoinedAt(word);
  if (wait->other == kInvalidTid)
    return;
  wait->kind = "join of a thread";
  wait->object = 0;
  wait->derived = true;
}

static void StackFor(Sample *sample, RsanWait *wait) {
  if (atomic_load(&sample->done, memory_order_acquire))
    wait->stack = StackDepotPut(StackTrace(sample->trace, sample->size));
  else
    wait->stack = CurrentStackId(sample->thr, 0);
}

// Is there no need to wait any longer, after so many milliseconds?
static bool HaveAnswered(int waited) {
  bool all = true, running = true;
  for (u32 i = 0; i < sample_count; i++) {
    const bool done = atomic_load(&samples[i].done, memory_order_acquire);
    all &= done;
    running &= done || !samples[i].runs;
  }
  return all || (waited >= kPatience && running);
}

static void SendToAll(int signal) {
  struct sigaction action = {};
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  action.sa_sigaction = OnSample;
  internal_sigaction(signal, &action, nullptr);
  const int process = internal_getpid();
  for (u32 i = 0; i < sample_count; i++)
    TgKill(process, static_cast<RsanTaskId>(atomic_load_relaxed(&samples[i].os_id)), signal);
  for (int waited = 0; waited < kPatienceWithRunning && !HaveAnswered(waited); waited++)
    internal_usleep(1000);
}

static void CollectAll(Vector<RsanWait> *waits) {
  samples = static_cast<Sample *>(MmapOrDie(sizeof(Sample) * kMostThreads, "samples"));
  {
    ThreadRegistryLock lock(&ctx->thread_registry);
    ctx->thread_registry.RunCallbackForEachThreadLocked(AddSample, nullptr);
  }
  for (u32 i = 0; i < sample_count; i++) {
    RsanWait wait = {};
    wait.tid = samples[i].context->tid;
    wait.other = kInvalidTid;
    const RsanOsCall call = RsanReadOsCall(atomic_load_relaxed(&samples[i].os_id));
    samples[i].runs = call.known && Computes(call);
    DescribeCall(call, &wait);
    waits->PushBack(wait);
  }
  if (const int signal = FreeSignal())
    SendToAll(signal);
  bool all = true;
  for (u32 i = 0; i < sample_count; i++) {
    RsanWait *wait = &(*waits)[i];
    if (!RsanDescribeScheduled(samples[i].thr, wait))
      StackFor(&samples[i], wait);
    all &= wait->derived;
  }
  for (u32 i = 0; all && i < sample_count; i++)
    (*waits)[i].derived = false;
}

// Its children say what they do.
static bool OnlyWaitsForChildren(const Vector<RsanWait> &waits) {
  for (uptr i = 0; i < waits.Size(); i++)
    if (!waits[i].derived && internal_strcmp(waits[i].kind, "wait for a child process") != 0)
      return false;
  return true;
}

static void Report() {
  ScopedGlobalProcessor processor; // the runtime's thread has none of its own
  char heading[64];
  Vector<RsanWait> waits;
  CollectAll(&waits);
  if (OnlyWaitsForChildren(waits) && !limit.ends)
    return;
  internal_snprintf(heading, sizeof heading,
                    "The time limit of %u seconds is over:", limit.seconds);
  RsanFailure failure = {};
  failure.type = "time-out";
  failure.end = "timeout";
  failure.heading = heading;
  failure.waits = &waits;
  const u64 token = RsanPrintFailure(failure);
  if (rsan_exploration)
    rsan_exploration->token = token;
}

// (Its name tells `rsan run' to wait for the report.)
static void *Watch(void *) {
  cur_thread_init()->ignore_interceptors++;
  RsanNoteOwnThread();
  internal_prctl(PR_SET_NAME, reinterpret_cast<uptr>("rsan.limit"), 0, 0, 0);
  for (;;) {
    const u64 now = MonotonicNanoTime();
    if (now >= limit.time)
      break;
    internal_usleep(Min(limit.time - now, kSecond) / 1000 + 1);
  }
  Report();
  if (limit.ends) {
    RsanFinalizeSchedule();
    internal__exit(common_flags()->exitcode);
  }
  internal_prctl(PR_SET_NAME, reinterpret_cast<uptr>("rsan.done"), 0, 0, 0);
  return nullptr;
}

void RsanEndWithReportAt(u64 time, u32 seconds) {
  limit = {time, seconds, true};
  RsanStartOwnThread(&Watch);
}

void RsanBeginTimeLimit() {
  const RsanFlags *flags = rsan_flags();
  const u64 now = MonotonicNanoTime();
  if (RsanExplores())
    return;
  if (flags->time_limit > 0) {
    RsanEndWithReportAt(now + static_cast<u64>(flags->time_limit) * kSecond,
                        static_cast<u32>(flags->time_limit));
  } else if (flags->time_limit_at > now / 1000000) {
    limit = {static_cast<u64>(flags->time_limit_at) * 1000000,
             static_cast<u32>(flags->time_limit_after), false};
    RsanStartOwnThread(&Watch);
  }
}

} // namespace __tsan
