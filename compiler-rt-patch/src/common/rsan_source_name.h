// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of places in the source, as debug information has them, in the one form in which they are
// compared: for the compiler's pass, the runtime, and the tools that read reports. C without
// libraries.

#ifndef RSAN_SOURCE_NAME_H
#define RSAN_SOURCE_NAME_H

#include <stddef.h>
#include <stdint.h>

#define RSAN_HASH_START 0xcbf29ce484222325u

static inline uint64_t rsan_hash_byte(uint64_t hash, unsigned char byte) {
  return (hash ^ byte) * 0x100000001b3u; // FNV-1a
}

// The text and a newline.
static inline uint64_t rsan_hash_line(uint64_t hash, const char *text) {
  while (*text)
    hash = rsan_hash_byte(hash, (unsigned char)*text++);
  return rsan_hash_byte(hash, '\n');
}

// Appends the component AT..AT+LENGTH to the path OUT of USED bytes; its new length.
static inline size_t rsan_path_append(char *out, size_t used, size_t size, const char *at,
                                      size_t length) {
  size_t start = used;
  while (start > 0 && out[start - 1] != '/')
    start--;
  int has_parent =
      used > start && !(used - start == 2 && out[start] == '.' && out[start + 1] == '.');
  if (length == 0 || (length == 1 && at[0] == '.'))
    return used;
  if (length == 2 && at[0] == '.' && at[1] == '.') {
    if (has_parent)
      return start > 1 ? start - 1 : start;
    if (used == 1 && out[0] == '/')
      return used; // above the root is the root
  }
  if (used > 0 && out[used - 1] != '/' && used + 1 < size)
    out[used++] = '/';
  for (size_t i = 0; i < length && used + 1 < size; i++)
    out[used++] = at[i];
  return used;
}

// PATH without `//`, `/./` and `a/../`, in OUT of SIZE bytes. By its text alone: symbolic links are
// not followed. The result is no longer than PATH, and OUT may be PATH. What does not fit is cut
// off. Returns OUT.
static inline char *rsan_normal_path(const char *path, char *out, size_t size) {
  size_t used = 0;
  if (*path == '/')
    out[used++] = '/';
  while (*path) {
    size_t length = 0;
    while (path[length] && path[length] != '/')
      length++;
    used = rsan_path_append(out, used, size, path, length);
    path += length + (path[length] == '/');
  }
  out[used] = '\0';
  return out;
}

static inline int rsan_is_identifier(char c) {
  return c == '_' || c == '$' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
         (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80;
}

static inline int rsan_starts_with(const char *text, const char *start) {
  while (*start && *text == *start)
    text++, start++;
  return !*start;
}

// Where the function's own name is in its full one, without namespace, class, return type,
// template arguments, parameters, and what compilers append: `load` of
// `int ns::atom<int>::load(int) const` and of `load.llvm.12`. Debug information has the short name
// or the long one, as its level, the language and the linker will have it. The length in *LENGTH.
static inline const char *rsan_own_name(const char *function, size_t *length) {
  const char *name = function, *at = function;
  size_t depth = 0;
  *length = 0;
  while (*at) {
    if (rsan_is_identifier(*at)) {
      size_t end = 1;
      while (rsan_is_identifier(at[end]))
        end++;
      if (depth == 0) {
        name = at;
        *length = end;
        if (end == 8 && rsan_starts_with(at, "operator"))
          break;
      }
      at += end;
      continue;
    }
    if (depth == 0 &&
        (*at == '.' || (*at == '(' && *length && !rsan_starts_with(at, "(anonymous"))))
      if (!(*length == 8 && rsan_starts_with(name, "decltype")))
        break;
    if (*at == '<' || *at == '(' || *at == '[' || *at == '{')
      depth++;
    else if (depth > 0 && (*at == ')' || *at == ']' || *at == '}' || (*at == '>' && at[-1] != '-')))
      depth--;
    at++;
  }
  return name;
}

// The number of a place in a wrapper: of its one access, or of its call of another wrapper. Equal
// places have the same number in all modules; the topmost bit is 0. FILE is a normal path.
static inline uint64_t rsan_wrapper_key(const char *file, const char *function, uint32_t line,
                                        uint32_t column) {
  size_t length;
  const char *name = rsan_own_name(function, &length);
  uint64_t hash = rsan_hash_line(RSAN_HASH_START, file);
  for (size_t i = 0; i < length; i++)
    hash = rsan_hash_byte(hash, (unsigned char)name[i]);
  hash = rsan_hash_byte(hash, '\n');
  for (int i = 0; i < 4; i++)
    hash = rsan_hash_byte(hash, (unsigned char)(line >> (8 * i)));
  for (int i = 0; i < 4; i++)
    hash = rsan_hash_byte(hash, (unsigned char)(column >> (8 * i)));
  return hash >> 1;
}

// The number of a function by all of its name, template arguments and parameters included.
static inline uint64_t rsan_function_key(const char *function) {
  return rsan_hash_line(RSAN_HASH_START, function);
}

// The name's length without `end`, if it ends so; else LENGTH.
static inline size_t rsan_length_without(const char *name, size_t length, const char *end) {
  size_t size = 0;
  while (end[size])
    size++;
  if (size > length)
    return length;
  for (size_t i = 0; i < size; i++)
    if (name[length - size + i] != end[i])
      return length;
  return length - size;
}

// Cuts off the name of a function or global what another build of the same source changes:
// ` (.llvm.N)` and `.llvm.N`, which ThinLTO appends to what it makes global, and
// `::h0123456789abcdef`, the hash of Rust's older names.
static inline void rsan_drop_numbers(char *name) {
  size_t length = 0;
  while (name[length])
    length++;
  int closed = length > 0 && name[length - 1] == ')';
  size_t digits = length - (size_t)closed, end = digits;
  while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9')
    end--;
  size_t rest = rsan_length_without(name, end, closed ? " (.llvm." : ".llvm.");
  if (end < digits && rest < end)
    length = rest;
  end = length;
  while (end > 0 && ((name[end - 1] >= '0' && name[end - 1] <= '9') ||
                     (name[end - 1] >= 'a' && name[end - 1] <= 'f')))
    end--;
  rest = rsan_length_without(name, end, "::h");
  if (length - end == 16 && rest < end)
    length = rest;
  name[length] = '\0';
}

#endif
