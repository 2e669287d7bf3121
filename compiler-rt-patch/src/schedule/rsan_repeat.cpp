// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What reports say of the schedule of their run, and the line that repeats it: the program with the
// user's options, and with the record in place of the policy if there is one.

#include "base/rsan_json.h"
#include "base/rsan_upcalls.h"
#include "port/rsan_tsan.h"
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

static Vector<const char *> *arguments;

// They are kept as they are now: the program may permute them, or write over them.
void RsanKeepArguments() {
  if (arguments)
    return;
  arguments = New<Vector<const char *>>();
  for (char **argument = GetArgv(); argument && *argument; argument++)
    arguments->PushBack(internal_strdup(*argument));
}

const Vector<const char *> &RsanArguments() {
  return *arguments;
}

static void AppendCommand(InternalScopedString *text, const char *more,
                          const Vector<const char *> &command) {
  AppendOptions(text, "TSAN_OPTIONS", "");
  AppendOptions(text, "RSAN_OPTIONS", more);
  for (uptr i = 0; i < command.Size(); i++) {
    text->Append(i ? " " : "");
    AppendQuoted(text, command[i]);
  }
}

static void RenderRepeat(InternalScopedString *text) {
  InternalScopedString replay;
  if (RsanRecordPath() && rsan_follows_graphs)
    replay.AppendF("explore=:explore_by_graphs=0:schedule_file=:explore_graph=%s.graph",
                   RsanRecordPath());
  else if (RsanRecordPath())
    replay.AppendF("explore=:schedule_file=:replay=%s", RsanRecordPath());
  if (RsanOnFibers() && !*rsan_flags()->execution)
    rsan_upcalls.append_execution(&replay);
  AppendCommand(text, replay.data(), *arguments);
}

void RsanRenderCommand(InternalScopedString *text, const Vector<const char *> &command) {
  AppendCommand(text, "", command);
}

// Counts the events that the seed alone does not decide.
static u64 CountUncertain() {
  RsanScheduleLock lock;
  return rsan_schedule_state->taken + rsan_schedule_state->outside + RsanCountAwakened();
}

void RsanPrintCommand() {
  InternalScopedString text;
  RenderRepeat(&text);
  Printf("  to repeat it: %s\n", Printable(text.data()));
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
  if (rsan_follows_graphs && !RsanOnFibers())
    rsan_upcalls.print_graph();
  Printf("\n");
}

void RsanPutSchedule(RsanJson *json) {
  if (!rsan_schedules)
    return;
  InternalScopedString text;
  char policy[kRsanPolicyText];
  RenderRepeat(&text);
  const char *file = RsanRecordPath();
  u64 step;
  {
    RsanScheduleLock lock;
    step = rsan_schedule_state->schedule.steps;
    if (!file && RsanIsReplay() && rsan_schedule_state->schedule.difference.kind == RSAN_SAME)
      file = rsan_flags()->replay; // (it is still the run of that file)
  }
  json->Key("schedule");
  json->Open('{');
  json->Text("options", RsanPolicyText(policy, sizeof policy));
  json->Number("step", step);
  json->Number("blocked", CountUncertain());
  if (file)
    json->Text("file", file);
  json->Text("repeat", text.data());
  json->Close('}');
}

} // namespace __tsan
