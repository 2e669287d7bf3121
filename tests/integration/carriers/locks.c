// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls by which programs lock (pair.h).

#define _GNU_SOURCE
#include <mqueue.h>
#include <semaphore.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/shm.h>

#include "pair.h"

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

// Names and keys of the process's own.
static const char *own_name(void) {
  static char text[40];
  if (!*text)
    snprintf(text, sizeof text, "/carriers%d", (int)getpid());
  return text;
}

static void make_name(void) {
  own_name();
}

static void lock_by_named_semaphore(int thread) {
  sem_t *created;
  (void)thread;
  while ((created = sem_open(own_name(), O_CREAT | O_EXCL, 0600, 0)) == SEM_FAILED)
    usleep(100);
  MUST(sem_unlink(own_name()));
}

static void lock_by_named_queue(int thread) {
  struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 8};
  int created;
  (void)thread;
  while ((created = mq_open(own_name(), O_CREAT | O_EXCL | O_RDWR, 0600, &attributes)) < 0)
    usleep(100);
  MUST(mq_unlink(own_name()));
  close(created);
}

enum { EXCLUSIVE = IPC_CREAT | IPC_EXCL | 0600 };

static void lock_by_shared_key(int thread) {
  int created;
  (void)thread;
  while ((created = shmget(getpid(), 1, EXCLUSIVE)) < 0)
    usleep(100);
  MUST(shmctl(created, IPC_RMID, NULL));
}

static void lock_by_semaphore_key(int thread) {
  int created;
  (void)thread;
  while ((created = semget(getpid(), 1, EXCLUSIVE)) < 0)
    usleep(100);
  MUST(semctl(created, 0, IPC_RMID));
}

static void lock_by_queue_key(int thread) {
  int created;
  (void)thread;
  while ((created = msgget(getpid(), EXCLUSIVE)) < 0)
    usleep(100);
  MUST(msgctl(created, IPC_RMID, NULL));
}

static void lock_by_raw_shared_key(int thread) {
  long created;
  (void)thread;
  while ((created = syscall(SYS_shmget, getpid(), 1, EXCLUSIVE)) < 0)
    usleep(100);
  MUST(syscall(SYS_shmctl, created, IPC_RMID, NULL));
}

static void lock_by_raw_semaphore_key(int thread) {
  long created;
  (void)thread;
  while ((created = syscall(SYS_semget, getpid(), 1, EXCLUSIVE)) < 0)
    usleep(100);
  MUST(syscall(SYS_semctl, created, 0, IPC_RMID, NULL));
}

static void lock_by_raw_queue_key(int thread) {
  long created;
  (void)thread;
  while ((created = syscall(SYS_msgget, getpid(), EXCLUSIVE)) < 0)
    usleep(100);
  MUST(syscall(SYS_msgctl, created, IPC_RMID, NULL));
}

static void lock_by_raw_named_queue(int thread) {
  struct mq_attr attributes = {.mq_maxmsg = 2, .mq_msgsize = 8};
  long created;
  (void)thread;
  while ((created = syscall(SYS_mq_open, own_name() + 1, O_CREAT | O_EXCL | O_RDWR, 0600,
                            &attributes)) < 0)
    usleep(100);
  MUST(syscall(SYS_mq_unlink, own_name() + 1));
  close((int)created);
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

const struct carrier carriers[] = {
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
    {"sem_open", make_name, NULL, NULL, lock_by_named_semaphore},
    {"mq_open", make_name, NULL, NULL, lock_by_named_queue},
    {"raw-mq_open", make_name, NULL, NULL, lock_by_raw_named_queue},
    {"shmget", NULL, NULL, NULL, lock_by_shared_key},
    {"semget", NULL, NULL, NULL, lock_by_semaphore_key},
    {"msgget", NULL, NULL, NULL, lock_by_queue_key},
    {"raw-shmget", NULL, NULL, NULL, lock_by_raw_shared_key},
    {"raw-semget", NULL, NULL, NULL, lock_by_raw_semaphore_key},
    {"raw-msgget", NULL, NULL, NULL, lock_by_raw_queue_key},
    {"semctl-lock", make_raised, NULL, NULL, lock_semaphore_set},
    {"semop-lock", make_raised, NULL, NULL, lock_semaphore},
    {"splice-lock", make_token, NULL, NULL, lock_token},
    {"raw-pipe-lock", make_token, NULL, NULL, lock_raw_token},
    {NULL, NULL, NULL, NULL, NULL},
};
