// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The seq_cst fences share a clock, and count how often one of them has changed it (fence_sc of
// rsan/engine/fence.c, RsanRaceFence of the runtime). A thread that has released nothing since its
// last fence skips the next one, without the lock, if the count is still the same. It must not miss
// a change that happens before its fence.
//
// With -DWEAKENED taking the lock does not acquire, so two threads may have a data race on the
// clock.

#include "own.h"

#include "host.h"

#ifdef WEAKENED
#define memory_order_acquire memory_order_relaxed
#endif
#include "../../rsan/base/lock.h"
#undef memory_order_acquire

struct thread {
  unsigned known;
  uint64_t fences; // that its last fence has seen
};

static struct rsan_lock fence_lock;
static unsigned clock_of_fences; // guarded by the lock
static _Atomic uint64_t fences = 1;
static atomic_int done;

static void pass_fence(struct thread *thread, unsigned releases) {
  atomic_thread_fence(memory_order_seq_cst);
  if (!releases && atomic_load_explicit(&fences, memory_order_acquire) == thread->fences)
    return;
  rsan_lock(&fence_lock);
  uint64_t count = atomic_load_explicit(&fences, memory_order_relaxed);
  thread->known |= clock_of_fences | releases;
  count += (clock_of_fences | releases) != clock_of_fences;
  clock_of_fences |= releases;
  thread->fences = count;
  atomic_store_explicit(&fences, count, memory_order_release);
  rsan_unlock(&fence_lock);
}

static void *twice(void *unused) {
  struct thread self = {0};
  pass_fence(&self, 1);
  bool knows = atomic_load_explicit(&done, memory_order_acquire);
  pass_fence(&self, 0);
  always(!knows || self.known == 3);
  return unused;
}

static void *once(void *unused) {
  struct thread self = {0};
  pass_fence(&self, 2);
  atomic_store_explicit(&done, 1, memory_order_release);
  return unused;
}

int main(void) {
  return run_threads(twice, once);
}
