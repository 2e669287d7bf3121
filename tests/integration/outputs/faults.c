// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LD_PRELOAD=libfaults.so: calls that write below a folder fail. By the environment:
//   FAULT_FOLDER   the folder, without links
//   FAULT_COUNTER  a file that counts the calls of all processes: it begins with eight bytes 0
//   FAULT_AT       N: the Nth such call fails
//   FAULT_HOW      once; all: those after it as well; kill: the process is killed instead
//   FAULT_LOG      a file that gets a line "CALL PATH" for each that has failed
// A write that fails on a full disk writes half of its text first, and a close that fails loses all
// of it. stdio's own calls cannot be seen.

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic long *counter;
static const char *folder, *how;
static long at;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("FAULT_COUNTER"), *number = getenv("FAULT_AT");
  folder = getenv("FAULT_FOLDER");
  how = getenv("FAULT_HOW");
  at = number ? strtol(number, NULL, 10) : 0;
  if (!path || !folder || !how)
    return;
  int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
  void *memory = mmap(NULL, sizeof *counter, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED)
    abort();
  counter = memory;
  syscall(SYS_close, file);
}

static bool is_below(const char *path) {
  char resolved[PATH_MAX], parent[PATH_MAX];
  size_t length = strlen(folder);
  const char *slash = strrchr(path, '/');
  snprintf(parent, sizeof parent, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
  if (strcmp(path, folder) == 0) // a lock on it
    return true;
  return realpath(parent, resolved) && strncmp(resolved, folder, length) == 0 &&
         (resolved[length] == '/' || !resolved[length]);
}

static bool fails(const char *call, const char *path, int error) {
  char line[PATH_MAX + 32];
  if (!counter || !is_below(path))
    return false;
  long number = atomic_fetch_add(counter, 1) + 1;
  if (number < at || (number > at && strcmp(how, "all") != 0))
    return false;
  int log = (int)syscall(SYS_openat, AT_FDCWD, getenv("FAULT_LOG"),
                         O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  int length = snprintf(line, sizeof line, "%s %s\n", call, path);
  if (syscall(SYS_write, log, line, (size_t)length) != length)
    abort();
  syscall(SYS_close, log);
  if (strcmp(how, "kill") == 0)
    raise(SIGKILL);
  errno = error;
  return true;
}

// Only of regular files: pipes and terminals have no path.
static bool fails_at(const char *call, int file, int error) {
  char name[64], path[PATH_MAX];
  int before = errno;
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  ssize_t length = counter ? readlink(name, path, sizeof path - 1) : -1;
  errno = before;
  if (length <= 0 || *path != '/' || strncmp(path, "/memfd:", 7) == 0)
    return false;
  path[length] = 0;
  return fails(call, path, error);
}

static _Thread_local bool is_full;

ssize_t write(int file, const void *text, size_t size) {
  if (is_full || fails_at("write", file, ENOSPC)) {
    bool first = !is_full && size > 1;
    is_full = first;
    if (first)
      return syscall(SYS_write, file, text, size / 2);
    errno = ENOSPC;
    return -1;
  }
  return syscall(SYS_write, file, text, size);
}

int close(int file) {
  bool failing = fails_at("close", file, EIO);
  if (failing)
    syscall(SYS_ftruncate, file, (off_t)0);
  int result = (int)syscall(SYS_close, file);
  errno = failing ? EIO : errno;
  return failing ? -1 : result;
}

int rename(const char *from, const char *to) {
  return fails("rename", to, EIO) ? -1 : (int)syscall(SYS_rename, from, to);
}

int link(const char *from, const char *to) {
  return fails("link", to, EMLINK) ? -1 : (int)syscall(SYS_link, from, to);
}

int mkdir(const char *path, mode_t mode) {
  return fails("mkdir", path, ENOSPC) ? -1 : (int)syscall(SYS_mkdir, path, mode);
}

int ftruncate(int file, off_t size) {
  return fails_at("ftruncate", file, EIO) ? -1 : (int)syscall(SYS_ftruncate, file, size);
}

int fsync(int file) {
  return fails_at("fsync", file, EIO) ? -1 : (int)syscall(SYS_fsync, file);
}

int fchmod(int file, mode_t mode) {
  return fails_at("fchmod", file, EPERM) ? -1 : (int)syscall(SYS_fchmod, file, mode);
}

int fchown(int file, uid_t owner, gid_t group) {
  return fails_at("fchown", file, EPERM) ? -1 : (int)syscall(SYS_fchown, file, owner, group);
}

int mkostemp(char *path, int flags) {
  int (*real)(char *, int) = (int (*)(char *, int))dlsym(RTLD_NEXT, "mkostemp");
  return fails("mkostemp", path, EROFS) ? -1 : real(path, flags);
}

int open(const char *path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
  va_end(more);
  if ((flags & O_ACCMODE) != O_RDONLY && fails("open", path, EROFS))
    return -1;
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
