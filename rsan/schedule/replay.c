// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "replay.h"

#include "../host.h"

#define END_OF_FILE   (-1)
#define MOST_THREADS  (1u << 24)
#define MOST_STEPS    (UINT64_MAX / 16)
#define HIGHEST_LABEL 0xff

static int look(struct rsan_replay *r) {
  if (r->at == r->size) {
    r->at = 0;
    r->size = r->read(r->from, r->buffer, sizeof r->buffer);
  }
  return r->size ? (uint8_t)r->buffer[r->at] : END_OF_FILE;
}

static int get(struct rsan_replay *r) {
  int c = look(r);
  r->at += c != END_OF_FILE;
  r->line += c == '\n';
  return c;
}

static bool fail(struct rsan_replay *r, const char *error) {
  r->next = (struct rsan_replay_next){.what = RSAN_REPLAY_BAD};
  r->run = 0;
  if (!r->error)
    r->error = error;
  return false;
}

// The word, and no other.
static bool expect(struct rsan_replay *r, const char *word) {
  for (; *word; word++)
    if (look(r) != (uint8_t)*word)
      return false;
    else
      get(r);
  return true;
}

// `name` and the rest of the line.
static bool read_value(struct rsan_replay *r, const char *name, char *value, uint32_t size) {
  if (!expect(r, name))
    return fail(r, "a line of the head is missing");
  uint32_t used = 0;
  if (look(r) == ' ')
    get(r);
  for (; look(r) != '\n'; value[used++] = get(r))
    if (look(r) == END_OF_FILE)
      return fail(r, "the file ends within its head");
    else if (used + 1 == size)
      return fail(r, "a line of the head is too long");
  value[used] = 0;
  get(r);
  return true;
}

static int digit(int c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

// Says false if there is none, or if it is above `most`.
static bool read_number(struct rsan_replay *r, uint32_t base, uint64_t most, uint64_t *number) {
  *number = 0;
  if (digit(look(r)) >= (int)base)
    return false;
  for (; digit(look(r)) < (int)base; get(r)) {
    uint64_t one = digit(look(r));
    if (*number > (most - one) / base)
      return false;
    *number = *number * base + one;
  }
  return true;
}

static bool read_label(struct rsan_replay *r, struct rsan_label *label) {
  uint64_t kind;
  if (!read_number(r, 16, HIGHEST_LABEL, &kind) || !expect(r, ":") ||
      !read_number(r, 16, UINT64_MAX, &label->point))
    return false;
  label->kind = kind;
  return true;
}

static bool read_slot(struct rsan_replay *r, struct rsan_label *label) {
  uint64_t slot;
  if (!read_number(r, 16, RSAN_LABEL_SLOTS - 1, &slot) || !r->points.used[slot])
    return false;
  *label = r->points.label[slot];
  return true;
}

static bool expected(struct rsan_replay *r, uint32_t thread, struct rsan_label *label) {
  uint16_t slot = rsan_points_expected(&r->points, thread);
  if (slot == RSAN_LABEL_SLOTS || !r->points.used[slot])
    return false;
  *label = r->points.label[slot];
  return true;
}

static bool ends_word(int c) {
  return c == ' ' || c == '\n' || c == END_OF_FILE;
}

static bool read_step(struct rsan_replay *r) {
  uint64_t thread;
  struct rsan_label label;
  if (!read_number(r, 10, MOST_THREADS, &thread))
    return false;
  bool good;
  r->run = 1;
  int form = look(r);
  if (form != '\n')
    get(r);
  switch (form) {
  case '@':
    good = read_label(r, &label);
    break;
  case '.':
    good = read_slot(r, &label);
    break;
  case '*':
    good = read_number(r, 10, MOST_STEPS, &r->run) && r->run && expected(r, thread, &label);
    break;
  default:
    good = false;
  }
  if (!good || !ends_word(look(r)))
    return false;
  r->next = (struct rsan_replay_next){.what = RSAN_REPLAY_STEP, .thread = thread, .label = label};
  return true;
}

static void read_end(struct rsan_replay *r) {
  uint64_t steps;
  if (!expect(r, "end ") || !read_number(r, 10, MOST_STEPS, &steps) || look(r) != '\n')
    fail(r, "the last line is none");
  else if (steps != r->steps)
    fail(r, "the last line has another number of steps than the file");
  else
    r->next = (struct rsan_replay_next){.what = RSAN_REPLAY_END};
}

// What is no step: a sign, and its number, if it has one.
static void read_event(struct rsan_replay *r) {
  const int sign = get(r);
  uint64_t number = 0;
  const bool good = sign == '!' || sign == '~' ||
                    read_number(r, 10, sign == '^' ? MOST_THREADS : UINT32_MAX, &number);
  if (!good || !ends_word(look(r))) {
    fail(r, sign == '^'   ? "a woken thread is none"
            : sign == '=' ? "a chosen value is none"
            : sign == '~' ? "a failed compare-exchange is none"
                          : "an assumption is none");
    return;
  }
  r->next = (struct rsan_replay_next){.what = sign == '^'   ? RSAN_REPLAY_WOKEN
                                              : sign == '=' ? RSAN_REPLAY_CHOSEN
                                              : sign == '~' ? RSAN_REPLAY_FAILED
                                                            : RSAN_REPLAY_ASSUMED};
  if (sign == '^')
    r->next.thread = (uint32_t)number;
  else
    r->next.value = (uint32_t)number;
}

static bool is_event(int c) {
  return c == '^' || c == '=' || c == '~' || c == '!';
}

static void read_word(struct rsan_replay *r) {
  while (look(r) == ' ' || look(r) == '\n')
    get(r);
  if (look(r) == END_OF_FILE) {
    r->next = (struct rsan_replay_next){.what = RSAN_REPLAY_CUT};
  } else if (look(r) == 'e') {
    read_end(r);
  } else if (is_event(look(r))) {
    read_event(r);
  } else if (!read_step(r)) {
    fail(r, "a step is none");
  }
}

bool rsan_replay_open(struct rsan_replay *r,
                      uint32_t (*read)(void *from, char *text, uint32_t size), void *from,
                      struct rsan_replay_head *head) {
  *r = (struct rsan_replay){.read = read, .from = from, .line = 1};
  rsan_points_init(&r->points);
  char empty[1];
  if (!expect(r, "rsan-schedule "))
    return fail(r, "this is no recorded schedule");
  if (!expect(r, "1\n"))
    return fail(r, "the schedule is of another version of RSan");
  if (!read_value(r, "build", head->build, sizeof head->build) ||
      !read_value(r, "arguments", head->arguments, sizeof head->arguments) ||
      !read_value(r, "options", head->options, sizeof head->options) ||
      !read_value(r, "steps", empty, sizeof empty))
    return false;
  read_word(r);
  return r->next.what != RSAN_REPLAY_BAD;
}

void rsan_replay_clear(struct rsan_replay *r) {
  rsan_points_clear(&r->points);
}

void rsan_replay_take(struct rsan_replay *r) {
  struct rsan_replay_next *next = &r->next;
  if (next->what == RSAN_REPLAY_STEP) {
    r->steps++;
    rsan_points_step(&r->points, next->thread, next->label);
    if (--r->run) {
      if (!expected(r, next->thread, &next->label))
        fail(r, "a step is none");
      return;
    }
  } else if (next->what > RSAN_REPLAY_ASSUMED) {
    return; // there is no more
  }
  read_word(r);
}
