// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/rsan_test.h"

#include "port/rsan_tsan.h"

namespace __tsan {

enum { kRsanTestName = 256 }; // bytes with the final null character; longer names are cut off

static StaticSpinMutex test_mutex;
static char test_name[kRsanTestName] SANITIZER_GUARDED_BY(test_mutex); // empty: none is running

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

static bool RunningTest(char (&name)[kRsanTestName]) {
  // Not waited for: the thread that holds it may be the one that a signal handler interrupts.
  if (test_mutex.TryLock()) {
    internal_strlcpy(name, test_name, sizeof name);
    test_mutex.Unlock();
    if (*name)
      return true;
  }
  return NameFromEnvironment(name);
}

void RsanPrintTest() {
  char name[kRsanTestName];
  if (RunningTest(name))
    Printf("Test: %s\n", Printable(name));
}

void RsanPutTest(RsanJson *json) {
  char name[kRsanTestName];
  if (!RunningTest(name))
    return;
  json->Key("tests");
  json->Open('[');
  json->Text(name);
  json->Close(']');
}

} // namespace __tsan

using namespace __tsan;

static void SetTest(const char *name) {
  SpinMutexLock lock(&test_mutex);
  internal_strlcpy(test_name, name, sizeof test_name);
}

extern "C" {
SANITIZER_INTERFACE_ATTRIBUTE void __rsan_test_begin(const char *name) {
  SetTest(name);
}

SANITIZER_INTERFACE_ATTRIBUTE void __rsan_test_end() {
  SetTest("");
}
}
