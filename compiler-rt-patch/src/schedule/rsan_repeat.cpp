// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What reports say of the schedule of their run, and the line that repeats it: the program with the
// user's options, and with the record in place of the policy if there is one.

#include "records/rsan_json.h"
#include "sanitizer_common/sanitizer_file.h"
#include "sanitizer_common/sanitizer_libc.h"
#include "schedule/rsan_token.h"

namespace __tsan {

// For a shell.
static void AppendQuoted(InternalScopedString *text, const char *word) {
  bool plain = *word;
  for (const char *c = word; *c; c++)
    plain &= IsDigit(*c) || (ToLower(*c) >= 'a' && ToLower(*c) <= 'z') ||
             internal_strchr("/._-+=:,%@", *c);
  if (plain) {
    text->Append(word);
    return;
  }
  text->Append("'");
  for (; *word; word++)
    if (*word == '\'')
      text->Append("'\\''");
    else
      text->AppendF("%c", *word);
  text->Append("'");
}

static void AppendOptions(InternalScopedString *text, const char *variable, const char *more) {
  const char *own = GetEnv(variable);
  if (!own && !*more)
    return;
  InternalScopedString options;
  options.AppendF("%s%s%s", own ? own : "", own && *own && *more ? ":" : "", more);
  text->AppendF("%s=", variable);
  AppendQuoted(text, options.data());
  text->Append(" ");
}

static void RenderRepeat(InternalScopedString *text) {
  InternalScopedString replay;
  if (RsanRecordPath())
    replay.AppendF("schedule_file=:replay=%s", RsanRecordPath());
  AppendOptions(text, "TSAN_OPTIONS", "");
  AppendOptions(text, "RSAN_OPTIONS", replay.data());
  char *line;
  uptr room, size;
  if (!ReadFileToBuffer("/proc/self/cmdline", &line, &room, &size))
    return;
  for (uptr at = 0; at < size; at += internal_strlen(line + at) + 1) {
    text->Append(at ? " " : "");
    AppendQuoted(text, line + at);
  }
  UnmapOrDie(line, room);
}

// Of what the seed alone does not decide.
static u64 CountUncertain() {
  RsanScheduleLock lock;
  return rsan_schedule_state->taken + rsan_schedule_state->outside;
}

void RsanPrintRepeat() {
  if (!rsan_schedules)
    return;
  InternalScopedString text;
  RenderRepeat(&text);
  Printf("  To repeat this run: %s\n", Printable(text.data()));
  u64 uncertain = RsanRecordPath() ? 0 : CountUncertain();
  if (uncertain)
    Printf("  (%llu times a call blocked, which takes as long as it takes: to be sure, record the "
           "run with schedule_file=FILE.)\n",
           (unsigned long long)uncertain);
  Printf("\n");
}

void RsanPutSchedule(RsanJson *json) {
  if (!rsan_schedules)
    return;
  InternalScopedString text;
  char policy[128];
  RenderRepeat(&text);
  u64 step;
  {
    RsanScheduleLock lock;
    step = rsan_schedule_state->schedule.steps;
  }
  json->Key("schedule");
  json->Open('{');
  json->Text("options", RsanPolicyText(policy, sizeof policy));
  json->Number("step", step);
  json->Number("blocked", CountUncertain());
  if (RsanRecordPath())
    json->Text("file", RsanRecordPath());
  json->Text("repeat", text.data());
  json->Close('}');
}

} // namespace __tsan
