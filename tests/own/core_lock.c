// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The core's locks (rsan/base/lock.h), as they are: the plain one, and the one that readers share.
//
// With -DWEAKENED to take one does not acquire.

#include "own.h"

#include "host.h"

#ifdef WEAKENED
#define memory_order_acquire memory_order_relaxed
#endif
#include "../../rsan/base/lock.h"

static struct rsan_lock lock;
static struct rsan_shared_lock shared;
static int counter, value;

static void *write_both(void *unused) {
  rsan_lock(&lock);
  counter++;
  rsan_unlock(&lock);
  rsan_lock_alone(&shared);
  value++;
  rsan_unlock_alone(&shared);
  return unused;
}

static void *read_one(void *unused) {
  rsan_lock_shared(&shared);
  always(value == 0 || value == 1);
  rsan_unlock_shared(&shared);
  rsan_lock(&lock);
  counter++;
  rsan_unlock(&lock);
  return unused;
}

int main(void) {
  int status = run_threads(write_both, read_one);
  always(counter == 2);
  return status;
}
