// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mixed_program.h"

static uint64_t in_bytes(uint64_t value, uint32_t size) {
  return size < 8 ? value & (((uint64_t)1 << 8 * size) - 1) : value;
}

uint64_t mixed_step(struct mixed_memory *memory, struct mixed_event *event) {
  uint64_t seen = 0;
  if (!mixed_is_access(event))
    return 0;
  for (uint32_t i = 0; i < event->size; i++)
    seen |= (uint64_t)memory->at[event->address + i] << 8 * i;
  event->left =
      in_bytes(event->kind == MIXED_ADD ? seen + event->value : event->value, event->size);
  event->fails = event->kind == MIXED_EXCHANGE_IF && seen != event->expected;
  if (event->kind != MIXED_LOAD && !event->fails)
    for (uint32_t i = 0; i < event->size; i++)
      memory->at[event->address + i] = (uint8_t)(event->left >> 8 * i);
  return seen;
}

struct runs {
  const struct mixed_program *program;
  mixed_end *end;
  void *context;
  struct mixed_event run[MIXED_EVENTS];
  bool violates[MIXED_EVENTS];
  uint32_t length;
};

static bool is_next(const struct mixed_program *program, uint32_t made, uint32_t e) {
  for (uint32_t a = 0; a < e; a++)
    if (program->ops[a].thread == program->ops[e].thread && !(made >> a & 1))
      return false;
  return !(made >> e & 1);
}

static bool go_on(struct runs *runs, uint32_t made, struct mixed_memory memory) {
  if (runs->length == runs->program->count)
    return runs->end(runs->context, runs->run, runs->violates);
  for (uint32_t e = 0; e < runs->program->count; e++) {
    if (!is_next(runs->program, made, e))
      continue;
    struct mixed_memory next = memory;
    uint32_t at = runs->length++;
    runs->run[at] = runs->program->ops[e];
    mixed_step(&next, &runs->run[at]);
    runs->violates[at] = mixed_violates(runs->run, runs->length);
    if (!go_on(runs, made | 1u << e, next))
      return false;
    runs->length--;
  }
  return true;
}

bool mixed_all_runs(const struct mixed_program *program, mixed_end *end, void *context) {
  struct runs runs = {.program = program, .end = end, .context = context};
  return go_on(&runs, 0, (struct mixed_memory){{0}});
}

static bool is_write(const struct mixed_event *event) {
  return mixed_is_access(event) && event->kind != MIXED_LOAD && !event->fails;
}

static bool keeps_order(const struct mixed_event *a, const struct mixed_event *b) {
  bool fences = a->kind == MIXED_FENCE && b->kind == MIXED_FENCE && a->sc && b->sc;
  return a->thread == b->thread || fences || (mixed_overlap(a, b) && (is_write(a) || is_write(b)));
}

struct orders {
  const struct mixed_event *run;
  uint32_t count;
  struct mixed_event order[MIXED_EVENTS];
};

static bool may_follow(const struct orders *orders, uint32_t placed, uint32_t e) {
  for (uint32_t a = 0; a < e; a++)
    if (!(placed >> a & 1) && keeps_order(&orders->run[a], &orders->run[e]))
      return false;
  return !(placed >> e & 1);
}

static bool some_order_violates(struct orders *orders, uint32_t placed, uint32_t length) {
  if (length == orders->count)
    return mixed_violates(orders->order, length);
  for (uint32_t e = 0; e < orders->count; e++) {
    bool last = e + 1 == orders->count;
    if (last != (length + 1 == orders->count) || !may_follow(orders, placed, e))
      continue;
    orders->order[length] = orders->run[e];
    if (some_order_violates(orders, placed | 1u << e, length + 1))
      return true;
  }
  return false;
}

bool mixed_violates_in_some_order(const struct mixed_event *run, uint32_t count) {
  struct orders orders = {.run = run, .count = count};
  return some_order_violates(&orders, 0, 0);
}
