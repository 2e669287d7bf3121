// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `memory THREADS NUMBERS`: each thread merge-sorts NUMBERS/THREADS numbers, then main merges the
// parts, one after the other. The result must be sorted and have the same sum.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 64 };

struct part {
  unsigned *numbers, *spare;
  size_t count;
};

static void merge(unsigned *to, const unsigned *a, size_t na, const unsigned *b, size_t nb) {
  while (na > 0 && nb > 0) {
    if (*b < *a) {
      *to++ = *b++;
      nb--;
    } else {
      *to++ = *a++;
      na--;
    }
  }
  memcpy(to, a, na * sizeof *a);
  memcpy(to + na, b, nb * sizeof *b);
}

static void *sort(void *of) {
  struct part *part = of;
  for (size_t run = 1; run < part->count; run *= 2) {
    for (size_t at = 0; at < part->count; at += 2 * run) {
      size_t left = part->count - at, na = left < run ? left : run;
      size_t nb = left - na < run ? left - na : run;
      merge(part->spare + at, part->numbers + at, na, part->numbers + at + na, nb);
    }
    unsigned *sorted = part->spare;
    part->spare = part->numbers;
    part->numbers = sorted;
  }
  return NULL;
}

static int is_sorted(const unsigned *numbers, size_t count, unsigned long sum) {
  for (size_t i = 0; i < count; i++) {
    sum -= numbers[i];
    if (i > 0 && numbers[i - 1] > numbers[i])
      return 0;
  }
  return sum == 0;
}

int main(int argc, char **argv) {
  size_t threads = argc == 3 ? (size_t)atoi(argv[1]) : 0;
  if (threads < 1 || threads > MAX_THREADS)
    return 2;
  size_t each = (size_t)atol(argv[2]) / threads, all = each * threads;
  unsigned *numbers = malloc(all * sizeof *numbers), *spare = malloc(all * sizeof *spare);
  unsigned *result = malloc(all * sizeof *result), *other = malloc(all * sizeof *other);
  unsigned long sum = 0;
  unsigned random = 1;
  for (size_t i = 0; i < all; i++)
    sum += numbers[i] = random = random * 1664525u + 1013904223u;
  struct part parts[MAX_THREADS];
  pthread_t handle[MAX_THREADS];
  for (size_t i = 0; i < threads; i++) {
    parts[i] = (struct part){numbers + i * each, spare + i * each, each};
    pthread_create(&handle[i], NULL, sort, &parts[i]);
  }
  for (size_t i = 0; i < threads; i++) {
    pthread_join(handle[i], NULL);
    merge(other, result, i * each, parts[i].numbers, each);
    unsigned *merged = other;
    other = result;
    result = merged;
  }
  int right = is_sorted(result, all, sum);
  puts(right ? "right" : "wrong");
  free(numbers), free(spare), free(result), free(other);
  return right ? 0 : 1;
}
