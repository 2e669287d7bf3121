// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Execution graphs as plain data: what each thread did (po), which write each read reads (rf), and
// in which order the writes of an object stand (mo). Consistency is decided while a graph grows.
//
// The models are RC20 (Margalit, Kokologiannakis, Itzhaky, Lahav, PLDI 2025, section 3 and
// appendix A) and C++20; both order seq_cst accesses by psc of Lahav et al., 'Repairing sequential
// consistency in C/C++11', PLDI 2017, as C++20 changed it. docs/internals/GRAPHS.md has the axioms.
//
// Events are numbered so that what an event comes after by po ∪ rf has a smaller number: a new
// event gets the next number. So po ∪ rf has no cycle in a graph that can be written down. A
// read-modify-write is one event with two parts, which are added one after the other and have a
// stamp each. The initial write of an object is no event.
//
//   row      a set of events, as bits; `words` words of 64 bits
//   stamp    from 1, in the order in which the parts were added; a read that gets another write
//            keeps its stamp (explore.c)
//   place    of a write in mo, from 1; 0 is the initial write
//
// A graph has one owner, who may use it from one thread at a time. Memory comes from the host
// (host.h): functions that allocate do not fail.

#ifndef RSAN_GRAPH_GRAPH_H
#define RSAN_GRAPH_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "../condition.h"
#include "../memorder.h"

#define RSAN_GRAPH_INITIAL UINT32_MAX       // as what a read reads: the initial write
#define RSAN_GRAPH_NONE    (UINT32_MAX - 1) // no event
#define RSAN_GRAPH_FENCES  UINT32_MAX       // RC20: the object that seq_cst fences update

enum rsan_graph_model {
  RSAN_GRAPH_SC,    // po ∪ rf ∪ mo ∪ fr is acyclic
  RSAN_GRAPH_RC20,  // seq_cst fences are read-modify-writes of one object
  RSAN_GRAPH_CXX20, // seq_cst fences are ordered by psc alone
};

enum rsan_graph_kind {
  RSAN_GRAPH_READ,
  RSAN_GRAPH_WRITE,
  RSAN_GRAPH_UPDATE, // a read-modify-write, or a compare-exchange, which may fail
  RSAN_GRAPH_FENCE,
  RSAN_GRAPH_CHOICE,     // of one value of 0 .. operand - 1
  RSAN_GRAPH_PLAIN_READ, // not atomic; these have object numbers of their own
  RSAN_GRAPH_PLAIN_WRITE,
  RSAN_GRAPH_KINDS
};

// The function by which an update computes its value from the value that it reads and its operand.
// It uses the low 64 bits and cuts the result to the operation's size; SET takes the whole operand.
enum rsan_graph_function {
  RSAN_GRAPH_SET,
  RSAN_GRAPH_ADD,
  RSAN_GRAPH_SUB,
  RSAN_GRAPH_AND,
  RSAN_GRAPH_OR,
  RSAN_GRAPH_XOR,
  RSAN_GRAPH_NAND,
  RSAN_GRAPH_CLEAR, // the lowest bit that is set, but for as many as the operand says; none:
                    // nothing
  RSAN_GRAPH_FUNCTIONS
};

// The next operation of a thread. Members that the kind does not use must be zero, because a replay
// compares all members.
struct rsan_graph_op {
  uint8_t kind;     // enum rsan_graph_kind
  uint8_t function; // enum rsan_graph_function
  uint8_t order;    // enum rsan_order
  uint8_t failure;  // order of an update whose condition does not hold
  uint8_t size;     // bytes, 1 to 8: what `function` is cut to; 0: 8
  bool conditional; // `condition` is asked of the value read; an update writes only if it holds
  bool blocks;      // the thread waits while the condition does not hold
  bool insists;     // an update that blocks: but it is made if it would change the value
  bool spurious;    // a weak compare-exchange: it may fail though the condition holds
  bool certain;     // a read gets the last write of the object, because no later one can come
  uint32_t object;  // numbers are the caller's; RSAN_GRAPH_FENCES is taken
  struct rsan_value operand;
  struct rsan_value initial; // value of the object's initial write; the same at each access
  struct rsan_condition condition;
};

enum rsan_graph_outcome {
  RSAN_GRAPH_DONE,
  RSAN_GRAPH_FAILED,         // an update whose condition does not hold
  RSAN_GRAPH_FAILED_ANYHOW,  // a weak one whose condition holds
  RSAN_GRAPH_BLOCKED,        // its thread waits there
  RSAN_GRAPH_LACKS_ITS_WRITE // an update: its write is the next event to be added
};

struct rsan_graph_event {
  struct rsan_graph_op op;
  uint32_t thread;
  uint32_t index;       // in its thread, from 0
  uint32_t previous;    // event of the thread, or RSAN_GRAPH_NONE
  uint32_t fence;       // last release fence of the thread up to here, or RSAN_GRAPH_NONE
  uint32_t reads;       // event, RSAN_GRAPH_INITIAL, or RSAN_GRAPH_NONE
  uint32_t stamp;       // of its read, or of all of it where there is one part
  uint32_t write_stamp; // of its write; 0: it has none
  uint32_t place;       // of its write; 0: it has none, or none yet
  uint8_t outcome;      // enum rsan_graph_outcome
  struct rsan_value read, written; // a choice has `read`
};

// The rows of each event. A row holds events before this one, and not the event itself, except in
// REL.
enum rsan_graph_row {
  RSAN_GRAPH_PORF, // po ∪ rf
  RSAN_GRAPH_HB,   // happens before
  RSAN_GRAPH_REL,  // of a write: what happens before a read that acquires from it
  RSAN_GRAPH_ACQ,  // what an acquire fence behind it would bring, beside HB
  RSAN_GRAPH_SHB,  // po; hb; po
  RSAN_GRAPH_ROWS
};

struct rsan_graph {
  uint8_t model; // enum rsan_graph_model
  uint32_t count, room, words;
  uint32_t last_stamp;
  uint32_t seq_csts; // events that psc is about
  struct rsan_graph_event *event;
  uint64_t *rows;
};

// An empty graph. Its owner ends it with rsan_graph_clear; a cleared one is empty.
void rsan_graph_init(struct rsan_graph *graph, enum rsan_graph_model model);
void rsan_graph_clear(struct rsan_graph *graph);
// `to` was not initialised, or is cleared.
void rsan_graph_copy(struct rsan_graph *to, const struct rsan_graph *from);

// Kinds, as the model has them: RC20's seq_cst fences read and write, too.
bool rsan_graph_reads(const struct rsan_graph *graph, const struct rsan_graph_op *op);
static inline bool rsan_graph_writes(const struct rsan_graph_event *event) {
  return event->write_stamp != 0;
}
static inline bool rsan_graph_is_plain(const struct rsan_graph_event *event) {
  return event->op.kind >= RSAN_GRAPH_PLAIN_READ;
}
// A seq_cst fence, or an access whose order is seq_cst: an event of psc.
bool rsan_graph_is_fence_sc(const struct rsan_graph_event *event);
bool rsan_graph_is_sc_event(const struct rsan_graph_event *event);
// The order of what it did: that of failure where it has failed.
enum rsan_order rsan_graph_order(const struct rsan_graph_event *event);
// The place of the write that the event reads.
uint32_t rsan_graph_read_place(const struct rsan_graph *graph,
                               const struct rsan_graph_event *event);
// Last event of the thread, or RSAN_GRAPH_NONE. Takes time in the number of events.
uint32_t rsan_graph_last_of(const struct rsan_graph *graph, uint32_t thread);
// Number of writes of an object.
uint32_t rsan_graph_write_count(const struct rsan_graph *graph, uint32_t object);
// The write at that place, RSAN_GRAPH_INITIAL for 0.
uint32_t rsan_graph_write_at(const struct rsan_graph *graph, uint32_t object, uint32_t place);

// The operation as the graph's event has it: RC20's seq_cst fences get their object.
struct rsan_graph_op rsan_graph_op_in(const struct rsan_graph *graph,
                                      const struct rsan_graph_op *op);
// Adds the thread's next event, without what it reads or writes, and returns its number.
uint32_t rsan_graph_add(struct rsan_graph *graph, uint32_t thread, const struct rsan_graph_op *op);
// Sets the write that the event reads, and its value. Decides the outcome; `fails_anyhow` is for
// op.spurious where the condition holds. The event is the last one of the graph.
void rsan_graph_read(struct rsan_graph *graph, uint32_t event, uint32_t write, bool fails_anyhow);
// Adds the write of an event, without a place in mo. Nothing has read from it.
void rsan_graph_write(struct rsan_graph *graph, uint32_t event);
// Inserts the event's write into mo at `place`, from 1; the writes from there on move up. The other
// function removes it.
void rsan_graph_place(struct rsan_graph *graph, uint32_t event, uint32_t place);
void rsan_graph_unplace(struct rsan_graph *graph, uint32_t event);

// `to` (not initialised, or cleared) gets the events of `from` that are in `kept`, where `last`
// comes last, and neither reads nor writes. Kept events read kept writes only; none of them comes
// after `last`. *number is the new number of `last`.
void rsan_graph_restrict(struct rsan_graph *to, const struct rsan_graph *from, const uint64_t *kept,
                         uint32_t last, uint32_t *number);

static inline uint64_t *rsan_graph_row(const struct rsan_graph *graph, uint32_t event,
                                       enum rsan_graph_row row) {
  return graph->rows + ((uint64_t)event * RSAN_GRAPH_ROWS + row) * graph->words;
}
static inline bool rsan_row_has(const uint64_t *row, uint32_t event) {
  return row[event / 64] >> (event % 64) & 1;
}
static inline void rsan_row_add(uint64_t *row, uint32_t event) {
  row[event / 64] |= (uint64_t)1 << (event % 64);
}
static inline void rsan_row_join(uint64_t *row, const uint64_t *from, uint32_t words) {
  for (uint32_t i = 0; i < words; i++)
    row[i] |= from[i];
}
// The first event of a row from `event` on, or RSAN_GRAPH_NONE.
static inline uint32_t rsan_row_next(const uint64_t *row, uint32_t words, uint32_t event) {
  for (uint32_t i = event / 64; i < words; i++) {
    uint64_t bits = row[i] & (i == event / 64 ? UINT64_MAX << (event % 64) : UINT64_MAX);
    if (bits)
      return i * 64 + (uint32_t)__builtin_ctzll(bits);
  }
  return RSAN_GRAPH_NONE;
}

#endif
