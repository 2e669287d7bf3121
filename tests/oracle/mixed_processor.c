// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two processors by brute force. A read and a write each take place in memory at one point of one
// order for all threads. The processor keeps some pairs of a thread's instructions in program
// order; this file makes every order that keeps them.
//
// ARMv8: Flur et al., 'Mixed-Size Concurrency', POPL 2017, in the axioms' form (Alglave, Deacon,
// Grisenthwaite, Hacquard, Maranget, 'Armed Cats', TOPLAS 2021): threads observe single bytes, and
// an observation orders whole accesses. A read takes each byte from the last write in memory, or
// from its own thread's last write of that byte that is not in memory yet. Each byte that it takes
// agrees with the program order of its thread (internal visibility).
#include "mixed_program.h"

enum { NOWHERE = 0xff };

struct state {
  const struct mixed_program *program;
  uint32_t read, written; // of each operation: has it read; is what it writes in memory
  uint32_t fails;         // compare-exchanges (ARM: said before)
  uint8_t in_memory[MIXED_EVENTS], writes;
  uint8_t rf[MIXED_EVENTS][MIXED_SIZE];
  uint64_t left[MIXED_EVENTS];
};

// ARM: what has to have read, and to have been written, before an operation reads or writes.
struct order {
  uint32_t reads, writes;
};

struct orders {
  struct order before_read[MIXED_EVENTS], before_write[MIXED_EVENTS];
};

const char *const mixed_processor_names[MIXED_PROCESSORS] = {"x86", "armv8"};

static const struct mixed_event *op_of(const struct state *s, uint32_t e) {
  return &s->program->ops[e];
}

static bool reads(const struct mixed_event *op) {
  return mixed_is_access(op) && op->kind != MIXED_STORE;
}

static bool writes(const struct state *s, uint32_t e) {
  enum mixed_kind kind = op_of(s, e)->kind;
  return kind != MIXED_LOAD && kind != MIXED_FENCE && !(s->fails >> e & 1);
}

static bool program_order(const struct state *s, uint32_t a, uint32_t b) {
  return a < b && op_of(s, a)->thread == op_of(s, b)->thread;
}

static uint8_t last_in_memory(const struct state *s, uint32_t address) {
  for (uint32_t i = s->writes; i-- > 0;)
    if (mixed_has_byte(op_of(s, s->in_memory[i]), address))
      return s->in_memory[i];
  return NOWHERE;
}

static void read_from(struct state *s, uint32_t e, uint32_t byte, uint8_t from) {
  s->rf[e][byte] = from;
}

static uint64_t value_read(const struct state *s, uint32_t e) {
  uint64_t value = 0;
  for (uint32_t i = 0; i < op_of(s, e)->size; i++) {
    uint8_t from = s->rf[e][i];
    if (from != NOWHERE)
      value |= (s->left[from] >> 8 * (op_of(s, e)->address + i - op_of(s, from)->address) & 0xff)
               << 8 * i;
  }
  return value;
}

// The operation has read. Returns whether it fails.
static bool has_read(struct state *s, uint32_t e) {
  const struct mixed_event *op = op_of(s, e);
  uint64_t value = value_read(s, e);
  s->read |= 1u << e;
  if (op->kind == MIXED_ADD)
    s->left[e] = value + op->value;
  return op->kind == MIXED_EXCHANGE_IF && value != op->expected;
}

static void reach_memory(struct state *s, uint32_t e) {
  s->in_memory[s->writes++] = (uint8_t)e;
  s->written |= 1u << e;
}

static void add_mo(const struct state *s, uint32_t *after) {
  for (uint32_t i = 0; i < s->writes; i++)
    for (uint32_t j = i + 1; j < s->writes; j++)
      if (mixed_overlap(op_of(s, s->in_memory[i]), op_of(s, s->in_memory[j])))
        after[s->in_memory[i]] |= 1u << s->in_memory[j];
}

static void add_po_and_rf(const struct state *s, uint32_t *after) {
  for (uint32_t e = 0; e < s->program->count; e++) {
    for (uint32_t b = e + 1; b < s->program->count; b++)
      if (program_order(s, e, b))
        after[e] |= 1u << b;
    for (uint32_t i = 0; reads(op_of(s, e)) && i < op_of(s, e)->size; i++)
      if (s->rf[e][i] != NOWHERE)
        after[s->rf[e][i]] |= 1u << e;
  }
}

static void add_fr(const struct state *s, uint32_t *after) {
  for (uint32_t e = 0; e < s->program->count; e++)
    for (uint32_t i = 0; reads(op_of(s, e)) && i < op_of(s, e)->size; i++) {
      uint8_t from = s->rf[e][i];
      bool later = from == NOWHERE;
      for (uint32_t w = 0; w < s->writes; w++) {
        uint8_t other = s->in_memory[w];
        if (later && other != e && mixed_has_byte(op_of(s, other), op_of(s, e)->address + i))
          after[e] |= 1u << other;
        later |= other == from;
      }
    }
}

static bool has_circle(const struct state *s, uint32_t *after) {
  uint32_t count = s->program->count, circles = 0;
  for (uint32_t k = 0; k < count; k++)
    for (uint32_t a = 0; a < count; a++)
      if (after[a] >> k & 1)
        after[a] |= after[k];
  for (uint32_t a = 0; a < count; a++)
    circles |= after[a] & 1u << a;
  return circles != 0;
}

// Values out of thin air are left out, and with them all circles of po | rf, as C11's definition
// here leaves them out (graph.h).
static bool shows(const struct state *s) {
  uint32_t after[MIXED_EVENTS] = {0}, causes[MIXED_EVENTS] = {0};
  add_po_and_rf(s, causes);
  add_po_and_rf(s, after);
  add_mo(s, after);
  add_fr(s, after);
  return has_circle(s, after) && !has_circle(s, causes);
}

// x86: an operation is done if it has `read`, also a store or fence.

static bool is_buffered_store(const struct mixed_event *op) {
  return op->kind == MIXED_STORE && !op->sc;
}

static bool has_buffered(const struct state *s, uint32_t thread) {
  for (uint32_t e = 0; e < s->program->count; e++)
    if (op_of(s, e)->thread == thread && is_buffered_store(op_of(s, e)) &&
        (s->read & ~s->written) >> e & 1)
      return true;
  return false;
}

// False: the load waits until a store of some of its bytes is in memory.
static bool load_x86(struct state *s, uint32_t e) {
  const struct mixed_event *op = op_of(s, e);
  for (uint32_t a = e; a-- > 0;) {
    const struct mixed_event *store = op_of(s, a);
    if (!program_order(s, a, e) || s->written >> a & 1 || !is_buffered_store(store) ||
        !mixed_overlap(store, op))
      continue;
    if (op->address < store->address || op->address + op->size > store->address + store->size)
      return false;
    for (uint32_t i = 0; i < op->size; i++)
      read_from(s, e, i, (uint8_t)a);
    return true;
  }
  for (uint32_t i = 0; i < op->size; i++)
    read_from(s, e, i, last_in_memory(s, op->address + i));
  return true;
}

// Does the operation. False: it waits.
static bool do_x86(struct state *s, uint32_t e) {
  const struct mixed_event *op = op_of(s, e);
  bool locked =
      op->kind == MIXED_ADD || op->kind == MIXED_EXCHANGE_IF || (op->sc && op->kind != MIXED_LOAD);
  if (locked && has_buffered(s, op->thread))
    return false;
  if (reads(op) && !load_x86(s, e))
    return false;
  if (!reads(op))
    s->read |= 1u << e;
  else if (has_read(s, e))
    s->fails |= 1u << e;
  if (locked && writes(s, e))
    reach_memory(s, e);
  return true;
}

static bool is_next(const struct state *s, uint32_t e) {
  for (uint32_t a = 0; a < e; a++)
    if (program_order(s, a, e) && !(s->read >> a & 1))
      return false;
  return !(s->read >> e & 1);
}

// Makes all steps that no other thread can observe.
static void do_silent_x86(struct state *s) {
  for (uint32_t e = 0; e < s->program->count; e++) {
    const struct mixed_event *op = op_of(s, e);
    if ((is_buffered_store(op) || (op->kind == MIXED_FENCE && !op->sc)) && is_next(s, e))
      do_x86(s, e);
  }
}

static bool shows_x86(const struct state *before) {
  struct state s = *before;
  bool ends = true;
  do_silent_x86(&s);
  uint32_t drains = 0; // threads whose oldest buffered store was tried
  for (uint32_t e = 0; e < s.program->count; e++) {
    const struct mixed_event *op = op_of(&s, e);
    bool done = s.read >> e & 1, buffered = is_buffered_store(op) && !(s.written >> e & 1);
    ends = ends && done && !buffered;
    struct state next = s;
    if (done && buffered && !(drains >> op->thread & 1)) {
      drains |= 1u << op->thread;
      reach_memory(&next, e);
      if (shows_x86(&next))
        return true;
    } else if (is_next(&s, e) && do_x86(&next, e) && shows_x86(&next)) {
      return true;
    }
  }
  return ends && shows(&s);
}

static bool fence_between(const struct state *s, uint32_t a, uint32_t b, bool full) {
  for (uint32_t f = a + 1; f < b; f++)
    if (program_order(s, a, f) && op_of(s, f)->kind == MIXED_FENCE &&
        (!full || op_of(s, f)->release || op_of(s, f)->sc))
      return true;
  return false;
}

// LDAR and LDAXR: not before an earlier STLR.
static bool acquires_rcsc(const struct mixed_event *op) {
  return op->acquire && (op->kind != MIXED_LOAD || op->sc);
}

// Program order: a, then b.
static void order_pair(const struct state *s, uint32_t a, uint32_t b, struct orders *orders) {
  const struct mixed_event *from = op_of(s, a), *to = op_of(s, b);
  struct order *before_read = &orders->before_read[b], *before_write = &orders->before_write[b];
  uint32_t bit = 1u << a;
  bool full = fence_between(s, a, b, true);
  if (full || fence_between(s, a, b, false) || (reads(from) && from->acquire)) {
    before_read->reads |= bit;
    before_write->reads |= bit;
  }
  if (full || (from->release && acquires_rcsc(to)))
    before_read->writes |= bit;
  if (full || to->release || mixed_overlap(from, to)) {
    before_write->reads |= bit;
    before_write->writes |= bit;
  }
}

static void find_orders(const struct state *s, struct orders *orders) {
  *orders = (struct orders){0};
  for (uint32_t b = 0; b < s->program->count; b++) {
    if (reads(op_of(s, b)))
      orders->before_write[b].reads |= 1u << b;
    for (uint32_t a = 0; a < b; a++)
      if (program_order(s, a, b) && mixed_is_access(op_of(s, a)) && mixed_is_access(op_of(s, b)))
        order_pair(s, a, b, orders);
  }
}

static bool may(const struct state *s, const struct order *order) {
  uint32_t missing = order->reads & ~s->read, unwritten = order->writes & ~s->written;
  for (uint32_t a = 0; a < s->program->count; a++)
    if ((missing >> a & 1 && reads(op_of(s, a))) || (unwritten >> a & 1 && writes(s, a)))
      return false;
  return true;
}

static uint8_t source_arm(const struct state *s, uint32_t e, uint32_t address) {
  for (uint32_t a = e; a-- > 0;)
    if (program_order(s, a, e) && writes(s, a) && mixed_has_byte(op_of(s, a), address)) {
      if (!(s->written >> a & 1))
        return (uint8_t)a;
      break;
    }
  return last_in_memory(s, address);
}

// A later read of the thread has been made before: does it agree, for a byte of both?
static bool agrees(const struct state *s, uint32_t e, uint32_t byte) {
  uint32_t address = op_of(s, e)->address + byte;
  for (uint32_t b = e + 1; b < s->program->count; b++) {
    if (!program_order(s, e, b) || !(s->read >> b & 1) || !mixed_has_byte(op_of(s, b), address))
      continue;
    uint8_t later = s->rf[b][address - op_of(s, b)->address];
    bool between = later != NOWHERE && program_order(s, e, later);
    if (!between && later != s->rf[e][byte])
      return false;
  }
  return true;
}

// A store exclusive is forwarded after its own load, if that is to an acquiring load, or if the
// value is not known before.
static bool waits_for_exclusive(const struct state *s, uint32_t e, uint8_t from) {
  return from != NOWHERE && program_order(s, from, e) && reads(op_of(s, from)) &&
         !(s->read >> from & 1) && (op_of(s, e)->acquire || op_of(s, from)->kind == MIXED_ADD);
}

static bool read_arm(struct state *s, uint32_t e) {
  const struct mixed_event *op = op_of(s, e);
  for (uint32_t i = 0; i < op->size; i++) {
    read_from(s, e, i, source_arm(s, e, op->address + i));
    if (!agrees(s, e, i) || waits_for_exclusive(s, e, s->rf[e][i]))
      return false;
  }
  return has_read(s, e) == (s->fails >> e & 1);
}

// The exclusive store succeeds if nothing has been written since.
static bool write_arm(struct state *s, uint32_t e) {
  const struct mixed_event *op = op_of(s, e);
  for (uint32_t i = 0; reads(op) && i < op->size; i++)
    if (last_in_memory(s, op->address + i) != s->rf[e][i])
      return false;
  reach_memory(s, e);
  return true;
}

static bool shows_arm(const struct state *s, const struct orders *orders) {
  bool ends = true;
  for (uint32_t e = 0; e < s->program->count; e++) {
    bool must_read = reads(op_of(s, e)) && !(s->read >> e & 1);
    bool must_write = writes(s, e) && !(s->written >> e & 1);
    ends = ends && !must_read && !must_write;
    struct state next = *s;
    if (must_read && may(s, &orders->before_read[e]) && read_arm(&next, e) &&
        shows_arm(&next, orders))
      return true;
    next = *s;
    if (must_write && may(s, &orders->before_write[e]) && write_arm(&next, e) &&
        shows_arm(&next, orders))
      return true;
  }
  return ends && shows(s);
}

// Says before which compare-exchanges fail: a write may be forwarded before it is known.
static bool shows_arm_however(struct state *s) {
  struct orders orders;
  uint32_t exchanges = 0;
  for (uint32_t e = 0; e < s->program->count; e++)
    if (op_of(s, e)->kind == MIXED_EXCHANGE_IF)
      exchanges |= 1u << e;
  find_orders(s, &orders);
  s->fails = exchanges;
  while (!shows_arm(s, &orders)) {
    if (!s->fails)
      return false;
    s->fails = (s->fails - 1) & exchanges;
  }
  return true;
}

bool mixed_processor_shows(enum mixed_processor processor, const struct mixed_program *program) {
  struct state s = {.program = program};
  for (uint32_t e = 0; e < program->count; e++)
    s.left[e] = program->ops[e].value;
  return processor == MIXED_X86 ? shows_x86(&s) : shows_arm_however(&s);
}
