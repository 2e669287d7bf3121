// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filters of system calls (seccomp). A filter that forbids a call which the runtime makes would end
// the program without a word, or make reports incomplete. So the runtime runs the filter itself
// before the program installs it, on each such call as the runtime makes it, and says which ones it
// forbids.

#include "interceptors/rsan_seccomp.h"

#include <asm/unistd.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>

#include "interceptors/rsan_carriers.h"

namespace __tsan {

namespace {

struct NeededCall {
  const char *name;
  s32 number;
  u64 arguments[4];
};

// A machine of the classic Berkeley packet filter.
struct Machine {
  u32 accumulator, index;
  u32 memory[BPF_MEMWORDS];
  const seccomp_data *data;
};

} // namespace

#ifdef __x86_64__
static const u32 kArchitecture = AUDIT_ARCH_X86_64;
#else
static const u32 kArchitecture = AUDIT_ARCH_AARCH64;
#endif

enum { kWaitPrivate = 128, kMonotonic = 1, kFirstFree = 3 };

#define RSAN_CALL(name) #name, __NR_##name
static const NeededCall kAlways[] = {
    {RSAN_CALL(futex), {0x1000, kWaitPrivate, 1}},
    {RSAN_CALL(mmap), {0, 0x10000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS}},
    {RSAN_CALL(munmap), {0x10000, 0x10000}},
    {RSAN_CALL(madvise), {0x10000, 0x10000, MADV_DONTNEED}},
    {RSAN_CALL(rt_sigprocmask), {SIG_SETMASK, 0x1000, 0x1000, 8}},
    {RSAN_CALL(sched_yield), {}},
    {RSAN_CALL(clock_gettime), {kMonotonic, 0x1000}},
    {RSAN_CALL(nanosleep), {0x1000, 0x1000}},
    {RSAN_CALL(getpid), {}},
    {RSAN_CALL(gettid), {}},
    {RSAN_CALL(write), {2, 0x1000, 100}},
    {RSAN_CALL(exit_group), {66}},
};
// Reports also read files, and start the symbolizer.
static const NeededCall kForReports[] = {
    {RSAN_CALL(openat), {static_cast<u64>(AT_FDCWD), 0x1000, O_RDONLY}},
    {RSAN_CALL(read), {kFirstFree, 0x1000, 100}},
    {RSAN_CALL(close), {kFirstFree}},
    {RSAN_CALL(pipe2), {0x1000, 0}},
    {RSAN_CALL(clone), {SIGCHLD}},
    {RSAN_CALL(execve), {0x1000, 0x1000, 0x1000}},
    {RSAN_CALL(wait4), {1000, 0x1000, 0, 0}},
};
#undef RSAN_CALL

static u32 Compute(u32 code, u32 a, u32 b) {
  switch (code) {
  case BPF_ADD:
    return a + b;
  case BPF_SUB:
    return a - b;
  case BPF_MUL:
    return a * b;
  case BPF_DIV:
    return b ? a / b : 0;
  case BPF_OR:
    return a | b;
  case BPF_AND:
    return a & b;
  case BPF_LSH:
    return b < 32 ? a << b : 0;
  case BPF_RSH:
    return b < 32 ? a >> b : 0;
  case BPF_XOR:
    return a ^ b;
  default:
    return 0u - a; // BPF_NEG
  }
}

static bool Compares(u32 code, u32 a, u32 b) {
  switch (code) {
  case BPF_JEQ:
    return a == b;
  case BPF_JGT:
    return a > b;
  case BPF_JGE:
    return a >= b;
  default:
    return a & b; // BPF_JSET
  }
}

static u32 Load(const Machine &machine, const sock_filter &step) {
  u32 word = 0;
  switch (BPF_MODE(step.code)) {
  case BPF_ABS:
    if (step.k <= sizeof *machine.data - sizeof word)
      internal_memcpy(&word, reinterpret_cast<const char *>(machine.data) + step.k, sizeof word);
    return word;
  case BPF_MEM:
    return step.k < BPF_MEMWORDS ? machine.memory[step.k] : 0;
  case BPF_LEN:
    return sizeof *machine.data;
  default:
    return step.k; // BPF_IMM
  }
}

// Makes a step that neither returns nor jumps.
static void MakeStep(Machine *machine, const sock_filter &step) {
  switch (BPF_CLASS(step.code)) {
  case BPF_LD:
    machine->accumulator = Load(*machine, step);
    break;
  case BPF_LDX:
    machine->index = Load(*machine, step);
    break;
  case BPF_ST:
  case BPF_STX:
    if (step.k < BPF_MEMWORDS)
      machine->memory[step.k] =
          BPF_CLASS(step.code) == BPF_ST ? machine->accumulator : machine->index;
    break;
  case BPF_ALU:
    machine->accumulator = Compute(BPF_OP(step.code), machine->accumulator,
                                   BPF_SRC(step.code) == BPF_X ? machine->index : step.k);
    break;
  default: // BPF_MISC
    if (BPF_MISCOP(step.code) == BPF_TAX)
      machine->index = machine->accumulator;
    else
      machine->accumulator = machine->index;
  }
}

// Returns the filter's answer. It allows the call if the kernel would refuse the filter.
static u32 Run(const sock_fprog &filter, const seccomp_data &data) {
  Machine machine = {};
  machine.data = &data;
  for (u32 at = 0; at < filter.len; at++) {
    const sock_filter &step = filter.filter[at];
    if (BPF_CLASS(step.code) == BPF_RET)
      return BPF_RVAL(step.code) == BPF_A ? machine.accumulator : step.k;
    if (BPF_CLASS(step.code) != BPF_JMP)
      MakeStep(&machine, step);
    else if (BPF_OP(step.code) == BPF_JA)
      at += step.k;
    else
      at += Compares(BPF_OP(step.code), machine.accumulator,
                     BPF_SRC(step.code) == BPF_X ? machine.index : step.k)
                ? step.jt
                : step.jf;
  }
  return SECCOMP_RET_ALLOW;
}

static bool IsForbidden(const sock_fprog &filter, const NeededCall &call) {
  seccomp_data data = {};
  data.nr = call.number;
  data.arch = kArchitecture;
  data.instruction_pointer = reinterpret_cast<uptr>(&IsForbidden);
  for (u32 i = 0; i < ARRAY_SIZE(call.arguments); i++)
    data.args[i] = call.arguments[i];
  switch (Run(filter, data) & SECCOMP_RET_ACTION_FULL) {
  case SECCOMP_RET_KILL_PROCESS:
  case SECCOMP_RET_KILL_THREAD:
  case SECCOMP_RET_TRAP:
  case SECCOMP_RET_ERRNO:
    return true;
  default:
    return false;
  }
}

static bool AppendForbidden(InternalScopedString *line, const char *before,
                            const sock_fprog *filter, const NeededCall *calls, uptr count) {
  bool found = false;
  for (uptr i = 0; i < count; i++)
    if (IsForbidden(*filter, calls[i])) {
      line->AppendF("%s%s", found ? ", " : before, calls[i].name);
      found = true;
    }
  return found;
}

static void SayForbidden(const sock_fprog *filter) {
  InternalScopedString line;
  const bool always = AppendForbidden(&line, ": ", filter, kAlways, ARRAY_SIZE(kAlways));
  if (AppendForbidden(&line, always ? ", and for reports " : " for reports: ", filter, kForReports,
                      ARRAY_SIZE(kForReports)) ||
      always)
    Printf("WARNING: ThreadSanitizer: a seccomp filter forbids system calls that RSan makes%s. "
           "Allow them in builds with RSan\n",
           line.data());
}

void RsanInstallsFilter(u64 mode, const void *program) {
  const auto *filter = static_cast<const sock_fprog *>(program);
  if (mode == SECCOMP_MODE_STRICT)
    Printf("WARNING: ThreadSanitizer: seccomp's strict mode forbids system calls that RSan makes, "
           "as futex and mmap. Leave it out in builds with RSan\n");
  if (mode == SECCOMP_MODE_FILTER && RsanIsReadable(filter) && filter->len &&
      RsanIsReadable(filter->filter) && RsanIsReadable(filter->filter + filter->len - 1))
    SayForbidden(filter);
}

} // namespace __tsan
