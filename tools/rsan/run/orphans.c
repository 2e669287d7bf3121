// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "orphans.h"

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

#include "processes.h"

// end_all makes up to ROUNDS rounds of 10 ms: TERMINATED with SIGTERM, the others with SIGKILL. It
// stops after QUIET rounds that find no process, because a process has no environment for a moment
// within execve.
enum { ROUNDS = 100, TERMINATED = 20, QUIET = 5 };

// Returns whether the environment that the process was started with has the text.
static bool has_in_environment(const char *pid, const char *text) {
  char path[64], *variable = NULL;
  size_t size = 0;
  bool found = false;
  snprintf(path, sizeof path, "/proc/%.20s/environ", pid);
  FILE *file = fopen(path, "r");
  while (file && !found && getdelim(&variable, &size, 0, file) >= 0)
    found = strstr(variable, text);
  if (file)
    fclose(file);
  free(variable);
  return found;
}

struct ending {
  const char *mark; // in the environment of each process of the runs
  int signal;
};

static bool end_one(const char *text, const void *context) {
  const struct ending *ending = context;
  pid_t pid = (pid_t)strtol(text, NULL, 10);
  return pid > 1 && pid != getpid() && pid != getppid() && has_in_environment(text, ending->mark) &&
         kill(pid, ending->signal) == 0;
}

static void end_all(const char *folder) {
  const struct timespec pause = {.tv_nsec = 10000000};
  char mark[PATH_MAX + 8];
  snprintf(mark, sizeof mark, "%s/run-", folder);
  for (int round = 0, quiet = 0; round < ROUNDS && quiet < QUIET; round++) {
    const struct ending ending = {mark, round < TERMINATED ? SIGTERM : SIGKILL};
    quiet = processes_visit(end_one, &ending) ? 0 : quiet + 1;
    nanosleep(&pause, NULL);
  }
}

// Runs in a process of its own. It keeps no other descriptor open, so that it holds no pipe and no
// lock of the command, and it ignores the signals that the terminal sends.
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
