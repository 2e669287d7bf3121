// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How repairs are worded: in Rust's words where the place is in a source of Rust's, else in C's;
// and what is said of an access whose line is not known, though its function is. For the runtime
// and the tools that read reports. C without libraries.

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

#endif
