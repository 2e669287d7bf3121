// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `threads LIVE ROUNDS` makes ROUNDS rounds. In each, it starts LIVE threads, which wait for each
// other at a barrier, so that all are alive at the same time, and joins them.

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { STACK = 1 << 16 };

static pthread_barrier_t all;
static atomic_ulong count;

static void *be_there(void *unused) {
  (void)unused;
  atomic_fetch_add(&count, 1);
  pthread_barrier_wait(&all);
  return NULL;
}

static void make_round(pthread_t *at, unsigned long live, const pthread_attr_t *attributes) {
  for (unsigned long i = 0; i < live; i++)
    if (pthread_create(&at[i], attributes, be_there, NULL) != 0)
      abort();
  pthread_barrier_wait(&all);
  for (unsigned long i = 0; i < live; i++)
    pthread_join(at[i], NULL);
}

int main(int argc, char **argv) {
  unsigned long live = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
  if (live == 0) {
    fprintf(stderr, "usage: threads LIVE ROUNDS, with at least one live thread\n");
    return 2;
  }
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK);
  pthread_barrier_init(&all, NULL, (unsigned)live + 1);
  pthread_t *at = calloc(live, sizeof *at);
  for (unsigned long rounds = strtoul(argv[2], NULL, 10); at && rounds > 0; rounds--)
    make_round(at, live, &attributes);
  free(at);
  return 0;
}
