// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// carriers NAME [broken]: two threads that a call of the kernel or the C library orders. Without
// arguments it prints the names of all calls.
//
// If the call sends something, one thread writes data and sends, and the other one receives and
// reads the data. The broken twin writes the data again after it has sent: a data race. If the call
// locks, each thread writes its flag, locks, unlocks, and reads the other flag. The broken twin
// does not lock, so both threads may read 0: the program is not robust.

#define _GNU_SOURCE
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "must.h"

static int fd[2], other[2], set, queue;
static mqd_t mq;
static char byte = 1;
static bool broken;
static char name[] = "/tmp/carriers-XXXXXX", inside[sizeof name + 8], beside[sizeof name + 8];

// -- what is made --

static void make_pipe(void) {
  MUST(pipe(fd));
  MUST(pipe(other));
}

static void make_raw_pipe(void) {
  MUST(syscall(SYS_pipe2, fd, 0));
}

static void make_raw_sockets(void) {
  MUST(syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, fd));
}

static void make_raw_event(void) {
  MUST(fd[0] = fd[1] = (int)syscall(SYS_eventfd2, 0, 0));
}

static void make_set(void) {
  MUST(set = semget(IPC_PRIVATE, 2, 0600));
}

static void make_queue(void) {
  MUST(queue = msgget(IPC_PRIVATE, 0600));
}

static void make_mq(void) {
  char queue_name[40];
  struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 8};
  snprintf(queue_name, sizeof queue_name, "/carriers%d", (int)getpid());
  MUST(mq = mq_open(queue_name, O_CREAT | O_RDWR, 0600, &attributes));
  mq_unlink(queue_name);
}

static void block_signal(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  sigaddset(&signals, SIGRTMIN);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
}

static void remove_all(void) {
  if (set)
    semctl(set, 0, IPC_RMID);
  if (queue)
    msgctl(queue, IPC_RMID, NULL);
  if (*beside) {
    unlink(beside);
    rmdir(name);
  }
}

// -- sent and received --

static void write_pipe(void) {
  MUST(write(fd[1], &byte, 1));
}

static void raw_write(void) {
  unsigned long long one = 1;
  MUST(syscall(SYS_write, fd[1], &one, sizeof one));
}

static void raw_read(void) {
  unsigned long long got;
  MUST(syscall(SYS_read, fd[0], &got, sizeof got));
}

static void do_poll(void) {
  struct pollfd polled = {fd[0], POLLIN, 0};
  MUST(poll(&polled, 1, -1));
}

static void do_ppoll(void) {
  struct pollfd polled = {fd[0], POLLIN, 0};
  MUST(ppoll(&polled, 1, NULL, NULL));
}

static void raw_ppoll(void) {
  struct pollfd polled = {fd[0], POLLIN, 0};
  MUST(syscall(SYS_ppoll, &polled, 1, NULL, NULL, 0));
}

static void do_select(void) {
  fd_set reads;
  FD_ZERO(&reads);
  FD_SET(fd[0], &reads);
  MUST(select(fd[0] + 1, &reads, NULL, NULL, NULL));
}

static void do_pselect(void) {
  fd_set reads;
  FD_ZERO(&reads);
  FD_SET(fd[0], &reads);
  MUST(pselect(fd[0] + 1, &reads, NULL, NULL, NULL, NULL));
}

static void make_epoll(void) {
  struct epoll_event event = {.events = EPOLLIN};
  make_pipe();
  MUST(set = epoll_create1(0));
  MUST(epoll_ctl(set, EPOLL_CTL_ADD, fd[0], &event));
  queue = set;
  set = 0;
}

static void wait_epoll(void) {
  struct epoll_event event;
  MUST(epoll_wait(queue, &event, 1, -1));
  queue = 0;
}

static void splice_on(void) {
  MUST(splice(fd[0], NULL, other[1], NULL, 1, 0));
  char got;
  MUST(read(other[0], &got, 1));
}

static void tee_on(void) {
  MUST(tee(fd[0], other[1], 1, 0));
  char got;
  MUST(read(other[0], &got, 1));
}

static void raw_splice_on(void) {
  MUST(syscall(SYS_splice, fd[0], NULL, other[1], NULL, 1, 0));
  char got;
  MUST(read(other[0], &got, 1));
}

static void send_memory(void) {
  struct iovec {
    void *base;
    size_t size;
  } part = {&byte, 1};
  MUST(vmsplice(fd[1], (void *)&part, 1, 0));
}

static void read_pipe(void) {
  char got;
  MUST(read(fd[0], &got, 1));
}

static void do_semop(int change) {
  struct sembuf operation = {1, (short)change, 0};
  MUST(semop(set, &operation, 1));
}

static void raise_semaphore(void) {
  do_semop(1);
}

static void lower_semaphore(void) {
  do_semop(-1);
}

static void make_raised(void) {
  make_set();
  do_semop(1);
}

static void wait_for_zero(void) {
  do_semop(0);
}

static void raw_raise(void) {
  struct sembuf operation = {1, 1, 0};
  MUST(syscall(SYS_semtimedop, set, &operation, 1, NULL));
}

static void raw_lower(void) {
  struct sembuf operation = {1, -1, 0};
  MUST(syscall(SYS_semtimedop, set, &operation, 1, NULL));
}

struct message {
  long type;
  char text[8];
};

static void send_message(void) {
  struct message message = {1, "x"};
  MUST(msgsnd(queue, &message, 1, 0));
}

static void receive_message(void) {
  struct message message;
  MUST(msgrcv(queue, &message, 1, 0, 0));
}

static void raw_send_message(void) {
  struct message message = {1, "x"};
  MUST(syscall(SYS_msgsnd, queue, &message, 1, 0));
}

static void raw_receive_message(void) {
  struct message message;
  MUST(syscall(SYS_msgrcv, queue, &message, 1, 0, 0));
}

static void send_mq(void) {
  MUST(mq_send(mq, &byte, 1, 0));
}

static void receive_mq(void) {
  char got[8];
  MUST(mq_receive(mq, got, sizeof got, NULL));
}

static void send_kill(void) {
  MUST(kill(getpid(), SIGUSR1));
}

static void send_sigqueue(void) {
  MUST(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = 1}));
}

static void wait_for(int number) {
  sigset_t signals;
  int got;
  sigemptyset(&signals);
  sigaddset(&signals, number);
  if (sigwait(&signals, &got) != 0)
    fail("sigwait");
}

static void wait_for_usr1(void) {
  wait_for(SIGUSR1);
}

static void wait_for_queued(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGRTMIN);
  MUST(sigwaitinfo(&signals, NULL));
}

// -- locks --

static void make_file(void) {
  MUST(fd[0] = mkstemp(name));
  MUST(fd[1] = open(name, O_RDWR));
  unlink(name);
}

static void lock_stream(int thread) {
  (void)thread;
  flockfile(stdout);
  funlockfile(stdout);
}

static void lock_file(int thread) {
  MUST(flock(fd[thread], LOCK_EX));
  MUST(flock(fd[thread], LOCK_UN));
}

static void lock_raw_file(int thread) {
  MUST(syscall(SYS_flock, fd[thread], LOCK_EX));
  MUST(syscall(SYS_flock, fd[thread], LOCK_UN));
}

static void make_folder(void) {
  if (!mkdtemp(name))
    fail("mkdtemp");
  snprintf(inside, sizeof inside, "%s/lock", name);
  snprintf(beside, sizeof beside, "%s/file", name);
  MUST(close(open(beside, O_CREAT | O_WRONLY, 0600)));
}

static void lock_open_file(int thread) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  MUST(fcntl(fd[thread], F_OFD_SETLKW, &lock));
  lock.l_type = F_UNLCK;
  MUST(fcntl(fd[thread], F_OFD_SETLK, &lock));
}

static void lock_by_creation(int thread) {
  int created;
  (void)thread;
  while ((created = open(inside, O_CREAT | O_EXCL | O_WRONLY, 0600)) < 0)
    usleep(100);
  close(created);
  MUST(unlink(inside));
}

static void lock_by_folder(int thread) {
  (void)thread;
  while (mkdir(inside, 0700) != 0)
    usleep(100);
  MUST(rmdir(inside));
}

static void lock_by_link(int thread) {
  (void)thread;
  while (link(beside, inside) != 0)
    usleep(100);
  MUST(unlink(inside));
}

static void lock_by_rename(int thread) {
  (void)thread;
  while (rename(beside, inside) != 0)
    usleep(100);
  MUST(rename(inside, beside));
}

// Closing the file unlocks it.
static void lock_until_closed(int thread) {
  (void)thread;
  const int file = open(beside, O_RDWR);
  MUST(flock(file, LOCK_EX));
  MUST(close(file));
}

static void lock_open_file_until_closed(int thread) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  (void)thread;
  const int file = open(beside, O_RDWR);
  MUST(fcntl(file, F_OFD_SETLKW, &lock));
  MUST(close(file));
}

static void lock_raw_open_file(int thread) {
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  MUST(syscall(SYS_fcntl, fd[thread], F_OFD_SETLKW, &lock));
  lock.l_type = F_UNLCK;
  MUST(syscall(SYS_fcntl, fd[thread], F_OFD_SETLK, &lock));
}

static void lock_by_creation_at(int thread) {
  int created;
  (void)thread;
  while ((created = openat(AT_FDCWD, inside, O_CREAT | O_EXCL | O_WRONLY, 0600)) < 0)
    usleep(100);
  close(created);
  MUST(unlinkat(AT_FDCWD, inside, 0));
}

static void lock_by_raw_creation(int thread) {
  long created;
  (void)thread;
  while ((created = syscall(SYS_openat, AT_FDCWD, inside, O_CREAT | O_EXCL | O_WRONLY, 0600)) < 0)
    usleep(100);
  close((int)created);
  MUST(syscall(SYS_unlinkat, AT_FDCWD, inside, 0));
}

static void lock_by_folder_at(int thread) {
  (void)thread;
  while (mkdirat(AT_FDCWD, inside, 0700) != 0)
    usleep(100);
  MUST(unlinkat(AT_FDCWD, inside, AT_REMOVEDIR));
}

static void lock_by_raw_folder(int thread) {
  (void)thread;
  while (syscall(SYS_mkdirat, AT_FDCWD, inside, 0700) != 0)
    usleep(100);
  MUST(syscall(SYS_unlinkat, AT_FDCWD, inside, AT_REMOVEDIR));
}

static void lock_by_link_at(int thread) {
  (void)thread;
  while (linkat(AT_FDCWD, beside, AT_FDCWD, inside, 0) != 0)
    usleep(100);
  MUST(unlink(inside));
}

static void lock_by_symlink_at(int thread) {
  (void)thread;
  while (symlinkat("held", AT_FDCWD, inside) != 0)
    usleep(100);
  MUST(remove(inside));
}

static void lock_by_rename_at(int thread) {
  (void)thread;
  while (renameat2(AT_FDCWD, beside, AT_FDCWD, inside, RENAME_NOREPLACE) != 0)
    usleep(100);
  MUST(renameat(AT_FDCWD, inside, AT_FDCWD, beside));
}

static void lock_by_pipe(int thread) {
  (void)thread;
  while (mkfifo(inside, 0600) != 0)
    usleep(100);
  MUST(unlink(inside));
}

static void lock_by_node(int thread) {
  (void)thread;
  while (mknod(inside, S_IFIFO | 0600, 0) != 0)
    usleep(100);
  MUST(unlink(inside));
}

static void lock_by_shared_memory(int thread) {
  char memory[40];
  int created;
  (void)thread;
  snprintf(memory, sizeof memory, "/carriers%d", (int)getpid());
  while ((created = shm_open(memory, O_CREAT | O_EXCL | O_RDWR, 0600)) < 0)
    usleep(100);
  close(created);
  MUST(shm_unlink(memory));
}

static void lock_semaphore_set(int thread) {
  (void)thread;
  lower_semaphore();
  MUST(semctl(set, 1, SETVAL, 1));
}

static void lock_semaphore(int thread) {
  (void)thread;
  lower_semaphore();
  raise_semaphore();
}

static void make_token(void) {
  make_pipe();
  write_pipe();
}

static void lock_token(int thread) {
  (void)thread;
  MUST(splice(fd[0], NULL, other[1], NULL, 1, 0));
  MUST(splice(other[0], NULL, fd[1], NULL, 1, 0));
}

static void lock_raw_token(int thread) {
  char got;
  (void)thread;
  MUST(syscall(SYS_read, fd[0], &got, 1));
  MUST(syscall(SYS_write, fd[1], &got, 1));
}

static const struct {
  const char *name;
  void (*make)(void), (*send)(void), (*receive)(void), (*lock)(int thread);
} carriers[] = {
    {"poll", make_pipe, write_pipe, do_poll, NULL},
    {"ppoll", make_pipe, write_pipe, do_ppoll, NULL},
    {"raw-ppoll", make_pipe, write_pipe, raw_ppoll, NULL},
    {"select", make_pipe, write_pipe, do_select, NULL},
    {"pselect", make_pipe, write_pipe, do_pselect, NULL},
    {"epoll", make_epoll, write_pipe, wait_epoll, NULL},
    {"splice", make_pipe, write_pipe, splice_on, NULL},
    {"raw-splice", make_pipe, write_pipe, raw_splice_on, NULL},
    {"tee", make_pipe, write_pipe, tee_on, NULL},
    {"vmsplice", make_pipe, send_memory, read_pipe, NULL},
    {"raw-pipe", make_raw_pipe, raw_write, raw_read, NULL},
    {"raw-write", make_raw_pipe, raw_write, read_pipe, NULL},
    {"raw-sockets", make_raw_sockets, raw_write, raw_read, NULL},
    {"raw-eventfd", make_raw_event, raw_write, raw_read, NULL},
    {"semop", make_set, raise_semaphore, lower_semaphore, NULL},
    {"semop-zero", make_raised, lower_semaphore, wait_for_zero, NULL},
    {"raw-semop", make_set, raw_raise, raw_lower, NULL},
    {"msgsnd", make_queue, send_message, receive_message, NULL},
    {"raw-msgsnd", make_queue, raw_send_message, raw_receive_message, NULL},
    {"mq", make_mq, send_mq, receive_mq, NULL},
    {"kill", block_signal, send_kill, wait_for_usr1, NULL},
    {"sigqueue", block_signal, send_sigqueue, wait_for_queued, NULL},
    {"flockfile", NULL, NULL, NULL, lock_stream},
    {"flock", make_file, NULL, NULL, lock_file},
    {"raw-flock", make_file, NULL, NULL, lock_raw_file},
    {"ofd", make_file, NULL, NULL, lock_open_file},
    {"O_EXCL", make_folder, NULL, NULL, lock_by_creation},
    {"mkdir", make_folder, NULL, NULL, lock_by_folder},
    {"link", make_folder, NULL, NULL, lock_by_link},
    {"rename", make_folder, NULL, NULL, lock_by_rename},
    {"flock-close", make_folder, NULL, NULL, lock_until_closed},
    {"ofd-close", make_folder, NULL, NULL, lock_open_file_until_closed},
    {"raw-ofd", make_file, NULL, NULL, lock_raw_open_file},
    {"openat", make_folder, NULL, NULL, lock_by_creation_at},
    {"raw-openat", make_folder, NULL, NULL, lock_by_raw_creation},
    {"mkdirat", make_folder, NULL, NULL, lock_by_folder_at},
    {"raw-mkdirat", make_folder, NULL, NULL, lock_by_raw_folder},
    {"linkat", make_folder, NULL, NULL, lock_by_link_at},
    {"symlinkat", make_folder, NULL, NULL, lock_by_symlink_at},
    {"renameat", make_folder, NULL, NULL, lock_by_rename_at},
    {"mkfifo", make_folder, NULL, NULL, lock_by_pipe},
    {"mknod", make_folder, NULL, NULL, lock_by_node},
    {"shm_open", NULL, NULL, NULL, lock_by_shared_memory},
    {"semctl-lock", make_raised, NULL, NULL, lock_semaphore_set},
    {"semop-lock", make_raised, NULL, NULL, lock_semaphore},
    {"splice-lock", make_token, NULL, NULL, lock_token},
    {"raw-pipe-lock", make_token, NULL, NULL, lock_raw_token},
};

static size_t chosen;
static int data, seen[2];
static atomic_int flag[2];

static void *send_data(void *unused) {
  data = 1;
  carriers[chosen].send();
  if (broken)
    data = 2;
  return unused;
}

static void *contend(void *which) {
  int thread = *(int *)which;
  atomic_store_explicit(&flag[thread], 1, memory_order_relaxed);
  if (!broken)
    carriers[chosen].lock(thread);
  seen[thread] = atomic_load_explicit(&flag[!thread], memory_order_relaxed);
  return NULL;
}

int main(int argc, char **argv) {
  enum { COUNT = sizeof carriers / sizeof *carriers };
  static int numbers[2] = {0, 1};
  pthread_t threads[2];
  for (size_t i = 0; argc < 2 && i < COUNT; i++)
    puts(carriers[i].name);
  if (argc < 2)
    return 0;
  while (chosen < COUNT && strcmp(carriers[chosen].name, argv[1]) != 0)
    chosen++;
  broken = argc > 2;
  if (carriers[chosen].make)
    carriers[chosen].make();
  if (carriers[chosen].lock) {
    for (int i = 0; i < 2; i++)
      pthread_create(&threads[i], NULL, contend, &numbers[i]);
    for (int i = 0; i < 2; i++)
      pthread_join(threads[i], NULL);
  } else {
    pthread_create(&threads[0], NULL, send_data, NULL);
    carriers[chosen].receive();
    int got = data;
    pthread_join(threads[0], NULL);
    data = got;
  }
  remove_all();
  return 0;
}
