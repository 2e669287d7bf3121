// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The place of a failure: of the functions that are on the stack when a program ends itself, the
// one that its reader can change. Below it are functions that only end programs: the C and C++
// libraries', Rust's, and those of the program that say so by their names (`check_failed`,
// `Panic`). The runtime and the tools decide it by these functions alone. C without libraries.

#ifndef RSAN_FAILURE_PLACE_H
#define RSAN_FAILURE_PLACE_H

#include <stddef.h>

#include "rsan_source_name.h"

static inline int rsan_is_word(const char *at, size_t length, const char *word) {
  size_t i = 0;
  for (; i < length && word[i]; i++) {
    char c = at[i] >= 'A' && at[i] <= 'Z' ? (char)(at[i] + 'a' - 'A') : at[i];
    if (c != word[i])
      return 0;
  }
  return i == length && !word[i];
}

static inline int rsan_is_failing_word(const char *at, size_t length) {
  static const char *const words[] = {"abort",   "assert",    "asserts", "assertion",  "bug",
                                      "crash",   "die",       "dies",    "fail",       "failed",
                                      "failing", "fails",     "failure", "fatal",      "panic",
                                      "panics",  "terminate", "throw",   "unreachable"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (rsan_is_word(at, length, words[i]))
      return 1;
  return 0;
}

// Is one of the words of the function's own name (`check_failed`, `CheckFailed`) about failing?
static inline int rsan_names_failing(const char *function) {
  size_t length, begin = 0;
  const char *name = rsan_own_name(function, &length);
  for (size_t i = 0; i <= length; i++) {
    int upper = i < length && name[i] >= 'A' && name[i] <= 'Z';
    int after_lower = i > 0 && name[i - 1] >= 'a' && name[i - 1] <= 'z';
    if (i < length && name[i] != '_' && !(upper && after_lower))
      continue;
    if (rsan_is_failing_word(name + begin, i - begin))
      return 1;
    begin = i + (i < length && name[i] == '_');
  }
  return 0;
}

// Is it the C or C++ library's, or the loader's? MODULE without its folder.
static inline int rsan_is_system_module(const char *module) {
  static const char *const names[] = {"libc.so",   "libc-",     "libpthread", "libstdc++",
                                      "libc++.so", "libc++abi", "libgcc_s",   "libunwind.so",
                                      "ld-linux",  "ld-musl",   "libm.so",    "linux-vdso"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (rsan_starts_with(module, names[i]))
      return 1;
  return 0;
}

// Is the function one of theirs that ends a program? For programs that link these libraries
// statically.
static inline int rsan_is_ending_function(const char *function) {
  static const char *const exact[] = {"abort", "raise", "gsignal"};
  static const char *const names[] = {"__GI_",
                                      "__pthread_kill_",
                                      "__assert_fail",
                                      "__libc_message",
                                      "__fortify_fail",
                                      "__stack_chk_fail",
                                      "__chk_fail",
                                      "__cxa_throw",
                                      "__cxa_rethrow",
                                      "__cxa_pure_virtual",
                                      "__cxxabiv1::",
                                      "__gnu_cxx::__verbose_terminate_handler",
                                      "std::terminate",
                                      "std::__terminate",
                                      "std::__throw_",
                                      "std::__glibcxx_assert_fail",
                                      "std::rethrow_exception",
                                      "std::panicking::",
                                      "std::process::abort",
                                      "std::sys::",
                                      "core::panicking::",
                                      "core::result::unwrap_failed",
                                      "core::option::",
                                      "__rust_start_panic",
                                      "__rust_end_short_backtrace",
                                      "panic_abort::",
                                      "rust_panic",
                                      "rust_begin_unwind",
                                      "_Unwind_"};
  for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
    if (rsan_starts_with(function, exact[i]) && rsan_starts_with(exact[i], function))
      return 1;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (rsan_starts_with(function, names[i]))
      return 1;
  return 0;
}

// Returns whether a frame without a line is of the same function as its caller. A stack may
// overflow in the call that the instrumentation puts first into a function; that call has no line,
// and the caller's frame is the place. The functions may be null.
static inline int rsan_is_recursion_without_line(const char *function, unsigned line,
                                                 const char *caller, unsigned caller_line) {
  return !line && caller_line && function && caller && rsan_starts_with(function, caller) &&
         rsan_starts_with(caller, function);
}

// Does the frame only end the program? FUNCTION and MODULE (without its folder) may be null.
static inline int rsan_is_ending_frame(const char *function, const char *module) {
  return (module && rsan_is_system_module(module)) ||
         (function && rsan_is_ending_function(function));
}

// An assertion's message without the file, the line and the function before it, which stand in the
// place.
static inline const char *rsan_assertion_text(const char *message) {
  for (const char *at = message; *at; at++)
    if (rsan_starts_with(at, "Assertion `"))
      return at;
  return message;
}

#endif
