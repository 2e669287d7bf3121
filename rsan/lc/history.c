// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history.h"

#include "../host.h"

void rsan_history_append(struct rsan_history *history, const struct rsan_access *access,
                         uint32_t writer, uint32_t owner, uint64_t sc_index) {
  if (history->count == history->room)
    history->at = rsan_grow(history->at, &history->room, sizeof *history->at, RSAN_VERSIONS_FIRST);
  history->at[history->count++] = (struct rsan_version){
      .overwrote = history->value,
      .wrote = access->written,
      .number = ++history->newest,
      .sc_index = sc_index,
      .writer = writer,
      .owner = owner,
      .site = access->site,
      .order = (uint8_t)access->order,
      .plain = access->kind == RSAN_WRITE,
  };
  rsan_history_set_value(history, access->written);
  if (access->kind == RSAN_WRITE)
    history->newest_plain = history->newest;
}

// Is there a version for each critical condition that the newest of at[0..last] satisfies?
static bool matched(const struct rsan_history *history, const struct rsan_version *at,
                    uint32_t last) {
  for (uint32_t c = 0; c < rsan_history_criticals(history); c++) {
    const struct rsan_condition *condition = &history->critical->at[c];
    bool match = !rsan_condition_holds(condition, at[last].overwrote);
    for (uint32_t i = 0; i < last && !match; i++)
      match = rsan_condition_holds(condition, at[i].overwrote) && (at[i].plain || !at[last].plain);
    if (!match)
      return false;
  }
  return true;
}

// If versions overwrote two different values, a strong CAS does not expect one of them. (A plain
// version would do as well; but then more is missed of what is waited for later.)
__attribute__((noinline)) static enum rsan_fold fold_newest(struct rsan_history *history,
                                                            uint64_t known_below) {
  struct rsan_version *at = history->at;
  uint32_t last = history->count - 1, first = last - 1;
  while (first > 0 && at[first - 1].number > known_below)
    first--;
  bool plain = false, different = false;
  for (uint32_t i = first; i < last; i++) {
    plain |= at[i].plain;
    different |= !rsan_value_equal(at[i].overwrote, at[first].overwrote);
  }
  if ((at[last].plain && !plain) ||
      !(different || rsan_value_equal(at[last].overwrote, at[first].overwrote)) ||
      !matched(history, &at[first], last - first))
    return RSAN_FOLDS_NOTHING;
  history->count--;
  if (!different || history->critical)
    return RSAN_FOLDS_THIS;
  return plain ? RSAN_FOLDS_ALL : RSAN_FOLDS_READ_MODIFY_WRITES;
}

enum rsan_fold rsan_history_fold(struct rsan_history *history, uint64_t known_below) {
  const struct rsan_version *at = history->at;
  uint32_t count = history->count;
  if (count < 2 || at[count - 2].number <= known_below || at[count - 1].number != history->newest)
    return RSAN_FOLDS_NOTHING;
  return fold_newest(history, known_below);
}

bool rsan_history_matters(const struct rsan_version *version, const struct rsan_access *access) {
  switch (access->check) {
  case RSAN_CHECK_READ:
    return true;
  case RSAN_CHECK_WRITE:
  case RSAN_CHECK_KERNEL_UPDATE:
    return version->plain;
  case RSAN_CHECK_WAIT:
    return rsan_condition_holds(&access->expected, version->overwrote);
  case RSAN_CHECK_BCAS:
    return version->plain && rsan_condition_holds(&access->expected, version->overwrote);
  case RSAN_CHECK_KERNEL_COMPARE:
    return rsan_tells_apart(access, version->overwrote);
  case RSAN_CHECK_STRONG_CAS:
    return version->plain || !rsan_condition_holds(&access->expected, version->overwrote);
  }
  return false;
}

const struct rsan_version *rsan_history_after_gaps(const struct rsan_history *history,
                                                   uint64_t known) {
  const struct rsan_version *at = history->at;
  uint32_t low = 0, high = history->count; // at[..low] are known, at[high..] are not
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (at[middle].number <= known)
      low = middle + 1;
    else
      high = middle;
  }
  return low < history->count ? &at[low] : 0;
}

const struct rsan_version *rsan_history_first(const struct rsan_history *history, uint64_t known,
                                              const struct rsan_access *access) {
  if (known == history->newest)
    return 0;
  const struct rsan_version *version = rsan_history_after(history, known);
  if (!version)
    return 0;
  const struct rsan_version *end = history->at + history->count;
  while (version < end && !rsan_history_matters(version, access))
    version++;
  return version < end ? version : 0;
}

unsigned rsan_branches_of(const struct rsan_access *access, struct rsan_branch branches[2]) {
  bool success = access->success == RSAN_SEQ_CST, failure = access->failure == RSAN_SEQ_CST;
  branches[0] = branches[1] = (struct rsan_branch){*access, access->order == RSAN_SEQ_CST};
  if (!access->compares || success == failure)
    return 1;
  if (access->check == RSAN_CHECK_BCAS) {
    branches[0].seq_cst = success;
    return 1;
  }
  branches[0].seq_cst = failure;
  if (access->check == RSAN_CHECK_STRONG_CAS) {
    branches[0].access.check = RSAN_CHECK_WAIT;
    branches[0].access.expected.relation = RSAN_NOT_EQUAL;
  }
  branches[1].seq_cst = success;
  branches[1].access.check = RSAN_CHECK_BCAS;
  return 2;
}

void rsan_history_add_critical(struct rsan_history *history,
                               const struct rsan_condition *condition) {
  if (!history->critical) {
    history->critical = rsan_host_alloc(sizeof *history->critical);
    history->critical->count = 0;
  }
  struct rsan_criticals *criticals = history->critical;
  struct rsan_condition *critical = criticals->at;
  uint32_t at = 0;
  while (at < criticals->count && !rsan_condition_equal(&critical[at], condition))
    at++;
  if (at == criticals->count) {
    if (at == RSAN_CRITICAL_CONDITIONS)
      at--; // the one named longest ago
    else
      criticals->count++;
  }
  for (; at > 0; at--)
    critical[at] = critical[at - 1];
  critical[0] = *condition;
}

void rsan_history_fit(struct rsan_history *history, uint32_t wanted) {
  history->at = rsan_fit(history->at, &history->room, history->count, sizeof *history->at,
                         RSAN_VERSIONS_FIRST, wanted);
}

void rsan_history_restart(struct rsan_history *history, struct rsan_value value) {
  if (history->room > RSAN_RESTART_KEPT_ROOM) {
    rsan_host_free(history->at);
    history->at = 0;
    history->room = 0;
  }
  history->count = 0;
  history->newest = history->newest_plain = 0;
  history->value = value;
}

void rsan_history_clear(struct rsan_history *history) {
  rsan_host_free(history->at);
  rsan_host_free(history->critical);
  *history = (struct rsan_history){0};
}
