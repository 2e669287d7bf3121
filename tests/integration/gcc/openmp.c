// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// openmp NAME [broken]: runs the construct NAME, which orders three threads of GNU's OpenMP
// library. Exits with 1 if the result is wrong. With `broken`, the program leaves out the
// construct, so its threads race in each run. Without arguments, it prints the names of all
// constructs.

#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 3, ROUNDS = 4 };

static int data, seen[THREADS];
static bool broken, ended;
static omp_lock_t lock;
static omp_nest_lock_t nest;

static int region(void) {
  data = 1;
#pragma omp parallel
  if (broken || omp_get_thread_num() == 1)
    data++;
  data++;
  return data != 3;
}

static int loop(void) {
  int cells[ROUNDS * THREADS] = {0}, sum = 0;
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < ROUNDS * THREADS; i++)
    cells[broken ? i / 2 : i]++;
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < ROUNDS * THREADS; i++)
    cells[i] += 2;
#pragma omp parallel for reduction(+ : sum) schedule(guided)
  for (int i = 0; i < ROUNDS * THREADS; i++)
    sum += cells[i];
  return sum != 3 * ROUNDS * THREADS;
}

static int barrier(void) {
#pragma omp parallel
  for (int i = 0; i < ROUNDS; i++) {
    if (omp_get_thread_num() == i % THREADS)
      data++;
    if (!broken) {
#pragma omp barrier
    }
    seen[omp_get_thread_num()] += data;
#pragma omp barrier
  }
  return seen[0] != 10 || seen[1] != 10 || seen[2] != 10;
}

// A thread that has passed a barrier does not have what others do before the next one.
static int passed(void) {
#pragma omp parallel
  for (int i = 0; i < ROUNDS; i++) {
#pragma omp barrier
    if (broken || omp_get_thread_num() == i % THREADS)
      data++;
  }
  return data != ROUNDS;
}

static int critical(void) {
#pragma omp parallel
  for (int i = 0; i < ROUNDS; i++)
    if (broken) {
      data++;
    } else {
#pragma omp critical
      data++;
    }
  return data != ROUNDS * THREADS;
}

static int named(void) {
#pragma omp parallel
  for (int i = 0; i < ROUNDS; i++)
    if (broken && omp_get_thread_num() == 0) {
#pragma omp critical(one)
      data++;
    } else {
#pragma omp critical(other)
      data++;
    }
  return data != ROUNDS * THREADS;
}

static int locks(void) {
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
#pragma omp parallel
  for (int i = 0; i < ROUNDS; i++) {
    if (!broken) {
      omp_set_lock(&lock);
    }
    data++;
    if (!broken)
      omp_unset_lock(&lock);
    while (!omp_test_nest_lock(&nest)) {
    }
    seen[0]++;
    omp_unset_nest_lock(&nest);
  }
  return data != ROUNDS * THREADS || seen[0] != data;
}

static int ordered(void) {
#pragma omp parallel for ordered schedule(static, 1)
  for (int i = 0; i < ROUNDS * THREADS; i++)
    if (broken) {
      data++;
    } else {
#pragma omp ordered
      data++;
    }
  return data != ROUNDS * THREADS;
}

static int doacross(void) {
  int cells[ROUNDS * THREADS + 1] = {1};
#pragma omp parallel for ordered(1) schedule(static, 1)
  for (int i = 1; i <= ROUNDS * THREADS; i++) {
    if (!broken) {
#pragma omp ordered depend(sink : i - 1)
    }
    cells[i] = cells[i - 1] + 1;
#pragma omp ordered depend(source)
  }
  return cells[ROUNDS * THREADS] != ROUNDS * THREADS + 1;
}

static int single(void) {
#pragma omp parallel
  {
    int copy = 0;
#pragma omp single copyprivate(copy)
    {
      data = 5;
      copy = 2;
    }
    seen[omp_get_thread_num()] = data + copy;
#pragma omp barrier
#pragma omp single nowait
    data = 6;
    if (!broken) {
#pragma omp barrier
    }
    seen[omp_get_thread_num()] += data;
  }
  return seen[0] != 13 || seen[1] != 13 || seen[2] != 13;
}

static int sections(void) {
#pragma omp parallel
  if (broken) {
#pragma omp sections nowait
    {
#pragma omp section
      data = 3;
    }
    seen[omp_get_thread_num()] = data;
  } else {
#pragma omp sections
    {
#pragma omp section
      data = 3;
    }
    seen[omp_get_thread_num()] = data;
  }
  return seen[0] != 3 || seen[1] != 3 || seen[2] != 3;
}

static int fibonacci(int n) {
  int one, other;
  if (n < 2)
    return n;
#pragma omp task shared(one) firstprivate(n)
  one = fibonacci(n - 1);
#pragma omp task shared(other) firstprivate(n)
  other = fibonacci(n - 2);
#pragma omp taskwait
  return one + other;
}

// The rest is in tasks. A broken twin waits for its task by a relaxed flag, which orders nothing:
// the thread that waits runs no task.
static void end_task(void) {
  __atomic_store_n(&ended, true, __ATOMIC_RELAXED);
}

static void await_task(void) {
  while (!__atomic_load_n(&ended, __ATOMIC_RELAXED)) {
  }
}

static int waited(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
      data = 1;
      end_task();
    }
    if (broken) {
      await_task();
    } else {
#pragma omp taskwait
    }
    data++;
  }
  return data != 2;
}

static int tasks(void) {
#pragma omp parallel
#pragma omp single
  data = fibonacci(8);
  return data != 21;
}

static int depend(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < ROUNDS; i++) {
#pragma omp task depend(inout : seen[0])
      {
        data++;
        end_task();
      }
    }
    if (broken) {
      await_task();
      data++;
    }
  }
  return data != ROUNDS;
}

static int groups(void) {
  int cells[ROUNDS * THREADS] = {0}, sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
#pragma omp task
      {
        data = 1;
        end_task();
      }
      if (broken) {
        await_task();
        data++;
      }
    }
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < ROUNDS * THREADS; i++)
      cells[i]++;
    for (int i = 0; i < ROUNDS * THREADS; i++)
      sum += cells[i];
  }
  return data + sum != ROUNDS * THREADS + 1;
}

static const struct {
  const char *name;
  int (*run)(void);
} ways[] = {{"region", region}, {"loop", loop},         {"barrier", barrier},
            {"passed", passed}, {"critical", critical}, {"named", named},
            {"locks", locks},   {"ordered", ordered},   {"doacross", doacross},
            {"single", single}, {"sections", sections}, {"tasks", tasks},
            {"waited", waited}, {"depend", depend},     {"groups", groups}};

int main(int count, char **arguments) {
  broken = count > 2 && strcmp(arguments[2], "broken") == 0;
  omp_set_num_threads(THREADS);
  for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
    if (count < 2)
      puts(ways[i].name);
    else if (strcmp(arguments[1], ways[i].name) == 0)
      return ways[i].run() && !broken;
  }
  return count < 2 ? 0 : 3;
}
