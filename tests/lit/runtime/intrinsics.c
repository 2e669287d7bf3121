// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Store buffering with the processor's own fences, by intrinsics and without options: _mm_mfence
// forbids it, _mm_lfence and _mm_sfence, which order loads or stores alone, do not.
//
// RUN: %build -O1 %s -o %t
// RUN: %build -O0 %s -o %t.O0
// RUN: %build -O2 -x c++ %s -o %t.cpp
// RUN: sh %S/Inputs/each-call quiet stats=0 '%t %t.O0 %t.cpp' buffer 'mfence builtin header sync locked'
// RUN: sh %S/Inputs/each-call 'robustness violation' stats=0 '%t %t.O0 %t.cpp' buffer 'none lfence sfence pause'
//
// Messages are in order with them.
// RUN: sh %S/Inputs/each-call quiet stats=0 %t message 'lfence mfence'
// RUN: sh %S/Inputs/each-call 'data race' stats=0 %t message 'none pause'

#include <immintrin.h>
#include <pthread.h>
#include <string.h>

#define STORE(p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define LOAD(p)     __atomic_load_n(p, __ATOMIC_RELAXED)

// The second thread waits for the first in a way that nobody sees.
#define UNSEEN __attribute__((disable_sanitizer_instrumentation, noinline))
UNSEEN static void give(int *turn) {
  STORE(turn, 1);
}
UNSEEN static void await(const int *turn) {
  while (!LOAD(turn))
    ;
}

static int x, y, turn, flag;
int letter; // (others might read it, so the writes stay)
static const char *fence;

static inline void full_fence(void) {
  _mm_mfence();
}

static void pass(void) {
  if (strcmp(fence, "mfence") == 0)
    _mm_mfence();
  else if (strcmp(fence, "builtin") == 0)
    __builtin_ia32_mfence();
  else if (strcmp(fence, "header") == 0)
    full_fence();
  else if (strcmp(fence, "sync") == 0)
    __sync_synchronize();
  else if (strcmp(fence, "lfence") == 0)
    _mm_lfence();
  else if (strcmp(fence, "sfence") == 0)
    _mm_sfence();
  else if (strcmp(fence, "pause") == 0)
    _mm_pause();
}

// "locked": what such a fence is made of elsewhere, an exchange on an object that both have.
static int common;
static void buffer(int *mine, int *other) {
  STORE(mine, 1);
  if (strcmp(fence, "locked") == 0)
    __sync_fetch_and_add(&common, 1);
  else
    pass();
  LOAD(other);
}

static void *first(void *unused) {
  buffer(&x, &y);
  give(&turn);
  return unused;
}

static void *second(void *unused) {
  await(&turn);
  buffer(&y, &x);
  return unused;
}

static void *sender(void *unused) {
  letter = 1;
  pass();
  STORE(&flag, 1);
  return unused;
}

static void *receiver(void *unused) {
  while (!LOAD(&flag))
    ;
  pass();
  letter = 2;
  return unused;
}

int main(int argc, char **argv) {
  pthread_t threads[2];
  int sends = argc > 1 && strcmp(argv[1], "message") == 0;
  fence = argv[argc - 1];
  pthread_create(&threads[0], NULL, sends ? sender : first, NULL);
  pthread_create(&threads[1], NULL, sends ? receiver : second, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  return 0;
}
