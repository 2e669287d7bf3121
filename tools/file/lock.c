// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// A line of /proc/locks: "1: FLOCK  ADVISORY  WRITE 4711 fd:01:131090 0 EOF".
static int find_holder(ino_t wanted) {
  char line[256];
  int holder = 0;
  FILE *locks = fopen("/proc/locks", "r");
  while (locks && !holder && fgets(line, sizeof line, locks)) {
    int pid;
    unsigned long inode;
    if (sscanf(line, "%*d: FLOCK %*s WRITE %d %*x:%*x:%lu", &pid, &inode) == 2 &&
        inode == (unsigned long)wanted && pid > 0)
      holder = pid;
  }
  if (locks)
    fclose(locks);
  return holder;
}

static void describe_holder(const char *folder, ino_t inode, char *reason, size_t size) {
  char path[64], name[64] = "";
  int pid = find_holder(inode);
  if (!pid) {
    snprintf(reason, size, "another process is changing files in %s", folder);
    return;
  }
  snprintf(path, sizeof path, "/proc/%d/comm", pid);
  FILE *file = fopen(path, "r");
  if (file) {
    if (fgets(name, sizeof name, file))
      name[strcspn(name, "\n")] = 0;
    fclose(file);
  }
  snprintf(reason, size, "process %d (%s) is changing files in %s", pid, name, folder);
}

static bool is_held(const struct file_locks *locks, const struct stat *folder) {
  struct stat held;
  for (size_t i = 0; i < locks->count; i++)
    if (fstat(locks->at[i], &held) == 0 && held.st_dev == folder->st_dev &&
        held.st_ino == folder->st_ino)
      return true;
  return false;
}

// Keeps the descriptor if its file can be locked, or cannot have locks at all.
static bool take(struct file_locks *locks, int lock, ino_t inode, const char *folder, char *reason,
                 size_t size) {
  if (flock(lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    describe_holder(folder, inode, reason, size);
    close(lock);
    return false;
  }
  locks->at = realloc(locks->at, (locks->count + 1) * sizeof *locks->at);
  if (!locks->at)
    abort();
  locks->at[locks->count++] = lock;
  return true;
}

bool file_lock_folder(struct file_locks *locks, const char *file, char *reason, size_t size) {
  char folder[PATH_MAX];
  struct stat status;
  const char *slash = strrchr(file, '/');
  int length = slash && slash != file ? (int)(slash - file) : 1;
  snprintf(folder, sizeof folder, "%.*s", length, slash ? file : ".");
  int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock < 0 || fstat(lock, &status) != 0 || is_held(locks, &status)) {
    if (lock >= 0)
      close(lock);
    return true; // what cannot be read will not be changed
  }
  return take(locks, lock, status.st_ino, folder, reason, size);
}

bool file_lock(struct file_locks *locks, const char *file, const char *folder, char *reason,
               size_t size) {
  struct stat status;
  int lock = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock < 0 || fstat(lock, &status) != 0) {
    snprintf(reason, size, "%s: %s", file, strerror(errno));
    if (lock >= 0)
      close(lock);
    return false;
  }
  return take(locks, lock, status.st_ino, folder, reason, size);
}

void file_unlock(struct file_locks *locks) {
  for (size_t i = 0; i < locks->count; i++)
    close(locks->at[i]);
  free(locks->at);
  *locks = (struct file_locks){0};
}
