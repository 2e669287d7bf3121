// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "history.h"

#include "../host.h"

static void make_room(struct rsan_history *history) {
  if (history->newest < history->room)
    return;
  uint64_t room = history->room ? history->room * 2 : 2;
  struct rsan_version *grown = rsan_host_alloc(room * sizeof *grown);
  for (uint64_t i = 0; i < history->newest; i++)
    grown[i] = history->versions[i];
  rsan_host_free(history->versions);
  history->versions = grown;
  history->room = room;
}

void rsan_history_append(struct rsan_history *history, const struct rsan_access *access,
                         uint32_t writer, uint32_t owner, uint64_t sc_index) {
  make_room(history);
  history->versions[history->newest++] = (struct rsan_version){
      .overwrote = history->value,
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

uint64_t rsan_history_first(const struct rsan_history *history, uint64_t known,
                            const struct rsan_access *access) {
  for (uint64_t version = known + 1; version <= history->newest; version++)
    if (rsan_history_matters(rsan_history_at(history, version), access))
      return version;
  return 0;
}

void rsan_history_witness(const struct rsan_history *history, const struct rsan_access *access,
                          uint64_t known, uint64_t missed, struct rsan_violation *violation) {
  const struct rsan_version *version = rsan_history_at(history, missed);
  *violation = (struct rsan_violation){
      .check = access->check,
      .known = known,
      .missed = missed,
      .stale = version->overwrote,
      .missed_value = missed < history->newest ? rsan_history_at(history, missed + 1)->overwrote
                                               : history->value,
      .site = version->site,
      .owner = version->owner,
      .order = version->order,
      .plain = version->plain,
  };
}

void rsan_history_restart(struct rsan_history *history, struct rsan_value value) {
  rsan_host_free(history->versions);
  *history = (struct rsan_history){.value = value};
}
