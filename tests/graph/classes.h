// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The execution graphs of a small program: by the explorer (rsan/graph/explore.h), and by brute
// force, which has no code of the core (tests/oracle/enumerate.h). Both give sets of keys.

#ifndef RSAN_TESTS_GRAPH_CLASSES_H
#define RSAN_TESTS_GRAPH_CLASSES_H

#include "enumerate.h"
#include "graph/explore.h"

enum {
  MOST_NODES = PROGRAM_MAX_THREADS * PROGRAM_MAX_OPS,
  // events; what they read; mo of each location, and seq_cst fences, each with its end; is there a
  // race; is it a deadlock
  KEY_BYTES = 2 * MOST_NODES + (MOST_NODES + PROGRAM_MAX_LOCATIONS) + (MOST_NODES + 1) + 2,
};

// A graph by the threads and indices of its events.
struct graph_key {
  uint8_t bytes[KEY_BYTES];
};

struct graph_keys {
  struct graph_key *at;
  size_t count, room;
  uint64_t twice; // that sort_keys has removed
};

// Where in a key its parts are.
enum {
  KEY_READS = MOST_NODES,
  KEY_MO = 2 * MOST_NODES,
  KEY_RACE = KEY_BYTES - 2,
  KEY_DEADLOCK = KEY_BYTES - 1,
};

static inline uint8_t key_name(uint32_t thread, uint32_t index) {
  return (uint8_t)(1 + thread * PROGRAM_MAX_OPS + index);
}

void keys_add(struct graph_keys *keys, const struct graph_key *key);
// Sorts the keys, and keeps one of equal ones.
void keys_sort(struct graph_keys *keys);
// Both are sorted.
bool keys_equal(const struct graph_keys *a, const struct graph_keys *b);
void keys_free(struct graph_keys *keys);

// All graphs in which each thread has ended, or waits for what will not come. False: there are more
// than `most` steps.
bool find_by_force(const struct program *program, enum rsan_graph_model model, uint64_t most,
                   struct graph_keys *keys);

struct explored {
  uint64_t runs, waits, diverged, dropped, revisits, most_left;
  bool given_up; // there were more than `most` runs
  bool unread;   // a graph came back otherwise when it was printed and read
};

// The same by the explorer; none is removed.
struct explored find_by_exploring(const struct program *program, enum rsan_graph_model model,
                                  uint64_t most, struct graph_keys *keys);

#endif
