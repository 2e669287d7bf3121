// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "file/regular.h"
#include "html.h"
#include "output.h"
#include "record.h"
#include "utf8.h"

// Lines before and after; bytes of a line; bytes of a file, and how many are read at a time.
enum { AROUND = 3, MAX_LENGTH = 400, MOST = 1 << 26, CHUNK = 1 << 16 };

// Lines of one file, and the frames that are there, in order.
struct excerpt {
  const struct collection *collection;
  struct sources *sources;
  const cJSON *record;
  const cJSON *const *frames;
  size_t count;
};

// Opens a regular file below ROOT. A report may name any file and the page may be published, so a
// file elsewhere must not be shown, even if a link below ROOT leads to it. Returns NULL otherwise;
// *WHY then has the reason if the file is elsewhere.
static FILE *open_below(const char *root, const char *path, const char **why) {
  char folder[PATH_MAX], file[PATH_MAX];
  size_t length = realpath(root, folder) ? strlen(folder) : 0;
  if (!length || !realpath(path, file))
    return NULL;
  length -= folder[length - 1] == '/'; // of the root folder
  if (strncmp(file, folder, length) != 0 || file[length] != '/') {
    *why = "not below --source-root, so not shown";
    return NULL;
  }
  if (strstr(file + length, "/.")) { // .git/config and .env may have passwords
    *why = "hidden, so not shown";
    return NULL;
  }
  return file_open_regular(file, O_NOFOLLOW);
}

static FILE *open_joined(const char *root, const char *before, const char *file, const char **why) {
  char *path;
  if (asprintf(&path, "%s%s", before, file) < 0)
    exit(STATUS_FAILED);
  FILE *source = open_below(root, path, why);
  free(path);
  return source;
}

static FILE *open_source(const struct collection *collection, const char *file, const char **why) {
  const char *sysroot = collection->modules.sysroot, *root = collection->source_root;
  FILE *source = *sysroot ? open_joined(sysroot, sysroot, file, why) : NULL;
  *why = "source not found";
  if (!source)
    source = open_joined(root, "", file, why);
  if (!source && *file != '/')
    source = open_joined(root, collection->strip_prefix, file, why);
  return source;
}

// All of the file. To be freed; NULL: it cannot be read, or is too long for a source.
static char *read_all(FILE *source, size_t *size) {
  char *text = NULL;
  size_t room = 0;
  *size = 0;
  do {
    if (room - *size < CHUNK)
      text = must_alloc(text, room = 2 * room + CHUNK + 1);
    *size += fread(text + *size, 1, room - *size - 1, source);
  } while (!feof(source) && !ferror(source) && *size <= MOST);
  text[*size] = 0;
  if (feof(source))
    return text;
  free(text);
  return NULL;
}

// The text of the file of the frames, if it is the one that the program was built from. Else NULL,
// and *WHY has the reason.
static char *read_source(const struct excerpt *excerpt, size_t *size, const char **why) {
  FILE *source = open_source(excerpt->collection, record_text(excerpt->frames[0], "file"), why);
  char *text = source ? read_all(source, size) : NULL;
  if (source && !text)
    *why = "source cannot be read";
  enum source_state worst = SOURCE_UNKNOWN;
  for (size_t i = 0; text && i < excerpt->count; i++) {
    enum source_state state =
        sources_check(excerpt->sources, excerpt->record, excerpt->frames[i], text, *size);
    worst = state > worst ? state : worst;
  }
  if (source)
    fclose(source);
  if (worst != SOURCE_CHANGED && worst != SOURCE_REBUILT)
    return text;
  *why = worst == SOURCE_CHANGED
             ? "source changed since the build, so not shown"
             : "program rebuilt since the report, so not shown; --module-dir names the build";
  free(text);
  return NULL;
}

// Lines round those of the frames, which are of one file and in order.
static void write_lines(const struct excerpt *excerpt, const char *text, size_t size, FILE *out) {
  const cJSON *const *frames = excerpt->frames;
  size_t at = 0;
  uint64_t first = record_number(frames[0], "line");
  uint64_t last = record_number(frames[excerpt->count - 1], "line");
  const char *end = text + size;
  fputs("<pre>", out);
  for (uint64_t i = 1; i <= last + AROUND && text < end; i++) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    size_t length = (size_t)((stop ? stop : end) - text);
    const char *line = text;
    text += length + 1;
    if (i + AROUND < first)
      continue;
    bool here = at < excerpt->count && record_number(frames[at], "line") == i;
    at += here;
    char *clean = utf8_clean(line, length < MAX_LENGTH ? length : MAX_LENGTH);
    fprintf(out, "%s<span class=\"number\">%5" PRIu64 "  </span>",
            here ? "<span class=\"here\">" : "", i);
    write_escaped(clean, out);
    fputs(here ? "</span>\n" : "\n", out);
    free(clean);
  }
  fputs("</pre>\n", out);
}

static void write_excerpt(const struct excerpt *excerpt, FILE *out) {
  const char *why = "source not found";
  size_t size;
  char *text = read_source(excerpt, &size, &why);
  fputs("<h3><code>", out);
  write_escaped(record_text(excerpt->frames[0], "file"), out);
  for (size_t i = 0; i < excerpt->count; i++)
    fprintf(out, "%s%" PRIu64, i == 0 ? ":" : ", ", record_number(excerpt->frames[i], "line"));
  fputs("</code>", out);
  if (!text)
    fprintf(out, " <span class=\"soft\">(%s)</span>", why);
  fputs("</h3>\n", out);
  if (text)
    write_lines(excerpt, text, size, out);
  free(text);
}

static int compare_frames(const void *a, const void *b) {
  const cJSON *left = *(const cJSON *const *)a, *right = *(const cJSON *const *)b;
  int order = strcmp(record_text(left, "file"), record_text(right, "file"));
  uint64_t x = record_number(left, "line"), y = record_number(right, "line");
  return order ? order : x < y ? -1 : x > y;
}

void html_excerpts(const struct collection *collection, struct sources *sources,
                   const cJSON *record, const cJSON **frames, size_t count, FILE *out) {
  qsort(frames, count, sizeof *frames, compare_frames);
  for (size_t i = 0, next; i < count; i = next) {
    uint64_t line = record_number(frames[i], "line");
    for (next = i + 1; next < count; next++) {
      uint64_t other = record_number(frames[next], "line");
      if (strcmp(record_text(frames[next], "file"), record_text(frames[i], "file")) != 0 ||
          other > line + 2 * AROUND + 1)
        break;
      line = other;
    }
    const struct excerpt excerpt = {collection, sources, record, frames + i, next - i};
    if (line > 0)
      write_excerpt(&excerpt, out);
  }
}

static bool same_place(const cJSON *a, const cJSON *b) {
  const char *left = record_text(a, "file"), *right = record_text(b, "file");
  return left && right && strcmp(left, right) == 0 &&
         record_number(a, "line") == record_number(b, "line");
}

static size_t add_frame(const cJSON **frames, size_t count, const cJSON *frame) {
  for (size_t i = 0; i < count; i++)
    if (same_place(frames[i], frame))
      return count;
  if (!record_text(frame, "file"))
    return count;
  frames[count] = frame;
  return count + 1;
}

const cJSON **html_frames(const cJSON *record, size_t *count) {
  const cJSON *step, *steps = record_list(record_object(record, "cycle"), "steps");
  size_t room = (size_t)cJSON_GetArraySize(steps) + record_stack_count(record), made = 0;
  const cJSON **frames = must_alloc(NULL, (room + 1) * sizeof *frames);
  cJSON_ArrayForEach(step, steps) made = add_frame(frames, made, record_place(step));
  for (size_t i = 0; i < record_stack_count(record); i++)
    made = add_frame(frames, made, record_site(record, i));
  *count = made;
  return frames;
}
