// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file that weak_file= names, one rule a line ('#' begins a comment):
//
//   POINT [from POINT] [missing POINT] [skip N] [times N] [follow N] [newest|oldest|random]
//
//   POINT    of the access, MODULE+0xOFFSET as in reports, with %20 for a space and so on; the
//            module by its path or by its name alone
//   from     where the function that has the access was called
//   missing  only to the version before a write at that point
//   skip     the first N occasions are left out; times: no more than N departures
//   follow   the thread's next N accesses of the object get the same version, wherever they are, as
//            long as they may: a second look would else show what the first one has missed
//   newest   which one of the candidates, if there are several; this one without a word
//
// An access departs by the first rule that applies to it.

#include "departures/rsan_departures.h"

#include "base/rsan_option_file.h"
#include "places/rsan_modules.h"
#include "port/rsan_tsan.h"
#include "sites/rsan_site.h"

namespace __tsan {

namespace {

struct DeparturePoint {
  const char *module; // null: anywhere
  uptr offset;
};

enum Which { kNewest, kOldest, kRandom };

} // namespace

struct RsanDepartureRule {
  DeparturePoint at, from, missing;
  u32 skip, times; // that are left; ~0: no bound
  u32 follow;
  Which which;
};

static Mutex mutex;
static Vector<RsanDepartureRule> *rules SANITIZER_GUARDED_BY(mutex);

static u32 ParseCount(const RsanLine &line, const char *word) {
  u64 count = 0;
  const char *digit = word;
  for (; IsDigit(*digit) && count < ~0u; digit++)
    count = count * 10 + static_cast<u64>(*digit - '0');
  if (digit == word || *digit || count >= ~0u)
    RsanRefuseLine(line, word, "is no number");
  return static_cast<u32>(count);
}

static void Unescape(char *text) {
  char *to = text;
  for (; *text; text++)
    if (*text == '%' && RsanHexValue(text[1]) >= 0 && RsanHexValue(text[2]) >= 0) {
      *to++ = static_cast<char>(RsanHexValue(text[1]) << 4 | RsanHexValue(text[2]));
      text += 2;
    } else {
      *to++ = *text;
    }
  *to = '\0';
}

static DeparturePoint ParsePoint(const RsanLine &line, char *word) {
  DeparturePoint point;
  if (!RsanParseModulePoint(word, &point.module, &point.offset))
    RsanRefuseLine(line, word, "is no program point: MODULE+0xOFFSET");
  Unescape(word);
  return point;
}

static RsanDepartureRule ParseRule(RsanLine line) {
  RsanDepartureRule rule = {};
  rule.times = ~0u;
  rule.at = ParsePoint(line, RsanCutWord(&line));
  while (*line.rest) {
    char *word = RsanCutWord(&line);
    if (!internal_strcmp(word, "from"))
      rule.from = ParsePoint(line, RsanCutWord(&line));
    else if (!internal_strcmp(word, "missing"))
      rule.missing = ParsePoint(line, RsanCutWord(&line));
    else if (!internal_strcmp(word, "skip"))
      rule.skip = ParseCount(line, RsanCutWord(&line));
    else if (!internal_strcmp(word, "times"))
      rule.times = ParseCount(line, RsanCutWord(&line));
    else if (!internal_strcmp(word, "follow"))
      rule.follow = ParseCount(line, RsanCutWord(&line));
    else if (!internal_strcmp(word, "newest"))
      rule.which = kNewest;
    else if (!internal_strcmp(word, "oldest"))
      rule.which = kOldest;
    else if (!internal_strcmp(word, "random"))
      rule.which = kRandom;
    else
      RsanRefuseLine(line, word,
                     "is none of from, missing, skip, times, follow, newest, oldest and random");
  }
  return rule;
}

void RsanReadDepartures(const char *file) {
  RsanReadModules();
  Lock lock(&mutex);
  rules = New<Vector<RsanDepartureRule>>();
  RsanReadLines(
      "weak_file", file,
      [](RsanLine line, void *into) {
        static_cast<Vector<RsanDepartureRule> *>(into)->PushBack(ParseRule(line));
      },
      rules);
}

// `pc`: a return address.
static bool IsAt(const DeparturePoint &point, uptr pc) {
  if (!point.module)
    return true;
  uptr offset;
  const char *module =
      pc ? RsanModuleAt(StackTrace::GetPreviousInstructionPc(pc), &offset) : nullptr;
  return module && RsanNamesPoint(point.module, point.offset, module, offset);
}

static bool Misses(const DeparturePoint &point, const rsan_candidate &candidate) {
  return IsAt(point, RsanSitePc(candidate.site));
}

// Program points at which no rule wants anything: the last one of each slot. (Code that is loaded
// where other code was may inherit such a point; then a rule for it is missed.)
static const uptr kUnnamed = 1024;
static atomic_uintptr_t unnamed[kUnnamed];

bool RsanFileNames(uptr pc) {
  atomic_uintptr_t *slot = &unnamed[(pc * 0x9e3779b97f4a7c15ull) >> 54];
  static_assert(kUnnamed == 1 << 10, "ten bits choose one");
  if (LIKELY(atomic_load_relaxed(slot) == pc))
    return false;
  Lock lock(&mutex);
  for (uptr i = 0; i < rules->Size(); i++)
    if (IsAt((*rules)[i].at, pc))
      return true;
  atomic_store_relaxed(slot, pc);
  return false;
}

// Which of the candidates the rule wants, from 1 on; 0: none.
static u32 Select(const RsanDepartureRule &rule, const rsan_candidate *candidates, u32 count,
                  u32 drawn) {
  u32 wanted[RSAN_CANDIDATES], left = 0, best = 0;
  for (u32 i = 0; i < count; i++)
    if (Misses(rule.missing, candidates[i]))
      wanted[left++] = i;
  if (!left)
    return 0;
  if (rule.which == kRandom)
    return 1 + wanted[drawn % left];
  for (u32 i = 1; i < left; i++) {
    const u64 version = candidates[wanted[i]].version, other = candidates[wanted[best]].version;
    if (rule.which == kNewest ? version > other : version < other)
      best = i;
  }
  return 1 + wanted[best];
}

bool RsanFollows(const ThreadState *thr, uptr addr) {
  return thr->rsan_own.follows && thr->rsan_own.followed == addr;
}

// The version that the thread was given before, from 1 on; 0: the access may not be given it.
static u32 Follow(ThreadState *thr, const rsan_candidate *candidates, u32 count) {
  for (u32 i = 0; i < count; i++)
    if (candidates[i].version == thr->rsan_own.followed_version) {
      thr->rsan_own.follows--;
      return i + 1;
    }
  thr->rsan_own.follows = 0;
  return 0;
}

u32 RsanRuleWants(ThreadState *thr, const RsanFlagged &flagged, const rsan_candidate *candidates,
                  u32 count, u32 drawn) {
  if (RsanFollows(thr, flagged.addr))
    return Follow(thr, candidates, count);
  const uptr caller = RsanCaller(thr);
  Lock lock(&mutex);
  for (uptr i = 0; i < rules->Size(); i++) {
    RsanDepartureRule &rule = (*rules)[i];
    if (!rule.times || !IsAt(rule.at, flagged.pc) || !IsAt(rule.from, caller))
      continue;
    const u32 wanted = Select(rule, candidates, count, drawn);
    if (!wanted)
      continue; // a rule for another write may want one
    if (rule.skip) {
      rule.skip--;
      return 0;
    }
    if (rule.times != ~0u)
      rule.times--;
    if (rule.follow) {
      thr->rsan_own.followed = flagged.addr;
      thr->rsan_own.followed_version = candidates[wanted - 1].version;
      thr->rsan_own.follows = rule.follow;
    }
    return wanted;
  }
  return 0;
}

} // namespace __tsan
