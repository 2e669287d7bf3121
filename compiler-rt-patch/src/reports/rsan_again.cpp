// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "reports/rsan_again.h"

#include "base/rsan_json.h"
#include "base/rsan_report_file.h"
#include "port/rsan_tsan.h"
#include "reports/rsan_test.h"
#include "sites/rsan_site.h"

namespace __tsan {

static StaticSpinMutex mutex;         // of what follows
static DenseMap<u64, u64> *tokens;    // by key
static DenseMap<u64, u32> *last_test; // in which the token was noted
static u32 test;
static u64 race; // key of the race that is about to be reported

// Not one of the map's two reserved values, which are the greatest.
static u64 Clip(u64 key) {
  return key & ~(1ull << 63);
}

void RsanBeginTestReports() {
  SpinMutexLock lock(&mutex);
  test++;
}

static void SetToken(u64 key, u64 token) SANITIZER_REQUIRES(mutex) {
  if (!tokens) {
    tokens = New<DenseMap<u64, u64>>();
    last_test = New<DenseMap<u64, u32>>();
  }
  (*tokens)[Clip(key)] = token;
}

static void Note(u64 key, u64 token) SANITIZER_REQUIRES(mutex) {
  SetToken(key, token);
  (*last_test)[Clip(token)] = test;
}

void RsanNoteReported(u64 key, u64 token) {
  if (!rsan_flags()->per_test)
    return;
  SpinMutexLock lock(&mutex);
  Note(key, token);
}

// Returns its token if it was reported in other tests alone, else 0.
static u64 TokenToSay(u64 key, bool *reported) {
  SpinMutexLock lock(&mutex);
  auto *found = tokens ? tokens->find(Clip(key)) : nullptr;
  *reported = found;
  if (!found)
    return 0;
  u32 &last = (*last_test)[Clip(found->second)];
  if (last == test)
    return 0;
  last = test;
  return found->second;
}

static bool NoteAgain(u64 key) {
  bool reported;
  const u64 token = TokenToSay(key, &reported);
  char text[24];
  internal_snprintf(text, sizeof text, "%016llx", token);
  if (token && RsanWritesRecords()) {
    RsanJson json;
    json.Open('{');
    json.Text("rsan_again", text);
    RsanPutTest(&json);
    json.Close('}');
    Printf("%s\n", json.Line());
  } else if (token) {
    Printf("ThreadSanitizer: reported %s once more\n", text);
    RsanPrintTest();
  }
  return reported;
}

void RsanNoteAgain(u64 key) {
  if (rsan_flags()->per_test)
    NoteAgain(key);
}

void RsanNoteFurther(u64 key, u64 token) {
  if (!rsan_flags()->per_test)
    return;
  {
    SpinMutexLock lock(&mutex);
    SetToken(key, token);
  }
  NoteAgain(key);
}

bool RsanIsRaceAgain(StackTrace first, StackTrace second) {
  if (!rsan_flags()->per_test || !flags()->suppress_equal_stacks)
    return false;
  const u64 key = RsanNumberOfStacks(first, second);
  if (NoteAgain(key))
    return true;
  SpinMutexLock lock(&mutex);
  race = key;
  return false;
}

void RsanNoteReportedRace(u64 token) {
  if (!rsan_flags()->per_test)
    return;
  SpinMutexLock lock(&mutex);
  if (race)
    Note(race, token);
  race = 0;
}

} // namespace __tsan
