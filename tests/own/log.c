// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The logs of explanations (rsan/explain/log.c), as they are: a ring that its thread writes without
// a lock, and that others copy meanwhile. What the copy has is whole. The ring has two entries.
//
// With -DWEAKENED there is no fence between the copy and the second look at the head.

#include "own.h"

#include "host.h"

#ifdef WEAKENED
#undef atomic_thread_fence
#define atomic_thread_fence(order) ((void)(order))
#endif
#include "../../rsan/explain/log.c"

static struct rsan_logs logs;
static struct rsan_log *own;

static void append(uint64_t number) {
  const struct rsan_log_entry entry = {
      .pc = number, .address = number, .caller = number, .object = number, .number = number};
  rsan_log_append(own, &entry);
}

static void *write_log(void *unused) {
  append(3);
  append(4); // in the place of what the head has to say is not valid
  return unused;
}

static void *copy_log(void *unused) {
  struct rsan_log_entry entries[2];
  uint32_t count = copy_ring(own, UINT64_MAX, entries);
  for (uint32_t i = 0; i < count; i++) {
    const struct rsan_log_entry *at = &entries[i];
    always(at->pc == at->number && at->address == at->number && at->caller == at->number &&
           at->object == at->number);
  }
  return unused;
}

int main(void) {
  rsan_logs_init(&logs, RSAN_LOG_MIN_ENTRIES);
  logs.room = 2;
  own = rsan_log_new(&logs);
  append(1);
  append(2);
  int status = run_threads(write_log, copy_log);
  rsan_logs_clear(&logs);
  return status;
}
