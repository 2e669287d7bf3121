// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects in shared memory that one process has mapped at two addresses. The sender uses one
// address, the receiver the other (pair.h). And memory that is mapped, and a ring that is used, by
// the system calls alone.

#define _GNU_SOURCE
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/shm.h>

#include "pair.h"

enum { SIZE = 4096 };

struct shared {
  pthread_mutex_t mutex;
  pthread_rwlock_t lock;
  pthread_cond_t condition;
  pthread_barrier_t barrier;
  sem_t semaphore;
  atomic_int word;
};

static struct shared *sender, *receiver;
static int memory = -1;
static bool sent; // what the locks protect

// -- what is made --

static struct shared *map(void) {
  void *mapped = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  if (mapped == MAP_FAILED)
    fail("mmap");
  return mapped;
}

static void make_memory(void) {
  MUST(memory = memfd_create("carriers", 0));
  MUST(ftruncate(memory, SIZE));
}

static void make_objects(struct shared *at) {
  pthread_mutexattr_t mutex;
  pthread_rwlockattr_t lock;
  pthread_condattr_t condition;
  pthread_barrierattr_t barrier;
  pthread_mutexattr_init(&mutex);
  pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
  pthread_rwlockattr_init(&lock);
  pthread_rwlockattr_setpshared(&lock, PTHREAD_PROCESS_SHARED);
  pthread_condattr_init(&condition);
  pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
  pthread_barrierattr_init(&barrier);
  pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&at->mutex, &mutex);
  pthread_rwlock_init(&at->lock, &lock);
  pthread_cond_init(&at->condition, &condition);
  pthread_barrier_init(&at->barrier, &barrier, 2);
  MUST(sem_init(&at->semaphore, 1, 0));
}

static void make_two_mappings(void) {
  make_memory();
  sender = map();
  receiver = map();
  make_objects(receiver);
}

static void make_moved(void) {
  make_memory();
  sender = mremap(map(), SIZE, SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, map());
  receiver = mremap(sender, 0, SIZE, MREMAP_MAYMOVE);
  make_objects(receiver);
}

static void make_segment(void) {
  int segment;
  MUST(segment = shmget(IPC_PRIVATE, SIZE, 0600));
  sender = shmat(segment, NULL, 0);
  receiver = shmat(segment, NULL, 0);
  MUST(shmctl(segment, IPC_RMID, NULL));
  make_objects(sender);
}

static void make_file(void) {
  make_memory();
  struct shared *first = map();
  make_objects(first);
  MUST(munmap(first, SIZE));
}

// -- sent and received --

static void lock_and_send(void) {
  pthread_mutex_lock(&sender->mutex);
  sent = true;
  pthread_mutex_unlock(&sender->mutex);
}

static void receive_between(pthread_mutex_t *locked, pthread_mutex_t *unlocked) {
  for (bool got = false; !got;) {
    pthread_mutex_lock(locked);
    got = sent;
    pthread_mutex_unlock(unlocked);
    usleep(100);
  }
}

static void lock_and_receive(void) {
  receive_between(&receiver->mutex, &receiver->mutex);
}

// Locked at one address, unlocked at the other.
static void lock_across_and_send(void) {
  pthread_mutex_lock(&sender->mutex);
  sent = true;
  pthread_mutex_unlock(&receiver->mutex);
}

static void lock_across_and_receive(void) {
  receive_between(&receiver->mutex, &sender->mutex);
}

// Each use has its mapping.
static void map_and_send(void) {
  struct shared *mapped = map();
  pthread_mutex_lock(&mapped->mutex);
  sent = true;
  pthread_mutex_unlock(&mapped->mutex);
  MUST(munmap(mapped, SIZE));
}

static void map_and_receive(void) {
  for (bool got = false; !got;) {
    struct shared *mapped = map();
    pthread_mutex_lock(&mapped->mutex);
    got = sent;
    pthread_mutex_unlock(&mapped->mutex);
    MUST(munmap(mapped, SIZE));
    usleep(100);
  }
}

static void write_lock_and_send(void) {
  pthread_rwlock_wrlock(&sender->lock);
  sent = true;
  pthread_rwlock_unlock(&sender->lock);
}

static void read_lock_and_receive(void) {
  for (bool got = false; !got;) {
    pthread_rwlock_rdlock(&receiver->lock);
    got = sent;
    pthread_rwlock_unlock(&receiver->lock);
    usleep(100);
  }
}

static void signal_condition(void) {
  pthread_mutex_lock(&sender->mutex);
  sent = true;
  pthread_cond_signal(&sender->condition);
  pthread_mutex_unlock(&sender->mutex);
}

static void wait_for_condition(void) {
  pthread_mutex_lock(&receiver->mutex);
  while (!sent)
    pthread_cond_wait(&receiver->condition, &receiver->mutex);
  pthread_mutex_unlock(&receiver->mutex);
}

static void pass_barrier(void) {
  pthread_barrier_wait(&sender->barrier);
}

static void pass_other_barrier(void) {
  pthread_barrier_wait(&receiver->barrier);
}

static void post(void) {
  MUST(sem_post(&sender->semaphore));
}

static void wait_for_post(void) {
  MUST(sem_wait(&receiver->semaphore));
}

static void wake(void) {
  atomic_store_explicit(&sender->word, 1, memory_order_release);
  MUST(syscall(SYS_futex, &sender->word, FUTEX_WAKE, 1, NULL, NULL, 0));
}

static void wait_for_wake(void) {
  while (atomic_load_explicit(&receiver->word, memory_order_acquire) == 0)
    syscall(SYS_futex, &receiver->word, FUTEX_WAIT, 0, NULL, NULL, 0);
}

// -- system calls alone --

static atomic_bool is_sent;
static _Atomic(int *) recycled;

static int *map_raw(int *wanted) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | (wanted ? MAP_FIXED_NOREPLACE : 0);
  int *mapped = (int *)syscall(SYS_mmap, wanted, SIZE, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (mapped == MAP_FAILED)
    fail("mmap");
  return mapped;
}

// The thread uses the memory only after it has sent the data, and nothing orders the two.
static void send_and_unmap(void) {
  atomic_store_explicit(&is_sent, true, memory_order_release);
  int *mapped = map_raw(NULL);
  *mapped = 1;
  MUST(syscall(SYS_munmap, mapped, SIZE));
  atomic_store_explicit(&recycled, mapped, memory_order_relaxed);
}

static void receive_and_map(void) {
  int *mapped;
  while (!atomic_load_explicit(&is_sent, memory_order_acquire))
    usleep(100);
  while (!(mapped = atomic_load_explicit(&recycled, memory_order_relaxed)))
    usleep(100);
  *map_raw(mapped) = 2;
}

static struct io_uring_params ring;
static unsigned char *submissions;

// Where the kernel refuses rings, the carrier is a pipe.
static void make_ring(void) {
  fd[0] = (int)syscall(SYS_io_uring_setup, 2, &ring);
  if (fd[0] < 0) {
    make_pipe();
    return;
  }
  submissions = mmap(NULL, ring.sq_off.array + 64, PROT_READ | PROT_WRITE, MAP_SHARED, fd[0],
                     IORING_OFF_SQ_RING);
  if (submissions == MAP_FAILED)
    fail("mmap");
}

// Submits an operation that does nothing: the entries are all zero.
static void submit(void) {
  if (!submissions) {
    write_pipe();
    return;
  }
  __atomic_store_n((unsigned *)(submissions + ring.sq_off.tail), 1, __ATOMIC_RELEASE);
  MUST(syscall(SYS_io_uring_enter, fd[0], 1, 0, 0, NULL, 0));
}

static void wait_for_completion(void) {
  if (submissions)
    MUST(syscall(SYS_io_uring_enter, fd[0], 0, 1, IORING_ENTER_GETEVENTS, NULL, 0));
  else
    do_poll();
}

const struct carrier carriers[] = {
    {"mutex", make_two_mappings, lock_and_send, lock_and_receive, NULL},
    {"mutex-moved", make_moved, lock_and_send, lock_and_receive, NULL},
    {"mutex-segment", make_segment, lock_and_send, lock_and_receive, NULL},
    {"mutex-across", make_two_mappings, lock_across_and_send, lock_across_and_receive, NULL},
    {"mutex-mapped-anew", make_file, map_and_send, map_and_receive, NULL},
    {"rwlock", make_two_mappings, write_lock_and_send, read_lock_and_receive, NULL},
    {"condition", make_two_mappings, signal_condition, wait_for_condition, NULL},
    {"barrier", make_two_mappings, pass_barrier, pass_other_barrier, NULL},
    {"semaphore", make_two_mappings, post, wait_for_post, NULL},
    {"futex", make_two_mappings, wake, wait_for_wake, NULL},
    {"raw-mmap", NULL, send_and_unmap, receive_and_map, NULL},
    {"raw-ring", make_ring, submit, wait_for_completion, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};
