// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A descriptor of the program's own, given to __sanitizer_set_report_fd, gets the reports.
//
// RUN: %build %s -o %t
// RUN: %exits 66 %t %t.reports >%t.out 2>&1
// RUN: FileCheck %s <%t.reports
// RUN: not grep . %t.out
// CHECK: WARNING: ThreadSanitizer: data race
// CHECK: ThreadSanitizer: reported 1 warnings
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>

extern void __sanitizer_set_report_fd(void *fd);

static int shared;

static void *add(void *unused) {
  shared++;
  return unused;
}

int main(int argc, char **argv) {
  const intptr_t fd = argc > 1 ? open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;
  pthread_t threads[2];
  __sanitizer_set_report_fd((void *)fd);
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], NULL, add, NULL);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], NULL);
  return 0;
}
