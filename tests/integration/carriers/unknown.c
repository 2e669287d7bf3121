// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pairs (pair.h) that are ordered by a descriptor whose object the runtime does not know, or by the
// answer of another process.

#define _GNU_SOURCE
#include <pty.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "pair.h"

static int twin; // another descriptor for what fd[0] stands for
static pid_t child;

static void read_twin(void) {
  unsigned long long got;
  MUST(read(twin, &got, sizeof got));
}

static void poll_twin(void) {
  struct pollfd polled = {twin, POLLIN, 0};
  MUST(poll(&polled, 1, -1));
}

static void read_it(void) {
  unsigned long long got;
  MUST(read(fd[0], &got, sizeof got));
}

static void write_it(void) {
  const unsigned long long one = 1;
  MUST(write(fd[0], &one, sizeof one));
}

static void write_twin(void) {
  const unsigned long long one = 1;
  MUST(write(twin, &one, sizeof one));
}

static void make_duplicate(void) {
  make_pipe();
  MUST(twin = fcntl(fd[0], F_DUPFD_CLOEXEC, 50));
}

static void make_raw_duplicate(void) {
  make_pipe();
  MUST(twin = (int)syscall(SYS_fcntl, fd[0], F_DUPFD, 50));
}

static void make_event(void) {
  MUST(fd[0] = eventfd(0, 0));
}

// Sends the descriptor to this process itself.
static void make_received(void) {
  union {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control = {.head = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
  struct iovec part = {&byte, 1};
  struct msghdr message = {
      .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  make_event();
  MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, other));
  memcpy(CMSG_DATA(&control.head), fd, sizeof(int));
  MUST(sendmsg(other[0], &message, 0));
  MUST(recvmsg(other[1], &message, 0));
  memcpy(&twin, CMSG_DATA(&control.head), sizeof(int));
}

static void make_stolen(void) {
  int process;
  make_event();
  MUST(process = (int)syscall(SYS_pidfd_open, getpid(), 0));
  MUST(twin = (int)syscall(SYS_pidfd_getfd, process, fd[0], 0));
}

static void make_reopened(void) {
  make_pipe();
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd[0]);
  MUST(twin = open(name, O_RDONLY));
}

static void make_terminal(void) {
  MUST(openpty(&fd[1], &twin, NULL, NULL, NULL));
}

static void write_line(void) {
  MUST(write(fd[1], "x\n", 2));
}

static void make_named_pipe(void) {
  make_folder();
  MUST(mkfifo(inside, 0600));
}

static void open_to_write(void) {
  MUST(fd[1] = open(inside, O_WRONLY));
}

static void open_to_read(void) {
  MUST(fd[0] = open(inside, O_RDONLY));
}

static void open_and_write(void) {
  open_to_write();
  write_pipe();
}

static void open_and_read(void) {
  open_to_read();
  read_it();
}

static void make_listener(void) {
  struct sockaddr_un any = {.sun_family = AF_UNIX};
  MUST(fd[0] = socket(AF_UNIX, SOCK_STREAM, 0));
  MUST(bind(fd[0], (struct sockaddr *)&any, sizeof any.sun_family));
  MUST(listen(fd[0], 1));
}

static void connect_to_it(void) {
  struct sockaddr_un address;
  socklen_t size = sizeof address;
  MUST(getsockname(fd[0], (struct sockaddr *)&address, &size));
  MUST(other[0] = socket(AF_UNIX, SOCK_STREAM, 0));
  MUST(connect(other[0], (struct sockaddr *)&address, size));
}

static void make_raw_listener(void) {
  struct sockaddr_un any = {.sun_family = AF_UNIX};
  MUST(fd[0] = (int)syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0));
  MUST(syscall(SYS_bind, fd[0], &any, sizeof any.sun_family));
  MUST(syscall(SYS_listen, fd[0], 1));
}

static void raw_connect(void) {
  struct sockaddr_un address;
  socklen_t size = sizeof address;
  MUST(getsockname(fd[0], (struct sockaddr *)&address, &size));
  MUST(other[0] = (int)syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0));
  MUST(syscall(SYS_connect, other[0], &address, size));
}

static void raw_accept(void) {
  MUST(syscall(SYS_accept4, fd[0], NULL, NULL, 0));
}

// -- other processes --

static void make_child(void (*run)(void)) {
  make_pipe();
  MUST(child = fork());
  if (child == 0) {
    close(fd[1]);
    run();
    _exit(0);
  }
  close(fd[0]);
  close(other[1]);
}

static void echo(void) {
  char got;
  while (read(fd[0], &got, 1) == 1)
    write(other[1], &got, 1);
}

static void read_one(void) {
  char got;
  read(fd[0], &got, 1);
}

static void make_echo(void) {
  make_child(echo);
}

static void make_reader(void) {
  make_child(read_one);
}

static void make_watched_reader(void) {
  make_reader();
  MUST(twin = (int)syscall(SYS_pidfd_open, child, 0));
}

static void make_signalling_reader(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  make_reader();
}

static void make_cat(void) {
  char *arguments[] = {"cat", NULL}, *environment[] = {NULL};
  posix_spawn_file_actions_t actions;
  MUST(pipe2(fd, O_CLOEXEC));
  MUST(pipe2(other, O_CLOEXEC));
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fd[0], 0);
  posix_spawn_file_actions_adddup2(&actions, other[1], 1);
  if (posix_spawnp(&child, "cat", &actions, NULL, arguments, environment) != 0)
    fail("posix_spawnp");
  close(fd[0]);
  close(other[1]);
}

static void read_answer(void) {
  char got;
  MUST(read(other[0], &got, 1));
}

static void close_pipe(void) {
  MUST(close(fd[1]));
}

static void wait_child(void) {
  MUST(waitpid(child, NULL, 0));
}

static void wait_child_id(void) {
  siginfo_t got;
  MUST(waitid(P_PID, child, &got, WEXITED));
}

static void wait_child_signal(void) {
  sigset_t signals;
  int got;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  sigwait(&signals, &got);
}

const struct carrier carriers[] = {
    {"duplicate", make_duplicate, write_pipe, read_twin, NULL},
    {"raw-duplicate", make_raw_duplicate, write_pipe, read_twin, NULL},
    {"received", make_received, write_it, read_twin, NULL},
    {"given-away", make_received, write_twin, read_it, NULL},
    {"stolen", make_stolen, write_it, read_twin, NULL},
    {"stolen-from", make_stolen, write_twin, read_it, NULL},
    {"reopened", make_reopened, write_pipe, read_twin, NULL},
    {"reopened-poll", make_reopened, write_pipe, poll_twin, NULL},
    {"terminal", make_terminal, write_line, read_twin, NULL},
    {"terminal-poll", make_terminal, write_line, poll_twin, NULL},
    {"named-pipe", make_named_pipe, open_and_write, open_and_read, NULL},
    {"named-pipe-opened", make_named_pipe, open_to_write, open_to_read, NULL},
    {"raw-accept", make_listener, connect_to_it, raw_accept, NULL},
    {"raw-connect", make_raw_listener, raw_connect, raw_accept, NULL},
    {"child-answers", make_echo, write_pipe, read_answer, NULL},
    {"child-ends", make_reader, write_pipe, wait_child, NULL},
    {"child-ends-waitid", make_reader, close_pipe, wait_child_id, NULL},
    {"child-ends-pidfd", make_watched_reader, close_pipe, poll_twin, NULL},
    {"child-ends-signal", make_signalling_reader, write_pipe, wait_child_signal, NULL},
    {"program-answers", make_cat, write_pipe, read_answer, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
