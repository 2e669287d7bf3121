// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/rsan_test.h"

#include "departures/rsan_departures.h"
#include "port/rsan_tsan.h"
#include "reports/rsan_again.h"
#include "schedule/rsan_schedule.h"

namespace __tsan {

typedef Vector<const char *> Words;

static StaticSpinMutex test_mutex;
static char test_name[kRsanTestName] SANITIZER_GUARDED_BY(test_mutex); // empty: none is running
static Words *alone SANITIZER_GUARDED_BY(test_mutex); // runs this test only; null: not known
static atomic_uint32_t tests_begun;

// pytest sets `file.py::test (call)`.
static bool NameFromEnvironment(char (&name)[kRsanTestName]) {
  static const char *const variables[] = {"RSAN_TEST", "PYTEST_CURRENT_TEST"};
  for (const char *variable : variables) {
    const char *value = GetEnv(variable);
    if (!value || !*value)
      continue;
    internal_strlcpy(name, value, sizeof name);
    char *phase = variable == variables[1] ? internal_strrchr(name, '(') : nullptr;
    if (phase && phase > name && phase[-1] == ' ')
      phase[-1] = '\0';
    return true;
  }
  return false;
}

// Rust's harness calls a test by `<crate::tests::push::{closure#0} as
// core::ops::function::FnOnce<()>>::call_once`; `tests::push` is the test's name there.
static bool NameOfCaller(const char *function, char (&name)[kRsanTestName]) {
  const char *end = internal_strstr(function, "::{closure#0} as core::ops::function::FnOnce<");
  const char *own = internal_strstr(function, "::");
  if (*function != '<' || !end || own == end)
    return false;
  own += 2;
  internal_snprintf(name, sizeof name, "%.*s", static_cast<int>(end - own), own);
  return true;
}

// The caller has been called by this function, or by one that calls any function.
static bool NameFromFrames(const ReportStack *stack, char (&name)[kRsanTestName]) {
  static const char kRunner[] = "test::__rust_begin_short_backtrace", kAny[] = "<fn(";
  const char *inner = nullptr;
  for (const SymbolizedStack *at = stack ? stack->frames : nullptr; at; at = at->next) {
    const char *function = at->info.function;
    if (inner && function && !internal_strncmp(function, kRunner, sizeof kRunner - 1))
      return NameOfCaller(inner, name);
    if (!function || internal_strncmp(function, kAny, sizeof kAny - 1))
      inner = function;
  }
  return false;
}

// Those of the accesses, and of where their threads were created.
static bool NameFromStacks(const ReportDesc *report, char (&name)[kRsanTestName]) {
  for (uptr i = 0; report && i < report->mops.Size(); i++)
    if (NameFromFrames(report->mops[i]->stack, name))
      return true;
  for (uptr i = 0; report && i < report->threads.Size(); i++)
    if (NameFromFrames(report->threads[i]->stack, name))
      return true;
  return false;
}

bool RsanRunningTest(char (&name)[kRsanTestName]) {
  // Not waited for: the thread that holds it may be the one that a signal handler interrupts.
  if (test_mutex.TryLock()) {
    internal_strlcpy(name, test_name, sizeof name);
    test_mutex.Unlock();
    if (*name)
      return true;
  }
  return NameFromEnvironment(name);
}

// Calls back with the command that runs only the test that runs now, if one is known. A process
// that has its test's name from the environment is such a run.
template <typename Write> static void WithCommand(const Write &write) {
  if (!test_mutex.TryLock())
    return;
  if (alone)
    write(*alone);
  else if (rsan_flags()->per_test && !*test_name && !atomic_load_relaxed(&tests_begun))
    write(RsanArguments());
  test_mutex.Unlock();
}

static bool IsNamed() {
  if (!test_mutex.TryLock())
    return false;
  const bool is_named = *test_name;
  test_mutex.Unlock();
  return is_named;
}

void RsanPrintTest(const ReportDesc *report) {
  char name[kRsanTestName];
  if (report && !IsNamed() && NameFromStacks(report, name)) {
    Printf("Test: %s\n", Printable(name));
    return;
  }
  if (!RsanRunningTest(name))
    return;
  Printf("Test: %s\n", Printable(name));
  WithCommand([](const Words &command) {
    InternalScopedString text;
    RsanRenderCommand(&text, command);
    Printf("To run this test: %s\n", Printable(text.data()));
  });
}

static void PutName(RsanJson *json, const char *name) {
  json->Key("tests");
  json->Open('[');
  json->Text(name);
  json->Close(']');
}

void RsanPutTest(RsanJson *json, const ReportDesc *report) {
  char name[kRsanTestName];
  if (report && !IsNamed() && NameFromStacks(report, name)) {
    PutName(json, name);
    return;
  }
  if (!RsanRunningTest(name))
    return;
  PutName(json, name);
  WithCommand([&](const Words &command) {
    char options[kRsanPolicyText];
    json->Key("alone");
    json->Open('[');
    json->Open('{');
    json->Text("test", name);
    if (RsanSchedules())
      json->Text("options", RsanPolicyText(options, sizeof options));
    json->Key("command");
    json->Open('[');
    for (uptr i = 0; i < command.Size(); i++)
      json->Text(command[i]);
    json->Close(']');
    json->Close('}');
    json->Close(']');
  });
}

void RsanPrintTestCount() {
  char name[kRsanTestName];
  const u32 begun = atomic_load_relaxed(&tests_begun),
            count = begun || !NameFromEnvironment(name) ? begun : 1;
  Printf("  %-16s %12u  tests that were named\n", "tests", count);
}

static void ForgetCommand() SANITIZER_REQUIRES(test_mutex) {
  if (!alone)
    return;
  for (uptr i = 0; i < alone->Size(); i++)
    FreeImpl(const_cast<char *>((*alone)[i]));
  DestroyAndFree(alone);
}

static void Add(Words *command, const char *word) {
  const uptr size = internal_strlen(word) + 1;
  char *copy = static_cast<char *>(Alloc(size));
  internal_memcpy(copy, word, size);
  command->PushBack(copy);
}

static bool Contains(const char *const *words, const char *word) {
  for (; words && *words; words++)
    if (internal_strcmp(*words, word) == 0)
      return true;
  return false;
}

static void SetTest(const char *name) {
  SpinMutexLock lock(&test_mutex);
  internal_strlcpy(test_name, name, sizeof test_name);
  ForgetCommand();
}

static void SetCommand(const char *const *added, const char *const *dropped) {
  RsanKeepArguments();
  SpinMutexLock lock(&test_mutex);
  ForgetCommand();
  alone = New<Words>();
  const Words &all = RsanArguments();
  for (uptr i = 0; i < all.Size(); i++)
    if (i == 0 || !Contains(dropped, all[i]))
      Add(alone, all[i]);
  for (; added && *added; added++)
    Add(alone, *added);
}

static void Begin(const char *name) {
  ScopedIgnoreInterceptors ignore;
  SetTest(name);
  atomic_fetch_add(&tests_begun, 1, memory_order_relaxed);
  if (!rsan_flags()->per_test)
    return;
  RsanBeginTestReports();
  RsanDeparturesOfTest();
  RsanScheduleTest(cur_thread(), name);
}

} // namespace __tsan

using namespace __tsan;

extern "C" {
SANITIZER_INTERFACE_ATTRIBUTE void __rsan_test_begin(const char *name) {
  Begin(name);
}

SANITIZER_INTERFACE_ATTRIBUTE void __rsan_test_end() {
  SetTest("");
}

SANITIZER_INTERFACE_ATTRIBUTE void __rsan_test_arguments(const char *const *added,
                                                         const char *const *dropped) {
  SetCommand(added, dropped);
}
}
