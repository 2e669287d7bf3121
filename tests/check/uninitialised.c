// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic reads of memory from the heap that somebody has initialised, or nobody, by name: how each
// program ends is in check-cases.

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct node {
  atomic_int ready;
  atomic_long claimed;
  int payload;
};

static _Atomic(struct node *) head;
static atomic_int asked;
static struct node *given; // before there are threads
static const char *name;

static int is(const char *other) {
  return strcmp(name, other) == 0;
}

// The bytes with which the runtime fills memory, so that a program can store them itself.
static const int pattern = (int)0xb7b7b7b7, other_pattern = 0x5c5c5c5c, earlier = (int)0xa5a5a5a5,
                 other_earlier = 0x3d3d3d3d;

static struct node *allocate(void) {
  struct node *node = NULL;
  if (is("calloc"))
    return calloc(1, sizeof *node);
  if (is("aligned") && posix_memalign((void **)&node, 64, sizeof *node) == 0)
    return node;
  if (is("aligned-alloc"))
    return aligned_alloc(64, 64);
  node = malloc(sizeof *node);
  if (is("grown")) {
    atomic_init(&node->ready, 1);
    node = realloc(node, 4 * sizeof *node);
    return node + 2;
  }
  return node;
}

static void initialise(struct node *node) {
  if (is("memset"))
    memset(node, 0, sizeof *node);
  else if (is("assigned"))
    *node = (struct node){1, 1, 1};
  else if (is("stored"))
    atomic_store(&node->ready, pattern);
  else if (is("stored-other"))
    atomic_init(&node->ready, other_pattern);
  else if (is("pattern"))
    atomic_init(&node->ready, pattern);
  else if (is("pattern-bytes"))
    memset(node, 0xb7, sizeof *node);
  else if (is("moved")) // a value, although nobody has initialised where it is from
    atomic_store(&node->ready, *(volatile int *)&node->payload);
  else if (!is("calloc"))
    atomic_init(&node->ready, is("waits-not"));
  if (!is("compare") && !is("exchange"))
    atomic_init(&node->claimed, 0);
}

// Allocates a node and publishes it. "order" initialises the node only after it is published;
// "late" only if the other thread has not yet asked for it.
static void *put(void *unused) {
  struct node *node = allocate();
  const int late = is("late") && atomic_load(&asked);
  const int never = is("aligned") || is("aligned-alloc") || is("grown") || is("waits");
  if (!late && !never && !is("order"))
    initialise(node);
  atomic_store(&head, node);
  if (is("order"))
    atomic_store(&node->ready, 1);
  return unused;
}

static void *take(void *unused) {
  if (is("late"))
    atomic_store(&asked, 1);
  struct node *node = atomic_load(&head);
  if (!node)
    return unused;
  if (is("exchange")) {
    atomic_exchange(&node->claimed, 1);
  } else if (is("compare")) {
    long expected = 0;
    atomic_compare_exchange_strong(&node->claimed, &expected, 1);
  } else if (is("waits") || is("waits-not")) {
    while (atomic_load(&node->ready) == 0) {
    }
  } else {
    atomic_load(&node->ready);
  }
  return unused;
}

// Reads memory from before the first thread.
static void *look(void *unused) {
  atomic_load(&given->ready);
  return unused;
}

// The same, and one of memory that is fresh.
static void *look_and_claim(void *unused) {
  struct node *node = malloc(sizeof *node);
  atomic_load(&given->claimed);
  atomic_fetch_add(&node->claimed, 1);
  free(node);
  return unused;
}

int main(int argc, char **argv) {
  pthread_t threads[2];
  name = argc == 2 ? argv[1] : "";
  const int before = strncmp(name, "before", strlen("before")) == 0;
  if (before) {
    given = malloc(sizeof *given);
    if (is("before-set"))
      atomic_init(&given->ready, 0);
    if (is("before-pattern"))
      atomic_init(&given->ready, pattern);
    if (is("before-other"))
      atomic_init(&given->ready, other_earlier);
    if (is("before-same"))
      atomic_init(&given->ready, earlier);
    if (is("before-stored"))
      atomic_store(&given->ready, earlier);
  }
  pthread_create(&threads[0], NULL, before ? look : put, NULL);
  pthread_create(&threads[1], NULL, is("before-two") ? look_and_claim : before ? look : take, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  free(given);
  return 0;
}
