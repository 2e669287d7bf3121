// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// early TOLD RELEASED [late]: one thread tells the other by TOLD that it has begun, writes x, and
// releases by RELEASED. The other one is told, acquires what had been released before already, and
// reads x: a data race, however late it is told. With `late` it acquires what the first one has
// released: no race.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static sem_t told_semaphore, semaphore;
static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static bool told;
static atomic_int told_word, word;
static bool late;
static int x;

static void tell_by_semaphore(void) {
  sem_post(&told_semaphore);
}
static void hear_by_semaphore(void) {
  sem_wait(&told_semaphore);
}

static void meet(void) {
  pthread_barrier_wait(&barrier);
}

static void tell_by_condition(void) {
  pthread_mutex_lock(&mutex);
  told = true;
  pthread_cond_signal(&condition);
  pthread_mutex_unlock(&mutex);
}
static void hear_by_condition(void) {
  pthread_mutex_lock(&mutex);
  while (!told)
    pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
}

static void tell_by_word(void) {
  atomic_store_explicit(&told_word, 1, memory_order_release);
}
static void hear_by_word(void) {
  while (!atomic_load_explicit(&told_word, memory_order_acquire))
    ;
}

static void post(void) {
  sem_post(&semaphore);
}
static void wait_for_post(void) {
  sem_wait(&semaphore);
  if (late)
    sem_wait(&semaphore);
}
static void try_to_wait(void) {
  for (int wanted = late ? 2 : 1; wanted;)
    wanted -= sem_trywait(&semaphore) == 0;
}

static void add(void) {
  atomic_fetch_add_explicit(&word, 1, memory_order_release);
}
static void read_word(void) {
  do {
  } while (atomic_load_explicit(&word, memory_order_acquire) < (late ? 2 : 1));
}

// Both write between two barriers; or they write before and after one.
static void arrive(void) {
  if (!late)
    x++;
  pthread_barrier_wait(&barrier);
}

struct way {
  const char *name;
  void (*first)(void), (*second)(void);
};

static const struct way ways_to_tell[] = {{"semaphore", tell_by_semaphore, hear_by_semaphore},
                                          {"barrier", meet, meet},
                                          {"condition", tell_by_condition, hear_by_condition},
                                          {"word", tell_by_word, hear_by_word}};
static const struct way ways_to_release[] = {{"semaphore", post, wait_for_post},
                                             {"try", post, try_to_wait},
                                             {"word", add, read_word},
                                             {"barrier", arrive, arrive}};
static const struct way *telling, *releasing;

static void *run_first(void *unused) {
  telling->first();
  x = 1;
  releasing->first();
  return unused;
}

static void *run_second(void *unused) {
  telling->second();
  releasing->second();
  x++;
  return unused;
}

static const struct way *find_way(const struct way *ways, const char *name) {
  for (int i = 0; i < 4; i++)
    if (!strcmp(ways[i].name, name))
      return &ways[i];
  exit(3);
}

int main(int argc, char **argv) {
  pthread_t first, second;
  if (argc < 3)
    return 3;
  telling = find_way(ways_to_tell, argv[1]);
  releasing = find_way(ways_to_release, argv[2]);
  late = argc > 3;
  sem_init(&told_semaphore, 0, 0);
  sem_init(&semaphore, 0, 1);
  word = 1;
  pthread_barrier_init(&barrier, 0, 2);
  pthread_create(&first, 0, run_first, 0);
  pthread_create(&second, 0, run_second, 0);
  pthread_join(first, 0);
  pthread_join(second, 0);
}
