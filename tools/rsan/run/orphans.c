// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "orphans.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Rounds of 10 ms: how many, how many with SIGTERM before SIGKILL, and after how many without a
// process there is none. (One that is within execve has no environment for a moment.)
enum { ROUNDS = 100, TERMINATED = 20, QUIET = 5 };

// Does the process have the runs' folder in the environment that it was started with?
static bool is_of(const char *pid, const char *mark) {
  char path[64], *text = NULL;
  size_t size = 0, length = strlen(mark);
  bool found = false;
  snprintf(path, sizeof path, "/proc/%.20s/environ", pid);
  FILE *file = fopen(path, "r");
  while (file && !found && getdelim(&text, &size, 0, file) >= 0)
    for (const char *at = text; !found && (at = strstr(at, mark)); at += length)
      found = true;
  if (file)
    fclose(file);
  free(text);
  return found;
}

// How many there were.
static unsigned signal_all(const char *mark, int signal) {
  unsigned count = 0;
  DIR *list = opendir("/proc");
  struct dirent *entry;
  while (list && (entry = readdir(list))) {
    pid_t pid = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' ? atoi(entry->d_name) : 0;
    if (pid > 1 && pid != getpid() && pid != getppid() && is_of(entry->d_name, mark) &&
        kill(pid, signal) == 0)
      count++;
  }
  if (list)
    closedir(list);
  return count;
}

static void end_all(const char *folder) {
  const struct timespec pause = {.tv_nsec = 10000000};
  char mark[PATH_MAX + 8];
  snprintf(mark, sizeof mark, "%s/run-", folder);
  for (int round = 0, quiet = 0; round < ROUNDS && quiet < QUIET; round++) {
    quiet = signal_all(mark, round < TERMINATED ? SIGTERM : SIGKILL) ? 0 : quiet + 1;
    nanosleep(&pause, NULL);
  }
}

// It keeps nothing open, and no key on the terminal reaches it.
static void watch(const char *folder, int alive) {
  char byte;
  int nothing = open("/dev/null", O_RDWR);
  setsid();
  for (int signal = 1; signal < NSIG; signal++)
    if (signal != SIGCHLD)
      sigaction(signal, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
  prctl(PR_SET_NAME, "rsan.watch");
  for (int fd = 0; fd < 3; fd++)
    dup2(nothing, fd);
  dup2(alive, 3);
  close_range(4, UINT_MAX, 0);
  while (read(3, &byte, 1) > 0)
    ;
  end_all(folder);
  _exit(0);
}

void orphans_watch(struct orphans *orphans, const char *folder) {
  int ends[2];
  *orphans = (struct orphans){.folder = folder, .alive = -1};
  if (pipe2(ends, O_CLOEXEC) != 0)
    return;
  fflush(NULL);
  orphans->watcher = fork();
  if (orphans->watcher == 0) {
    close(ends[1]);
    watch(folder, ends[0]);
  }
  close(ends[0]);
  orphans->alive = ends[1];
  if (orphans->watcher < 0)
    orphans->watcher = 0;
}

void orphans_end(struct orphans *orphans) {
  end_all(orphans->folder);
  if (orphans->watcher) {
    kill(orphans->watcher, SIGKILL);
    waitpid(orphans->watcher, NULL, 0);
  }
  if (orphans->alive >= 0)
    close(orphans->alive);
  *orphans = (struct orphans){.alive = -1};
}
