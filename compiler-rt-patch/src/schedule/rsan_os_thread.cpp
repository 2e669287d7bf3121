// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See rsan_os_thread.h. The forms are those of proc(5).

#include "schedule/rsan_os_thread.h"

#include "port/rsan_tsan.h" // ParseHex

namespace __tsan {

bool RsanReadKernelText(const char *path, char *text, uptr room) {
  const fd_t fd = OpenFile(path, RdOnly);
  if (fd == kInvalidFd)
    return false;
  const uptr size = internal_read(fd, text, room - 1);
  internal_close(fd);
  if (internal_iserror(size))
    return false;
  text[size] = 0;
  return true;
}

static bool ReadTaskText(u32 id, const char *file, char *text, uptr room) {
  char path[64];
  internal_snprintf(path, sizeof path, "/proc/self/task/%u/%s", id, file);
  return RsanReadKernelText(path, text, room);
}

RsanOsThread RsanReadOsThread(u32 id) {
  char text[512];
  if (!ReadTaskText(id, "stat", text, sizeof text))
    return {};
  // "PID (NAME) STATE ...": the times are the 12th and 13th word behind the name.
  const char *at = internal_strrchr(text, ')');
  if (!at || at[1] != ' ')
    return {};
  RsanOsThread thread = {true, at[2] == 'S', 0};
  at += 2;
  for (int word = 0; word < 11 && at; word++)
    at = internal_strchr(at + 1, ' ');
  if (!at)
    return {};
  const char *end;
  thread.ticks = internal_simple_strtoll(at + 1, &end, 10);
  thread.ticks += internal_simple_strtoll(end + 1, &end, 10);
  return thread;
}

// " 0xNUMBER", which is passed over; 0: there is none.
static u64 ReadHexWord(const char **at) {
  if (internal_strncmp(*at, " 0x", 3))
    return 0;
  *at += 3;
  return ParseHex(at);
}

RsanOsCall RsanReadOsCall(u32 id) {
  char text[256];
  // "NUMBER ARGUMENT... SP PC", or "running", or "-1 SP PC" in no call.
  if (!ReadTaskText(id, "syscall", text, sizeof text))
    return {};
  if (!IsDigit(*text))
    return {true, *text == 'r', -1, {}, 0};
  const char *at;
  RsanOsCall call = {true, false, internal_simple_strtoll(text, &at, 10), {}, 0};
  for (u64 &one : call.argument)
    one = ReadHexWord(&at);
  ReadHexWord(&at); // the stack
  call.pc = static_cast<uptr>(ReadHexWord(&at));
  return call;
}

} // namespace __tsan
