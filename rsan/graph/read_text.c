// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the text form in two steps: it parses a line, and then adds the event to the graph by the
// calls that made it. So rows and values become the same again.
#include "../host.h"
#include "../limits.h"
#include "names.h"
#include "text.h"

// The contents of a line.
struct said {
  struct rsan_graph_op op;
  uint32_t thread, stamp, write_stamp, place, reads;
  uint64_t chosen;
  bool fails, has_kind;
};

struct reader {
  const char *at;
  const char *word; // of `length` characters
  uint32_t length;
  const char *wrong; // NULL: nothing
};

static const char *fail(struct reader *r, const char *message) {
  if (!r->wrong)
    r->wrong = message;
  return r->wrong;
}

// Reads the next word of the line. Returns false if there is none.
static bool next_word(struct reader *r) {
  while (*r->at == ' ')
    r->at++;
  r->word = r->at;
  while (*r->at && *r->at != ' ' && *r->at != '\n')
    r->at++;
  r->length = (uint32_t)(r->at - r->word);
  return r->length;
}

static bool is_word(const struct reader *r, const char *word) {
  uint32_t i = 0;
  while (i < r->length && word[i] && word[i] == r->word[i])
    i++;
  return i == r->length && !word[i];
}

static uint64_t parse_digits(struct reader *r, const char *from, const char *end) {
  uint64_t number = 0;
  if (from == end)
    fail(r, "a number is missing");
  for (; from < end; from++) {
    unsigned digit = (unsigned)(*from - '0');
    if (digit > 9 || number > (UINT64_MAX - digit) / 10)
      return fail(r, "not a number of 64 bits"), 0;
    number = number * 10 + digit;
  }
  return number;
}

static uint64_t read_number(struct reader *r, uint64_t most) {
  next_word(r);
  uint64_t number = parse_digits(r, r->word, r->word + r->length);
  if (number > most)
    fail(r, "the number is too large");
  return number;
}

static struct rsan_value read_value(struct reader *r) {
  next_word(r);
  const char *end = r->word + r->length, *colon = r->word;
  while (colon < end && *colon != ':')
    colon++;
  if (colon == end)
    return (struct rsan_value){.low = parse_digits(r, r->word, end)};
  return (struct rsan_value){.high = parse_digits(r, r->word, colon),
                             .low = parse_digits(r, colon + 1, end)};
}

static uint8_t find_name(struct reader *r, const rsan_graph_name *names, uint32_t count) {
  for (uint8_t i = 0; i < count; i++)
    if (is_word(r, names[i]))
      return i;
  return (uint8_t)count;
}

static uint8_t read_name(struct reader *r, const rsan_graph_name *names, uint32_t count) {
  next_word(r);
  uint8_t i = find_name(r, names, count);
  if (i == count)
    return fail(r, "a name is unknown"), 0;
  return i;
}

static void read_condition(struct reader *r, struct rsan_graph_op *op) {
  op->conditional = true;
  op->condition.relation = read_name(r, rsan_graph_relations, RSAN_RELATIONS);
  op->condition.operand = read_value(r);
}

// A field of the operation. False: there is none of that name.
static bool read_op_field(struct reader *r, struct said *said) {
  struct rsan_graph_op *op = &said->op;
  uint8_t kind = find_name(r, rsan_graph_kinds, RSAN_GRAPH_KINDS);
  if (kind < RSAN_GRAPH_KINDS) {
    op->kind = kind;
    said->has_kind = true;
  } else if (is_word(r, "object"))
    op->object = (uint32_t)read_number(r, UINT32_MAX);
  else if (is_word(r, "order"))
    op->order = read_name(r, rsan_graph_orders, RSAN_GRAPH_ORDERS);
  else if (is_word(r, "failure"))
    op->failure = read_name(r, rsan_graph_orders, RSAN_GRAPH_ORDERS);
  else if (is_word(r, "function"))
    op->function = read_name(r, rsan_graph_functions, RSAN_GRAPH_FUNCTIONS);
  else if (is_word(r, "size"))
    op->size = (uint8_t)read_number(r, 16);
  else if (is_word(r, "operand"))
    op->operand = read_value(r);
  else if (is_word(r, "initial"))
    op->initial = read_value(r);
  else if (is_word(r, "when"))
    read_condition(r, op);
  else if (is_word(r, "mask"))
    op->condition.mask = read_number(r, UINT64_MAX);
  else if (is_word(r, "condition-size"))
    op->condition.size = (uint8_t)read_number(r, 16);
  else if (is_word(r, "alone"))
    op->condition.alone = true;
  else if (is_word(r, "blocks"))
    op->blocks = true;
  else if (is_word(r, "insists"))
    op->insists = true;
  else if (is_word(r, "certain"))
    op->certain = true;
  else if (is_word(r, "spurious"))
    op->spurious = true;
  else
    return false;
  return true;
}

static void read_field(struct reader *r, struct said *said) {
  if (is_word(r, "thread"))
    said->thread = (uint32_t)read_number(r, RSAN_GRAPH_MOST_THREADS - 1);
  else if (is_word(r, "stamp"))
    said->stamp = (uint32_t)read_number(r, UINT32_MAX);
  else if (is_word(r, "write-stamp"))
    said->write_stamp = (uint32_t)read_number(r, UINT32_MAX);
  else if (is_word(r, "place"))
    said->place = (uint32_t)read_number(r, UINT32_MAX);
  else if (is_word(r, "chosen"))
    said->chosen = read_number(r, UINT64_MAX);
  else if (is_word(r, "fails"))
    said->fails = true;
  else if (!is_word(r, "reads")) {
    if (!read_op_field(r, said))
      fail(r, "an unknown word");
  } else {
    next_word(r);
    said->reads = is_word(r, "initial") ? RSAN_GRAPH_INITIAL
                                        : (uint32_t)parse_digits(r, r->word, r->word + r->length);
  }
}

// May the event read what the line says?
static void check_read(struct reader *r, const struct rsan_graph *graph, const struct said *said,
                       uint32_t object) {
  if (rsan_graph_reads(graph, &said->op) != (said->reads != RSAN_GRAPH_NONE))
    fail(r, "a read names the write that it reads, and nothing else does");
  else if (said->reads < RSAN_GRAPH_NONE &&
           (said->reads >= graph->count || !graph->event[said->reads].write_stamp ||
            graph->event[said->reads].op.object != object))
    fail(r, "what it reads is no earlier write of the object");
}

// The event of the line.
static void add_said(struct reader *r, struct rsan_graph *graph, const struct said *said) {
  uint32_t last = rsan_graph_last_of(graph, said->thread);
  struct rsan_graph_op op = rsan_graph_op_in(graph, &said->op);
  if (!said->has_kind)
    fail(r, "the kind of the event is missing");
  if (last != RSAN_GRAPH_NONE && graph->event[last].outcome >= RSAN_GRAPH_BLOCKED)
    fail(r, "its thread waits, or lacks a write");
  if (graph->count == RSAN_GRAPH_MOST_EVENTS)
    fail(r, "too many events");
  check_read(r, graph, said, op.object);
  if (r->wrong)
    return;
  uint32_t e = rsan_graph_add(graph, said->thread, &said->op);
  if (said->reads != RSAN_GRAPH_NONE)
    rsan_graph_read(graph, e, said->reads, said->fails);
  struct rsan_graph_event *event = &graph->event[e];
  bool may_write =
      event->op.kind == RSAN_GRAPH_WRITE || event->outcome == RSAN_GRAPH_LACKS_ITS_WRITE;
  if (said->fails != (event->outcome == RSAN_GRAPH_FAILED_ANYHOW) ||
      (said->fails && !said->op.spurious))
    fail(r, "it cannot fail");
  if (op.kind == RSAN_GRAPH_CHOICE ? said->chosen >= op.operand.low : said->chosen != 0)
    fail(r, "there is no such choice");
  if (op.kind == RSAN_GRAPH_WRITE && !said->write_stamp)
    fail(r, "a write has a write-stamp");
  if ((said->write_stamp && !may_write) || (!said->write_stamp && said->place))
    fail(r, "it does not write");
  if (said->write_stamp)
    rsan_graph_write(graph, e);
  if (op.kind == RSAN_GRAPH_CHOICE)
    event->read.low = said->chosen;
  event->stamp = said->stamp;
  event->write_stamp = said->write_stamp;
  event->place = said->place;
}

static void read_event(struct reader *r, struct rsan_graph *graph) {
  struct said said = {.reads = RSAN_GRAPH_NONE};
  if (read_number(r, UINT32_MAX) != graph->count)
    fail(r, "events are not in the order of their numbers");
  while (!r->wrong && next_word(r))
    read_field(r, &said);
  if (!said.stamp)
    fail(r, "the stamp is missing");
  add_said(r, graph, &said);
}

// Do the writes of each object have the places 1, 2, ...? Are all stamps given out?
static void check_whole(struct reader *r, const struct rsan_graph *graph) {
  for (uint32_t e = 0; e < graph->count; e++) {
    const struct rsan_graph_event *event = &graph->event[e];
    uint32_t count = rsan_graph_write_count(graph, event->op.object);
    if (event->stamp > graph->last_stamp || event->write_stamp > graph->last_stamp)
      fail(r, "a stamp is larger than that of the first line");
    if (!event->write_stamp)
      continue;
    if (!event->place || event->place > count ||
        rsan_graph_write_at(graph, event->op.object, event->place) != e)
      fail(r, "an object's writes do not have the places from 1 on, each one");
  }
}

static void read_head(struct reader *r, struct rsan_graph *graph) {
  next_word(r);
  if (!is_word(r, "graph"))
    fail(r, "the text does not begin with `graph`");
  graph->model = read_name(r, rsan_graph_models, RSAN_GRAPH_MODELS);
  if (next_word(r)) {
    if (!is_word(r, "stamp"))
      fail(r, "an unknown word");
    graph->last_stamp = (uint32_t)read_number(r, UINT32_MAX);
    if (next_word(r))
      fail(r, "the line goes on");
  }
}

// The line's end.
static bool next_line(struct reader *r, uint32_t *line) {
  if (r->wrong)
    return false;
  if (*r->at != '\n')
    return fail(r, "the text ends without `end`"), false;
  r->at++;
  ++*line;
  return true;
}

const char *rsan_graph_read_text(struct rsan_graph *graph, const char *text, uint32_t *line) {
  struct reader r = {.at = text};
  uint32_t stamp;
  rsan_graph_init(graph, RSAN_GRAPH_SC);
  *line = 1;
  read_head(&r, graph);
  stamp = graph->last_stamp;
  while (next_line(&r, line)) {
    next_word(&r);
    if (is_word(&r, "end")) {
      graph->last_stamp = stamp;
      check_whole(&r, graph);
      break;
    }
    if (is_word(&r, "event"))
      read_event(&r, graph);
    else
      fail(&r, "neither `event` nor `end`");
  }
  if (r.wrong)
    rsan_graph_clear(graph);
  return r.wrong;
}
