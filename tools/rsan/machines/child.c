// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/shell.h"
#include "campaign.h"
#include "printable.h"

static void become(const char *const *argv, const char *log, const char *out) {
  sigset_t none;
  int in = open("/dev/null", O_RDONLY), error = open(log, O_WRONLY | O_CREAT | O_APPEND, 0666);
  int to = out ? open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666) : error;
  if (in < 0 || to < 0 || error < 0)
    _exit(126);
  dup2(in, STDIN_FILENO);
  dup2(to, STDOUT_FILENO);
  dup2(error, STDERR_FILENO);
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execvp(argv[0], (char *const *)argv); // which leaves the strings as they are
  _exit(127);
}

pid_t child_start(const struct campaign *campaign, const char *const *argv, const char *out) {
  char log[PATH_MAX];
  snprintf(log, sizeof log, "%s", campaign_path(campaign, "engine.log"));
  fflush(NULL);
  pid_t child = fork();
  if (child == 0)
    become(argv, log, out);
  if (child < 0)
    print_line(stderr, "%s: %s: %s", campaign->name, argv[0], strerror(errno));
  return child;
}

int child_status(const struct campaign *campaign, const char *const *argv, const char *out) {
  int status;
  pid_t child = child_start(campaign, argv, out);
  if (child < 0 || waitpid(child, &status, 0) != child)
    return 127;
  return shell_status(status);
}

bool child_await(struct campaign *campaign, pid_t child, const char *folder) {
  while (waitpid(child, NULL, WNOHANG) == 0)
    if (campaign_poll(campaign, folder, 0.5))
      return false;
  return true;
}

void child_end(pid_t child, double seconds) {
  sigset_t ended;
  struct timespec moment = {.tv_nsec = 200000000};
  sigemptyset(&ended);
  sigaddset(&ended, SIGCHLD);
  double until = now_seconds() + seconds;
  for (int asked = 0; waitpid(child, NULL, WNOHANG) == 0; asked++) {
    if (asked < 2)
      kill(child, SIGTERM);
    if (now_seconds() > until)
      kill(-child, SIGKILL);
    sigtimedwait(&ended, NULL, &moment);
  }
}
