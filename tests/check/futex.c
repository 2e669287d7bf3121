// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// futex CALL weak|fixed: a program in which the futex call decides. `fixed` has one fence, or one
// stronger order, more, and fails in no way; `weak` fails as C11 and the kernel allow it.
//
//   waits    the waiter counts itself, and the kernel compares the word; who changes the word looks
//            whether anybody waits. Weak: it may see nobody, and the waiter sleeps for ever.
//   wakes    store buffering, with the call's barrier on one side, and a fence or none on the other
//   updates  the same with a read-modify-write of the kernel's, and a message that it passes on
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

static atomic_uint word, other, waiters, x, y;
static unsigned seen_x, seen_y;
static const char *call;
static int fixed;

static void fence(void) {
  if (fixed)
    atomic_thread_fence(memory_order_seq_cst);
}

static long futex(atomic_uint *at, int operation, unsigned value, const void *timeout, void *second,
                  unsigned third) {
  return syscall(SYS_futex, at, operation | FUTEX_PRIVATE_FLAG, value, timeout, second, third);
}

static int is(const char *name) {
  return strcmp(call, name) == 0;
}

// The calls that compare.
static void wait_for_change(void) {
  struct {
    uint64_t value, address;
    uint32_t flags, reserved;
  } words[2] = {{0, (uintptr_t)&other, 2 | FUTEX_PRIVATE_FLAG, 0},
                {0, (uintptr_t)&word, 2 | FUTEX_PRIVATE_FLAG, 0}};
  const struct timespec never = {1 << 30, 0}, second = {1, 0};
  if (is("wait"))
    futex(&word, FUTEX_WAIT, 0, NULL, NULL, 0);
  else if (is("wait_timed"))
    futex(&word, FUTEX_WAIT, 0, &second, NULL, 0);
  else if (is("wait_bitset"))
    futex(&word, FUTEX_WAIT_BITSET, 0, NULL, NULL, 4);
  else if (is("wait_bitset_timed"))
    futex(&word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &never, NULL, 4);
  else if (is("waitv"))
    syscall(SYS_futex_waitv, words, 2, 0, NULL, 0);
  else
    assert(!"no such call");
}

static void *waiter(void *argument) {
  atomic_fetch_add_explicit(&waiters, 1, memory_order_relaxed);
  wait_for_change();
  return argument;
}

static void *waker(void *argument) {
  atomic_fetch_add_explicit(&word, 1, memory_order_relaxed);
  fence();
  if (!atomic_load_explicit(&waiters, memory_order_relaxed))
    return argument;
  if (strstr(call, "bitset"))
    futex(&word, FUTEX_WAKE_BITSET, 1, NULL, NULL, 6);
  else
    futex(&word, FUTEX_WAKE, 1, NULL, NULL, 0);
  return argument;
}

// The calls that are fences, or read-modify-writes.
static void make_call(void) {
  if (is("wake"))
    futex(&word, FUTEX_WAKE, 1, NULL, NULL, 0);
  else if (is("wake_bitset"))
    futex(&word, FUTEX_WAKE_BITSET, 1, NULL, NULL, 1);
  else if (is("requeue"))
    futex(&word, FUTEX_REQUEUE, 1, (void *)1, &other, 0);
  else if (is("cmp_requeue"))
    futex(&word, FUTEX_CMP_REQUEUE, 1, (void *)1, &other, 0);
  else if (is("wait_refused"))
    futex(&word, FUTEX_WAIT, 1, NULL, NULL, 0);
  else if (is("wake_op"))
    futex(&word, FUTEX_WAKE_OP, 1, (void *)1, &other,
          FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_GT, 9));
  else if (is("trylock_pi"))
    futex(&word, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0);
  else if (is("lock_pi") && futex(&word, FUTEX_LOCK_PI, 0, NULL, NULL, 0) == 0)
    futex(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0);
}

static void *caller(void *argument) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  make_call();
  seen_y = atomic_load_explicit(&y, memory_order_relaxed);
  return argument;
}

static void *fencer(void *argument) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  fence();
  seen_x = atomic_load_explicit(&x, memory_order_relaxed);
  return argument;
}

// Both take the lock, or one does.
static void *locker(void *argument) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  if (fixed)
    make_call();
  seen_x = atomic_load_explicit(&x, memory_order_relaxed);
  return argument;
}

// A message that the kernel passes on: WAKE_OP sets the second word.
static void *sender(void *argument) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  futex(&word, FUTEX_WAKE_OP, 1, (void *)1, &other, FUTEX_OP(FUTEX_OP_SET, 1, FUTEX_OP_CMP_EQ, 9));
  return argument;
}

static void *receiver(void *argument) {
  const unsigned got =
      atomic_load_explicit(&other, fixed ? memory_order_acquire : memory_order_relaxed);
  seen_x = atomic_load_explicit(&x, memory_order_relaxed);
  seen_y = !got;
  return argument;
}

static void run(void *(*first)(void *), void *(*second)(void *)) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, first, NULL);
  pthread_create(&threads[1], NULL, second, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
}

int main(int argc, char **argv) {
  assert(argc == 3);
  call = argv[1];
  fixed = strcmp(argv[2], "fixed") == 0;
  if (strcmp(call, "wait_refused") != 0 && strncmp(call, "wait", 4) == 0) {
    run(waiter, waker);
    return 0;
  }
  if (is("message"))
    run(sender, receiver);
  else
    run(caller, strcmp(call, "lock_pi") == 0 ? locker : fencer);
  assert(seen_x || seen_y);
  return 0;
}
