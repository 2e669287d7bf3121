// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pairs (pair.h) in which one thread changes the state of a file, a descriptor, a queue, a
// semaphore or a signal, and the other one asks for that state.

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <mqueue.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/xattr.h>

#include "pair.h"

#define UNTIL(condition)                                                                           \
  do                                                                                               \
    sched_yield();                                                                                 \
  while (!(condition))

// -- files --

static void make_file(void) {
  make_folder();
  MUST(fd[0] = open(beside, O_RDWR));
}

static FILE *stream;

static void make_stream(void) {
  make_folder();
  stream = fopen(beside, "a");
}

static void make_memory_file(void) {
  MUST(fd[0] = memfd_create("seals", MFD_ALLOW_SEALING));
}

static void grow_file(void) {
  MUST(write(fd[0], &byte, 1));
}

static void grow_by_stream(void) {
  fputc('x', stream);
  fflush(stream);
}

static void truncate_file(void) {
  MUST(truncate(beside, 7));
}

static void truncate_descriptor(void) {
  MUST(ftruncate(fd[0], 7));
}

static void raw_truncate(void) {
  MUST(syscall(SYS_ftruncate, fd[0], 7));
}

static void change_mode(void) {
  MUST(chmod(beside, 0640));
}

static void change_times(void) {
  const struct timespec times[2] = {{1, 0}, {1, 0}};
  MUST(utimensat(AT_FDCWD, beside, times, 0));
}

static void set_attribute(void) {
  MUST(setxattr(beside, "user.a", "x", 1, 0));
}

static void make_link(void) {
  MUST(symlink("a", inside));
}

static void make_inner(void) {
  MUST(mkdir(inside, 0700));
}

static struct stat status;

static struct stat *ask_file(void) {
  MUST(stat(beside, &status));
  return &status;
}

static struct stat *ask_descriptor(void) {
  MUST(fstat(fd[0], &status));
  return &status;
}

static void until_size(void) {
  UNTIL(ask_file()->st_size);
}

static void until_descriptor_size(void) {
  UNTIL(ask_descriptor()->st_size);
}

static void until_end_moves(void) {
  UNTIL(lseek(fd[0], 0, SEEK_END) > 0);
}

static void until_raw_end_moves(void) {
  UNTIL(syscall(SYS_lseek, fd[0], 0, SEEK_END) > 0);
}

static void until_mode(void) {
  UNTIL(ask_file()->st_mode & 0040);
}

static void until_time(void) {
  UNTIL(ask_file()->st_mtime == 1);
}

static void until_attribute(void) {
  char got;
  UNTIL(getxattr(beside, "user.a", &got, 1) == 1);
}

static void until_link(void) {
  char target[8];
  UNTIL(readlink(inside, target, sizeof target) >= 0);
}

static void until_real(void) {
  char path[PATH_MAX];
  UNTIL(realpath(inside, path));
}

static void until_entered(void) {
  UNTIL(chdir(inside) == 0);
  MUST(chdir("/"));
}

static void until_opened(void) {
  DIR *folder;
  UNTIL(folder = opendir(inside));
  closedir(folder);
}

static void until_opened_raw(void) {
  unsigned long long how[3] = {O_RDONLY};
  UNTIL(syscall(SYS_openat2, AT_FDCWD, inside, how, sizeof how) >= 0);
}

static bool found;

static int find(const char *path, const struct stat *unused, int kind) {
  found = found || (unused && kind == FTW_D && strcmp(path, inside) == 0);
  return 0;
}

static void until_found(void) {
  UNTIL(ftw(name, find, 4) == 0 && found);
}

// -- descriptors --

static void set_nonblocking(void) {
  MUST(fcntl(fd[0], F_SETFL, O_NONBLOCK));
}

static void add_seal(void) {
  MUST(fcntl(fd[0], F_ADD_SEALS, F_SEAL_GROW));
}

static void close_it(void) {
  MUST(close(fd[0]));
}

static void until_filled(void) {
  int count;
  UNTIL(ioctl(fd[0], FIONREAD, &count) == 0 && count);
}

static void until_filled_raw(void) {
  int count;
  UNTIL(syscall(SYS_ioctl, fd[0], FIONREAD, &count) == 0 && count);
}

static void until_nonblocking(void) {
  UNTIL(fcntl(fd[0], F_GETFL) & O_NONBLOCK);
}

static void until_raw_nonblocking(void) {
  UNTIL(syscall(SYS_fcntl, fd[0], F_GETFL) & O_NONBLOCK);
}

static void until_sealed(void) {
  UNTIL(fcntl(fd[0], F_GET_SEALS) & F_SEAL_GROW);
}

static void until_closed(void) {
  UNTIL(fcntl(fd[0], F_GETFD) < 0);
}

// -- queues and semaphores --

static mqd_t mq;

static void make_mq(void) {
  struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 8};
  char path[64];
  snprintf(path, sizeof path, "/carriers-asked-%d", getpid());
  MUST(mq = mq_open(path, O_RDWR | O_CREAT, 0600, &attributes));
  mq_unlink(path);
}

static void make_watched_mq(void) {
  struct epoll_event event = {.events = EPOLLIN};
  make_mq();
  MUST(queue = epoll_create1(0));
  MUST(epoll_ctl(queue, EPOLL_CTL_ADD, mq, &event));
}

static void send_mq(void) {
  MUST(mq_send(mq, &byte, 1, 0));
}

static void poll_mq(void) {
  struct pollfd polled = {mq, POLLIN, 0};
  MUST(poll(&polled, 1, -1));
}

static void until_mq_filled(void) {
  struct mq_attr attributes;
  UNTIL(mq_getattr(mq, &attributes) == 0 && attributes.mq_curmsgs);
}

static void make_queue(void) {
  MUST(queue = msgget(IPC_PRIVATE, 0600));
}

static void send_message(void) {
  struct {
    long type;
    char text;
  } message = {1, 'x'};
  MUST(msgsnd(queue, &message, 1, 0));
}

static void remove_queue(void) {
  MUST(msgctl(queue, IPC_RMID, NULL));
}

static void until_message(void) {
  struct msqid_ds state;
  UNTIL(msgctl(queue, IPC_STAT, &state) == 0 && state.msg_qnum);
}

static void until_no_queue(void) {
  struct {
    long type;
    char text;
  } message;
  UNTIL(msgrcv(queue, &message, 1, 0, 0) < 0 && (errno == EIDRM || errno == EINVAL));
  queue = 0;
}

static void raise_all(void) {
  unsigned short values[2] = {1, 1};
  MUST(semctl(set, 0, SETALL, values));
}

static void remove_set(void) {
  MUST(semctl(set, 0, IPC_RMID));
}

static void until_raised(void) {
  unsigned short values[2];
  UNTIL(semctl(set, 0, GETALL, values) == 0 && values[1]);
}

static void until_no_set(void) {
  struct sembuf operation = {1, -1, 0};
  UNTIL(semop(set, &operation, 1) < 0 && (errno == EIDRM || errno == EINVAL));
  set = 0;
}

// -- signals --

static void until_pending(void) {
  sigset_t pending;
  UNTIL(sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1));
}

static void raw_wait_signal(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  MUST(syscall(SYS_rt_sigtimedwait, &signals, NULL, NULL, 8));
}

static void make_signalling(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGIO);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  make_pipe();
  MUST(fcntl(fd[0], F_SETOWN, getpid()));
  MUST(fcntl(fd[0], F_SETFL, O_ASYNC));
}

static void wait_readiness(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGIO);
  MUST(sigwaitinfo(&signals, NULL));
}

const struct carrier carriers[] = {
    {"stat-size", make_file, grow_file, until_size, NULL},
    {"stat-stream", make_stream, grow_by_stream, until_size, NULL},
    {"fstat-size", make_file, grow_file, until_descriptor_size, NULL},
    {"truncate", make_file, truncate_file, until_descriptor_size, NULL},
    {"ftruncate", make_file, truncate_descriptor, until_end_moves, NULL},
    {"raw-ftruncate", make_file, raw_truncate, until_raw_end_moves, NULL},
    {"chmod", make_file, change_mode, until_mode, NULL},
    {"utimensat", make_file, change_times, until_time, NULL},
    {"xattr", make_file, set_attribute, until_attribute, NULL},
    {"readlink", make_folder, make_link, until_link, NULL},
    {"realpath", make_folder, make_inner, until_real, NULL},
    {"chdir", make_folder, make_inner, until_entered, NULL},
    {"opendir", make_folder, make_inner, until_opened, NULL},
    {"raw-openat2", make_folder, make_inner, until_opened_raw, NULL},
    {"ftw", make_folder, make_inner, until_found, NULL},
    {"fionread", make_pipe, write_pipe, until_filled, NULL},
    {"raw-fionread", make_pipe, write_pipe, until_filled_raw, NULL},
    {"flags", make_pipe, set_nonblocking, until_nonblocking, NULL},
    {"raw-flags", make_pipe, set_nonblocking, until_raw_nonblocking, NULL},
    {"seals", make_memory_file, add_seal, until_sealed, NULL},
    {"closed", make_pipe, close_it, until_closed, NULL},
    {"mq-poll", make_mq, send_mq, poll_mq, NULL},
    {"mq-epoll", make_watched_mq, send_mq, wait_epoll, NULL},
    {"mq-attributes", make_mq, send_mq, until_mq_filled, NULL},
    {"queue-state", make_queue, send_message, until_message, NULL},
    {"queue-removed", make_queue, remove_queue, until_no_queue, NULL},
    {"set-state", make_set, raise_all, until_raised, NULL},
    {"set-raised", make_set, raise_all, lower_semaphore, NULL},
    {"set-removed", make_set, remove_set, until_no_set, NULL},
    {"signal-pending", block_signal, send_kill, until_pending, NULL},
    {"raw-sigtimedwait", block_signal, send_kill, raw_wait_signal, NULL},
    {"signal-of-descriptor", make_signalling, write_pipe, wait_readiness, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
