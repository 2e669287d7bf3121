// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// losses KIND LOSS [fenced|foreign]: Dekker's lock, whose stage has each run take one way. Between
// its two accesses the second thread reads an object of KIND that has the value that it began with.
// If the runtime does not know that value, the read counts as one of what unseen code has left, and
// the violation is hidden. LOSS: what the process loses at the start. fenced: the robust twin.
// foreign: code that is not seen has written the object, and orders the two threads.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __clang__
#define UNSEEN __attribute__((noinline, disable_sanitizer_instrumentation))
#else
#define UNSEEN __attribute__((noinline, no_sanitize("thread")))
#endif

static int x, y;
static long data = 7, zero;
static long *relocated = &data;
long *const relro = &data;
static const long constant = 9;
static __thread long thread_local_data = 11;
static volatile int stage;
static int is_fenced, is_foreign, is_limited;
static long *object;

extern long copied; // of the library that is linked

UNSEEN static void reach(int s) {
  if (is_foreign)
    *object = 12345;
  __atomic_store_n(&stage, s, __ATOMIC_RELEASE);
}

UNSEEN static void await(int s) {
  while (__atomic_load_n(&stage, __ATOMIC_ACQUIRE) < s)
    usleep(100);
}

static void fence(void) {
  if (is_fenced)
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void limit(int what, rlim_t value) {
  setrlimit(what, &(struct rlimit){value, value});
}

static void *first(void *unused) {
  __atomic_store_n(&x, 1, __ATOMIC_RELEASE);
  fence();
  __atomic_load_n(&y, __ATOMIC_ACQUIRE);
  reach(1);
  return unused;
}

static void *second(void *unused) {
  await(1);
  if (is_limited)
    limit(RLIMIT_NPROC, 1);
  __atomic_store_n(&y, 1, __ATOMIC_RELEASE);
  __atomic_load_n(object, __ATOMIC_ACQUIRE);
  fence();
  __atomic_load_n(&x, __ATOMIC_ACQUIRE);
  return unused;
}

static void find(const char *kind) {
  if (!strcmp(kind, "bss"))
    object = &zero;
  else if (!strcmp(kind, "data"))
    object = &data;
  else if (!strcmp(kind, "relocated"))
    object = (long *)&relocated;
  else if (!strcmp(kind, "relro"))
    object = (long *)&relro;
  else if (!strcmp(kind, "constant"))
    object = (long *)&constant;
  else if (!strcmp(kind, "thread"))
    object = &thread_local_data;
  else if (!strcmp(kind, "copied"))
    object = &copied;
  else {
    void *library = dlopen("./libloaded.so", RTLD_NOW);
    object = library ? dlsym(library, kind) : NULL;
  }
  if (!object)
    fprintf(stderr, "no object %s\n", kind), exit(2);
}

// Accesses of two sizes, and one of the object when its two sizes are known.
static void *access_mixed(void *unused) {
  static union {
    long all;
    int part;
  } mixed;
  __atomic_store_n(&mixed.all, 1, __ATOMIC_RELAXED);
  __atomic_load_n(&mixed.part, __ATOMIC_RELAXED);
  __atomic_store_n(&mixed.all, 2, __ATOMIC_RELAXED);
  return unused;
}

static void deny(int call) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
    perror("seccomp"), exit(2);
}

static void lose(const char *loss, char *program) {
  if (!strcmp(loss, "descriptors")) {
    limit(RLIMIT_NOFILE, 100);
    while (open("/dev/null", O_RDONLY) >= 0)
      ;
  } else if (!strcmp(loss, "no-descriptor")) {
    limit(RLIMIT_NOFILE, 0);
  } else if (!strcmp(loss, "closed")) {
    close(0), close(1), close(2);
  } else if (!strcmp(loss, "unlink")) {
    unlink(program), unlink("libloaded.so"), unlink("liblinked.so");
  } else if (!strcmp(loss, "replace")) {
    rename("other", program), rename("other.so", "libloaded.so");
  } else if (!strcmp(loss, "chroot")) {
    if (chroot("empty") || chdir("/"))
      perror("chroot"), exit(2);
  } else if (!strcmp(loss, "setuid")) {
    if (setgid(65534) || setuid(65534))
      perror("setuid"), exit(2);
  } else if (!strcmp(loss, "processes")) {
    is_limited = 1; // once the threads are there
    if (setgid(65534) || setuid(65534))
      perror("setuid"), exit(2);
  } else if (!strcmp(loss, "open")) {
    deny(SYS_openat), deny(SYS_open);
  } else if (!strcmp(loss, "pipe")) {
    deny(SYS_pipe), deny(SYS_pipe2), deny(SYS_socketpair);
  } else if (!strcmp(loss, "fork")) {
    deny(SYS_fork), deny(SYS_vfork); // clone makes threads
  } else if (!strcmp(loss, "execve")) {
    deny(SYS_execve);
  } else if (!strcmp(loss, "readv")) {
    deny(SYS_process_vm_readv);
  } else if (!strcmp(loss, "dumpable")) {
    prctl(PR_SET_DUMPABLE, 0);
  } else if (!strcmp(loss, "data-limit")) {
    limit(RLIMIT_DATA, 100000000);
  } else if (strcmp(loss, "none")) {
    fprintf(stderr, "no loss %s\n", loss), exit(2);
  }
}

int main(int argc, char **argv) {
  const char *twin = argc > 3 ? argv[3] : "";
  is_fenced = !strcmp(twin, "fenced");
  is_foreign = !strcmp(twin, "foreign");
  pthread_t a, b;
  if (!strcmp(argv[1], "mixed"))
    return pthread_create(&a, NULL, access_mixed, NULL) || pthread_join(a, NULL);
  find(argv[1]);
  lose(argv[2], argv[0]);
  if (pthread_create(&b, NULL, second, NULL) || pthread_create(&a, NULL, first, NULL))
    perror("pthread_create"), exit(2);
  pthread_join(a, NULL);
  pthread_join(b, NULL);
  return 0;
}
