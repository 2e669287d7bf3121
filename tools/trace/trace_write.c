// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <inttypes.h>

#include "trace.h"

static void write_string(FILE *file, const char *text) {
  fputc('"', file);
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      fprintf(file, "\\%c", c);
    else if (c < 0x20)
      fprintf(file, "\\u%04x", c);
    else
      fputc(c, file);
  }
  fputc('"', file);
}

void trace_write_indices(FILE *file, const struct trace_indices *indices) {
  fputc('[', file);
  for (size_t i = 0; i < indices->count; i++)
    fprintf(file, "%s%zu", i ? "," : "", indices->at[i]);
  fputc(']', file);
}

static void write_event(FILE *file, const struct trace_event *event) {
  fprintf(file, "[%" PRIu32 ",\"%s\"", event->thread, trace_op_name(event->op));
  for (const char *a = trace_op_arguments(event->op); *a; a++) {
    fputc(',', file);
    switch (*a) {
    case 'o':
      fprintf(file, "\"%s\"", trace_order_name(event->order));
      break;
    case 'f':
      fprintf(file, "\"%s\"", trace_order_name(event->failure));
      break;
    case 'r':
      fprintf(file, "%" PRIu64, event->read);
      break;
    case 'w':
      fprintf(file, "%" PRIu64, event->written);
      break;
    case 'e':
      fprintf(file, "%" PRIu64, event->expected);
      break;
    case 'k':
      fputc(event->ok ? '1' : '0', file);
      break;
    default:
      fprintf(file, "%" PRIu32, event->object);
    }
  }
  fputc(']', file);
}

void trace_write(FILE *file, const struct trace *trace) {
  fputs("{\"id\":", file);
  write_string(file, trace->id ? trace->id : "");
  if (trace->source) {
    fputs(",\"src\":", file);
    write_string(file, trace->source);
  }
  fprintf(file, ",\"threads\":%" PRIu32 ",\"events\":[", trace->threads);
  for (size_t i = 0; i < trace->count; i++) {
    if (i)
      fputc(',', file);
    write_event(file, &trace->events[i]);
  }
  fputc(']', file);
  if (trace->has_verdict) {
    fputs(",\"flags\":", file);
    trace_write_indices(file, &trace->flags);
    fputs(",\"races\":", file);
    trace_write_indices(file, &trace->races);
  }
  fputs("}\n", file);
}

void trace_write_verdict_open(FILE *file, const char *id, const struct trace_indices *flags,
                              const struct trace_indices *races) {
  fputs("{\"id\":", file);
  write_string(file, id ? id : "");
  fputs(",\"flags\":", file);
  trace_write_indices(file, flags);
  fputs(",\"races\":", file);
  trace_write_indices(file, races);
}

void trace_write_verdict(FILE *file, const char *id, const struct trace_indices *flags,
                         const struct trace_indices *races) {
  trace_write_verdict_open(file, id, flags, races);
  fputs("}\n", file);
}
