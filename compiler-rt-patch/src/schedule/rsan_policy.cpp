// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options that choose a policy.

#include <limits.h>

#include "base/rsan_exploring.h"
#include "common/rsan_source_name.h"
#include "port/rsan_common.h"
#include "schedule/rsan_fill.h"
#include "schedule/rsan_token.h"

namespace __tsan {

// Steps that pct and pos leave a thread before it gives way: more than programs make between two
// yields that they need, and few enough for a loop that waits unrecognised to cost milliseconds.
static const u32 kPatience = 10000;

// The words of schedule=. `chooses`: threads have a token, and the policy `name` gives it.
static const struct Policy {
  const char *word;
  bool chooses;
  rsan_policy_name name;
} policies[] = {
    {"off", false, {}},
    {"random", true, RSAN_POLICY_RANDOM},
    {"pct", true, RSAN_POLICY_PCT},
    {"pos", true, RSAN_POLICY_POS},
    {"mix", true, RSAN_POLICY_MIX},
    {"delay", false, {}},
};

static const Policy *FindPolicy(const char *word) {
  for (const Policy &policy : policies)
    if (internal_strcmp(word, policy.word) == 0)
      return &policy;
  return nullptr;
}

void RsanCheckSchedule() {
  const RsanFlags *flags = rsan_flags();
  if (!FindPolicy(flags->schedule))
    RsanRefuseOption("schedule", flags->schedule, nullptr, "off, random, pct, pos, mix or delay");
  RsanCheckNumber("switch", rsan_switch_flag, 1, 100);
  RsanCheckNumber("depth", flags->depth, 1, RSAN_PCT_MAX_DEPTH);
  RsanCheckNumber("livelock", flags->livelock, 0, INT_MAX);
  RsanCheckNumber("explore_preemptions", flags->explore_preemptions, -1, INT_MAX);
  RsanCheckNumber("explore_loop", flags->explore_loop, 1, INT_MAX);
  RsanCheckNumber("explore_unroll", flags->explore_unroll, 0, INT_MAX);
  RsanCheckNumber("explore_spurious", flags->explore_spurious, 0, INT_MAX);
  RsanCheckNumber("explore_graphs", flags->explore_graphs, 0, 2);
  rsan_explores = *flags->explore || *flags->explore_graph;
  if (rsan_explores)
    RsanFillFromNow();
  RsanCheckNumber("yield_ms", flags->yield_ms, 1, 60000);
}

static u64 test_seed; // 0: no test has begun

u64 RsanSeed() {
  return test_seed ? test_seed : static_cast<u64>(rsan_flags()->seed);
}

// (Policies that go by the seed, such as mix, take their turns with the seeds of each test.)
void RsanScheduleTest(ThreadState *thr, const char *name) {
  RsanScheduleLock lock;
  test_seed = static_cast<u64>(rsan_flags()->seed) +
              (rsan_hash_line(RSAN_HASH_START, name) & 0xffffffff) + 1;
  thr->rsan_own.random = 0;
  thr->rsan_own.sleeps = 0;
  rsan_policy_options options = {};
  if (rsan_schedules && rsan_self && RsanReadPolicy(&options))
    rsan_schedule_restart(&rsan_schedule_state->schedule, &options);
}

bool RsanReadPolicy(rsan_policy_options *options) {
  const RsanFlags *flags = rsan_flags();
  const Policy *policy = FindPolicy(flags->schedule);
  options->seed = RsanSeed();
  options->switch_percent = static_cast<u32>(rsan_switch_flag);
  options->depth = static_cast<u32>(flags->depth);
  options->patience = kPatience;
  options->livelock = static_cast<u32>(flags->livelock);
  // Where a replay differs, or its file ends, something has to choose.
  options->name = policy->chooses ? policy->name : RSAN_POLICY_RANDOM;
  return policy->chooses || (flags->replay && *flags->replay) || RsanExplores();
}

const char *RsanPolicyText(char *text, uptr room) {
  const RsanFlags *flags = rsan_flags();
  const int length =
      internal_snprintf(text, room, "schedule=%s:seed=%d:switch=%d:depth=%d", flags->schedule,
                        flags->seed, rsan_switch_flag, flags->depth);
  if (internal_strcmp(flags->weak, "off"))
    internal_snprintf(text + length, room - static_cast<uptr>(length),
                      ":weak=%s:weak_percent=%d:weak_departures=%d:weak_pause=%d", flags->weak,
                      flags->weak_percent, flags->weak_departures, flags->weak_pause);
  if (flags->per_test)
    internal_strlcat(text, ":per_test=1", room);
  return text;
}

} // namespace __tsan
