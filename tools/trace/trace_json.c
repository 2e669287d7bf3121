// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The strict reader. cJSON does the syntax; everything else (known keys, each
// once, types, ranges, arity) is checked here, so that a typing error in a
// hand-written trace is a message and never a silently different trace.
#define _POSIX_C_SOURCE 200809L

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "trace.h"

__attribute__((format(printf, 2, 3))) static bool fail(struct trace_error *error,
                                                       const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->reason, sizeof error->reason, format, arguments);
  va_end(arguments);
  return false;
}

// cJSON keeps a number as a double; 1.0 and 1e0 read as 1.
static bool number(const cJSON *item, uint64_t limit, uint64_t *out) {
  if (!cJSON_IsNumber(item))
    return false;
  double value = item->valuedouble;
  if (!(value >= 0 && value < (double)limit))
    return false;
  *out = (uint64_t)value;
  return (double)*out == value;
}

static bool parse_order(const cJSON *item, enum trace_order *out) {
  if (!cJSON_IsString(item))
    return false;
  for (int order = 0; order < TRACE_ORDER_COUNT; order++) {
    if (strcmp(item->valuestring, trace_order_name(order)) == 0) {
      *out = (enum trace_order)order;
      return true;
    }
  }
  return false;
}

static bool order_allowed(enum trace_order order, unsigned allowed, bool is_fence,
                          unsigned options) {
  if (order == TRACE_SC && !is_fence && !(options & TRACE_ALLOW_SC))
    return false;
  return allowed >> order & 1;
}

struct parser {
  unsigned options;
  uint32_t threads;
  size_t index; // of the event
  struct trace_error *error;
};

static bool parse_order_argument(struct parser *parser, const cJSON *item, bool failure,
                                 struct trace_event *event) {
  enum trace_order *out = failure ? &event->failure : &event->order;
  if (!parse_order(item, out))
    return fail(parser->error, "event %zu: not a memory order", parser->index);
  unsigned allowed = failure ? TRACE_ORDERS_READ : trace_op_orders(event->op);
  if (!order_allowed(*out, allowed, event->op == TRACE_FENCE, parser->options))
    return fail(parser->error, "event %zu: order \"%s\" is not allowed %s \"%s\"", parser->index,
                trace_order_name(*out), failure ? "on failure of" : "on", trace_op_name(event->op));
  return true;
}

static bool parse_argument(struct parser *parser, char argument, const cJSON *item,
                           struct trace_event *event) {
  uint64_t value = 0;
  bool ok = true;
  const char *what = "value";
  switch (argument) {
  case 'o':
  case 'f':
    return parse_order_argument(parser, item, argument == 'f', event);
  case 'r':
    ok = number(item, TRACE_MAX_VALUE, &event->read);
    break;
  case 'w':
    ok = number(item, TRACE_MAX_VALUE, &event->written);
    break;
  case 'e':
    ok = number(item, TRACE_MAX_VALUE, &event->expected);
    break;
  case 'k':
    what = "success flag";
    ok = number(item, 2, &value);
    event->ok = value == 1;
    break;
  case 't':
    what = "thread";
    ok = number(item, parser->threads, &value);
    event->object = (uint32_t)value;
    break;
  default:
    what = argument == 'm' ? "mutex" : "location";
    ok = number(item, TRACE_MAX_OBJECTS, &value);
    event->object = (uint32_t)value;
  }
  if (ok)
    return true;
  return fail(parser->error, "event %zu: bad %s in \"%s\"", parser->index, what,
              trace_op_name(event->op));
}

static bool parse_op(const cJSON *item, enum trace_op *out) {
  if (!cJSON_IsString(item))
    return false;
  for (int op = 0; op < TRACE_OP_COUNT; op++) {
    if (strcmp(item->valuestring, trace_op_name(op)) == 0) {
      *out = (enum trace_op)op;
      return true;
    }
  }
  return false;
}

static bool parse_event(struct parser *parser, const cJSON *item, struct trace_event *event) {
  memset(event, 0, sizeof *event);
  if (!cJSON_IsArray(item) || !item->child)
    return fail(parser->error, "event %zu: not an array [thread,op,...]", parser->index);
  uint64_t thread = 0;
  const cJSON *cell = item->child;
  if (!number(cell, parser->threads, &thread))
    return fail(parser->error, "event %zu: bad thread", parser->index);
  event->thread = (uint32_t)thread;
  cell = cell->next;
  if (!cell)
    return fail(parser->error, "event %zu: no operation", parser->index);
  if (!parse_op(cell, &event->op))
    return fail(parser->error, "event %zu: unknown operation", parser->index);
  cell = cell->next;
  for (const char *a = trace_op_arguments(event->op); *a; a++) {
    if (!cell)
      return fail(parser->error, "event %zu: too few arguments to \"%s\"", parser->index,
                  trace_op_name(event->op));
    if (!parse_argument(parser, *a, cell, event))
      return false;
    cell = cell->next;
  }
  if (cell)
    return fail(parser->error, "event %zu: too many arguments to \"%s\"", parser->index,
                trace_op_name(event->op));
  if (event->op == TRACE_WAIT || event->op == TRACE_BCAS)
    event->read = event->expected;
  return true;
}

static bool parse_indices(const struct trace *trace, const cJSON *array, const char *name,
                          bool (*allowed)(enum trace_op), struct trace_indices *out,
                          struct trace_error *error) {
  if (!cJSON_IsArray(array))
    return fail(error, "\"%s\": not an array", name);
  const cJSON *item;
  cJSON_ArrayForEach(item, array) {
    uint64_t index = 0;
    if (!number(item, trace->count, &index))
      return fail(error, "\"%s\": not the index of an event", name);
    if (out->count && out->at[out->count - 1] >= index)
      return fail(error, "\"%s\": not in ascending order", name);
    if (!allowed(trace->events[index].op))
      return fail(error, "\"%s\": event %zu cannot be there", name, (size_t)index);
    trace_indices_append(out, (size_t)index);
  }
  return true;
}

enum { KEY_ID, KEY_SRC, KEY_THREADS, KEY_EVENTS, KEY_FLAGS, KEY_RACES, KEYS };
static const char *const key_names[KEYS] = {"id", "src", "threads", "events", "flags", "races"};

static bool collect_keys(const cJSON *root, const cJSON *keys[KEYS], struct trace_error *error) {
  if (!cJSON_IsObject(root))
    return fail(error, "not a JSON object");
  const cJSON *item;
  cJSON_ArrayForEach(item, root) {
    int key = 0;
    while (key < KEYS && strcmp(item->string, key_names[key]) != 0)
      key++;
    if (key == KEYS)
      return fail(error, "unknown key \"%.40s\"", item->string);
    if (keys[key])
      return fail(error, "key \"%s\" twice", key_names[key]);
    keys[key] = item;
  }
  for (int key = 0; key < KEYS; key++) {
    bool optional = key == KEY_SRC || key == KEY_FLAGS || key == KEY_RACES;
    if (!keys[key] && !optional)
      return fail(error, "key \"%s\" is missing", key_names[key]);
  }
  if (!keys[KEY_FLAGS] != !keys[KEY_RACES])
    return fail(error, "\"flags\" and \"races\" come together");
  return true;
}

static bool parse_names(const cJSON *keys[KEYS], struct trace *trace, struct trace_error *error) {
  if (!cJSON_IsString(keys[KEY_ID]))
    return fail(error, "\"id\": not a string");
  trace_set_id(trace, keys[KEY_ID]->valuestring);
  if (!keys[KEY_SRC])
    return true;
  if (!cJSON_IsString(keys[KEY_SRC]))
    return fail(error, "\"src\": not a string");
  trace->source = strdup(keys[KEY_SRC]->valuestring);
  return trace->source || fail(error, "out of memory");
}

static bool parse_root(const cJSON *root, unsigned options, struct trace *trace,
                       struct trace_error *error) {
  const cJSON *keys[KEYS] = {0};
  if (!collect_keys(root, keys, error))
    return false;
  if (!parse_names(keys, trace, error))
    return false;
  uint64_t threads = 0;
  if (!number(keys[KEY_THREADS], (uint64_t)TRACE_MAX_THREADS + 1, &threads) || threads == 0)
    return fail(error, "\"threads\": not a number from 1 to %d", TRACE_MAX_THREADS);
  trace->threads = (uint32_t)threads;
  if (!cJSON_IsArray(keys[KEY_EVENTS]))
    return fail(error, "\"events\": not an array");
  struct parser parser = {options, trace->threads, 0, error};
  const cJSON *item;
  cJSON_ArrayForEach(item, keys[KEY_EVENTS]) {
    struct trace_event event;
    if (!parse_event(&parser, item, &event))
      return false;
    trace_append(trace, &event);
    parser.index++;
  }
  if (!keys[KEY_FLAGS])
    return true;
  trace->has_verdict = true;
  return parse_indices(trace, keys[KEY_FLAGS], "flags", trace_op_is_checked, &trace->flags,
                       error) &&
         parse_indices(trace, keys[KEY_RACES], "races", trace_op_is_plain, &trace->races, error);
}

bool trace_parse(const char *text, size_t length, size_t line, unsigned options,
                 struct trace *trace, struct trace_error *error) {
  trace_clear(trace);
  error->line = line;
  error->reason[0] = 0;
  if (length == 0)
    return fail(error, "empty line");
  for (size_t i = 0; i < length; i++) {
    // cJSON would stop at a zero byte and accepts raw control characters.
    unsigned char c = (unsigned char)text[i];
    if (c < 0x20 && c != '\t' && c != '\r')
      return fail(error, "control character at column %zu", i + 1);
  }
  const char *end = NULL;
  cJSON *root = cJSON_ParseWithLengthOpts(text, length, &end, false);
  if (!root)
    return fail(error, "not JSON, at column %zu", end ? (size_t)(end - text) + 1 : 1);
  size_t rest = (size_t)(end - text);
  while (rest < length && strchr(" \t\r", text[rest]))
    rest++;
  bool ok = rest == length || fail(error, "more text after the trace, at column %zu", rest + 1);
  ok = ok && parse_root(root, options, trace, error) && trace_check(trace, error);
  cJSON_Delete(root);
  return ok;
}

void trace_reader_init(struct trace_reader *reader, FILE *file, unsigned options) {
  memset(reader, 0, sizeof *reader);
  reader->file = file;
  reader->options = options;
}

void trace_reader_free(struct trace_reader *reader) {
  free(reader->text);
  memset(reader, 0, sizeof *reader);
}

enum trace_result trace_reader_next(struct trace_reader *reader, struct trace *trace,
                                    struct trace_error *error) {
  ssize_t length = getline(&reader->text, &reader->text_capacity, reader->file);
  error->line = reader->line + 1;
  if (length < 0) {
    if (feof(reader->file))
      return TRACE_END;
    fail(error, "cannot read the file");
    return TRACE_MALFORMED;
  }
  reader->line++;
  if (length > 0 && reader->text[length - 1] == '\n')
    length--;
  bool ok = trace_parse(reader->text, (size_t)length, reader->line, reader->options, trace, error);
  return ok ? TRACE_READ : TRACE_MALFORMED;
}
