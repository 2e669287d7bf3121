// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads pass a number on. With one of the macros an access is made by code that the analysis
// does not see, or is told not to look at: then nothing is proved.

#include <pthread.h>
#include <stdatomic.h>

static atomic_int full;
static int number;

#if defined LEFT_OUT
__attribute__((no_sanitize("thread")))
#elif defined DISABLED
__attribute__((disable_sanitizer_instrumentation))
#elif defined IGNORED
__attribute__((annotate("rsan_ignore")))
#endif
__attribute__((noinline)) static void
put(void) {
#if defined ASSEMBLY
  __asm__ volatile("movl $1, %0" : "=m"(number) : : "memory");
#elif defined LOCKED
  __asm__ volatile("lock; incl %0" : "+m"(number) : : "memory");
#else
  number = 1;
#endif
}

static void *send(void *unused) {
  put();
  atomic_store_explicit(&full, 1, memory_order_release);
  return unused;
}

static void *receive(void *unused) {
  if (atomic_load_explicit(&full, memory_order_acquire) && number != 1)
    return NULL;
  return unused;
}

int main(void) {
  pthread_t thread[2];
  pthread_create(&thread[0], NULL, send, NULL);
  pthread_create(&thread[1], NULL, receive, NULL);
  pthread_join(thread[0], NULL);
  pthread_join(thread[1], NULL);
  return 0;
}
