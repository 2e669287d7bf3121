// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The epochs of threads, which a thread asks for without a lock when it has read what nobody was
// seen to write (rsan_hb_tick and add_everything of rsan/, IncrementEpoch and GetEverything of the
// runtime). The write is none of the analysis', so in the program it may be a plain one. A thread
// that has read it must see the epoch in which it was made: what was done before it belongs to
// earlier ones.
//
// With -DWEAKENED the new epoch may be seen after what is done in it.

#include "own.h"

static _Atomic uint64_t epoch = 1;
static atomic_int unseen;

static void *write_unseen(void *unused) {
  uint64_t now = atomic_load_explicit(&epoch, memory_order_relaxed);
  atomic_store_explicit(&epoch, now + 1, memory_order_relaxed);
#ifndef WEAKENED
  atomic_thread_fence(memory_order_release);
#endif
  atomic_store_explicit(&unseen, 1, memory_order_relaxed);
  return unused;
}

static void *read_unseen(void *unused) {
  int value = atomic_load_explicit(&unseen, memory_order_relaxed);
  atomic_thread_fence(memory_order_acquire);
  uint64_t all = atomic_load_explicit(&epoch, memory_order_relaxed);
  always(!value || all == 2);
  return unused;
}

int main(void) {
  return run_threads(write_unseen, read_unseen);
}
