// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RSan's run-time options, the defaults of TSan's that RSan changes, and the choice of the
// symbolizer.

#include <limits.h>

#include "base/rsan_refusal.h"
#include "base/rsan_state.h"
#include "base/rsan_system.h"
#include "port/rsan_tsan.h"
#include "rsan_config.h"

namespace __tsan {

// So many atomic objects may have a long history without a limit. If there are more, all of them
// share the memory that is reckoned for so many, 90 MB.
static const u32 kLargeLocations = 16384;

RsanFlags rsan_flags_storage;
int rsan_switch_flag = 100;
static const char *missing_symbolizer; // what has been looked for in vain
static bool writes_records;
bool rsan_fences_before;

static void SetSymbolizer(const char *path) {
  CommonFlags common;
  common.CopyFrom(*common_flags());
  common.external_symbolizer_path = path;
  OverrideCommonFlags(common);
}

// TSan's defaults that RSan changes: no addr2line (gigabytes of memory a process), no second's
// sleep at exit.
void RsanSetFlagDefaults(Flags *flags) {
  RsanBeginStart();
  CommonFlags common;
  common.CopyFrom(*common_flags());
  common.allow_addr2line = false;
  OverrideCommonFlags(common);
  flags->atexit_sleep_ms = 0;
#define RSAN_FLAG(Type, Name, DefaultValue, Description) rsan_flags_storage.Name = DefaultValue;
#include "base/rsan_flags.inc"
#undef RSAN_FLAG
}

void RsanRegisterFlags(FlagParser *parser) {
#define RSAN_FLAG(Type, Name, DefaultValue, Description)                                           \
  RegisterFlag(parser, #Name, Description, &rsan_flags_storage.Name);
// A flag without a description is not listed.
#define RSAN_COMMAND_FLAG(Type, Name, DefaultValue, Description)                                   \
  RegisterFlag(parser, #Name, "", &rsan_flags_storage.Name);
#include "base/rsan_flags.inc"
#undef RSAN_FLAG
  RegisterFlag(parser, "switch",
               "With schedule=random: at how many per cent of the points another thread may be "
               "chosen.",
               &rsan_switch_flag);
}

// The user's own symbolizer, else the one of the LLVM that RSan was built with, else what PATH has.
// sanitizer_common looks for a name without a version, which Debian has not got.
void RsanChooseSymbolizer() {
  const char *path = common_flags()->external_symbolizer_path;
  if (!common_flags()->symbolize || (path && internal_strchr(path, '%')))
    return; // not wanted, or not known before sanitizer_common has expanded it
  if (path) {
    if (path[0] && FileExists(path))
      return;
    missing_symbolizer = path;
    SetSymbolizer("");
    return;
  }
  if (FileExists(RSAN_LLVM_SYMBOLIZER))
    path = RSAN_LLVM_SYMBOLIZER;
  else if (RsanHasForeignRights())
    path = nullptr; // PATH is the caller's
  else if (!(path = FindPathToBinary("llvm-symbolizer-" RSAN_LLVM_MAJOR)))
    path = FindPathToBinary("llvm-symbolizer");
  if (!path && !common_flags()->allow_addr2line) {
    missing_symbolizer = "llvm-symbolizer-" RSAN_LLVM_MAJOR;
    path = "";
  }
  SetSymbolizer(path);
}

void RsanDieUnstarted() {
  CommonFlags common;
  common.CopyFrom(*common_flags());
  if (common.exitcode == 0)
    common.exitcode = 66;
  OverrideCommonFlags(common);
  Die();
}

void RsanRefuseOption(const char *name, const char *value, const char *where, const char *wanted) {
  Printf("ThreadSanitizer: %s=%s in %s: must be %s\n", name, Printable(value),
         where ? Printable(where) : "the options", wanted);
  RsanDieUnstarted();
}

// True if the flag has its second value; anything but its two ends the process.
static bool IsSecond(const char *name, const char *value, const char *first, const char *second) {
  if (internal_strcmp(value, first) != 0 && internal_strcmp(value, second) != 0) {
    char wanted[64];
    internal_snprintf(wanted, sizeof wanted, "%s or %s", first, second);
    RsanRefuseOption(name, value, nullptr, wanted);
  }
  return internal_strcmp(value, second) == 0;
}

static rsan_seq_cst_mode SeqCstMode(const char *value) {
  if (internal_strcmp(value, "exact") == 0)
    return RSAN_SEQ_CST_EXACT;
  if (internal_strcmp(value, "fence") == 0)
    return RSAN_SEQ_CST_FENCE;
  if (internal_strcmp(value, "acq_rel") != 0)
    RsanRefuseOption("seq_cst", value, nullptr, "exact, fence or acq_rel");
  return RSAN_SEQ_CST_ACQ_REL;
}

void RsanCheckNumber(const char *name, int value, int least, int most) {
  if (value >= least && value <= most)
    return;
  Printf("ThreadSanitizer: %s=%d in RSAN_OPTIONS: must be %d to %d\n", name, value, least, most);
  RsanDieUnstarted();
}

bool RsanIgnoresPlainAccesses() {
  return !rsan_flags_storage.races;
}

bool RsanWritesRecords() {
  return writes_records;
}

void RsanChooseFormat() {
  writes_records = IsSecond("report_format", rsan_flags_storage.report_format, "text", "json");
  print_default_summary = !writes_records;
}

rsan_options RsanReadOptions() {
  rsan_options options = {};
  if (IsSecond("clocks", rsan_flags_storage.clocks, "compact", "explicit"))
    options.clocks = RSAN_CLOCKS_EXPLICIT;
  if (IsSecond("history", rsan_flags_storage.history, "bounded", "exact"))
    options.history = RSAN_HISTORY_EXACT;
  options.seq_cst = SeqCstMode(rsan_flags_storage.seq_cst);
  rsan_fences_before = options.seq_cst == RSAN_SEQ_CST_FENCE;
  if (!rsan_targets_parse(rsan_flags_storage.target, &options.targets))
    RsanRefuseOption("target", rsan_flags_storage.target, nullptr, RSAN_TARGETS_WANTED);
  RsanCheckNumber("explain_history", rsan_flags_storage.explain_history, 1, INT_MAX);
  RsanCheckNumber("location_budget", rsan_flags_storage.location_budget, 0, INT_MAX);
  options.location_budget = static_cast<u32>(rsan_flags_storage.location_budget);
  options.large_locations = kLargeLocations;
  RsanCheckNumber("time_limit", rsan_flags_storage.time_limit, 0, INT_MAX);
  RsanCheckNumber("report_budget", rsan_flags_storage.report_budget, 0, INT_MAX);
  RsanCheckNumber("unseen_calls", rsan_flags_storage.unseen_calls, 0, 2);
  if (rsan_flags_storage.explain)
    options.explain_history = static_cast<u32>(rsan_flags_storage.explain_history);
  options.weak = internal_strcmp(rsan_flags_storage.weak, "off") != 0;
  return options;
}

bool RsanHasSymbolizer() {
  const char *path = common_flags()->external_symbolizer_path;
  bool is_off = path && !path[0] && !common_flags()->allow_addr2line;
  return common_flags()->symbolize && !missing_symbolizer && !is_off;
}

void RsanWarnOfMissingSymbolizer() {
  static atomic_uint8_t warned;
  if (missing_symbolizer && !atomic_exchange(&warned, 1, memory_order_relaxed))
    Printf("WARNING: ThreadSanitizer: no symbolizer '%s', so reports name no functions and lines; "
           "install llvm-" RSAN_LLVM_MAJOR
           " or set external_symbolizer_path=PATH in RSAN_OPTIONS\n",
           Printable(missing_symbolizer));
}

} // namespace __tsan

extern "C" {
extern const char __rsan_version[];
SANITIZER_INTERFACE_ATTRIBUTE const char __rsan_version[] = RSAN_VERSION;
}
