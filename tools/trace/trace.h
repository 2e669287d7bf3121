// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traces of sequentially consistent runs: in memory, as JSON lines, and their
// well-formedness. The format is described in tests/golden/README.md.
//
// How to read the signatures: the object worked on comes first, options next,
// results last. Nothing here has global state; one object is used by one
// thread at a time. A struct trace owns its arrays until trace_free; a zeroed
// struct is an empty trace. Running out of memory ends the process.
//
// This library knows nothing of the analysis: the tool that replays traces
// through the engine and the oracle that checks them both link it.
#ifndef RSAN_TOOLS_TRACE_TRACE_H
#define RSAN_TOOLS_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// Bounds of what is read. Each is a plausibility limit: exceeding it is
// reported as malformed input, nothing is truncated.
enum {
  TRACE_MAX_THREADS = 1 << 16,
  TRACE_MAX_OBJECTS = 1 << 24, // ids of locations and mutexes
};
#define TRACE_MAX_VALUE ((uint64_t)1 << 53) // a JSON number holds it exactly

// Operations: enumerator, name in the file, arguments after the name, orders
// that make sense. Arguments: x atomic, m mutex, n non-atomic, t thread,
// o order, f failure order, r value read, w value written, e value expected,
// k success flag. Order sets: see TRACE_ORDERS_* below.
#define TRACE_OPS(X)                                                                               \
  X(LOAD, "ld", "xor", TRACE_ORDERS_READ)                                                          \
  X(STORE, "st", "xow", TRACE_ORDERS_WRITE)                                                        \
  X(FETCH_OP, "fa", "xorw", TRACE_ORDERS_RMW)                                                      \
  X(EXCHANGE, "xc", "xorw", TRACE_ORDERS_RMW)                                                      \
  X(WEAK_CAS, "cw", "xofrewk", TRACE_ORDERS_RMW)                                                   \
  X(STRONG_CAS, "cs", "xofrewk", TRACE_ORDERS_RMW)                                                 \
  X(WAIT, "wt", "xoe", TRACE_ORDERS_READ)                                                          \
  X(BCAS, "bc", "xoew", TRACE_ORDERS_RMW)                                                          \
  X(WAIT_BLOCKED, "wq", "xe", 0)                                                                   \
  X(BCAS_BLOCKED, "bq", "xe", 0)                                                                   \
  X(FENCE, "fn", "o", TRACE_ORDERS_FENCE)                                                          \
  X(LOCK, "lk", "m", 0)                                                                            \
  X(UNLOCK, "ul", "m", 0)                                                                          \
  X(CREATE, "cr", "t", 0)                                                                          \
  X(JOIN, "jn", "t", 0)                                                                            \
  X(PLAIN_READ, "rd", "n", 0)                                                                      \
  X(PLAIN_WRITE, "wr", "n", 0)                                                                     \
  X(ALLOC, "al", "x", 0)                                                                           \
  X(ALLOC_PLAIN, "an", "n", 0)

enum trace_op {
#define X(op, name, arguments, orders) TRACE_##op,
  TRACE_OPS(X)
#undef X
      TRACE_OP_COUNT
};

enum trace_order { TRACE_RLX, TRACE_ACQ, TRACE_REL, TRACE_AR, TRACE_SC, TRACE_ORDER_COUNT };

// Sets of orders, one bit each. SC on an access is accepted only with
// TRACE_ALLOW_SC; on a fence it always is.
enum {
  TRACE_ORDERS_READ = 1 << TRACE_RLX | 1 << TRACE_ACQ | 1 << TRACE_SC,
  TRACE_ORDERS_WRITE = 1 << TRACE_RLX | 1 << TRACE_REL | 1 << TRACE_SC,
  TRACE_ORDERS_RMW =
      1 << TRACE_RLX | 1 << TRACE_ACQ | 1 << TRACE_REL | 1 << TRACE_AR | 1 << TRACE_SC,
  TRACE_ORDERS_FENCE = 1 << TRACE_ACQ | 1 << TRACE_REL | 1 << TRACE_AR | 1 << TRACE_SC,
};

// One step of a run. Fields that an operation does not have are 0. For WAIT
// and BCAS, `read` repeats `expected`. `written` of a compare-exchange is the
// desired value, whether or not it succeeded.
struct trace_event {
  enum trace_op op;
  uint32_t thread;
  uint32_t object; // location, mutex or thread, by the operation
  enum trace_order order;
  enum trace_order failure;
  uint64_t read;
  uint64_t written;
  uint64_t expected;
  bool ok; // compare-exchange: took effect
};

struct trace_indices {
  size_t *at;
  size_t count;
  size_t capacity;
};

struct trace {
  char *id;
  char *source; // may be null
  uint32_t threads;
  struct trace_event *events;
  size_t count;
  size_t capacity;
  bool has_verdict; // flags and races were in the file
  struct trace_indices flags;
  struct trace_indices races;
};

struct trace_error {
  size_t line; // from 1; 0 if the trace does not come from a file
  char reason[256];
};

enum {
  TRACE_ALLOW_SC = 1, // accept order "sc" on accesses
};

const char *trace_op_name(enum trace_op op);
const char *trace_op_arguments(enum trace_op op);
unsigned trace_op_orders(enum trace_op op);
const char *trace_order_name(enum trace_order order);
// LOAD ... BCAS: has a memory event on an atomic location.
bool trace_op_is_access(enum trace_op op);
// The above and the blocked arrivals: has a robustness check.
bool trace_op_is_checked(enum trace_op op);
bool trace_op_is_plain(enum trace_op op);

void trace_free(struct trace *trace);
void trace_clear(struct trace *trace); // empty it, keep the memory
void trace_append(struct trace *trace, const struct trace_event *event);
void trace_set_id(struct trace *trace, const char *id);
void trace_indices_append(struct trace_indices *indices, size_t index);
bool trace_indices_equal(const struct trace_indices *a, const struct trace_indices *b);
void *trace_allocate(size_t size); // zeroed; ends the process if there is no memory
// Grows an array to hold `needed` elements and zeroes what is new.
void *trace_grow(void *array, size_t *capacity, size_t needed, size_t size);

// trace_check.c: is this a possible SC run? False: error->reason names the
// event. The rules are numbered there.
bool trace_check(const struct trace *trace, struct trace_error *error);

// trace_json.c
struct trace_reader {
  FILE *file; // not owned
  unsigned options;
  size_t line;
  char *text;
  size_t text_capacity;
};

enum trace_result { TRACE_READ, TRACE_END, TRACE_MALFORMED };

void trace_reader_init(struct trace_reader *reader, FILE *file, unsigned options);
void trace_reader_free(struct trace_reader *reader);
// The next line: parsed and checked (trace_check) into *trace, whose old
// content is replaced. A file may end without a newline.
enum trace_result trace_reader_next(struct trace_reader *reader, struct trace *trace,
                                    struct trace_error *error);
// One line of `length` bytes without its newline; error->line is set to
// `line`.
bool trace_parse(const char *text, size_t length, size_t line, unsigned options,
                 struct trace *trace, struct trace_error *error);

// trace_write.c: both end the line. No space is written.
void trace_write(FILE *file, const struct trace *trace);
void trace_write_verdict(FILE *file, const char *id, const struct trace_indices *flags,
                         const struct trace_indices *races);
// The same without the closing brace and the newline, for whoever has more keys to say.
void trace_write_verdict_open(FILE *file, const char *id, const struct trace_indices *flags,
                              const struct trace_indices *races);
void trace_write_indices(FILE *file, const struct trace_indices *indices); // as a JSON array

#endif
