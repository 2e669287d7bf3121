// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How repairs are worded: in Rust's words where the place is in a source of Rust's, else in C's;
// what is said of an access whose line is not known, though its function is; and which bytes two
// accesses of different sizes have in common. For the runtime and the tools that read reports. C
// without libraries.

#ifndef RSAN_WORDS_H
#define RSAN_WORDS_H

#include <stddef.h>

#define RSAN_WORDS_NO_LINE "Its line is not known: compile with -g or -g1."

static inline int rsan_words_equal(const char *a, const char *b) {
  while (*a && *a == *b)
    a++, b++;
  return *a == *b;
}

// Is the file, which may be NULL, one of Rust's?
static inline int rsan_is_rust_source(const char *file) {
  size_t length = 0;
  while (file && file[length])
    length++;
  return length > 3 && rsan_words_equal(file + length - 3, ".rs");
}

static inline const char *rsan_fence_text(int rust) {
  return rust ? "fence(Ordering::SeqCst)" : "atomic_thread_fence(memory_order_seq_cst)";
}

// "Ordering::AcqRel" or "memory_order_acq_rel" for "acq_rel"; any other text is taken for
// "seq_cst".
static inline const char *rsan_order_text(const char *order, int rust) {
  static const char *const words[][2] = {
      {"memory_order_relaxed", "Ordering::Relaxed"}, {"memory_order_consume", "Ordering::Acquire"},
      {"memory_order_acquire", "Ordering::Acquire"}, {"memory_order_release", "Ordering::Release"},
      {"memory_order_acq_rel", "Ordering::AcqRel"},  {"memory_order_seq_cst", "Ordering::SeqCst"}};
  size_t last = sizeof words / sizeof *words - 1, i = 0;
  while (i < last && !rsan_words_equal(words[i][0] + sizeof "memory_order_" - 1, order))
    i++;
  return words[i][rust != 0];
}

// Formats for rsan_common_bytes_text's answers, with its text and the number of bytes of the larger
// one.
#define RSAN_WORDS_BYTES_LEFT "The write left %s of the %u bytes of this access."
#define RSAN_WORDS_BYTES_HAD  "This access has %s of the %u bytes that the write left."

enum rsan_common_bytes { RSAN_BYTES_ALIKE, RSAN_BYTES_LEFT, RSAN_BYTES_HAD };

static inline char *rsan_put_byte_number(char *at, unsigned number) {
  if (number >= 10)
    *at++ = (char)('0' + number / 10 % 10);
  *at++ = (char)('0' + number % 10);
  return at;
}

// Which bytes of the larger of two accesses, of at most 16 bytes, the other one has: "byte 3",
// "bytes 0-1". `offset`: where the write begins, from the first byte of the access. No part: they
// have the same bytes, or each has some that the other one has not.
static inline enum rsan_common_bytes rsan_common_bytes_text(int offset, unsigned size,
                                                            unsigned write_size, char text[16]) {
  const char *word = "bytes ";
  char *at = text;
  int left = write_size < size;
  int first = left ? offset : -offset, count = (int)(left ? write_size : size);
  if (write_size == size || first < 0 || first + count > (int)(left ? size : write_size))
    return RSAN_BYTES_ALIKE;
  for (; *word; word++)
    if (*word != 's' || count > 1)
      *at++ = *word;
  at = rsan_put_byte_number(at, (unsigned)first);
  if (count > 1) {
    *at++ = '-';
    at = rsan_put_byte_number(at, (unsigned)(first + count - 1));
  }
  *at = 0;
  return left ? RSAN_BYTES_LEFT : RSAN_BYTES_HAD;
}

#endif
