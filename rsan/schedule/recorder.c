// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "recorder.h"

#include "../host.h"

void rsan_recorder_init(struct rsan_recorder *r,
                        void (*write)(void *to, const char *text, uint32_t size), void *to) {
  *r = (struct rsan_recorder){.write = write, .to = to};
  rsan_points_init(&r->points);
}

void rsan_recorder_clear(struct rsan_recorder *r) {
  rsan_points_clear(&r->points);
}

static uint32_t length(const char *text) {
  uint32_t i = 0;
  while (text[i])
    i++;
  return i;
}

static void write_text(struct rsan_recorder *r, const char *text) {
  r->write(r->to, text, length(text));
}

// What ends an argument or a line, and the sign for it.
static void write_escaped(struct rsan_recorder *r, const char *text, bool with_spaces) {
  static const char digits[] = "0123456789abcdef";
  for (; *text; text++) {
    uint8_t c = *text;
    if (c < ' ' || c == '%' || c == 0x7f || (c == ' ' && with_spaces))
      r->write(r->to, (const char[]){'%', digits[c >> 4], digits[c & 15]}, 3);
    else
      r->write(r->to, text, 1);
  }
}

void rsan_recorder_build(struct rsan_recorder *r, const char *build) {
  _Static_assert(RSAN_SCHEDULE_VERSION == 1, "the version of the format is in its first line");
  write_text(r, "rsan-schedule 1\nbuild ");
  write_escaped(r, build, true);
}

void rsan_recorder_arguments(struct rsan_recorder *r, const char *const *arguments,
                             uint32_t count) {
  write_text(r, "\narguments");
  for (uint32_t i = 0; i < count; i++) {
    write_text(r, " ");
    write_escaped(r, arguments[i], true);
  }
}

void rsan_recorder_options(struct rsan_recorder *r, const char *options) {
  write_text(r, "\noptions ");
  write_escaped(r, options, false);
  write_text(r, "\nsteps\n");
}

static void put(struct rsan_recorder *r, char c) {
  r->line[r->used++] = c;
}

static void put_number(struct rsan_recorder *r, uint64_t number, uint32_t base, uint32_t digits) {
  char text[20];
  uint32_t count = 0;
  for (; number || count < digits; number /= base)
    text[count++] = "0123456789abcdef"[number % base];
  while (count)
    put(r, text[--count]);
}

static void end_line(struct rsan_recorder *r) {
  if (!r->used)
    return;
  put(r, '\n');
  r->write(r->to, r->line, r->used);
  r->used = 0;
}

// The longest word is shorter than what the line has beyond RSAN_RECORD_LINE.
static void begin_word(struct rsan_recorder *r) {
  if (r->used >= RSAN_RECORD_LINE - 16)
    end_line(r);
  if (r->used)
    put(r, ' ');
}

static void end_run(struct rsan_recorder *r) {
  if (!r->run)
    return;
  begin_word(r);
  put_number(r, r->run_thread, 10, 1);
  put(r, '*');
  put_number(r, r->run, 10, 1);
  r->run = 0;
}

static bool is_expected(const struct rsan_recorder *r, uint32_t thread, struct rsan_label label) {
  return rsan_points_has(&r->points, label) &&
         rsan_points_expected(&r->points, thread) == rsan_points_slot(label);
}

static void name_step(struct rsan_recorder *r, uint32_t thread, struct rsan_label label) {
  begin_word(r);
  put_number(r, thread, 10, 1);
  if (rsan_points_has(&r->points, label)) {
    put(r, '.');
    put_number(r, rsan_points_slot(label), 16, 2);
    return;
  }
  put(r, '@');
  put_number(r, label.kind, 16, 2);
  put(r, ':');
  put_number(r, label.point, 16, 1);
}

void rsan_recorder_step(struct rsan_recorder *r, uint32_t thread, struct rsan_label label) {
  r->steps++;
  if (is_expected(r, thread, label)) {
    if (r->run_thread != thread)
      end_run(r);
    r->run_thread = thread;
    r->run++;
  } else {
    end_run(r);
    name_step(r, thread, label);
  }
  rsan_points_step(&r->points, thread, label);
}

static void put_event(struct rsan_recorder *r, char sign) {
  end_run(r);
  begin_word(r);
  put(r, sign);
}

void rsan_recorder_woken(struct rsan_recorder *r, uint32_t thread) {
  put_event(r, '^');
  put_number(r, thread, 10, 1);
}

void rsan_recorder_chosen(struct rsan_recorder *r, uint32_t value) {
  put_event(r, '=');
  put_number(r, value, 10, 1);
}

void rsan_recorder_failed(struct rsan_recorder *r) {
  put_event(r, '~');
}

void rsan_recorder_assumed(struct rsan_recorder *r) {
  put_event(r, '!');
}

void rsan_recorder_flush(struct rsan_recorder *r) {
  end_run(r);
  end_line(r);
}

void rsan_recorder_end(struct rsan_recorder *r) {
  rsan_recorder_flush(r);
  write_text(r, "end ");
  put_number(r, r->steps, 10, 1);
  end_line(r);
}
