// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name of a file that cannot be read gets EFAULT from the kernel, as without the runtime, or
// the error that the kernel finds before it reads the name.
//
// RUN: %build %s -o %t && %t
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *const names[] = {NULL, (const char *)1, (const char *)-4096};

static void refused(long result, const char *call) {
  if (result == -1 && errno == EFAULT)
    return;
  fprintf(stderr, "%s: %ld, errno %d\n", call, result, errno);
  exit(1);
}

static void fails(long result, const char *call) {
  if (result == -1)
    return;
  fprintf(stderr, "%s: %ld\n", call, result);
  exit(1);
}

#define FAILS(call)   fails(call, #call)
#define REFUSED(call) refused(call, #call)

int main(void) {
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
    const char *name = names[i];
    struct stat status;
    struct statx extended;
    REFUSED(access(name, F_OK));
    REFUSED(faccessat(AT_FDCWD, name, F_OK, 0));
    REFUSED(fstatat(AT_FDCWD, name, &status, 0));
    REFUSED(statx(AT_FDCWD, name, 0, STATX_MODE, &extended));
    REFUSED(openat(AT_FDCWD, name, O_CREAT | O_WRONLY, 0600));
    REFUSED(mkdir(name, 0700));
    REFUSED(mkdirat(AT_FDCWD, name, 0700));
    REFUSED(mknod(name, S_IFIFO | 0600, 0));
    REFUSED(link(name, name));
    FAILS(link("no such file", name));
    FAILS(access(name, 99));
    FAILS(fstatat(AT_FDCWD, name, &status, -1));
    FAILS(syscall(SYS_linkat, AT_FDCWD, "no such file", AT_FDCWD, name, 0));
    REFUSED(symlink("no such file", name));
    REFUSED(rename(name, name));
    REFUSED(renameat(AT_FDCWD, name, AT_FDCWD, name));
    REFUSED(unlink(name));
    REFUSED(unlinkat(AT_FDCWD, name, 0));
    REFUSED(rmdir(name));
    REFUSED(syscall(SYS_mkdirat, AT_FDCWD, name, 0700));
    REFUSED(syscall(SYS_openat, AT_FDCWD, name, O_CREAT | O_WRONLY, 0600));
    REFUSED(syscall(SYS_statx, AT_FDCWD, name, 0, STATX_MODE, &extended));
  }
}
