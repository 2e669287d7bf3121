// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TruSt's algorithm 1, with these differences:
//
// 1. A read that is revisited keeps its stamp (TruSt reorders the graph).
// 2. An update is one event with two stamps. Its write is the next one to be added to a graph that
//    lacks it, and needs no program: the operation says what is written.
// 3. Recursion is a stack of graphs. Each has a read or a write that the run before did not choose.
// 4. Choices: of those that a revisit deletes each has to be the first of its values.
#include "explore.h"

#include "../host.h"
#include "../limits.h"
#include "consistent.h"

#define FIRST_LEFT 1024u // bytes

void rsan_explore_init(struct rsan_explore *x, enum rsan_graph_model model) {
  *x = (struct rsan_explore){.cursor = 0};
  rsan_graph_init(&x->graph, model);
  x->left = rsan_grow(0, &x->room, sizeof *x->left, FIRST_LEFT);
  rsan_graph_init(&x->left[x->count++], model);
}

void rsan_explore_clear(struct rsan_explore *x) {
  rsan_graph_clear(&x->graph);
  while (x->count)
    rsan_graph_clear(&x->left[--x->count]);
  rsan_host_free(x->left);
  x->left = 0;
  x->room = 0;
}

// Keeps `graph`, which it takes over, for later.
static void push(struct rsan_explore *x, const struct rsan_graph *graph) {
  if (x->count == x->room)
    x->left = rsan_grow(x->left, &x->room, sizeof *x->left, FIRST_LEFT);
  x->left[x->count++] = *graph;
  if (x->count > x->most_left)
    x->most_left = x->count;
}

static void push_copy(struct rsan_explore *x, const struct rsan_graph *graph) {
  struct rsan_graph copy;
  rsan_graph_copy(&copy, graph);
  push(x, &copy);
}

// A write that has no place yet, for which reads are revisited.
struct revisit {
  const struct rsan_graph *graph;
  const uint64_t *prefix; // what comes before `write` by po ∪ rf
  uint32_t write;
};

static bool is_in_prefix(const struct revisit *v, uint32_t e) {
  return rsan_row_has(v->prefix, e);
}

// Is the read, or a part that is all of the event, previous? That of the write's own update is in
// the prefix.
static bool is_read_previous(const struct revisit *v, uint32_t e, uint32_t stamp) {
  return v->graph->event[e].stamp <= stamp || is_in_prefix(v, e) || e == v->write;
}

static bool is_write_previous(const struct revisit *v, uint32_t e, uint32_t stamp) {
  return v->graph->event[e].write_stamp <= stamp || is_in_prefix(v, e);
}

// Is a previous write of the object behind `place`?
static bool is_write_behind(const struct revisit *v, uint32_t object, uint32_t place,
                            uint32_t stamp) {
  for (uint32_t e = 0; e < v->graph->count; e++) {
    const struct rsan_graph_event *event = &v->graph->event[e];
    if (event->place > place && event->op.object == object && is_write_previous(v, e, stamp))
      return true;
  }
  return false;
}

// maximal(e), of a read: no previous write is behind what it reads. (TruSt asks for what it reads
// to be previous, too. Else that would be a write that is deleted and not maximal.)
static bool is_read_maximal(const struct revisit *v, uint32_t e) {
  const struct rsan_graph_event *event = &v->graph->event[e];
  return event->outcome != RSAN_GRAPH_FAILED_ANYHOW &&
         !is_write_behind(v, event->op.object, rsan_graph_read_place(v->graph, event),
                          event->stamp);
}

// maximal(e), of a write: it is the last previous one, and no previous read reads it.
static bool is_write_maximal(const struct revisit *v, uint32_t e) {
  const struct rsan_graph_event *event = &v->graph->event[e];
  for (uint32_t r = 0; r < v->graph->count; r++)
    if (v->graph->event[r].reads == e && is_read_previous(v, r, event->write_stamp))
      return false;
  return !is_write_behind(v, event->op.object, event->place, event->write_stamp);
}

// maximal(e)
static bool is_maximal(const struct revisit *v, uint32_t e) {
  const struct rsan_graph_event *event = &v->graph->event[e];
  if (event->op.kind == RSAN_GRAPH_CHOICE)
    return event->read.low == 0;
  return (event->reads == RSAN_GRAPH_NONE || is_read_maximal(v, e)) &&
         (!event->write_stamp || is_write_maximal(v, e));
}

// What a revisit of `read` leaves: false if something is deleted that is not maximal. (The write of
// an update whose read stays is never deleted alone: the update was revisited by a write that came
// between the two, and that write would be deleted, too, and is read.)
static bool find_kept(const struct revisit *v, uint32_t read, uint64_t *kept) {
  uint32_t stamp = v->graph->event[read].stamp;
  for (uint32_t e = 0; e < v->graph->count; e++) {
    bool stays = is_read_previous(v, e, stamp);
    if ((e == read || !stays) && !is_maximal(v, e))
      return false;
    if (stays)
      rsan_row_add(kept, e);
  }
  return true;
}

// Is a graph consistent to which `write` was added, with a place, and perhaps `read`, which reads
// it?
static bool is_consistent_after(const struct rsan_graph *graph, uint32_t write, uint32_t read) {
  return rsan_graph_is_coherent(graph, write) &&
         (read == RSAN_GRAPH_NONE || rsan_graph_is_coherent(graph, read)) &&
         rsan_graph_is_ordered(graph);
}

// The least place that a write may have: an update's is behind what it reads, another's behind what
// is known. Places below it are not coherent.
static uint32_t first_place(const struct rsan_graph *graph, uint32_t write) {
  const struct rsan_graph_event *event = &graph->event[write];
  return 1 + (event->reads != RSAN_GRAPH_NONE ? rsan_graph_read_place(graph, event)
                                              : rsan_graph_known(graph, write));
}

// places(G, a): keeps the graph with each place for later but the last, which it gets. False: there
// is none.
static bool find_places(struct rsan_explore *x, struct rsan_graph *graph, uint32_t write,
                        uint32_t read) {
  uint32_t last = rsan_graph_write_count(graph, graph->event[write].op.object) + 1;
  uint32_t found = 0;
  for (uint32_t place = first_place(graph, write); place <= last; place++) {
    rsan_graph_place(graph, write, place);
    bool consistent = is_consistent_after(graph, write, read);
    rsan_graph_unplace(graph, write);
    if (!consistent)
      continue;
    if (found) {
      rsan_graph_place(graph, write, found);
      push_copy(x, graph);
      rsan_graph_unplace(graph, write);
    }
    found = place;
  }
  if (found)
    rsan_graph_place(graph, write, found);
  return found;
}

// Keeps `graph`, which it takes over, with each place of the write.
static void push_places(struct rsan_explore *x, struct rsan_graph *graph, uint32_t write,
                        uint32_t read) {
  if (find_places(x, graph, write, read))
    push(x, graph);
  else
    rsan_graph_clear(graph);
}

// The read, in a graph without what is not kept, reads the write.
static void revisit_read(struct rsan_explore *x, const struct revisit *v, uint32_t read,
                         const uint64_t *kept) {
  struct rsan_graph graph, other;
  uint32_t number, write = 0;
  for (uint32_t e = 0; e < v->write; e++)
    write += e != read && rsan_row_has(kept, e);
  rsan_graph_restrict(&graph, v->graph, kept, read, &number);
  bool spurious = graph.event[number].op.spurious;
  if (spurious)
    rsan_graph_copy(&other, &graph);
  x->revisits++;
  rsan_graph_read(&graph, number, write, false);
  bool holds = graph.event[number].outcome == RSAN_GRAPH_LACKS_ITS_WRITE;
  push_places(x, &graph, write, number);
  if (spurious && holds) {
    rsan_graph_read(&other, number, write, true);
    push_places(x, &other, write, number);
  } else if (spurious) {
    rsan_graph_clear(&other);
  }
}

// revisit(G, a)
static void revisit_all(struct rsan_explore *x, const struct rsan_graph *graph, uint32_t write) {
  struct revisit v = {graph, rsan_graph_row(graph, write, RSAN_GRAPH_PORF), write};
  uint64_t *kept = rsan_host_alloc(graph->words * sizeof *kept);
  for (uint32_t r = 0; r < graph->count; r++) {
    const struct rsan_graph_event *event = &graph->event[r];
    if (event->reads == RSAN_GRAPH_NONE || event->op.certain ||
        event->op.object != graph->event[write].op.object || is_in_prefix(&v, r) || r == write)
      continue;
    rsan_host_memset(kept, 0, graph->words * sizeof *kept);
    if (find_kept(&v, r, kept))
      revisit_read(x, &v, r, kept);
  }
  rsan_host_free(kept);
}

// A write was added to the graph: false if it has no place there.
static bool visit_write(struct rsan_explore *x, struct rsan_graph *graph, uint32_t write) {
  rsan_graph_write(graph, write);
  revisit_all(x, graph, write);
  return find_places(x, graph, write, RSAN_GRAPH_NONE);
}

// Adds the write that an update of the graph lacks; one update at most lacks it. False: it has no
// place.
static bool visit_unwritten(struct rsan_explore *x, struct rsan_graph *graph) {
  for (uint32_t e = 0; e < graph->count; e++)
    if (graph->event[e].outcome == RSAN_GRAPH_LACKS_ITS_WRITE)
      return visit_write(x, graph, e);
  return true;
}

void rsan_explore_again(struct rsan_explore *x) {
  x->cursor = 0;
  x->cut = x->diverged = false;
}

bool rsan_explore_next(struct rsan_explore *x) {
  rsan_explore_again(x);
  while (x->count) {
    rsan_graph_clear(&x->graph);
    x->graph = x->left[--x->count];
    if (visit_unwritten(x, &x->graph))
      return true;
    x->dropped++;
  }
  return false;
}

static bool does_wait(const struct rsan_graph *graph, uint32_t thread) {
  uint32_t last = rsan_graph_last_of(graph, thread);
  return last != RSAN_GRAPH_NONE && graph->event[last].outcome == RSAN_GRAPH_BLOCKED;
}

uint32_t rsan_explore_thread(const struct rsan_explore *x, uint64_t can_go_on) {
  if (x->cut || x->diverged)
    return RSAN_NO_GRAPH_THREAD;
  if (x->cursor < x->graph.count)
    return x->graph.event[x->cursor].thread;
  for (; can_go_on; can_go_on &= can_go_on - 1) {
    uint32_t thread = (uint32_t)__builtin_ctzll(can_go_on);
    if (!does_wait(&x->graph, thread))
      return thread;
  }
  return RSAN_NO_GRAPH_THREAD;
}

// Tries one write, or outcome, for the read that is the graph's last event: keeps a copy of the
// graph for later if that is consistent. `rows` has the event's rows, without what it reads.
static void try_read(struct rsan_explore *x, uint32_t e, const uint64_t *rows, uint32_t write,
                     bool fails_anyhow) {
  struct rsan_graph *graph = &x->graph;
  const struct rsan_graph_event event = graph->event[e];
  const uint32_t seq_csts = graph->seq_csts;
  rsan_graph_read(graph, e, write, fails_anyhow);
  bool is_other = !fails_anyhow || graph->event[e].outcome == RSAN_GRAPH_FAILED_ANYHOW;
  if (is_other && rsan_graph_is_ordered(graph))
    push_copy(x, graph);
  graph->event[e] = event;
  graph->seq_csts = seq_csts;
  rsan_host_memcpy(rsan_graph_row(graph, e, 0), rows,
                   RSAN_GRAPH_ROWS * graph->words * sizeof *rows);
}

// The last write of the object is read; all others are kept for later, from the last one on that
// the thread knows: to read these is coherent, because what the read acquires from a write happens
// before that write, and is in front of it in modification order. Whatever reads or writes the last
// one comes after all else of the graph, so that is consistent. A certain read has that one choice.
static void visit_read(struct rsan_explore *x, uint32_t e) {
  const struct rsan_graph_op op = x->graph.event[e].op;
  const size_t size = RSAN_GRAPH_ROWS * x->graph.words * sizeof(uint64_t);
  uint32_t last = rsan_graph_write_count(&x->graph, op.object);
  uint64_t *rows = rsan_host_alloc(size);
  rsan_host_memcpy(rows, rsan_graph_row(&x->graph, e, 0), size);
  for (uint32_t place = op.certain ? last : rsan_graph_known(&x->graph, e); place <= last;
       place++) {
    uint32_t write = rsan_graph_write_at(&x->graph, op.object, place);
    if (place < last)
      try_read(x, e, rows, write, false);
    if (op.spurious)
      try_read(x, e, rows, write, true);
  }
  rsan_host_free(rows);
  rsan_graph_read(&x->graph, e, rsan_graph_write_at(&x->graph, op.object, last), false);
  visit_unwritten(x, &x->graph);
}

static void visit_choice(struct rsan_explore *x, uint32_t e) {
  struct rsan_graph_event *event = &x->graph.event[e];
  for (event->read.low = event->op.operand.low; --event->read.low > 0;)
    push_copy(x, &x->graph);
}

static bool is_same(const struct rsan_graph_op *a, const struct rsan_graph_op *b) {
  return a->kind == b->kind && a->function == b->function && a->order == b->order &&
         a->failure == b->failure && a->size == b->size && a->conditional == b->conditional &&
         a->blocks == b->blocks && a->insists == b->insists && a->spurious == b->spurious &&
         a->certain == b->certain && a->object == b->object &&
         rsan_value_equal(a->operand, b->operand) && rsan_value_equal(a->initial, b->initial) &&
         (!a->conditional || rsan_condition_equal(&a->condition, &b->condition));
}

// visit(G)
static uint32_t go_on(struct rsan_explore *x, uint32_t thread, const struct rsan_graph_op *op) {
  uint32_t e = rsan_graph_add(&x->graph, thread, op);
  if (rsan_graph_reads(&x->graph, op))
    visit_read(x, e);
  else if (op->kind == RSAN_GRAPH_WRITE)
    visit_write(x, &x->graph, e);
  else if (op->kind == RSAN_GRAPH_CHOICE)
    visit_choice(x, e);
  return e;
}

uint32_t rsan_explore_step(struct rsan_explore *x, uint32_t thread,
                           const struct rsan_graph_op *op) {
  if (x->cursor == RSAN_GRAPH_MOST_EVENTS) {
    x->cut = true;
    return RSAN_GRAPH_NONE;
  }
  if (x->cursor == x->graph.count)
    return x->cursor++, go_on(x, thread, op);
  const struct rsan_graph_event *event = &x->graph.event[x->cursor];
  struct rsan_graph_op in = rsan_graph_op_in(&x->graph, op);
  x->diverged = x->diverged || event->thread != thread || !is_same(&event->op, &in);
  return x->diverged ? RSAN_GRAPH_NONE : x->cursor++;
}

enum rsan_graph_end rsan_explore_end_of(const struct rsan_explore *x) {
  const struct rsan_graph *graph = &x->graph;
  enum rsan_graph_end end = RSAN_EXPLORE_COMPLETE;
  if (x->diverged || x->cursor < graph->count)
    return RSAN_EXPLORE_DIVERGED;
  if (x->cut)
    return RSAN_EXPLORE_CUT;
  for (uint32_t e = 0; e < graph->count; e++) {
    const struct rsan_graph_event *event = &graph->event[e];
    if (event->outcome != RSAN_GRAPH_BLOCKED)
      continue;
    if (rsan_graph_read_place(graph, event) < rsan_graph_write_count(graph, event->op.object))
      return RSAN_EXPLORE_WAITS;
    end = RSAN_EXPLORE_DEADLOCK;
  }
  return end;
}

enum rsan_graph_end rsan_explore_end(struct rsan_explore *x) {
  enum rsan_graph_end end = rsan_explore_end_of(x);
  x->runs[end]++;
  return end;
}
