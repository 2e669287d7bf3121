// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// System calls of the runtime's own. It makes them itself: the C library's functions of these names
// are the program's, and intercepted.

#include "base/rsan_system.h"

#include <errno.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "port/rsan_common.h"
#include "rsan/processor/processor.h"

// (Its internal_iserror is defined in __sanitizer already.)
namespace rsan_system_calls {
using namespace __sanitizer;
#include RSAN_SYSTEM_CALLS
// (A macro, for some processors.)
static uptr SystemCall(u64 number, uptr a, uptr b = 0, uptr c = 0, uptr d = 0) {
  return internal_syscall(number, a, b, c, d);
}
} // namespace rsan_system_calls

namespace __sanitizer {

using rsan_system_calls::SystemCall;

static const uptr kSignalSet = 8; // bytes of the kernel's set of signals
static const u64 kWriteSignals = 1ull << (SIGPIPE - 1) | 1ull << (SIGXFSZ - 1);

static u64 FindPending() {
  u64 pending = 0;
  SystemCall(SYSCALL(rt_sigpending), reinterpret_cast<uptr>(&pending), kSignalSet);
  return pending;
}

// The signals are blocked meanwhile, and taken away, unless they were pending before. Only a signal
// that the program blocks can be pending; the kernel is asked only then, for a filter of system
// calls (seccomp) may end whoever asks.
bool RsanWriteQuietly(fd_t file, const char *text, uptr length, uptr *written, int *error) {
  u64 old = 0;
  const u64 blocked = kWriteSignals;
  const struct timespec now = {};
  SystemCall(SYSCALL(rt_sigprocmask), SIG_BLOCK, reinterpret_cast<uptr>(&blocked),
             reinterpret_cast<uptr>(&old), kSignalSet);
  const u64 taken = kWriteSignals & ~(old & kWriteSignals ? FindPending() : 0);
  *written = internal_write(file, text, length);
  const bool fine = !internal_iserror(*written, error);
  if (!fine && (*error == EPIPE || *error == EFBIG) && taken)
    SystemCall(SYSCALL(rt_sigtimedwait), reinterpret_cast<uptr>(&taken), 0,
               reinterpret_cast<uptr>(&now), kSignalSet);
  SystemCall(SYSCALL(rt_sigprocmask), SIG_SETMASK, reinterpret_cast<uptr>(&old), 0, kSignalSet);
  return fine;
}

bool RsanReadBinaryName(char *name, uptr room, uptr *length) {
  const auto *started = reinterpret_cast<const char *>(getauxval(AT_EXECFN));
  if (!started)
    return false;
  uptr used = 0;
  if (started[0] != '/') {
    // The kernel's answer counts the end of the text.
    used = SystemCall(SYSCALL(getcwd), reinterpret_cast<uptr>(name), room);
    if (internal_iserror(used) || !used || used >= room || name[0] != '/')
      return false;
    name[used - 1] = '/';
  }
  *length = used + internal_snprintf(name + used, room - used, "%s", started);
  return *length < room && FileExists(name);
}

extern "C" void *__libc_stack_end;

// The stack may grow to RLIMIT_STACK. As for stacks that are read from the maps, at most 1 GiB
// counts.
void RsanFindMainStack(uptr *top, uptr *bottom) {
  u64 limit[2] = {kMaxThreadStackSize, kMaxThreadStackSize}; // soft, hard
  SystemCall(SYSCALL(prlimit64), 0, RLIMIT_STACK, 0, reinterpret_cast<uptr>(limit));
  const uptr here = reinterpret_cast<uptr>(&limit);
  *top = RoundUpTo(reinterpret_cast<uptr>(__libc_stack_end), GetPageSizeCached());
  *bottom = *top - Min<u64>(limit[0], kMaxThreadStackSize);
  if (here < *bottom || here >= *top)
    *top = *bottom = 0;
}

const char *RsanGetEnv(const char *name) {
  const uptr length = internal_strlen(name);
  for (char **at = GetEnviron(); at && *at; at++)
    if (!internal_strncmp(*at, name, length) && (*at)[length] == '=')
      return *at + length + 1;
  return nullptr;
}

bool RsanHasForeignRights() {
  return getauxval(AT_SECURE);
}

bool RsanIgnoresVariable(const char *name) {
  if (!name || !RsanHasForeignRights())
    return false;
  Printf(
      "WARNING: ThreadSanitizer: %s is ignored, as the program has rights that its caller need not "
      "have (setuid, setgid or capabilities); set __tsan_default_options in the program\n",
      name);
  return true;
}

bool RsanHidesVariable(const char *name) {
  return RsanHasForeignRights() && internal_strcmp(name, "RSAN_OPTIONS") != 0 &&
         internal_strcmp(name, "TSAN_OPTIONS") != 0;
}

uptr RsanCloneQuietly() {
  return SystemCall(SYSCALL(clone), 0, 0);
}

uptr RsanWaitForQuiet(uptr child, int *status) {
  return SystemCall(SYSCALL(wait4), child, reinterpret_cast<uptr>(status), __WALL, 0);
}

const char *RsanNameOfLimit(int limit) {
  return limit == RLIMIT_DATA ? "RLIMIT_DATA" : limit == RLIMIT_AS ? "RLIMIT_AS" : nullptr;
}

static bool SetLimit(int limit, u64 soft, u64 hard) {
  const u64 value[2] = {soft, hard};
  return !internal_iserror(
      SystemCall(SYSCALL(prlimit64), 0, limit, reinterpret_cast<uptr>(value), 0));
}

static void RaiseLimit(int limit, const char *option) {
  const u64 kUnlimited = ~0ull;
  u64 value[2] = {kUnlimited, kUnlimited}; // soft, hard
  SystemCall(SYSCALL(prlimit64), 0, limit, 0, reinterpret_cast<uptr>(value));
  if (value[0] == kUnlimited || SetLimit(limit, kUnlimited, value[1]) ||
      SetLimit(limit, kUnlimited, kUnlimited))
    return;
  Printf(
      "ThreadSanitizer: memory is limited to %llu KiB (%s), and shadow memory counts, too: start "
      "the program where `ulimit %s unlimited' is permitted\n",
      value[0] >> 10, RsanNameOfLimit(limit), option);
  Die();
}

void RsanRaiseLimits() {
  RaiseLimit(RLIMIT_DATA, "-d");
  RaiseLimit(RLIMIT_AS, "-v");
}

} // namespace __sanitizer
