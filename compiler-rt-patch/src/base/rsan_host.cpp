// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The core's host contract (rsan/host.h) on sanitizer_common.

#include "base/rsan_state.h"
#include "port/rsan_tsan.h"
#include "rsan/processor/processor.h"

using namespace __tsan;

extern "C" {
// The watchdog of schedules, and a thread that has ended, have no processor of TSan's.
void *rsan_host_alloc(uptr size) {
  return LIKELY(cur_thread()->proc()) ? Alloc(size) : InternalAlloc(size);
}

void rsan_host_free(void *block) {
  if (!block)
    return;
  if (LIKELY(cur_thread()->proc()))
    Free(block);
  else
    InternalFree(block);
}

void rsan_host_die(const char *message) {
  Printf("ThreadSanitizer: internal error of RSan: %s\n", message);
  CHECK(0 && "RSan");
  Die();
}

void rsan_host_yield() {
  internal_sched_yield();
}

// The core copies and zeroes some hundred bytes at a time. internal_memcpy and internal_memset do
// that byte by byte, if not aligned to 16.
void *rsan_host_memcpy(void *to, const void *from, uptr size) {
  rsan_copy_bytes(to, from, size);
  return to;
}

void *rsan_host_memmove(void *to, const void *from, uptr size) {
  return internal_memmove(to, from, size);
}

void *rsan_host_memset(void *to, int byte, uptr size) {
  rsan_fill_bytes(to, byte, size);
  return to;
}
}
