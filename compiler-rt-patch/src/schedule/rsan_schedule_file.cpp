// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Schedules that are recorded and repeated: schedule_file= and replay=.

#include <fcntl.h>
#include <limits.h>
#include <link.h>

#include "base/rsan_own_file.h"
#include "common/rsan_code_hash.h"
#include "port/rsan_tsan.h"
#include "schedule/rsan_fill.h"
#include "schedule/rsan_token.h"

namespace __tsan {

static RsanOwnFile record_file = kRsanNoFile;
static fd_t replay_fd = kInvalidFd;
static rsan_recorder *recorder;
static rsan_replay *replay;

static const char kInLivelock[] = ":ends=livelock", kByTime[] = ":ends=timeout.";
static bool ends_in_livelock; // the run that is repeated

// What a run of `rsan check' is made again for.
static void PutEnd(char *options, uptr room, RsanEnd end) {
  const uptr length = internal_strlen(options);
  if (end == kRsanEndsInLivelock)
    internal_snprintf(options + length, room - length, "%s", kInLivelock);
  else if (end == kRsanEndsByTime)
    internal_snprintf(options + length, room - length, "%s%d", kByTime,
                      rsan_flags()->explore_timeout);
}

static void EndAsRecorded(const char *options) {
  ends_in_livelock = internal_strstr(options, kInLivelock);
  const char *end, *time = internal_strstr(options, kByTime);
  const s64 seconds = time ? internal_simple_strtoll(time + sizeof kByTime - 1, &end, 10) : 0;
  if (seconds > 0 && seconds < INT_MAX && !rsan_flags()->time_limit)
    rsan_flags()->time_limit = static_cast<int>(seconds);
}

// All steps of a record that ends in a livelock have been repeated.
bool RsanRepeatedLivelock(const rsan_schedule &schedule) {
  return ends_in_livelock && replay && schedule.difference.kind == RSAN_SAME &&
         (replay->next.what == RSAN_REPLAY_END || replay->next.what == RSAN_REPLAY_CUT);
}

bool RsanIsReplay() {
  return replay != nullptr;
}

static bool IsSet(const char *flag) {
  return flag && *flag;
}

u64 RsanHashOfCode() {
  u64 hash = RSAN_HASH_START;
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *into) {
        u64 *sum = static_cast<u64 *>(into);
        for (int i = 0; i < info->dlpi_phnum; i++) {
          const ElfW(Phdr) &segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X))
            continue;
          *sum = rsan_hash_code(*sum,
                                reinterpret_cast<const void *>(info->dlpi_addr + segment.p_vaddr),
                                segment.p_filesz);
        }
        return 1; // the program comes first
      },
      &hash);
  return hash;
}

static char record_path[kMaxPathLength];

static void WriteRecord(void *, const char *text, u32 size) {
  RsanWriteOwnFile(&record_file, "schedule_file", record_path, text, size);
}

static u32 ReadReplay(void *, char *text, u32 size) {
  uptr got = internal_read(replay_fd, text, size);
  return internal_iserror(got) ? 0 : static_cast<u32>(got);
}

[[noreturn]] static void Refuse(const char *option, const char *file, const char *why) {
  Printf("ThreadSanitizer: %s=%s in RSAN_OPTIONS: %s\n", option, Printable(file), why);
  RsanDieUnstarted();
}

static void OpenRecord(const char *build, RsanEnd end) {
  SubstituteForFlagValue(rsan_flags()->schedule_file, record_path, sizeof record_path);
  int error = 0;
  if (!RsanOpenOwnFile(&record_file, record_path, O_CREAT | O_TRUNC, &error))
    Refuse("schedule_file", record_path, "the file cannot be written");
  recorder = New<rsan_recorder>();
  rsan_recorder_init(recorder, WriteRecord, nullptr);
  rsan_recorder_build(recorder, build);
  const Vector<const char *> &arguments = RsanArguments();
  rsan_recorder_arguments(recorder, arguments.Size() ? &arguments[0] : nullptr,
                          static_cast<u32>(arguments.Size()));
  char options[RSAN_REPLAY_OPTIONS];
  RsanPolicyText(options, sizeof options);
  RsanPutFill(options, sizeof options);
  PutEnd(options, sizeof options, end);
  if (rsan_follows_graphs) // rsan replay then follows the graph in FILE.graph
    internal_strlcat(options, ":graph=1", sizeof options);
  rsan_recorder_options(recorder, options);
}

static void OpenReplay(const char *build) {
  const char *file = rsan_flags()->replay;
  replay_fd = OpenFile(file, RdOnly);
  if (replay_fd == kInvalidFd)
    Refuse("replay", file, "the file cannot be read");
  replay = New<rsan_replay>();
  auto *head = static_cast<rsan_replay_head *>(Alloc(sizeof(rsan_replay_head)));
  if (!rsan_replay_open(replay, ReadReplay, nullptr, head))
    Refuse("replay", file, replay->error);
  if (internal_strcmp(head->build, build))
    Printf("WARNING: ThreadSanitizer: %s was recorded with another build of the program\n",
           Printable(file));
  RsanFillAsRecorded(head->options);
  EndAsRecorded(head->options);
  Free(head);
}

void RsanOpenFiles(rsan_schedule *schedule) {
  // A child process repeats nothing: the file is its parent's.
  static bool opened;
  if (opened)
    return;
  opened = true;
  char build[20] = "";
  if (IsSet(rsan_flags()->replay) || IsSet(rsan_flags()->schedule_file))
    internal_snprintf(build, sizeof build, "%016llx", (unsigned long long)RsanHashOfCode());
  if (IsSet(rsan_flags()->replay))
    OpenReplay(build);
  if (IsSet(rsan_flags()->schedule_file))
    OpenRecord(build, kRsanEndsItself);
  schedule->replay = replay;
  schedule->record = recorder;
}

void RsanRecordTo(rsan_schedule *schedule, const char *path, RsanEnd end) {
  char build[20];
  internal_snprintf(build, sizeof build, "%016llx", (unsigned long long)RsanHashOfCode());
  rsan_flags()->schedule_file = path;
  OpenRecord(build, end);
  schedule->record = recorder;
  // The start of the first thread has been chosen before.
  rsan_recorder_step(recorder, rsan_self->id, {0, RSAN_KIND_START});
}

void RsanCloseRecord(rsan_schedule *schedule, bool is_end) {
  if (schedule->record && is_end)
    rsan_recorder_end(schedule->record);
  schedule->record = nullptr;
  schedule->replay = nullptr;
  RsanCloseOwnFile(&record_file);
}

const char *RsanKindText(u8 kind) {
  static const char *const kinds[] = {
#define RSAN_TEXT(name, words) words,
      RSAN_KINDS(RSAN_TEXT)
#undef RSAN_TEXT
  };
  return kind < RSAN_KIND_COUNT ? kinds[kind] : "unknown operation";
}

static void AppendLabel(InternalScopedString *text, const rsan_label &label) {
  text->Append(RsanKindText(label.kind & ~RSAN_LABEL_EXPIRED));
  if (label.kind & RSAN_LABEL_EXPIRED)
    text->Append(", out of time,");
  if (uptr address = RsanAddressOf(label.point)) {
    SymbolizedStack *frames = Symbolizer::GetOrInit()->SymbolizePC(address);
    const SymbolizedStack *place = RsanPlaceOf(frames);
    if (place && place->info.function)
      text->AppendF(" in %s", place->info.function);
    if (place && place->info.file)
      text->AppendF(" %s:%d", StripModuleName(place->info.file), place->info.line);
    else if (place && place->info.module)
      text->AppendF(" (%s+0x%zx)", StripModuleName(place->info.module), place->info.module_offset);
    frames->ClearAll();
  } else if (label.point) {
    text->AppendF(" at 0x%llx of a module that is not loaded", label.point & ((1ull << 48) - 1));
  }
}

void RsanPrintDifference(const rsan_difference &difference) {
  ScopedIgnoreInterceptors ignore;
  InternalScopedString text;
  text.AppendF("WARNING: ThreadSanitizer: the run differs from %s at step %llu: ",
               rsan_flags()->replay, (unsigned long long)difference.step);
  switch (difference.kind) {
  case RSAN_SAME:
    return;
  case RSAN_DIFFERS_FILE:
    text.AppendF("line %u of the file: %s", replay->line, replay->error);
    break;
  case RSAN_DIFFERS_END:
    text.Append("the record ends here");
    break;
  case RSAN_DIFFERS_WAKE:
    text.Append("a thread is woken in one of the runs, or another thread");
    break;
  case RSAN_DIFFERS_CHOICE:
    text.Append("rsan_choose() has too few values here: the recorded choice is not among them");
    break;
  case RSAN_DIFFERS_THREAD:
  case RSAN_DIFFERS_BLOCKED:
  case RSAN_DIFFERS_POINT:
    text.AppendF("thread %u made: ", difference.thread);
    AppendLabel(&text, difference.recorded);
    if (difference.kind == RSAN_DIFFERS_THREAD) {
      text.Append("; here it is not about to make a step");
    } else if (difference.kind == RSAN_DIFFERS_BLOCKED) {
      text.Append("; here it cannot proceed");
    } else {
      text.Append("; here it is about to make: ");
      AppendLabel(&text, difference.here);
    }
  }
  text.AppendF("; from here on the policy chooses (pid=%d)\n", static_cast<int>(internal_getpid()));
  Printf("%s", text.data());
}

const char *RsanRecordPath() {
  return *record_path ? record_path : nullptr;
}

} // namespace __tsan
