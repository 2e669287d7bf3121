// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pairs (pair.h) in which a thread that reads from a pipe, a socket or an eventfd, or closes it,
// orders a thread that writes there.

#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>

#include "pair.h"

enum { size = 4096 };               // of the smallest pipe
static char block[size], got[size]; // the one is written, the other one read
static struct sockaddr_in address = {.sin_family = AF_INET};

static void make_full_pipe(void) {
  MUST(pipe(fd));
  MUST(fcntl(fd[1], F_SETPIPE_SZ, size));
  MUST(write(fd[1], block, size));
}

static void make_full_nonblocking(void) {
  make_full_pipe();
  MUST(fcntl(fd[1], F_SETFL, O_NONBLOCK));
}

static void poll_output(void) {
  struct pollfd polled = {fd[1], POLLOUT, 0};
  MUST(poll(&polled, 1, -1));
}

static void add_to_epoll(int epoll, int file, unsigned events) {
  struct epoll_event event = {.events = events};
  MUST(epoll_ctl(epoll, EPOLL_CTL_ADD, file, &event));
}

static void make_epoll_of(int file, unsigned events) {
  MUST(queue = epoll_create1(0));
  add_to_epoll(queue, file, events);
}

static void make_full_epoll(void) {
  make_full_pipe();
  make_epoll_of(fd[1], EPOLLOUT);
}

static void empty_pipe(void) {
  MUST(read(fd[0], got, size));
}

static void raw_empty_pipe(void) {
  MUST(syscall(SYS_read, fd[0], got, size));
}

static void fill_pipe(void) {
  MUST(write(fd[1], block, size));
}

static void raw_fill_pipe(void) {
  MUST(syscall(SYS_write, fd[1], block, size));
}

static void try_to_fill(void) {
  while (write(fd[1], block, size) < 0)
    sched_yield();
}

static void select_output(void) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(fd[1], &set);
  MUST(select(fd[1] + 1, NULL, &set, NULL, NULL));
}

static void move_on(void) {
  MUST(splice(fd[0], NULL, other[1], NULL, size, 0));
}

static void make_full_beside(void) {
  make_full_pipe();
  MUST(pipe(other));
}

static void make_full_event(void) {
  MUST(fd[0] = eventfd(0, 0));
  MUST(eventfd_write(fd[0], 0xfffffffffffffffe));
}

static void read_event(void) {
  MUST(read(fd[0], got, sizeof(unsigned long long)));
}

static void add_one(void) {
  const unsigned long long one = 1;
  MUST(write(fd[0], &one, sizeof one));
}

static void add_one_by_library(void) {
  MUST(eventfd_write(fd[0], 1));
}

static void make_full_sockets(void) {
  MUST(socketpair(AF_UNIX, SOCK_DGRAM, 0, fd));
  while (send(fd[1], block, 1, MSG_DONTWAIT) >= 0)
    ;
}

static void receive_all(void) {
  while (recv(fd[0], got, 1, MSG_DONTWAIT) >= 0)
    ;
}

static void send_one(void) {
  MUST(send(fd[1], block, 1, 0));
}

// -- the other end is closed --

static void make_deaf(void) {
  signal(SIGPIPE, SIG_IGN);
  MUST(pipe2(fd, O_NONBLOCK));
}

static void make_sockets(void) {
  MUST(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fd));
}

static void close_reader(void) {
  MUST(close(fd[0]));
}

static void close_writer(void) {
  MUST(close(fd[1]));
}

static void shut_reader(void) {
  MUST(shutdown(fd[0], SHUT_RD));
}

static void until_broken(void) {
  while (write(fd[1], &byte, 1) >= 0 || errno != EPIPE)
    sched_yield();
}

static void until_refused(void) {
  while (send(fd[1], &byte, 1, MSG_NOSIGNAL) >= 0 || errno != EPIPE)
    sched_yield();
}

static void raw_until_broken(void) {
  while (syscall(SYS_write, fd[1], &byte, 1) >= 0 || errno != EPIPE)
    sched_yield();
}

static void read_end(void) {
  MUST(read(fd[0], got, 1));
}

static void poll_error(void) {
  struct pollfd polled = {fd[1], 0, 0};
  MUST(poll(&polled, 1, -1));
}

static void make_watched_end(void) {
  MUST(pipe(fd));
  make_epoll_of(fd[0], EPOLLIN);
}

// -- epolls and sockets --

static void make_epoll_of_epoll(void) {
  int inner;
  MUST(pipe(fd));
  MUST(inner = epoll_create1(0));
  add_to_epoll(inner, fd[0], EPOLLIN);
  make_epoll_of(inner, EPOLLIN);
}

static void make_second_epoll(void) {
  int first;
  MUST(pipe(fd));
  MUST(first = epoll_create1(0));
  add_to_epoll(first, fd[0], EPOLLIN);
  make_epoll_of(fd[0], EPOLLIN);
}

static void make_silent_epoll(void) {
  MUST(pipe(fd));
  write_pipe();
  make_epoll_of(fd[0], 0);
}

static void ask_for_input(void) {
  struct epoll_event event = {.events = EPOLLIN};
  MUST(epoll_ctl(queue, EPOLL_CTL_MOD, fd[0], &event));
}

static void raw_ask_for_input(void) {
  struct epoll_event event = {.events = EPOLLIN};
  MUST(syscall(SYS_epoll_ctl, queue, EPOLL_CTL_MOD, fd[0], &event));
}

static void raw_wait_epoll(void) {
  struct epoll_event event;
  MUST(syscall(SYS_epoll_pwait2, queue, &event, 1, NULL, NULL, 0));
  queue = 0;
}

// The first one has an address.
static void make_addressed(int type) {
  socklen_t length = sizeof address;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  MUST(fd[0] = socket(AF_INET, type, 0));
  MUST(fd[1] = socket(AF_INET, type, 0));
  MUST(bind(fd[0], (struct sockaddr *)&address, sizeof address));
  MUST(getsockname(fd[0], (struct sockaddr *)&address, &length));
}

static void make_datagrams(void) {
  make_addressed(SOCK_DGRAM);
}

static void make_watched_datagrams(void) {
  make_datagrams();
  make_epoll_of(fd[0], EPOLLIN);
}

static void send_datagram(void) {
  MUST(sendto(fd[1], &byte, 1, 0, (struct sockaddr *)&address, sizeof address));
}

static void receive_datagram(void) {
  MUST(recvfrom(fd[0], got, 1, 0, NULL, NULL));
}

// -- a socket that listens --

static void make_bound(void) {
  make_addressed(SOCK_STREAM);
}

static void make_listening(void) {
  make_bound();
  MUST(listen(fd[0], 1));
}

static void start_listening(void) {
  MUST(listen(fd[0], 1));
}

static void raw_start_listening(void) {
  MUST(syscall(SYS_listen, fd[0], 1));
}

static void connect_once(void) {
  MUST(connect(fd[1], (struct sockaddr *)&address, sizeof address));
}

static void until_connected(void) {
  while (connect(fd[1], (struct sockaddr *)&address, sizeof address) < 0)
    sched_yield();
}

const struct carrier carriers[] = {
    {"full-pipe", make_full_pipe, empty_pipe, fill_pipe, NULL},
    {"raw-full-pipe", make_full_pipe, raw_empty_pipe, raw_fill_pipe, NULL},
    {"full-pipe-nonblocking", make_full_nonblocking, empty_pipe, try_to_fill, NULL},
    {"full-pipe-poll", make_full_pipe, empty_pipe, poll_output, NULL},
    {"full-pipe-select", make_full_pipe, empty_pipe, select_output, NULL},
    {"full-pipe-epoll", make_full_epoll, empty_pipe, wait_epoll, NULL},
    {"full-pipe-splice", make_full_beside, move_on, fill_pipe, NULL},
    {"full-eventfd", make_full_event, read_event, add_one, NULL},
    {"full-eventfd-library", make_full_event, read_event, add_one_by_library, NULL},
    {"full-sockets", make_full_sockets, receive_all, send_one, NULL},
    {"broken-pipe", make_deaf, close_reader, until_broken, NULL},
    {"raw-broken-pipe", make_deaf, close_reader, raw_until_broken, NULL},
    {"broken-pipe-poll", make_pipe, close_reader, poll_error, NULL},
    {"broken-sockets", make_sockets, close_reader, until_refused, NULL},
    {"shut-sockets", make_sockets, shut_reader, until_refused, NULL},
    {"end-of-pipe", make_pipe, close_writer, read_end, NULL},
    {"end-of-pipe-poll", make_pipe, close_writer, do_poll, NULL},
    {"end-of-pipe-epoll", make_watched_end, close_writer, wait_epoll, NULL},
    {"epoll-of-epoll", make_epoll_of_epoll, write_pipe, wait_epoll, NULL},
    {"second-epoll", make_second_epoll, write_pipe, wait_epoll, NULL},
    {"epoll-modified", make_silent_epoll, ask_for_input, wait_epoll, NULL},
    {"raw-epoll-modified", make_silent_epoll, raw_ask_for_input, raw_wait_epoll, NULL},
    {"datagram", make_datagrams, send_datagram, receive_datagram, NULL},
    {"datagram-epoll", make_watched_datagrams, send_datagram, wait_epoll, NULL},
    {"listen", make_bound, start_listening, until_connected, NULL},
    {"raw-listen", make_bound, raw_start_listening, until_connected, NULL},
    {"connect-poll", make_listening, connect_once, do_poll, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
