// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pairs of calls by which the kernel does not order two threads, because the call of one thread
// tells the other one nothing. One thread writes data and makes its call. The other one makes its
// call and reads the data. That is a data race in every run, which a runtime that acquires at every
// call would hide. Without arguments the program prints the names.

#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "must.h"

static int fd[2], other[2], epoll;
static char got[8];
static struct stat status;

static void fill(const int *pair) {
  MUST(write(pair[1], "x", 1));
}

static void make_pipes(void) {
  MUST(pipe(fd));
  MUST(pipe(other));
  fill(fd);
  fill(other);
}

static void make_sockets(void) {
  MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, fd));
  fill(fd);
}

static void make_event(void) {
  MUST(fd[0] = fd[1] = eventfd(1, 0));
}

static void make_epoll(void) {
  struct epoll_event event = {.events = EPOLLIN};
  make_pipes();
  fill(fd);
  MUST(epoll = epoll_create1(0));
  MUST(epoll_ctl(epoll, EPOLL_CTL_ADD, fd[0], &event));
}

static void read_it(void) {
  MUST(read(fd[0], got, fd[0] == fd[1] ? 8 : 1));
}

static void read_other(void) {
  MUST(read(other[0], got, 1));
}

static void write_it(void) {
  const unsigned long long one = 1;
  MUST(write(fd[1], &one, fd[0] == fd[1] ? 8 : 1));
}

static void write_output(void) {
  puts("x");
  fflush(stdout);
}

static void write_null(void) {
  const int file = open("/dev/null", O_WRONLY);
  MUST(write(file, "x", 1));
  close(file);
}

static void close_it(void) {
  MUST(close(fd[1]));
}

static void make_name(void) {
  char name[] = "/tmp/kept-XXXXXX";
  if (!mkdtemp(name))
    fail("mkdtemp");
  rmdir(name);
}

static void poll_output(void) {
  struct pollfd polled = {fd[1], POLLOUT, 0};
  MUST(poll(&polled, 1, -1));
}

static void wait_epoll(void) {
  struct epoll_event event;
  MUST(epoll_wait(epoll, &event, 1, -1));
}

static void ask_file(void) {
  MUST(stat("/", &status));
}

static void ask_name(void) {
  MUST(access("/", F_OK));
}

static void ask_flags(void) {
  MUST(fcntl(other[0], F_GETFL));
}

static void ask_count(void) {
  int count;
  MUST(ioctl(other[0], FIONREAD, &count));
}

static void modify_epoll(void) {
  struct epoll_event event = {.events = EPOLLIN};
  MUST(epoll_ctl(epoll, EPOLL_CTL_MOD, fd[0], &event));
}

static const struct pair {
  const char *name;
  void (*make)(void), (*first)(void), (*second)(void);
} pairs[] = {
    {"room-in-pipe", make_pipes, read_it, write_it},
    {"room-in-pipe-poll", make_pipes, read_it, poll_output},
    {"room-in-sockets", make_sockets, read_it, write_it},
    {"room-in-eventfd", make_event, read_it, write_it},
    {"two-pipes", make_pipes, write_it, read_other},
    {"closed-pipe", make_pipes, close_it, read_other},
    {"output-pipe", make_pipes, write_output, read_other},
    {"epoll-reader", make_epoll, read_it, wait_epoll},
    {"epoll-other", make_epoll, read_other, wait_epoll},
    {"epoll-output", make_epoll, write_output, wait_epoll},
    {"stat-output", make_pipes, write_output, ask_file},
    {"stat-pipe", make_pipes, write_it, ask_file},
    {"access-name", make_pipes, make_name, ask_name},
    {"access-file", make_pipes, write_null, ask_name},
    {"flags-other", make_pipes, write_it, ask_flags},
    {"flags-file", make_pipes, write_null, ask_flags},
    {"count-other", make_pipes, write_it, ask_count},
    {"modified-epoll", make_epoll, modify_epoll, read_other},
};

static const struct pair *chosen;
static int data;

static void *write_data(void *unused) {
  data = 1;
  chosen->first();
  return unused;
}

int main(int argc, char **argv) {
  const int count = (int)(sizeof pairs / sizeof *pairs);
  pthread_t thread;
  for (int i = 0; i < count; i++)
    if (argc < 2)
      puts(pairs[i].name);
    else if (strcmp(pairs[i].name, argv[1]) == 0)
      chosen = &pairs[i];
  if (!chosen)
    return argc < 2 ? 0 : 9;
  chosen->make();
  pthread_create(&thread, NULL, write_data, NULL);
  chosen->second();
  int seen = data;
  pthread_join(thread, NULL);
  data = seen;
  return 0;
}
