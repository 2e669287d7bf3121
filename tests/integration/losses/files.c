// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// files [NAME]: two threads that make many departures and steps. With NAME, the program closes
// every descriptor but the first three, and opens files of its own under their numbers: NAME.0 to
// NAME.19, into which it writes nothing.
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { ROUNDS = 2000, OWN = 20, DESCRIPTORS = 1000 };

static atomic_int x, y;

static void *write_x(void *unused) {
  (void)unused;
  for (int i = 0; i < ROUNDS; i++) {
    atomic_store_explicit(&x, i, memory_order_relaxed);
    (void)atomic_load_explicit(&y, memory_order_relaxed);
  }
  return NULL;
}

static void take_descriptors(const char *name) {
  for (int fd = STDERR_FILENO + 1; fd < DESCRIPTORS; fd++)
    close(fd);
  for (int i = 0; i < OWN; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s.%d", name, i);
    if (open(path, O_CREAT | O_WRONLY | O_TRUNC, 0644) < 0)
      perror(path);
  }
}

int main(int argc, char **argv) {
  if (argc > 1)
    take_descriptors(argv[1]);
  pthread_t thread;
  pthread_create(&thread, NULL, write_x, NULL);
  for (int i = 0; i < ROUNDS; i++) {
    atomic_store_explicit(&y, i, memory_order_relaxed);
    (void)atomic_load_explicit(&x, memory_order_relaxed);
  }
  pthread_join(thread, NULL);
  puts("done");
  return 0;
}
