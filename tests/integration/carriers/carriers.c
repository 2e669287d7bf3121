// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that send and receive (pair.h).

#define _GNU_SOURCE
#include <mqueue.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "pair.h"

static mqd_t mq;

// -- what is made --

static void make_raw_pipe(void) {
  MUST(syscall(SYS_pipe2, fd, 0));
}

static void make_raw_sockets(void) {
  MUST(syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, fd));
}

static void make_raw_event(void) {
  MUST(fd[0] = fd[1] = (int)syscall(SYS_eventfd2, 0, 0));
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

// -- sent and received --

static void raw_write(void) {
  unsigned long long one = 1;
  MUST(syscall(SYS_write, fd[1], &one, sizeof one));
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

static void send_by_pidfd(void) {
  int process;
  MUST(process = (int)syscall(SYS_pidfd_open, getpid(), 0));
  MUST(syscall(SYS_pidfd_send_signal, process, SIGUSR1, NULL, 0));
}

static void send_raw_thread_kill(void) {
  MUST(syscall(SYS_tgkill, getpid(), getpid(), SIGUSR1));
}

const struct carrier carriers[] = {
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
    {"raw-kill", block_signal, send_raw_kill, wait_for_usr1, NULL},
    {"raw-pidfd", block_signal, send_by_pidfd, wait_for_usr1, NULL},
    {"raw-tgkill", block_signal, send_raw_thread_kill, wait_for_usr1, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
