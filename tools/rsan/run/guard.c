// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "guard.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "need.h"
#include "processes.h"

// end_below makes up to ROUNDS rounds of 10 ms: TERMINATED with SIGTERM, the others with SIGKILL.
// It stops after QUIET rounds that find no process: a process that forks and ends while /proc is
// read may hide its child from one round.
enum { ROUNDS = 100, TERMINATED = 20, QUIET = 2 };

enum { NOBODY = -1 };

static pid_t keeper; // in the worker; 0: there is none

struct process {
  pid_t pid, parent;
  pid_t leader; // the process whose setsid() it has inherited
  bool below;
};

struct processes {
  struct process *at;
  size_t count, room;
};

// Adds the process unless it has ended.
static bool add(const char *pid, const void *context) {
  struct processes *all = *(struct processes *const *)context;
  struct process process = {.pid = (pid_t)strtol(pid, NULL, 10)};
  char path[64], text[1024], state;
  int group;
  snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
  FILE *file = fopen(path, "re");
  if (!file)
    return false;
  size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[size] = 0;
  const char *end = strrchr(text, ')'); // the name may have any character
  if (!end ||
      sscanf(end + 1, " %c %d %d %d", &state, &process.parent, &group, &process.leader) != 4)
    return false;
  if (state == 'Z' || state == 'X')
    return false;
  if (all->count == all->room) {
    all->room = 2 * all->room + 256;
    all->at = need(realloc(all->at, all->room * sizeof *all->at));
  }
  all->at[all->count++] = process;
  return true;
}

// Marks the processes below ROOT: its children, their children and so on.
static void mark_below(struct processes *all, pid_t root) {
  bool more = true;
  while (more) {
    more = false;
    for (size_t i = 0; i < all->count; i++) {
      struct process *process = &all->at[i];
      bool is_child = process->parent == root;
      for (size_t j = 0; j < all->count && !is_child && !process->below; j++)
        is_child = all->at[j].below && all->at[j].pid == process->parent;
      more |= is_child && !process->below;
      process->below |= is_child;
    }
  }
}

// Sends the signal to each process below ROOT that has not inherited the leader's setsid(). Returns
// how many got it.
static unsigned signal_below(pid_t root, pid_t leader, int signal) {
  struct processes all = {0}, *const to = &all;
  unsigned count = 0;
  processes_visit(add, &to);
  mark_below(&all, root);
  for (size_t i = 0; i < all.count; i++)
    count += all.at[i].below && all.at[i].leader != leader && kill(all.at[i].pid, signal) == 0;
  free(all.at);
  return count;
}

static void end_below(pid_t root, pid_t leader) {
  const struct timespec pause = {.tv_nsec = 10000000};
  for (int round = 0, quiet = 0; round < ROUNDS && quiet < QUIET; round++) {
    unsigned count = signal_below(root, leader, round < TERMINATED ? SIGTERM : SIGKILL);
    quiet = count ? 0 : quiet + 1;
    if (count)
      nanosleep(&pause, NULL);
    while (root == getpid() && waitpid(-1, NULL, WNOHANG) > 0)
      ;
  }
}

void guard_adopt_left(void) {
  if (!keeper)
    prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void guard_end_left(void) {
  end_below(keeper ? keeper : getpid(), getsid(0));
}

bool guard_has_passed(const siginfo_t *info) {
  return keeper && info->si_code <= 0 && info->si_pid == keeper;
}

static int orphaned(void) {
  return SIGRTMIN; // tells the keeper that the front has ended
}

// Those that stop a process are not among them: a shell waits for the front to stop.
static sigset_t passed_signals(void) {
  static const int numbers[] = {SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
  sigset_t set;
  sigemptyset(&set);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    sigaddset(&set, numbers[i]);
  sigaddset(&set, orphaned());
  return set;
}

// Passes signals on to the child until it ends. Returns its status as waitpid has it, or -1 if this
// process is the keeper and the front has ended. The terminal sends its signals to the whole group,
// which the worker is in, so they are not passed on.
static int pass_signals(pid_t child) {
  const sigset_t set = passed_signals();
  for (;;) {
    siginfo_t info;
    int number = sigwaitinfo(&set, &info), status;
    if (number == orphaned())
      return -1;
    if (number > 0 && number != SIGCHLD && info.si_code <= 0)
      kill(child, number);
    for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;)
      if (ended == child)
        return status;
  }
}

static _Noreturn void end_as(int status) {
  if (WIFSIGNALED(status)) {
    sigset_t none;
    setrlimit(RLIMIT_CORE, &(struct rlimit){0}); // the worker has dumped one
    signal(WTERMSIG(status), SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    kill(getpid(), WTERMSIG(status));
  }
  _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

// The keeper. Returns in the worker.
static void keep(pid_t front, const sigset_t *before) {
  int status = -1;
  keeper = getpid();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_PDEATHSIG, orphaned());
  pid_t worker = fork();
  if (worker == 0) {
    sigprocmask(SIG_SETMASK, before, NULL);
    return;
  }
  setsid(); // what ends the whole group of the front does not end the keeper
  prctl(PR_SET_NAME, "rsan.keeper");
  if (worker > 0 && getppid() == front)
    status = pass_signals(worker);
  end_below(getpid(), NOBODY);
  end_as(worker > 0 ? status : 0x7f00);
}

void guard_begin(void) {
  const sigset_t set = passed_signals();
  sigset_t before;
  pid_t front = getpid();
  // Children from before exec are none of the command's: the front must not end them.
  bool alone = waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
  fflush(NULL);
  signal(SIGCHLD, SIG_DFL);
  if (alone)
    prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigprocmask(SIG_BLOCK, &set, &before);
  pid_t child = fork();
  if (child == 0) {
    keep(front, &before);
    return;
  }
  if (child < 0) {
    sigprocmask(SIG_SETMASK, &before, NULL);
    return;
  }
  int status = pass_signals(child);
  if (alone && WIFSIGNALED(status))
    end_below(front, NOBODY);
  end_as(status);
}
