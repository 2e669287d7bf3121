// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions by which processes tell each other something (rsan_processes.inc) do what they do
// without the sanitizer: the same program prints the same.
//
// RUN: %build -O2 %s -o %t && %t > %t.out 2>&1
// RUN: %build -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 %s -o %t.fortified && %t.fortified > %t.fortified.out 2>&1
// RUN: %rsan_clang -D_GNU_SOURCE -O2 -Wall -Wextra -Werror %s -o %t.plain && %t.plain > %t.plain.out 2>&1
// RUN: cmp %t.out %t.plain.out && cmp %t.fortified.out %t.plain.out && FileCheck %s < %t.out
// CHECK: end
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <unistd.h>

static volatile sig_atomic_t sum;

static void on_signal(int number, siginfo_t *info, void *context) {
  (void)number, (void)context;
  sum += 1 + info->si_value.sival_int;
}

__attribute__((format(printf, 1, 2))) static void print_by_list(const char *format, ...) {
  va_list ap;
  va_start(ap, format);
  vdprintf(1, format, ap);
  va_end(ap);
  va_start(ap, format);
  vprintf(format, ap);
  va_end(ap);
  va_start(ap, format);
  vfprintf(stderr, format, ap);
  va_end(ap);
}

static void write_streams(void) {
  setvbuf(stdout, NULL, _IONBF, 0);
  fputc('a', stdout);
  putc('b', stdout);
  putchar('c');
  fputc_unlocked('d', stdout);
  putc_unlocked('e', stdout);
  putchar_unlocked('\n');
  fputs_unlocked("line\n", stdout);
  fwrite_unlocked("block\n", 1, 6, stdout);
  fflush_unlocked(stdout);
  dprintf(1, "%d %s\n", 1, "formatted");
  printf("%d %s\n", 2, "formatted");
  fprintf(stdout, "%d %s\n", 3, "formatted");
  print_by_list("%d %s\n", 4, "formatted");
  errno = ENOENT;
  perror("error");
}

static void read_streams(void) {
  char text[] = "abcdefg\nline\nblock", read_here[16] = "";
  FILE *file = fmemopen(text, sizeof text - 1, "r");
  printf("%c%c%c%c", fgetc(file), getc(file), fgetc_unlocked(file), getc_unlocked(file));
  printf(" %s", fgets(read_here, sizeof read_here, file));
  printf("%s", fgets_unlocked(read_here, sizeof read_here, file));
  printf("%zu", fread(read_here, 1, 2, file));
  printf(" %zu %d\n", fread_unlocked(read_here + 2, 1, sizeof read_here - 2, file), fgetc(file));
  fclose(file);
  if (freopen("/dev/null", "r", stdin))
    printf("%d %d\n", getchar(), getchar_unlocked());
}

static void pass_signals(void) {
  struct sigaction action = {.sa_flags = SA_SIGINFO, .sa_sigaction = on_signal};
  union sigval value = {.sival_int = 10};
  sigset_t set, before;
  int got;
  sigaction(SIGUSR1, &action, NULL);
  printf("%d", sigqueue(getpid(), SIGUSR1, value));
  printf(" %d", pthread_sigqueue(pthread_self(), SIGUSR1, value));
  printf(" %d\n", tgkill(getpid(), gettid(), SIGUSR1));
  while (sum < 23)
    ;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  sigprocmask(SIG_BLOCK, &set, &before);
  setpgid(0, 0);
  printf("%d", killpg(getpgrp(), SIGUSR2));
  printf(" %d %d\n", sigwait(&set, &got), got == SIGUSR2);
}

static void use_descriptors(void) {
  int ends[2];
  char c;
  fd_set set;
  struct timeval no_time = {0, 0};
  struct timespec none = {0, 0};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
    abort();
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  printf("%d", select(ends[0] + 1, &set, NULL, NULL, &no_time));
  printf(" %d", shutdown(ends[1], SHUT_WR));
  printf(" %zd", read(ends[0], &c, 1));
  FD_SET(ends[0], &set);
  printf(" %d", pselect(ends[0] + 1, &set, NULL, NULL, &none, NULL));
  printf(" %d", close_range(ends[0], ends[0], 0));
  printf(" %zd %d\n", read(ends[0], &c, 1), errno == EBADF);
  FILE *file = tmpfile();
  printf("%d %d", flock(fileno(file), LOCK_EX), flock(fileno(file), LOCK_UN));
  printf(" %d %d\n", lockf(fileno(file), F_LOCK, 1), lockf(fileno(file), F_ULOCK, 1));
  fclose(file);
}

static void use_queues(void) {
  struct sembuf post = {.sem_op = 1}, wait = {.sem_op = -1};
  struct timespec none = {0, 0};
  int set = semget(IPC_PRIVATE, 1, 0600);
  printf("%d %d", semop(set, &post, 1), semop(set, &wait, 1));
  printf(" %d %d\n", semtimedop(set, &wait, 1, &none), errno == EAGAIN);
  semctl(set, 0, IPC_RMID);
  char name[32], text[64] = "";
  snprintf(name, sizeof name, "/rsan-test-%d", getpid());
  struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = sizeof text};
  mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
  if (queue == (mqd_t)-1)
    return; // the kernel may have none
  mq_unlink(name);
  unsigned priority;
  fprintf(stderr, "%d", mq_send(queue, "one", 4, 3));
  fprintf(stderr, " %d", mq_timedsend(queue, "three", 6, 5, &none));
  fprintf(stderr, " %zd %u", mq_receive(queue, text, sizeof text, &priority), priority);
  fprintf(stderr, " %zd\n", mq_timedreceive(queue, text, sizeof text, &priority, &none));
}

int main(void) {
  write_streams();
  read_streams();
  pass_signals();
  use_descriptors();
  use_queues();
  printf("%d %d\n", system("exit 3") >> 8, system("echo shell"));
  puts("end");
  closefrom(3);
  return 0;
}
