// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// launch OUTPUT PROGRAM ARGUMENTS...: runs the program and writes to the file OUTPUT its wait
// status, user and system time and wall time in microseconds, and peak memory in kilobytes.
//
// A program's peak memory begins with that of the process that starts it, so a small one does.

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long microseconds(struct timeval time) {
  return (long long)time.tv_sec * 1000000 + time.tv_usec;
}

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (long long)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: launch OUTPUT PROGRAM ARGUMENTS...\n");
    return 2;
  }
  long long begin = now();
  pid_t child = fork();
  if (child == 0) {
    execv(argv[2], argv + 2);
    perror(argv[2]);
    _exit(127);
  }
  int status;
  struct rusage usage;
  if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
    perror("launch");
    return 1;
  }
  long long wall = now() - begin;
  FILE *output = fopen(argv[1], "w");
  if (!output) {
    perror(argv[1]);
    return 1;
  }
  fprintf(output, "%d %lld %lld %lld %ld\n", status, microseconds(usage.ru_utime),
          microseconds(usage.ru_stime), wall, usage.ru_maxrss);
  return fclose(output) == 0 ? 0 : 1;
}
