// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program says as it ends: the message that the C library keeps for core dumps (assert,
// fortified functions), and the exception that nobody has caught.

#include <dlfcn.h>
#include <errno.h>

#include "port/rsan_tsan.h"

#include "failures/rsan_failure.h"

namespace {

// std::exception_ptr of both C++ libraries: one pointer to the exception. It is no trivial type, so
// functions return it in memory that the caller gives.
struct ExceptionPointer {
  void *exception;
  ~ExceptionPointer();
};

// std::type_info of both, as the C++ ABI has it.
struct TypeInfo {
  void *const *functions;
  const char *name;
};

} // namespace

// Never called: the exception stays as it is, for the process ends.
ExceptionPointer::~ExceptionPointer() {}

extern "C" {
__attribute__((weak)) const TypeInfo *__cxa_current_exception_type();
extern const TypeInfo std_exception __asm__("_ZTISt9exception") __attribute__((weak));
__attribute__((weak)) ExceptionPointer std_current_exception() __asm__("_ZSt17current_exceptionv");
}

namespace __tsan {

using namespace __sanitizer;

namespace {

// glibc's __abort_msg points to it.
struct AbortMessage {
  unsigned size;
  char text[];
};

} // namespace

static AbortMessage **abort_message;

void RsanFindAbortMessage() {
  abort_message = static_cast<AbortMessage **>(dlsym(RTLD_DEFAULT, "__abort_msg"));
}

// Without "PROGRAM: " before it, and the end of the line.
const char *RsanAbortMessage() {
  static char text[1024];
  if (!abort_message || !*abort_message)
    return nullptr;
  const char *from = (*abort_message)->text, *name = program_invocation_short_name;
  const uptr length = internal_strlen(name);
  if (internal_strncmp(from, name, length) == 0 && from[length] == ':' && from[length + 1] == ' ')
    from += length + 2;
  internal_snprintf(text, sizeof text, "%s", from);
  for (uptr size = internal_strlen(text); size && text[size - 1] == '\n';)
    text[--size] = '\0';
  return *text ? text : nullptr;
}

// The text of a std::exception. A type's fifth function says whether a handler of that type takes
// an exception of another one, and where the part of that type is; what() is an exception's third.
static const char *WhatOf(const TypeInfo *type) {
  typedef bool (*Catches)(const TypeInfo *handler, const TypeInfo *thrown, void **object,
                          unsigned outer);
  typedef const char *(*What)(const void *exception);
  if (!&std_exception || !&std_current_exception)
    return nullptr;
  alignas(ExceptionPointer) static char room[sizeof(ExceptionPointer)];
  ExceptionPointer *current =
      new (reinterpret_cast<ExceptionPointer *>(room)) ExceptionPointer(std_current_exception());
  void *object = current->exception;
  const auto catches = reinterpret_cast<Catches>(std_exception.functions[4]);
  if (!object || !catches(&std_exception, type, &object, 1) || !object)
    return nullptr;
  return reinterpret_cast<What>((*static_cast<void ***>(object))[2])(object);
}

const char *RsanExceptionText(char *text, uptr room) {
  const TypeInfo *type = &__cxa_current_exception_type ? __cxa_current_exception_type() : nullptr;
  if (!type)
    return nullptr;
  const char *name = type->name + (type->name[0] == '*');
  const char *what = WhatOf(type);
  // (A type's name alone is no symbol's.)
  InternalScopedString symbol;
  symbol.AppendF("_ZTS%s", name);
  const char *demangled = Symbolizer::GetOrInit()->Demangle(symbol.data());
  static const char prefix[] = "typeinfo name for ";
  if (internal_strncmp(demangled, prefix, sizeof prefix - 1) == 0)
    demangled += sizeof prefix - 1;
  else
    demangled = name;
  internal_snprintf(text, room, "%s%s%s", demangled, what ? ": " : "", what ? what : "");
  return text;
}

} // namespace __tsan
