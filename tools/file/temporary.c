// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "temporary.h"

#include <errno.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "target.h"

enum { MOST = 4, DESCRIPTORS = 16 };

static char made[MOST][PATH_MAX]; // those that are removed
static volatile sig_atomic_t count;
static pid_t owner;                  // a child inherits all this, but must not remove the folders
static volatile sig_atomic_t writer; // file_temporary_written_by(); 0: nobody

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place) {
  (void)status, (void)kind, (void)place;
  return remove(path) != 0 && errno != ENOENT; // goes on if another process was faster
}

void file_remove_tree(const char *folder) {
  nftw(folder, remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
}

static void remove_at_exit(void) {
  if (getpid() != owner)
    return;
  for (int i = 0; i < count; i++)
    file_remove_tree(made[i]);
}

// Else a file that it makes meanwhile would keep the folder.
static void end_writer(void) {
  if (writer <= 0 || kill(writer, SIGTERM) != 0)
    return;
  while (waitpid(writer, NULL, 0) < 0 && errno == EINTR)
    ;
}

// nftw() must not be called in a handler of a signal.
static void remove_by_signal(int number) {
  if (getpid() == owner)
    end_writer();
  for (int i = 0; getpid() == owner && i < count; i++) {
    pid_t child = fork();
    if (child == 0) {
      execl("/bin/rm", "rm", "-rf", "--", made[i], (char *)NULL);
      _exit(127);
    }
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
      ;
  }
  raise(number); // ends the process when the handler returns, because SA_RESETHAND has reset it
}

static void set_handlers(void) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action = {.sa_handler = remove_by_signal, .sa_flags = SA_RESETHAND}, now;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
      sigaction(numbers[i], &action, NULL);
}

// The first folder of the process. A child that fork() has made does not inherit the duty.
static bool prepare(void) {
  static bool registered;
  if (owner != getpid()) {
    owner = getpid();
    count = 0;
  }
  if (!registered && atexit(remove_at_exit) != 0) {
    errno = ENOMEM;
    return false;
  }
  registered = true;
  set_handlers();
  return true;
}

bool file_temporary_make(const char *name, size_t longest, char path[PATH_MAX]) {
  sigset_t before;
  const char *folder = getenv("TMPDIR");
  if (!folder || !*folder || strlen(folder) > longest)
    folder = "/tmp";
  if (snprintf(path, PATH_MAX, "%s/%s-XXXXXX", folder, name) >= PATH_MAX) {
    errno = ENAMETOOLONG;
    return false;
  }
  if (count == MOST) {
    errno = EMFILE;
    return false;
  }
  file_hold_signals(&before);
  bool is_made = prepare() && mkdtemp(path);
  if (is_made && !realpath(path, made[count])) {
    rmdir(path);
    is_made = false;
  }
  count += is_made;
  file_release_signals(&before);
  return is_made;
}

void file_temporary_written_by(pid_t child) {
  writer = child;
}

void file_temporary_keep(const char *path) {
  char resolved[PATH_MAX];
  sigset_t before;
  if (getpid() != owner || !realpath(path, resolved))
    return;
  file_hold_signals(&before);
  for (int i = 0; i < count; i++)
    if (strcmp(made[i], resolved) == 0) {
      count--;
      memmove(made[i], made[count], sizeof made[i]);
    }
  file_release_signals(&before);
}
