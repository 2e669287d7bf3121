// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// processors: each execution stays on one processor, and is told of all that the program may use,
// until it chooses itself. Ends with a status that says what was otherwise.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cpu_set_t before;

static int is_told(const cpu_set_t *set) {
  cpu_set_t process, thread;
  return sched_getaffinity(0, sizeof process, &process) == 0 &&
         pthread_getaffinity_np(pthread_self(), sizeof thread, &thread) == 0 &&
         CPU_EQUAL(&process, set) && CPU_EQUAL(&thread, set);
}

// What the kernel says of the calling thread.
static int stays(void) {
  char line[256], list[128] = "";
  FILE *file = fopen("/proc/thread-self/status", "r");
  if (!file)
    exit(2);
  while (fgets(line, sizeof line, file))
    sscanf(line, "Cpus_allowed_list: %127s", list);
  fclose(file);
  return list[0] && strspn(list, "0123456789") == strlen(list);
}

static void choose(int (*set)(const cpu_set_t *), const cpu_set_t *wanted, int otherwise) {
  if (set(wanted) != 0 || !is_told(wanted))
    exit(otherwise);
}

static int set_process(const cpu_set_t *set) {
  return sched_setaffinity(0, sizeof *set, set);
}

static int set_thread(const cpu_set_t *set) {
  return pthread_setaffinity_np(pthread_self(), sizeof *set, set);
}

static void *look(void *unused) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  if (!stays())
    exit(3);
  if (!is_told(&before))
    exit(4);
  // The very processor on which it stays.
  choose(set_thread, &one, 5);
  choose(set_process, &before, 6);
  choose(set_process, &one, 7);
  return unused;
}

int main(void) {
  pthread_t thread;
  if (sched_getaffinity(0, sizeof before, &before) != 0 ||
      pthread_create(&thread, NULL, look, NULL) != 0)
    return 2;
  return pthread_join(thread, NULL);
}
