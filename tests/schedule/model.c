// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "model.h"

#include <string.h>

static const struct model_instruction *at(const struct model_running *r) {
  return &r->model->program->thread[r - r->model->thread][r->pc];
}

static uint32_t mutex_of(const struct model_running *r) {
  return r->phase == RELOCK ? at(r)->value : at(r)->object;
}

// Read from the objects alone; also what the schedule asks.
static bool can_proceed(const struct model_running *r) {
  const struct model *m = r->model;
  const struct model_instruction *i = at(r);
  if (r->phase == AFTER_WAKE)
    return m->permits[i->object] > 0;
  if (r->phase == RELOCK)
    return !m->value[i->value];
  if (r->phase != AT_INSTRUCTION)
    return true;
  switch (i->op) {
  case M_SPIN:
    return m->value[i->object] == i->value;
  case M_LOCK:
    return !m->value[i->object];
  case M_DOWN:
    return m->value[i->object] > 0;
  case M_JOIN:
    return m->thread[i->object].ended;
  default:
    return true;
  }
}

static bool holds(void *argument) {
  const struct model_running *r = argument;
  return r->model->lies || can_proceed(r);
}

static enum rsan_kind kind_of(const struct model_running *r) {
  static const uint8_t kinds[] = {
      [M_END] = RSAN_KIND_END,
      [M_STORE] = RSAN_KIND_STORE,
      [M_LOAD] = RSAN_KIND_LOAD,
      [M_SPIN] = RSAN_KIND_SPIN,
      [M_LOOP] = RSAN_KIND_LOAD,
      [M_POLL] = RSAN_KIND_YIELD,
      [M_LOCK] = RSAN_KIND_LOCK,
      [M_UNLOCK] = RSAN_KIND_UNLOCK,
      [M_WAIT] = RSAN_KIND_COND_WAIT,
      [M_TIMED_WAIT] = RSAN_KIND_COND_WAIT,
      [M_SIGNAL] = RSAN_KIND_COND_SIGNAL,
      [M_BROADCAST] = RSAN_KIND_COND_BROADCAST,
      [M_DOWN] = RSAN_KIND_SEM_WAIT,
      [M_UP] = RSAN_KIND_SEM_POST,
      [M_BARRIER] = RSAN_KIND_BARRIER,
      [M_CREATE] = RSAN_KIND_CREATE,
      [M_JOIN] = RSAN_KIND_JOIN,
      [M_YIELD] = RSAN_KIND_YIELD,
      [M_OUTSIDE] = RSAN_KIND_CALL,
  };
  return r->phase == RELOCK ? RSAN_KIND_LOCK : kinds[at(r)->op];
}

static uint8_t until_of(const struct model_running *r) {
  if (r->phase == AFTER_WAKE)
    return RSAN_UNTIL_WOKEN;
  if (r->phase == RELOCK)
    return RSAN_UNTIL_HOLDS;
  enum model_op op = at(r)->op;
  if (op == M_JOIN)
    return RSAN_UNTIL_END;
  return op == M_SPIN || op == M_LOCK || op == M_DOWN ? RSAN_UNTIL_HOLDS : RSAN_UNTIL_NOTHING;
}

static void hand_in(struct model_running *r) {
  struct model *m = r->model;
  const struct model_instruction *i = at(r);
  bool is_join = r->phase == AT_INSTRUCTION && i->op == M_JOIN;
  bool reads_only = i->op == M_LOAD || i->op == M_SPIN || i->op == M_LOOP || i->op == M_POLL;
  struct rsan_pending pending = {
      .object = is_join ? m->thread[i->object].id : 1000 + mutex_of(r),
      .point = 100 * (uint64_t)(r - m->thread) + 3 * r->pc + (r->phase == RELOCK) + m->moved_point,
      .holds = holds,
      .argument = r,
      .kind = kind_of(r),
      .until = until_of(r),
      .writes = !reads_only && i->op != M_END,
      .timed = r->phase == AFTER_WAKE && i->op == M_TIMED_WAIT,
  };
  rsan_schedule_hand_in(&m->schedule, r->id, &pending);
}

static void create(struct model *m, uint32_t number) {
  struct model_running *r = &m->thread[number];
  *r = (struct model_running){.phase = AT_START, .created = true, .model = m};
  r->id = rsan_schedule_add(&m->schedule, RSAN_NO_THREAD);
}

static void sleep_on(struct model_running *r) {
  r->phase = AFTER_WAKE;
}

static void wake(struct model *m, uint32_t object, bool all) {
  uint64_t name = 1000 + object;
  m->permits[object] +=
      all ? rsan_schedule_wake_all(&m->schedule, name) : rsan_schedule_wake_one(&m->schedule, name);
}

static void next(struct model_running *r) {
  r->pc++;
  r->phase = AT_INSTRUCTION;
}

static void arrive(struct model_running *r) {
  struct model *m = r->model;
  const struct model_instruction *i = at(r);
  if (++m->value[i->object] < i->value)
    return sleep_on(r);
  m->value[i->object] = 0;
  wake(m, i->object, true);
  next(r);
}

static void step_on_objects(struct model_running *r, const struct model_instruction *i) {
  struct model *m = r->model;
  uint32_t *value = &m->value[i->object];
  switch (i->op) {
  case M_STORE:
    *value = i->value;
    break;
  case M_LOAD:
    r->result = *value;
    break;
  case M_LOOP:
  case M_POLL:
    if (*value != i->value)
      return;
    break;
  case M_LOCK:
    *value = 1;
    break;
  case M_UNLOCK:
    *value = 0;
    break;
  case M_DOWN:
    --*value;
    break;
  case M_UP:
    ++*value;
    break;
  case M_CREATE:
    create(m, i->object);
    break;
  case M_SIGNAL:
  case M_BROADCAST:
    wake(m, i->object, i->op == M_BROADCAST);
    break;
  default:
    break;
  }
  next(r);
}

// The instruction that the thread has handed in.
static void step(struct model_running *r, bool expired) {
  struct model *m = r->model;
  const struct model_instruction *i = at(r);
  if (r->phase == AFTER_WAKE) {
    if (!expired)
      m->permits[i->object]--;
    r->result = expired;
    if (i->op == M_BARRIER)
      return next(r);
    r->phase = RELOCK;
    return;
  }
  if (r->phase == RELOCK) {
    m->value[i->value] = 1;
    return next(r);
  }
  if (i->op == M_WAIT || i->op == M_TIMED_WAIT) {
    m->value[i->value] = 0;
    rsan_threads_touch(&m->schedule.threads, 1000 + i->value);
    return sleep_on(r);
  }
  if (i->op == M_BARRIER)
    return arrive(r);
  if (i->op == M_OUTSIDE) {
    r->phase = BACK;
    return;
  }
  step_on_objects(r, i);
}

static void go_on(struct model_running *r, bool expired) {
  struct model *m = r->model;
  m->wrong += !expired && !can_proceed(r);
  m->expired += expired;
  if (r->phase == AT_START)
    r->phase = AT_INSTRUCTION;
  else if (at(r)->op == M_END) {
    r->ended = true;
    rsan_schedule_end(&m->schedule, r->id);
    return;
  } else {
    step(r, expired);
  }
  if (r->phase == BACK)
    rsan_schedule_leave(&m->schedule, r->id);
  else
    hand_in(r);
}

// Those who are outside, and whose call has ended. False: there are none.
static bool come_back(struct model *m) {
  bool any = false;
  for (struct model_running *r = m->thread; r < m->thread + MODEL_THREADS; r++)
    if (r->created && r->phase == BACK && m->value[at(r)->object] == at(r)->value) {
      next(r);
      hand_in(r);
      any = true;
    }
  return any;
}

static struct model_running *by_id(struct model *m, uint32_t id) {
  struct model_running *r = m->thread;
  while (!r->created || r->id != id || r->ended)
    r++;
  return r;
}

void model_init(struct model *m, const struct model_program *program,
                const struct rsan_policy_options *options) {
  memset(m, 0, sizeof *m);
  m->program = program;
  rsan_schedule_init(&m->schedule, options);
}

void model_run(struct model *m) {
  create(m, 0);
  for (; m->steps < MODEL_STEPS; m->steps++) {
    m->livelocked = rsan_schedule_livelocked(&m->schedule);
    if (m->livelocked)
      return;
    struct rsan_choice choice = rsan_schedule_choose(&m->schedule);
    m->outcome = choice.outcome;
    if (choice.outcome == RSAN_CHOSE_RUN || choice.outcome == RSAN_CHOSE_EXPIRE) {
      m->choices = (m->choices ^ choice.thread) * 0x100000001b3;
      go_on(by_id(m, choice.thread), choice.outcome == RSAN_CHOSE_EXPIRE);
    } else if (choice.outcome == RSAN_CHOSE_DEADLOCK || choice.outcome == RSAN_CHOSE_NOBODY) {
      return;
    }
    if (!come_back(m) && choice.outcome == RSAN_CHOSE_OUTSIDE)
      return;
  }
}

void model_clear(struct model *m) {
  rsan_schedule_clear(&m->schedule);
}

void model_do(struct model *m, const struct model_program *program,
              const struct rsan_policy_options *options) {
  model_init(m, program, options);
  model_run(m);
  model_clear(m);
}
