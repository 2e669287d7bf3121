// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target.h"

enum { MAX_LINKS = 40 }; // as the kernel

// The folder that the name is in, without links; false with errno set.
static bool find_folder(const char *name, char folder[PATH_MAX]) {
  char copy[PATH_MAX];
  const char *slash = strrchr(name, '/');
  if (strlen(name) >= sizeof copy) {
    errno = ENAMETOOLONG;
    return false;
  }
  snprintf(copy, sizeof copy, "%.*s", slash ? (int)(slash - name) : 1, slash ? name : ".");
  return realpath(slash == name ? "/" : copy, folder);
}

// The number N of /dev/fd/N, where FOLDER is what /dev/fd leads to; else -1.
static int find_descriptor(const char *folder, const char *name) {
  char own[64], *end;
  snprintf(own, sizeof own, "/proc/%d/fd", (int)getpid());
  long number = strtol(name, &end, 10);
  bool is_number = *name >= '0' && *name <= '9' && !*end && number <= INT_MAX;
  return strcmp(folder, own) == 0 && is_number ? (int)number : -1;
}

// Follows links until the path is none. What /proc has are no links to names: they are opened.
static bool follow(struct file_target *target, bool *of_proc) {
  for (int links = 0; links <= MAX_LINKS; links++) {
    char folder[PATH_MAX], content[PATH_MAX];
    struct stat status;
    const char *slash = strrchr(target->path, '/');
    const char *last = slash ? slash + 1 : target->path;
    if (!find_folder(target->path, folder))
      return false;
    target->descriptor = find_descriptor(folder, last);
    *of_proc = strncmp(folder, "/proc/", 6) == 0;
    if (*of_proc || lstat(target->path, &status) != 0 || !S_ISLNK(status.st_mode))
      return true;
    ssize_t length = readlink(target->path, content, sizeof content - 1);
    if (length < 0)
      return false;
    content[length] = 0;
    int used = *content == '/' ? snprintf(target->path, PATH_MAX, "%s", content)
                               : snprintf(target->path, PATH_MAX, "%s/%s", folder, content);
    if (used >= PATH_MAX) {
      errno = ENAMETOOLONG;
      return false;
    }
  }
  errno = ELOOP;
  return false;
}

bool file_target_find(const char *name, struct file_target *target) {
  bool of_proc;
  *target = (struct file_target){.descriptor = -1};
  if (strlen(name) >= PATH_MAX || !*name) {
    errno = *name ? ENAMETOOLONG : ENOENT;
    return false;
  }
  strcpy(target->path, name);
  if (!follow(target, &of_proc))
    return false;
  if (target->descriptor >= 0)
    return fcntl(target->descriptor, F_GETFD) >= 0;
  target->exists = stat(target->path, &target->status) == 0;
  if (!target->exists && errno != ENOENT)
    return false;
  if (target->exists && faccessat(AT_FDCWD, target->path, W_OK, AT_EACCESS) != 0)
    return false;
  bool regular = !target->exists || S_ISREG(target->status.st_mode);
  if (target->exists && S_ISDIR(target->status.st_mode)) {
    errno = EISDIR;
    return false;
  }
  // Replacing another user's file would change its owner, so it is written in place.
  bool own = !target->exists || target->status.st_uid == geteuid() || geteuid() == 0;
  target->replaced = regular && own && !of_proc;
  return true;
}

bool file_write_all(int to, const char *text, size_t size) {
  while (size) {
    ssize_t written = write(to, text, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    text += written;
    size -= (size_t)written;
  }
  return true;
}

static bool set_owner_and_mode(int file, const struct file_target *target) {
  if (!target->exists) {
    mode_t mask = umask(0);
    umask(mask);
    return fchmod(file, 0666 & ~mask) == 0;
  }
  struct stat own;
  const struct stat *wanted = &target->status;
  if (fstat(file, &own) != 0)
    return false;
  if ((own.st_uid != wanted->st_uid || own.st_gid != wanted->st_gid) &&
      fchown(file, wanted->st_uid, wanted->st_gid) != 0)
    return false;
  return fchmod(file, wanted->st_mode & 07777) == 0;
}

int file_target_make_beside(const struct file_target *target, char beside[FILE_BESIDE]) {
  const char *slash = strrchr(target->path, '/');
  int length = slash ? (int)(slash - target->path) + 1 : 0;
  snprintf(beside, FILE_BESIDE, "%.*s.rsan-XXXXXX", length, target->path);
  int file = mkostemp(beside, O_CLOEXEC);
  if (file < 0 || set_owner_and_mode(file, target))
    return file;
  int error = errno;
  close(file);
  unlink(beside);
  errno = error;
  return -1;
}

bool file_target_beside(const struct file_target *target, const char *text, size_t size,
                        char beside[FILE_BESIDE]) {
  int file = file_target_make_beside(target, beside);
  if (file < 0)
    return false;
  bool fine = file_write_all(file, text, size);
  int error = errno;
  if (close(file) != 0 && fine) {
    fine = false;
    error = errno;
  }
  if (!fine) {
    unlink(beside);
    errno = error;
  }
  return fine;
}

void file_hold_signals(sigset_t *before) {
  sigset_t held;
  sigemptyset(&held);
  sigaddset(&held, SIGHUP);
  sigaddset(&held, SIGINT);
  sigaddset(&held, SIGQUIT);
  sigaddset(&held, SIGTERM);
  sigaddset(&held, SIGXFSZ); // a write beyond ulimit -f fails instead
  sigprocmask(SIG_BLOCK, &held, before);
}

void file_release_signals(const sigset_t *before) {
  sigset_t pending;
  struct timespec none = {0};
  // The failed write has been told of.
  if (sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) &&
      !sigismember(before, SIGXFSZ)) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGXFSZ);
    sigtimedwait(&one, NULL, &none);
  }
  sigprocmask(SIG_SETMASK, before, NULL);
}
