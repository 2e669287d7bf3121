// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history.h"

#include "../host.h"

static void make_room(struct rsan_history *history) {
  if (history->count < history->room)
    return;
  uint32_t room = history->room ? history->room * 2 : 2;
  struct rsan_version *grown = rsan_host_alloc(room * sizeof *grown);
  for (uint32_t i = 0; i < history->count; i++)
    grown[i] = history->versions[i];
  rsan_host_free(history->versions);
  history->versions = grown;
  history->room = room;
}

void rsan_history_append(struct rsan_history *history, const struct rsan_access *access,
                         uint32_t writer, uint32_t owner, uint64_t sc_index) {
  make_room(history);
  history->versions[history->count++] = (struct rsan_version){
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
  history->value = access->written;
}

bool rsan_history_matters(const struct rsan_version *version, const struct rsan_access *access) {
  switch (access->check) {
  case RSAN_CHECK_READ:
    return true;
  case RSAN_CHECK_WRITE:
    return version->plain;
  case RSAN_CHECK_WAIT:
    return rsan_value_equal(version->overwrote, access->expected);
  case RSAN_CHECK_BCAS:
    return version->plain && rsan_value_equal(version->overwrote, access->expected);
  case RSAN_CHECK_STRONG_CAS:
    return version->plain || !rsan_value_equal(version->overwrote, access->expected);
  }
  return false;
}

struct rsan_version *rsan_history_after(const struct rsan_history *history, uint64_t known) {
  uint32_t low = 0, high = history->count; // versions[..low] are known, versions[high..] are not
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (history->versions[middle].number <= known)
      low = middle + 1;
    else
      high = middle;
  }
  return low < history->count ? &history->versions[low] : 0;
}

const struct rsan_version *rsan_history_first(const struct rsan_history *history, uint64_t known,
                                              const struct rsan_access *access) {
  if (known == history->newest)
    return 0;
  const struct rsan_version *version = rsan_history_after(history, known);
  const struct rsan_version *end = history->versions + history->count;
  while (version && version < end && !rsan_history_matters(version, access))
    version++;
  return version && version < end ? version : 0;
}

struct rsan_violation rsan_history_witness(const struct rsan_version *missed,
                                           const struct rsan_access *access, uint64_t known) {
  return (struct rsan_violation){
      .check = access->check,
      .known = known,
      .missed = missed->number,
      .stale = missed->overwrote,
      .missed_value = missed->wrote,
      .site = missed->site,
      .owner = missed->owner,
      .order = missed->order,
      .plain = missed->plain,
  };
}

void rsan_history_add_critical(struct rsan_history *history, struct rsan_value value) {
  uint32_t at = 0;
  while (at < history->critical_count && !rsan_value_equal(history->critical[at], value))
    at++;
  if (at == history->critical_count) {
    if (at == RSAN_CRITICAL_VALUES)
      at--; // the value named longest ago
    else
      history->critical_count++;
  }
  for (; at > 0; at--)
    history->critical[at] = history->critical[at - 1];
  history->critical[0] = value;
}

void rsan_history_restart(struct rsan_history *history, struct rsan_value value) {
  rsan_host_free(history->versions);
  *history = (struct rsan_history){.value = value};
}
