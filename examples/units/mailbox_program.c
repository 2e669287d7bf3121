// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mailbox.h"

#include <assert.h>
#include <pthread.h>
#include <rsan.h>
#include <stdlib.h>

static struct mailbox mailbox;

static void *put_all(void *count) {
  for (int i = 1; i <= *(const int *)count; i++)
    rsan_assume(put(&mailbox, i)); // of no interest: the mailbox is still full
  return NULL;
}

int main(int argc, char **argv) {
  int count = argc > 1 ? atoi(argv[1]) : 1, last = 0;
  pthread_t thread;
  pthread_create(&thread, NULL, put_all, &count);
  for (int i = 0; i < count; i++) {
    int message = take(&mailbox);
    rsan_assume(message != 0);
    assert(message == last + 1);
    last = message;
  }
  pthread_join(thread, NULL);
  return 0;
}
