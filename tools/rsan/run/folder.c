// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asked.h"
#include "checked.h"
#include "file/lock.h"
#include "file/target.h"
#include "printable.h"

// What earlier runs have left would be taken for reports of these.
static bool holds_runs(const char *folder) {
  DIR *list = opendir(folder);
  struct dirent *entry;
  bool found = false;
  while (list && (entry = readdir(list)))
    found |= strncmp(entry->d_name, "run-", 4) == 0 || strncmp(entry->d_name, "step-", 5) == 0 ||
             strncmp(entry->d_name, "reports.", 8) == 0;
  if (list)
    closedir(list);
  return found;
}

// The lock is held until the process ends.
static bool lock(const char *name, const char *folder) {
  static struct file_locks locks;
  char file[PATH_MAX + 16], reason[PATH_MAX + 128];
  snprintf(file, sizeof file, "%s/checked", folder);
  bool locked = file_lock(&locks, file, folder, reason, sizeof reason);
  if (!locked)
    print_line(stderr, "%s: %s: name another folder, or wait for its end", name, reason);
  return locked;
}

// Nothing was checked yet.
static bool clear(const char *name, const char *folder) {
  bool cleared = checked_clear(folder);
  if (!cleared)
    print_line(stderr, "%s: %s/checked: %s", name, folder, strerror(errno));
  return cleared;
}

// -- the temporary folder, which a signal removes --

static char temporary_path[PATH_MAX];
static pid_t owner; // a child inherits the handler, but must not remove the folder

static void remove_temporary(int number) {
  pid_t child = getpid() == owner ? fork() : -1;
  if (child == 0) {
    execl("/bin/rm", "rm", "-rf", "--", temporary_path, (char *)NULL);
    _exit(127);
  }
  while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
    ;
  raise(number); // ends the process when the handler returns, because SA_RESETHAND has reset it
}

static void set_handlers(void (*handler)(int), void (*before)(int)) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESETHAND}, now;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler == before)
      sigaction(numbers[i], &action, NULL);
}

static bool make_temporary(char *made) {
  sigset_t before;
  file_hold_signals(&before);
  bool is_made = mkdtemp(made) != NULL;
  if (is_made) {
    snprintf(temporary_path, sizeof temporary_path, "%s", made);
    owner = getpid();
    set_handlers(remove_temporary, SIG_DFL);
  }
  file_release_signals(&before);
  return is_made;
}

void run_folder_keep(void) {
  set_handlers(SIG_DFL, remove_temporary);
}

const char *run_folder_make(const char *name, const char *output) {
  static char path[PATH_MAX];
  char made[PATH_MAX];
  const char *temporary = getenv("TMPDIR");
  snprintf(made, sizeof made, "%s/rsan-run-XXXXXX", temporary && *temporary ? temporary : "/tmp");
  struct stat status;
  const char *folder = output ? output : made;
  bool there = output ? mkdir(output, 0777) == 0 || errno == EEXIST : make_temporary(made);
  if (there && stat(folder, &status) == 0 && !S_ISDIR(status.st_mode)) {
    there = false;
    errno = ENOTDIR;
  }
  if (!there || !realpath(folder, path) ||
      faccessat(AT_FDCWD, path, W_OK | X_OK, AT_EACCESS) != 0) {
    print_line(stderr, "%s: %s: %s", name, folder, strerror(errno));
    return NULL;
  }
  if (holds_runs(path)) {
    print_line(stderr, "%s: %s has earlier runs in it: remove them, or name another folder", name,
               folder);
    return NULL;
  }
  if (strchr(path, '"') && strchr(path, '\'')) {
    print_line(stderr, "%s: %s: both kinds of quotes cannot be in the folder's path", name, path);
    return NULL;
  }
  return lock(name, path) && clear(name, path) ? path : NULL;
}

bool run_resume_take_option(int key, const char *text, struct resumed *resumed) {
  if (key == KEY_RESUME)
    resumed->folder = text;
  else if (key == KEY_TRUST)
    resumed->trusts = true;
  return key == KEY_RESUME || key == KEY_TRUST;
}

static bool is_trusted(const char *name, const char *file, bool trusts) {
  cJSON *json = asked_read(file);
  if (!json)
    print_line(stderr, "%s: %s is damaged, or of another version of rsan: begin anew", name, file);
  bool trusted = json && (trusts || asked_is_trusted(json, name, file));
  cJSON_Delete(json);
  return trusted;
}

const char *run_folder_resume(const char *name, const struct resumed *resumed, const char *kept,
                              const char *missing) {
  static char path[PATH_MAX];
  char file[PATH_MAX + 32];
  snprintf(file, sizeof file, "%s/%s", resumed->folder, kept);
  if (!realpath(resumed->folder, path) || access(file, R_OK) != 0) {
    print_line(stderr, "%s: --resume %s: there is %s to go on with (%s): %s", name, resumed->folder,
               missing, kept, strerror(errno));
    return NULL;
  }
  return is_trusted(name, file, resumed->trusts) && lock(name, path) ? path : NULL;
}
