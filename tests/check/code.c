// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads pass a number on. With one of the macros an access is made by code that the analysis
// does not see, or is told not to look at: then nothing is proved. With POINTER the number is found
// by a pointer whose initial value the dynamic linker makes; with -DPOINTER=NULL somebody else.

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

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

#ifdef POINTER
static atomic_int more;
static _Atomic(atomic_int *) pointer = POINTER;
static void look(void) {
  if (atomic_load_explicit(&pointer, memory_order_acquire) != &more)
    abort();
}
#else
static void look(void) {}
#endif

static void *receive(void *unused) {
  look();
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
