// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptors, and questions for files, by which the kernel tells of what other threads have done
// (pair.h).

#define _GNU_SOURCE
#include <dirent.h>
#include <glob.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

#include "pair.h"

static sigset_t usr1(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  return signals;
}

static void make_signal_file(void) {
  const sigset_t signals = usr1();
  block_signal();
  MUST(fd[0] = signalfd(-1, &signals, 0));
}

static void make_raw_signal_file(void) {
  const sigset_t signals = usr1();
  block_signal();
  MUST(fd[0] = (int)syscall(SYS_signalfd4, -1, &signals, 8, 0));
}

static void make_polled_signal_file(void) {
  struct epoll_event event = {.events = EPOLLIN};
  make_signal_file();
  MUST(queue = epoll_create1(0));
  MUST(epoll_ctl(queue, EPOLL_CTL_ADD, fd[0], &event));
}

static void read_signal(void) {
  struct signalfd_siginfo got;
  MUST(read(fd[0], &got, sizeof got));
}

static void make_timer_file(void) {
  MUST(fd[0] = timerfd_create(CLOCK_MONOTONIC, 0));
}

static void make_raw_timer_file(void) {
  MUST(fd[0] = (int)syscall(SYS_timerfd_create, CLOCK_MONOTONIC, 0));
}

static void arm_timer(void) {
  const struct itimerspec soon = {.it_value = {.tv_nsec = 1000000}};
  MUST(timerfd_settime(fd[0], 0, &soon, NULL));
}

static void raw_arm_timer(void) {
  const struct itimerspec soon = {.it_value = {.tv_nsec = 1000000}};
  MUST(syscall(SYS_timerfd_settime, fd[0], 0, &soon, NULL));
}

static void watch(int file, unsigned events) {
  MUST(fd[0] = file);
  MUST(inotify_add_watch(fd[0], name, events));
}

static void watch_folder(unsigned events) {
  make_folder();
  watch(inotify_init(), events);
}

static void watch_writes(void) {
  watch_folder(IN_MODIFY);
  MUST(other[0] = open(beside, O_WRONLY));
}

static void watch_new(void) {
  watch_folder(IN_CREATE);
}

static void watch_closed(void) {
  watch_writes();
  MUST(inotify_add_watch(fd[0], name, IN_CLOSE));
}

static void watch_gone(void) {
  watch_folder(IN_DELETE);
}

static void watch_raw(void) {
  make_folder();
  watch((int)syscall(SYS_inotify_init1, 0), IN_DELETE);
}

static void write_file(void) {
  MUST(write(other[0], &byte, 1));
}

static void close_file(void) {
  MUST(close(other[0]));
}

static void create_file(void) {
  MUST(other[0] = open(inside, O_CREAT | O_WRONLY, 0600));
}

static void create_stream(void) {
  if (!fopen(inside, "w"))
    fail("fopen");
}

static void make_other_folder(void) {
  MUST(mkdir(inside, 0700));
}

static void unlink_file(void) {
  MUST(unlink(beside));
}

static void raw_unlink_file(void) {
  MUST(syscall(SYS_unlinkat, AT_FDCWD, beside, 0));
}

static void read_event(void) {
  char event[sizeof(struct inotify_event) + 256];
  MUST(read(fd[0], event, sizeof event));
}

// -- does a file exist? --

static void until_fails(int (*ask)(void), bool fails) {
  while ((ask() < 0) != fails)
    usleep(100);
}

static int ask_access(void) {
  return access(inside, F_OK);
}

static int ask_stat(void) {
  struct stat status;
  return stat(inside, &status);
}

static int ask_lstat(void) {
  struct stat status;
  return lstat(inside, &status);
}

static int ask_fstatat(void) {
  struct stat status;
  return fstatat(AT_FDCWD, inside, &status, 0);
}

static int ask_statx(void) {
  struct statx status;
  return statx(AT_FDCWD, inside, 0, STATX_MODE, &status);
}

static int ask_raw_statx(void) {
  struct statx status;
  return (int)syscall(SYS_statx, AT_FDCWD, inside, 0, STATX_MODE, &status);
}

static int ask_open(void) {
  const int file = open(inside, O_RDONLY);
  return file < 0 ? -1 : close(file);
}

static int ask_fopen(void) {
  FILE *file = fopen(inside, "r");
  return file ? fclose(file) : -1;
}

// Is it in the list of the folder's files?
static int ask_readdir(const char *wanted) {
  DIR *folder = opendir(name);
  int found = -1;
  for (struct dirent *entry; found < 0 && (entry = readdir(folder));)
    if (strcmp(entry->d_name, wanted) == 0)
      found = 0;
  closedir(folder);
  return found;
}

static int ask_readdir_new(void) {
  return ask_readdir("lock");
}

static int ask_readdir_old(void) {
  return ask_readdir("file");
}

static int ask_scandir(void) {
  struct dirent **entries;
  int count, found = -1;
  MUST(count = scandir(name, &entries, NULL, NULL));
  for (int i = 0; i < count; i++) {
    if (strcmp(entries[i]->d_name, "lock") == 0)
      found = 0;
    free(entries[i]);
  }
  free(entries);
  return found;
}

static int ask_glob(void) {
  glob_t found = {0};
  const int result = glob(inside, 0, NULL, &found);
  globfree(&found);
  return -result;
}

static int ask_raw_list(void) {
  char list[1000];
  int folder, found = -1;
  MUST(folder = open(name, O_RDONLY | O_DIRECTORY));
  for (long size; (size = syscall(SYS_getdents64, folder, list, sizeof list)) > 0;)
    for (long at = 0; at < size; at += ((struct dirent *)(list + at))->d_reclen)
      if (strcmp(((struct dirent *)(list + at))->d_name, "lock") == 0)
        found = 0;
  close(folder);
  return found;
}

static int ask_old(void) {
  return access(beside, F_OK);
}

static void wait_access(void) {
  until_fails(ask_access, false);
}

static void wait_stat(void) {
  until_fails(ask_stat, false);
}

static void wait_lstat(void) {
  until_fails(ask_lstat, false);
}

static void wait_fstatat(void) {
  until_fails(ask_fstatat, false);
}

static void wait_statx(void) {
  until_fails(ask_statx, false);
}

static void wait_raw_statx(void) {
  until_fails(ask_raw_statx, false);
}

static void wait_open(void) {
  until_fails(ask_open, false);
}

static void wait_fopen(void) {
  until_fails(ask_fopen, false);
}

static void wait_readdir(void) {
  until_fails(ask_readdir_new, false);
}

static void wait_scandir(void) {
  until_fails(ask_scandir, false);
}

static void wait_glob(void) {
  until_fails(ask_glob, false);
}

static void wait_raw_list(void) {
  until_fails(ask_raw_list, false);
}

static void wait_gone_from_list(void) {
  until_fails(ask_readdir_old, true);
}

static void wait_gone(void) {
  until_fails(ask_old, true);
}

static void move_file(void) {
  MUST(rename(beside, inside));
}

static void link_file(void) {
  MUST(link(beside, inside));
}

static void make_raw_folder(void) {
  MUST(syscall(SYS_mkdirat, AT_FDCWD, inside, 0700));
}

const struct carrier carriers[] = {
    {"signalfd", make_signal_file, send_kill, read_signal, NULL},
    {"signalfd-poll", make_signal_file, send_kill, do_poll, NULL},
    {"signalfd-epoll", make_polled_signal_file, send_kill, wait_epoll, NULL},
    {"raw-signalfd", make_raw_signal_file, send_raw_kill, read_signal, NULL},
    {"timerfd", make_timer_file, arm_timer, raw_read, NULL},
    {"raw-timerfd", make_raw_timer_file, raw_arm_timer, raw_read, NULL},
    {"inotify-write", watch_writes, write_file, read_event, NULL},
    {"inotify-close", watch_closed, close_file, read_event, NULL},
    {"inotify-open", watch_new, create_file, read_event, NULL},
    {"inotify-fopen", watch_new, create_stream, read_event, NULL},
    {"inotify-mkdir", watch_new, make_other_folder, read_event, NULL},
    {"inotify-unlink", watch_gone, unlink_file, read_event, NULL},
    {"raw-inotify", watch_raw, raw_unlink_file, read_event, NULL},
    {"access", make_folder, create_file, wait_access, NULL},
    {"stat", make_folder, make_other_folder, wait_stat, NULL},
    {"lstat", make_folder, link_file, wait_lstat, NULL},
    {"fstatat", make_folder, move_file, wait_fstatat, NULL},
    {"statx", make_folder, create_stream, wait_statx, NULL},
    {"raw-statx", make_folder, make_raw_folder, wait_raw_statx, NULL},
    {"open", make_folder, create_file, wait_open, NULL},
    {"fopen", make_folder, create_stream, wait_fopen, NULL},
    {"gone", make_folder, unlink_file, wait_gone, NULL},
    {"raw-gone", make_folder, raw_unlink_file, wait_gone, NULL},
    {"renamed", make_folder, move_file, wait_gone, NULL},
    {"readdir", make_folder, create_file, wait_readdir, NULL},
    {"readdir-gone", make_folder, unlink_file, wait_gone_from_list, NULL},
    {"scandir", make_folder, link_file, wait_scandir, NULL},
    {"glob", make_folder, make_other_folder, wait_glob, NULL},
    {"raw-getdents", make_folder, create_stream, wait_raw_list, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
