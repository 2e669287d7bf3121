// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows follow the definitions of RC20 with C++20's release sequences (Margalit et al., PLDI
// 2025, section 3), as far as they concern one event and those before it:
//
//   rs = [W]; (rf; [RMW])*
//
//   sw = ([W&rel] ∪ [F&rel]; po; [W]); rs; rf; ([R&acq] ∪ [R]; po; [F&acq])
//
//   hb = (po ∪ sw)+
//
// What comes after an event never changes its rows.
#include "graph.h"

#include "../host.h"

#define FIRST_ROOM 64u

void rsan_graph_init(struct rsan_graph *graph, enum rsan_graph_model model) {
  *graph = (struct rsan_graph){.model = model};
}

void rsan_graph_clear(struct rsan_graph *graph) {
  rsan_host_free(graph->event);
  rsan_host_free(graph->rows);
  rsan_graph_init(graph, graph->model);
}

static uint64_t size_of_rows(uint32_t count, uint32_t words) {
  return (uint64_t)count * RSAN_GRAPH_ROWS * words * sizeof(uint64_t);
}

void rsan_graph_copy(struct rsan_graph *to, const struct rsan_graph *from) {
  *to = *from;
  if (!from->room)
    return;
  to->event = rsan_host_alloc(from->room * sizeof *to->event);
  to->rows = rsan_host_alloc(size_of_rows(from->room, from->words));
  rsan_host_memcpy(to->event, from->event, from->count * sizeof *to->event);
  rsan_host_memcpy(to->rows, from->rows, size_of_rows(from->count, from->words));
}

// Rows have a bit for each event that there is room for.
static void enlarge(struct rsan_graph *graph) {
  uint32_t room = graph->room ? 2 * graph->room : FIRST_ROOM, words = room / 64;
  uint64_t *rows = rsan_new_zeroed(size_of_rows(room, words));
  for (uint32_t i = 0; i < graph->count * RSAN_GRAPH_ROWS; i++)
    rsan_host_memcpy(rows + (uint64_t)i * words, graph->rows + (uint64_t)i * graph->words,
                     graph->words * sizeof *rows);
  rsan_host_free(graph->rows);
  graph->rows = rows;
  graph->event =
      rsan_resize(graph->event, graph->count * sizeof *graph->event, room * sizeof *graph->event);
  graph->room = room;
  graph->words = words;
}

bool rsan_graph_is_fence_sc(const struct rsan_graph_event *event) {
  return event->op.kind == RSAN_GRAPH_FENCE && event->op.order == RSAN_SEQ_CST;
}

bool rsan_graph_reads(const struct rsan_graph *graph, const struct rsan_graph_op *op) {
  return op->kind == RSAN_GRAPH_READ || op->kind == RSAN_GRAPH_UPDATE ||
         (graph->model == RSAN_GRAPH_RC20 && op->kind == RSAN_GRAPH_FENCE &&
          op->order == RSAN_SEQ_CST);
}

enum rsan_order rsan_graph_order(const struct rsan_graph_event *event) {
  bool failed = event->op.kind == RSAN_GRAPH_UPDATE && event->outcome >= RSAN_GRAPH_FAILED &&
                event->outcome <= RSAN_GRAPH_BLOCKED;
  return failed ? event->op.failure : event->op.order;
}

bool rsan_graph_is_sc_event(const struct rsan_graph_event *event) {
  return event->op.kind <= RSAN_GRAPH_FENCE && rsan_graph_order(event) == RSAN_SEQ_CST;
}

uint32_t rsan_graph_read_place(const struct rsan_graph *graph,
                               const struct rsan_graph_event *event) {
  return event->reads == RSAN_GRAPH_INITIAL ? 0 : graph->event[event->reads].place;
}

uint32_t rsan_graph_last_of(const struct rsan_graph *graph, uint32_t thread) {
  for (uint32_t e = graph->count; e-- > 0;)
    if (graph->event[e].thread == thread)
      return e;
  return RSAN_GRAPH_NONE;
}

static bool is_write_of(const struct rsan_graph_event *event, uint32_t object) {
  return event->write_stamp && event->op.object == object;
}

uint32_t rsan_graph_write_count(const struct rsan_graph *graph, uint32_t object) {
  uint32_t count = 0;
  for (uint32_t e = 0; e < graph->count; e++)
    count += is_write_of(&graph->event[e], object) && graph->event[e].place;
  return count;
}

uint32_t rsan_graph_write_at(const struct rsan_graph *graph, uint32_t object, uint32_t place) {
  for (uint32_t e = 0; e < graph->count && place; e++)
    if (is_write_of(&graph->event[e], object) && graph->event[e].place == place)
      return e;
  return RSAN_GRAPH_INITIAL;
}

static void join_with(const struct rsan_graph *graph, uint64_t *row, uint32_t event,
                      enum rsan_graph_row of) {
  rsan_row_join(row, rsan_graph_row(graph, event, of), graph->words);
}

static void add_before(const struct rsan_graph *graph, uint64_t *row, uint32_t event,
                       enum rsan_graph_row of) {
  join_with(graph, row, event, of);
  rsan_row_add(row, event);
}

// po; hb; po: what is po-before an event that happens before `previous`.
static void join_strongly_before(const struct rsan_graph *graph, uint64_t *row, uint32_t previous) {
  const uint64_t *before = rsan_graph_row(graph, previous, RSAN_GRAPH_HB);
  join_with(graph, row, previous, RSAN_GRAPH_SHB);
  for (uint32_t e = 0; (e = rsan_row_next(before, graph->words, e)) != RSAN_GRAPH_NONE; e++)
    for (uint32_t p = graph->event[e].previous; p != RSAN_GRAPH_NONE && !rsan_row_has(row, p);
         p = graph->event[p].previous)
      rsan_row_add(row, p);
}

struct rsan_graph_op rsan_graph_op_in(const struct rsan_graph *graph,
                                      const struct rsan_graph_op *op) {
  struct rsan_graph_op in = *op;
  if (graph->model == RSAN_GRAPH_RC20 && op->kind == RSAN_GRAPH_FENCE && op->order == RSAN_SEQ_CST)
    in.object = RSAN_GRAPH_FENCES;
  return in;
}

uint32_t rsan_graph_add(struct rsan_graph *graph, uint32_t thread, const struct rsan_graph_op *op) {
  uint32_t previous = rsan_graph_last_of(graph, thread);
  if (graph->count == graph->room)
    enlarge(graph);
  uint32_t e = graph->count++;
  struct rsan_graph_event *event = &graph->event[e];
  *event = (struct rsan_graph_event){.op = rsan_graph_op_in(graph, op),
                                     .thread = thread,
                                     .previous = previous,
                                     .fence = RSAN_GRAPH_NONE,
                                     .reads = RSAN_GRAPH_NONE,
                                     .stamp = ++graph->last_stamp};
  uint64_t *hb = rsan_graph_row(graph, e, RSAN_GRAPH_HB);
  rsan_host_memset(rsan_graph_row(graph, e, 0), 0, size_of_rows(1, graph->words));
  if (previous != RSAN_GRAPH_NONE) {
    event->index = graph->event[previous].index + 1;
    event->fence = graph->event[previous].fence;
    add_before(graph, rsan_graph_row(graph, e, RSAN_GRAPH_PORF), previous, RSAN_GRAPH_PORF);
    add_before(graph, hb, previous, RSAN_GRAPH_HB);
    join_with(graph, rsan_graph_row(graph, e, RSAN_GRAPH_ACQ), previous, RSAN_GRAPH_ACQ);
    join_strongly_before(graph, rsan_graph_row(graph, e, RSAN_GRAPH_SHB), previous);
  }
  if (op->kind == RSAN_GRAPH_FENCE) {
    if (rsan_order_acquires(op->order))
      join_with(graph, hb, e, RSAN_GRAPH_ACQ);
    if (rsan_order_releases(op->order))
      event->fence = e;
  }
  if (!rsan_graph_reads(graph, op))
    graph->seq_csts += rsan_graph_is_sc_event(event);
  return e;
}

// Returns the bits without the lowest one but for `skipped`.
static uint64_t clear_bit(uint64_t bits, uint64_t skipped) {
  uint64_t left = bits;
  for (; left && skipped; skipped--)
    left &= left - 1;
  return bits & ~(left & -left);
}

static struct rsan_value apply(const struct rsan_graph_op *op, struct rsan_value read) {
  uint64_t a = read.low, b = op->operand.low;
  if (op->function == RSAN_GRAPH_SET)
    return op->operand;
  if (op->function == RSAN_GRAPH_CLEAR)
    return (struct rsan_value){.low = clear_bit(a, b)};
  const uint64_t results[] = {0, a + b, a - b, a & b, a | b, a ^ b, ~(a & b)};
  uint64_t mask = op->size && op->size < 8 ? ((uint64_t)1 << op->size * 8) - 1 : UINT64_MAX;
  return (struct rsan_value){.low = results[op->function] & mask};
}

// What comes of the value that was read.
static enum rsan_graph_outcome outcome_of(const struct rsan_graph_event *event, bool fails_anyhow) {
  const struct rsan_graph_op *op = &event->op;
  bool holds = !op->conditional || rsan_condition_holds(&op->condition, event->read);
  if (!holds && op->insists)
    holds = !rsan_value_equal(apply(op, event->read), event->read);
  if (!holds && op->blocks)
    return RSAN_GRAPH_BLOCKED;
  if (op->kind == RSAN_GRAPH_READ)
    return RSAN_GRAPH_DONE;
  if (!holds)
    return RSAN_GRAPH_FAILED;
  return fails_anyhow ? RSAN_GRAPH_FAILED_ANYHOW : RSAN_GRAPH_LACKS_ITS_WRITE;
}

void rsan_graph_read(struct rsan_graph *graph, uint32_t e, uint32_t write, bool fails_anyhow) {
  struct rsan_graph_event *event = &graph->event[e];
  bool initial = write == RSAN_GRAPH_INITIAL;
  event->reads = write;
  event->read = initial ? event->op.initial : graph->event[write].written;
  event->outcome = outcome_of(event, fails_anyhow);
  graph->seq_csts += rsan_graph_is_sc_event(event);
  if (initial)
    return;
  add_before(graph, rsan_graph_row(graph, e, RSAN_GRAPH_PORF), write, RSAN_GRAPH_PORF);
  join_with(graph, rsan_graph_row(graph, e, RSAN_GRAPH_ACQ), write, RSAN_GRAPH_REL);
  if (rsan_order_acquires(rsan_graph_order(event)))
    join_with(graph, rsan_graph_row(graph, e, RSAN_GRAPH_HB), write, RSAN_GRAPH_REL);
}

// The rows of the write of an event.
static void release(struct rsan_graph *graph, uint32_t e) {
  const struct rsan_graph_event *event = &graph->event[e];
  uint64_t *rel = rsan_graph_row(graph, e, RSAN_GRAPH_REL);
  if (rsan_order_releases(event->op.order))
    add_before(graph, rel, e, RSAN_GRAPH_HB);
  if (event->fence != RSAN_GRAPH_NONE)
    add_before(graph, rel, event->fence, RSAN_GRAPH_HB);
  if (event->reads < RSAN_GRAPH_NONE) // the release sequence goes on
    join_with(graph, rel, event->reads, RSAN_GRAPH_REL);
}

void rsan_graph_write(struct rsan_graph *graph, uint32_t e) {
  struct rsan_graph_event *event = &graph->event[e];
  bool update = event->reads != RSAN_GRAPH_NONE;
  event->written = update ? apply(&event->op, event->read) : event->op.operand;
  event->write_stamp = update ? ++graph->last_stamp : event->stamp;
  event->outcome = RSAN_GRAPH_DONE;
  release(graph, e);
}

// Writes of the object from `place` on move by `by`.
static void move_places(struct rsan_graph *graph, uint32_t object, uint32_t place, uint32_t by) {
  for (uint32_t e = 0; e < graph->count; e++)
    if (is_write_of(&graph->event[e], object) && graph->event[e].place >= place)
      graph->event[e].place += by;
}

void rsan_graph_place(struct rsan_graph *graph, uint32_t event, uint32_t place) {
  move_places(graph, graph->event[event].op.object, place, 1);
  graph->event[event].place = place;
}

void rsan_graph_unplace(struct rsan_graph *graph, uint32_t event) {
  uint32_t place = graph->event[event].place;
  graph->event[event].place = 0;
  move_places(graph, graph->event[event].op.object, place + 1, UINT32_MAX);
}

// Adds `old` of another graph at the end, with what it reads, its stamps and its place there.
static void add_again(struct rsan_graph *to, const struct rsan_graph_event *old, uint32_t reads,
                      bool writes) {
  uint32_t e = rsan_graph_add(to, old->thread, &old->op);
  struct rsan_graph_event *event = &to->event[e];
  event->read = old->read; // of a choice
  if (reads != RSAN_GRAPH_NONE)
    rsan_graph_read(to, e, reads, old->outcome == RSAN_GRAPH_FAILED_ANYHOW);
  if (writes)
    rsan_graph_write(to, e);
  event->stamp = old->stamp;
  event->write_stamp = writes ? old->write_stamp : 0;
  event->place = writes ? old->place : 0;
}

// A write of `from` is not in `to`: what was behind it moves up. `number` is of each event of
// `from` its number in `to`.
static void close_gap(struct rsan_graph *to, const struct rsan_graph *from, uint32_t gone,
                      const uint32_t *number) {
  const struct rsan_graph_event *write = &from->event[gone];
  for (uint32_t e = 0; e < from->count; e++)
    if (number[e] != RSAN_GRAPH_NONE && is_write_of(&to->event[number[e]], write->op.object) &&
        from->event[e].place > write->place)
      to->event[number[e]].place--;
}

void rsan_graph_restrict(struct rsan_graph *to, const struct rsan_graph *from, const uint64_t *kept,
                         uint32_t last, uint32_t *number) {
  uint32_t *numbers = rsan_host_alloc((from->count + 1) * sizeof *numbers);
  rsan_graph_init(to, from->model);
  for (uint32_t e = 0; e < from->count; e++) {
    const struct rsan_graph_event *old = &from->event[e];
    numbers[e] = RSAN_GRAPH_NONE;
    if (e == last || !rsan_row_has(kept, e))
      continue;
    numbers[e] = to->count;
    add_again(to, old, old->reads < RSAN_GRAPH_NONE ? numbers[old->reads] : old->reads,
              old->write_stamp);
  }
  *number = numbers[last] = to->count;
  add_again(to, &from->event[last], RSAN_GRAPH_NONE, false);
  for (uint32_t e = 0; e < from->count; e++)
    if (from->event[e].place &&
        (numbers[e] == RSAN_GRAPH_NONE || !to->event[numbers[e]].write_stamp))
      close_gap(to, from, e, numbers);
  to->last_stamp = from->last_stamp;
  rsan_host_free(numbers);
}
