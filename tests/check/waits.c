// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks whose threads wait in loops, for `rsan check`: as many executions as tests/dpor/named.c has
// classes of the same programs. waits LOCK THREADS [TURNS]

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4 };

static atomic_int next, now, taken;
static int plain;

static void *with_ticket(void *unused) {
  int mine = atomic_fetch_add(&next, 1);
  while (atomic_load(&now) != mine) {
  }
  plain++;
  atomic_store(&now, mine + 1);
  return unused;
}

// Waits until it is free, tries to take it, and waits again.
static void *with_spin(void *unused) {
  do {
    while (atomic_load(&taken)) {
    }
  } while (atomic_exchange(&taken, 1));
  plain++;
  atomic_store(&taken, 0);
  return unused;
}

// Tries at once.
static void *with_flag(void *unused) {
  while (atomic_exchange(&taken, 1)) {
    while (atomic_load(&taken)) {
    }
  }
  plain++;
  atomic_store(&taken, 0);
  return unused;
}

static void *with_cas(void *unused) {
  int expected = 0;
  while (!atomic_compare_exchange_strong(&taken, &expected, 1))
    expected = 0;
  plain++;
  atomic_store(&taken, 0);
  return unused;
}

static void *(*turn)(void *);
static int turns = 1;

static void *take_turns(void *unused) {
  for (int i = 0; i < turns; i++)
    turn(unused);
  return unused;
}

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void *(*run)(void *);
  } locks[] = {
      {"ticket", with_ticket}, {"spin", with_spin}, {"flag", with_flag}, {"cas", with_cas}};
  pthread_t threads[MOST];
  int count = argc > 2 ? atoi(argv[2]) : 0;
  if (argc > 3)
    turns = atoi(argv[3]);
  for (size_t i = 0; i < sizeof locks / sizeof *locks && count > 0 && count <= MOST; i++) {
    if (strcmp(locks[i].name, argv[1]) != 0)
      continue;
    turn = locks[i].run;
    for (int t = 0; t < count; t++)
      pthread_create(&threads[t], NULL, take_turns, NULL);
    for (int t = 0; t < count; t++)
      pthread_join(threads[t], NULL);
    return plain == count * turns ? 0 : 1;
  }
  return 2;
}
