// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs for `rsan check` in which a schedule, or a data race, could be missed, by name. How each
// ends is in check-cases; NAME-not is a twin.

#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { READERS = 6, FAR = 3000, PAGE = 4096 };

void __tsan_acquire(void *object);
void __tsan_release(void *object);
void AnnotateBenignRaceSized(const char *file, int line, const volatile void *object, size_t size,
                             const char *why);

static atomic_int x, y;
static _Atomic __int128 wide;
static int plain;
static char *block;
static sem_t posted;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int pipe_of[2];
static FILE *file;
static pthread_key_t key;

static void two(void *(*one)(void *), void *(*other)(void *)) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, one, NULL);
  pthread_create(&threads[1], NULL, other, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
}

static void *nothing(void *unused) {
  return unused;
}

static void *store_x(void *unused) {
  atomic_store(&x, 1);
  return unused;
}

// -- races that four accesses of eight bytes do not show --

static void *read_plain(void *unused) {
  (void)*(volatile int *)&plain;
  return unused;
}

// A write after all reads but the first one.
static void many(int first) {
  pthread_t threads[READERS];
  for (int i = 0; i < READERS; i++)
    pthread_create(&threads[i], NULL, read_plain, NULL);
  for (int i = first; i < READERS; i++)
    pthread_join(threads[i], NULL);
  plain = 1;
  for (int i = 0; i < first; i++)
    pthread_join(threads[i], NULL);
}

static void many_reads(void) {
  many(1);
}

static void many_reads_not(void) {
  many(0);
}

// (Its plain read takes the place of the atomic write.)
static void *store_and_read(void *unused) {
  atomic_store(&x, 1);
  (void)*(volatile int *)&x;
  return unused;
}

static void *read_x(void *unused) {
  (void)*(volatile int *)&x;
  return unused;
}

static void *load_x(void *unused) {
  (void)atomic_load(&x);
  return unused;
}

static void mixed(void) {
  two(store_and_read, read_x);
}

static void mixed_not(void) {
  two(store_and_read, load_x);
}

static void *write_far(void *unused) {
  block[FAR] = 1;
  return unused;
}

static void *free_block(void *unused) {
  free(block);
  return unused;
}

static void freed(void) {
  block = malloc(FAR + 1);
  two(write_far, free_block);
}

static void freed_not(void) {
  block = malloc(FAR + 1);
  two(write_far, nothing);
  free(block);
}

static void *unmap(void *unused) {
  munmap(block, PAGE);
  return unused;
}

static void *write_near(void *unused) {
  block[0] = 1;
  return unused;
}

static void map(void) {
  block = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void unmapped(void) {
  map();
  two(write_near, unmap);
}

static void unmapped_not(void) {
  map();
  two(write_near, nothing);
  munmap(block, PAGE);
}

// -- orders by what is no step, and answers that depend on the order --

static void *write_and_release(void *unused) {
  plain = 1;
  __tsan_release(&key);
  return unused;
}

static void *acquire_and_read(void *unused) {
  __tsan_acquire(&key);
  return read_plain(unused);
}

static void annotated(void) {
  two(write_and_release, acquire_and_read);
}

static void *add_plain(void *unused) {
  plain++;
  return unused;
}

static void benign(void) {
  AnnotateBenignRaceSized(__FILE__, __LINE__, &plain, sizeof plain, "counter");
  two(add_plain, add_plain);
}

static void *post(void *unused) {
  sem_post(&posted);
  return unused;
}

static void *ask_semaphore(void *unused) {
  int value = 0;
  sem_getvalue(&posted, &value);
  if (value == 1)
    abort();
  return unused;
}

static void semaphore_value(void) {
  two(ask_semaphore, post);
}

static void *try_semaphore(void *unused) {
  if (sem_trywait(&posted) == 0)
    abort();
  return unused;
}

static void semaphore_try(void) {
  two(try_semaphore, post);
}

static void *lock_and_unlock(void *unused) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void *try_mutex(void *unused) {
  if (pthread_mutex_trylock(&mutex) != 0)
    abort();
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void mutex_try(void) {
  two(try_mutex, lock_and_unlock);
}

static void *lock_in_time(void *unused) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 100;
  if (pthread_mutex_timedlock(&mutex, &until) != 0)
    abort();
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void timed_lock(void) {
  two(lock_in_time, lock_and_unlock);
}

static void try_join(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, store_x, NULL);
  if (pthread_tryjoin_np(thread, NULL) == 0)
    abort();
  pthread_join(thread, NULL);
}

static void cancelled(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, store_x, NULL);
  pthread_cancel(thread);
  pthread_join(thread, NULL);
}

static pthread_mutex_t cancelled_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void give_mutex(void *unused) {
  (void)unused;
  pthread_mutex_unlock(&cancelled_mutex);
}

static void *wait_in_vain(void *unused) {
  pthread_mutex_lock(&cancelled_mutex);
  pthread_cleanup_push(give_mutex, NULL);
  for (;;)
    pthread_cond_wait(&never, &cancelled_mutex);
  pthread_cleanup_pop(1);
  return unused;
}

static void cancelled_waits(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, wait_in_vain, NULL);
  pthread_cancel(thread);
  pthread_join(thread, NULL);
}

static void *write_pipe(void *unused) {
  plain = 1;
  if (write(pipe_of[1], "x", 1) != 1)
    abort();
  return unused;
}

static void *read_pipe(void *unused) {
  char c;
  if (read(pipe_of[0], &c, 1) != 1)
    abort();
  return read_plain(unused);
}

static void piped(void) {
  if (pipe(pipe_of) != 0)
    abort();
  two(write_pipe, read_pipe);
}

// The offset in the file is that of all executions.
static void *read_file(void *unused) {
  if (fgetc(file) == EOF)
    atomic_store(&y, 1);
  return store_x(unused);
}

static void stream(void) {
  file = fopen("/proc/self/exe", "r");
  two(read_file, store_x);
}

// Two threads may come to a stream in either order.
static void *print(void *unused) {
  plain++;
  puts("x");
  return unused;
}

static void *print_first(void *unused) {
  puts("x");
  return add_plain(unused);
}

static void printed(void) {
  two(print, print_first);
}

static void abort_if_x(void *unused) {
  (void)unused;
  if (atomic_load(&x))
    abort();
}

static void *set_specific(void *unused) {
  pthread_setspecific(key, &key);
  return unused;
}

static void destructor(void) {
  pthread_key_create(&key, abort_if_x);
  two(set_specific, store_x);
}

static int load_c11(void *unused) {
  (void)unused;
  return atomic_load(&x);
}

static void c11_threads(void) {
  thrd_t thread;
  int found;
  thrd_create(&thread, load_c11, NULL);
  atomic_store(&x, 1);
  thrd_join(thread, &found);
  if (found)
    abort();
}

static void *store_wide(void *unused) {
  atomic_store(&wide, 1);
  return unused;
}

static void *load_wide(void *unused) {
  if (atomic_load(&wide))
    abort();
  return unused;
}

static void wide_object(void) {
  two(store_wide, load_wide);
}

// A thread that comes too late for a value, and waits for it for ever: it might have read it.
static void *set_and_reset(void *order) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  atomic_store_explicit(&x, 0, memory_order_relaxed);
  atomic_store_explicit(&y, 1, order ? memory_order_release : memory_order_relaxed);
  return NULL;
}

static void *come_late(void *order) {
  if (atomic_load_explicit(&y, order ? memory_order_acquire : memory_order_relaxed))
    while (atomic_load_explicit(&x, memory_order_relaxed) != 1) {
    }
  return NULL;
}

static void blocked(void *order) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, set_and_reset, order);
  pthread_create(&threads[1], NULL, come_late, order);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
}

static void late(void) {
  blocked(NULL);
}

static void late_not(void) {
  blocked(&x);
}

// The loop that waits is a step in the record as it is in its repetition.
static void *wait_for_x(void *unused) {
  while (!atomic_load(&x)) {
  }
  if (atomic_load(&y))
    abort();
  return unused;
}

static void *store_both(void *unused) {
  atomic_store(&x, 1);
  atomic_store(&y, 1);
  return unused;
}

static void waits(void) {
  two(wait_for_x, store_both);
}

static void waits_alone(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, store_both, NULL);
  pthread_detach(thread);
  wait_for_x(NULL);
}

// A test-and-set that is in vain, and changes the value.
static void *set_two(void *unused) {
  atomic_store(&x, 2);
  while (atomic_load(&x) == 2) {
  }
  atomic_store(&x, 0);
  return unused;
}

static void *take(void *unused) {
  while (atomic_exchange(&x, 1) != 0) {
  }
  return unused;
}

static void exchanged(void) {
  atomic_store(&x, 2);
  two(set_two, take);
}

// The owner of a robust mutex ends.
static void *lock_and_end(void *unused) {
  pthread_mutex_lock(&mutex);
  return unused;
}

static void *lock_robust(void *unused) {
  int res = pthread_mutex_lock(&mutex);
  if (res == EOWNERDEAD)
    pthread_mutex_consistent(&mutex);
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void robust(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&mutex, &attributes);
  two(lock_and_end, lock_robust);
}

static void *lock_twice(void *unused) {
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&mutex);
  plain++;
  pthread_mutex_unlock(&mutex);
  plain++;
  pthread_mutex_unlock(&mutex);
  return unused;
}

static void recursive(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &attributes);
  two(lock_twice, lock_twice);
}

// The program ends with its first thread, whatever the other one would have done.
static void *abort_at_once(void *unused) {
  atomic_store(&x, 1);
  if (atomic_load(&y))
    abort();
  return unused;
}

static void detached(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, abort_at_once, NULL);
  pthread_detach(thread);
  atomic_store(&y, 1);
}

static void store_y_at_exit(void) {
  atomic_store(&y, 1);
}

static void at_exit(void) {
  pthread_t thread;
  atexit(store_y_at_exit);
  pthread_create(&thread, NULL, abort_at_once, NULL);
  pthread_detach(thread);
}

static const struct program {
  const char *name;
  void (*run)(void);
} programs[] = {
    {"many-reads", many_reads},
    {"many-reads-not", many_reads_not},
    {"mixed", mixed},
    {"mixed-not", mixed_not},
    {"freed", freed},
    {"freed-not", freed_not},
    {"unmapped", unmapped},
    {"unmapped-not", unmapped_not},
    {"annotated", annotated},
    {"benign", benign},
    {"semaphore-value", semaphore_value},
    {"semaphore-try", semaphore_try},
    {"mutex-try", mutex_try},
    {"timed-lock", timed_lock},
    {"try-join", try_join},
    {"cancelled", cancelled},
    {"cancelled-waits", cancelled_waits},
    {"piped", piped},
    {"stream", stream},
    {"printed", printed},
    {"destructor", destructor},
    {"c11-threads", c11_threads},
    {"wide-object", wide_object},
    {"exchanged", exchanged},
    {"robust", robust},
    {"waits", waits},
    {"waits-alone", waits_alone},
    {"late", late},
    {"late-not", late_not},
    {"recursive", recursive},
    {"detached", detached},
    {"at-exit", at_exit},
};

int main(int argc, char **argv) {
  sem_init(&posted, 0, 0);
  for (size_t i = 0; argc > 1 && i < sizeof programs / sizeof *programs; i++)
    if (strcmp(programs[i].name, argv[1]) == 0)
      return programs[i].run(), 0;
  return 2;
}
