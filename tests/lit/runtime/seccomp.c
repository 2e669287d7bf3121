// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A filter of system calls that forbids what the runtime needs is told of by one line. A filter
// that forbids other calls, or by other arguments, is not.

// RUN: %build %s -o %t
// RUN: %t fits 2>&1 | count 0
// RUN: env RSAN_OPTIONS=schedule=random:seed=1 %t fits 2>&1 | count 0
// RUN: %exits 159 %t futex 2>&1 | FileCheck --check-prefix=FUTEX %s
// RUN: %t raw 2>&1 | FileCheck --check-prefix=OPEN %s
// RUN: %exits 137 %t strict 2>&1 | FileCheck --check-prefix=STRICT %s
// RUN: %t unreadable 2>&1 | count 0
//
// FUTEX: {{^}}WARNING: ThreadSanitizer: a seccomp filter forbids system calls that RSan makes: futex. Allow them in builds with RSan{{$}}
// FUTEX-NOT: WARNING
// OPEN: {{^}}WARNING: ThreadSanitizer: a seccomp filter forbids system calls that RSan makes for reports: openat. Allow them in builds with RSan{{$}}
// OPEN-NOT: WARNING
// STRICT: {{^}}WARNING: ThreadSanitizer: seccomp's strict mode forbids system calls that RSan makes, as futex and mmap. Leave it out in builds with RSan{{$}}
// STRICT-NOT: WARNING

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOAD(field)         BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IF_NOT(value, over) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(value), 0, over)
#define RETURN(action)      BPF_STMT(BPF_RET | BPF_K, action)

static void *run(void *argument) {
  return argument;
}

// Forbids the call if its third argument is `third`, or in any case.
static int forbid(unsigned number, int third, unsigned action, int raw) {
  struct sock_filter steps[] = {LOAD(nr),       IF_NOT(number, 3),
                                LOAD(args[2]),  IF_NOT(third < 0 ? 0 : third, third < 0 ? 0 : 1),
                                RETURN(action), RETURN(SECCOMP_RET_ALLOW)};
  struct sock_fprog filter = {sizeof steps / sizeof *steps, steps};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return 1;
  return raw ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0
             : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0;
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  pthread_t thread;
  if (strcmp(what, "fits") == 0 && // mmap is forbidden with PROT_EXEC
      (forbid(SYS_ptrace, -1, SECCOMP_RET_KILL_PROCESS, 0) ||
       forbid(SYS_mmap, 7, SECCOMP_RET_KILL_PROCESS, 1)))
    return 9;
  if (strcmp(what, "raw") == 0 && forbid(SYS_openat, -1, SECCOMP_RET_ERRNO | EPERM, 1))
    return 9;
  if (strcmp(what, "futex") == 0) {
    if (forbid(SYS_futex, -1, SECCOMP_RET_KILL_PROCESS, 0))
      return 9;
    syscall(SYS_futex, 0, 0, 0, 0, 0, 0);
  }
  if (strcmp(what, "strict") == 0) {
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    syscall(SYS_getpid);
  }
  if (strcmp(what, "unreadable") == 0 &&
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (void *)16) == 0)
    return 9;
  pthread_create(&thread, NULL, run, NULL);
  return pthread_join(thread, NULL);
}
