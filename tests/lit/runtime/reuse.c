// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that gets another owner starts afresh. A thousand threads, one after another and with no
// happens-before between them, use an atomic object in the same place; each ends with a relaxed
// step that the next one begins with. An object that lives on is reported at once: the next thread
// may miss the last one's write. Objects that are new are not, though their address and their value
// are those of the last.
//
// RUN: %build %s -o %t
// RUN: %exits 66 %t static 2>&1 | FileCheck %s
// RUN: %exits 66 %t kept 2>&1 | FileCheck %s
// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: may miss the atomic write of size 4
// CHECK: It would read an older 7 in place of 7.
// CHECK: reused
//
// RUN: %t stack   2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t tls     2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t heap    2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t large   2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t realloc 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t mapped  2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t moved   2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %t grown   2>&1 | FileCheck %s --check-prefix=NONE
//
// The C library unmaps a large stack of a thread that has ended, by a call that no interceptor
// sees; the next thread maps memory there.
// RUN: %t stack-mapped 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: WARNING
// NONE: {{^}}reused {{[0-9]+}} times{{$}}
// NONE-NOT: WARNING
//
// RUN: env RSAN_OPTIONS=clocks=explicit %exits 66 %t static 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=clocks=explicit %t stack 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env RSAN_OPTIONS=clocks=explicit %t tls   2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env RSAN_OPTIONS=clocks=explicit %t heap  2>&1 | FileCheck %s --check-prefix=NONE
#include "access.h"
#include "gone.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { THREADS = 1000, PAGE = 4096, LARGE = 1 << 20, LARGE_STACK = 64 << 20, VALUE = 7 };

struct round {
  const char *memory;
  long tid;
  int number;
  int *object, *kept, *last;
};

static int step;
static int persistent = VALUE;
static _Thread_local int thread_local = VALUE;

UNSEEN static void note(struct round *round, int *object) {
  round->object = object;
}

UNSEEN static void leave(struct round *round) {
  __atomic_store_n(&round->tid, own_tid(), __ATOMIC_RELEASE);
}

// What a robust program may do with an object that is new to it.
__attribute__((noinline)) static void use(struct round *round, int *object) {
  note(round, object);
  LOAD(*object);
  STORE(*object, VALUE);
}

static int *filled(int *object) {
  *object = VALUE;
  return object;
}

static void use_reallocated(struct round *round) {
  int *object = filled(malloc(300));
  use(round, object);
  int *moved = realloc(object, PAGE);
  use(round, moved);
  note(round, object);
  free(moved);
}

static int *map(void) {
  return filled(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

static void use_moved(struct round *round) {
  int *object = map();
  use(round, object);
  void *elsewhere = mremap(object, PAGE, 64 * PAGE, MREMAP_MAYMOVE);
  if (elsewhere == object)
    exit(5);
  munmap(elsewhere, 64 * PAGE);
}

// In threes: one uses the middle of a large stack; the end of the next one lets the C library unmap
// that stack; the last maps a page there.
static void use_stack_or_map(struct round *round) {
  if (round->number % 3 == 0) {
    use(round, filled(__builtin_alloca_with_align(LARGE_STACK / 2, 8 * PAGE)));
    return;
  }
  if (round->number % 3 == 1) {
    note(round, round->last);
    return;
  }
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
  int *object = mmap(round->last, PAGE, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (object != MAP_FAILED) {
    use(round, filled(object));
    munmap(object, PAGE);
  }
}

// A page that comes and goes behind another one, at an address that nothing else asks for.
static void use_grown(struct round *round) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
  char *map = mmap((void *)0x300000000, PAGE, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (map == MAP_FAILED || mremap(map, PAGE, 2 * PAGE, 0) != map)
    exit(5);
  use(round, filled((int *)(map + PAGE)));
  if (mremap(map, 2 * PAGE, PAGE, 0) != map)
    exit(5);
  munmap(map, PAGE);
}

static void use_allocated(struct round *round, size_t size) {
  int *object = filled(malloc(size));
  use(round, object);
  free(object);
}

static void use_memory(struct round *round) {
  const char *memory = round->memory;
  if (strcmp(memory, "static") == 0) {
    use(round, &persistent);
  } else if (strcmp(memory, "kept") == 0) {
    use(round, round->kept);
  } else if (strcmp(memory, "stack") == 0) {
    int local = VALUE;
    use(round, &local);
  } else if (strcmp(memory, "tls") == 0) {
    use(round, &thread_local);
  } else if (strcmp(memory, "heap") == 0) {
    use_allocated(round, 40);
  } else if (strcmp(memory, "large") == 0) {
    use_allocated(round, LARGE);
  } else if (strcmp(memory, "realloc") == 0) {
    use_reallocated(round);
  } else if (strcmp(memory, "mapped") == 0) {
    int *object = map();
    use(round, object);
    munmap(object, PAGE);
  } else if (strcmp(memory, "moved") == 0) {
    use_moved(round);
  } else if (strcmp(memory, "grown") == 0) {
    use_grown(round);
  } else if (strcmp(memory, "stack-mapped") == 0) {
    use_stack_or_map(round);
  }
}

static void *run(void *arg) {
  struct round *round = arg;
  ADD(step, 1);
  use_memory(round);
  ADD(step, 1);
  leave(round);
  return NULL;
}

// The tid is written unseen, and read so.
UNSEEN static int *finish_round(const struct round *round) {
  await_gone(&round->tid);
  return round->object;
}

int main(int argc, char **argv) {
  pthread_attr_t detached;
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  int reused = 0, *last = NULL, *kept = filled(malloc(64));
  for (int i = 0; i < THREADS; i++) {
    struct round *round = calloc(1, sizeof *round);
    round->memory = argc > 1 ? argv[1] : "";
    round->kept = kept;
    round->last = last;
    round->number = i;
    if (strcmp(round->memory, "stack-mapped") == 0)
      pthread_attr_setstacksize(&detached, i % 3 ? LARGE / 2 : LARGE_STACK);
    pthread_t thread;
    if (pthread_create(&thread, &detached, run, round) != 0)
      return 3;
    int *object = finish_round(round);
    reused += object == last;
    last = object;
  }
  fprintf(stderr, "reused %d times\n", reused);
  return reused < THREADS / 2 ? 4 : 0;
}
