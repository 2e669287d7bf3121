// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernel says of a thread of this process, by its number there.
//
// All of it needs /proc. No lock is taken and nothing is allocated.

#ifndef RSAN_OS_THREAD_H
#define RSAN_OS_THREAD_H

#include "port/rsan_common.h"

namespace __tsan {

using namespace __sanitizer;

struct RsanOsThread {
  bool known;  // the rest could be read
  bool sleeps; // until something happens, interruptibly (state S)
  u64 ticks;   // of processor time, in hundredths of a second
};

// The system call in which a thread sleeps. The program counter is that of the call.
struct RsanOsCall {
  static const int kArguments = 6;
  bool known;
  bool runs;  // it does not sleep
  s64 number; // -1: it is in no call
  u64 argument[kArguments];
  uptr pc;
};

RsanOsThread RsanReadOsThread(u32 id);
RsanOsCall RsanReadOsCall(u32 id);
// The file's text, up to `room` - 1 bytes. False: it cannot be read.
bool RsanReadKernelText(const char *path, char *text, uptr room);

} // namespace __tsan

#endif
