// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes one location of several that overlap: `location` becomes the location of all their bytes,
// and takes over the histories and clocks of its parts. It is a part itself.
//
// If one part alone has versions, the location keeps them, with their bytes, and keeps the part's
// clocks. If several parts have versions, their order is not known. Then the values that they have
// written become version 0, which all threads know. That hides violations.

#include "../engine.h"

#include "../host.h"
#include "../steps/cxx20.h"
#include "../steps/seqcst.h"
#include "../steps/types.h"
#include "extent.h"

bool rsan_engine_mixes(const struct rsan_engine *engine) {
  return !engine->machines && !engine->reference && !engine->weak;
}

bool rsan_location_mixes(const struct rsan_location *location) {
  return location->mixes;
}

static struct rsan_location *mix_history_of(const struct rsan_part *part) {
  return part->location->mixes ? part->location->mixed->whole : part->location;
}

static bool mix_has_history(const struct rsan_part *part) {
  return mix_history_of(part)->started;
}

static struct rsan_value mix_value_of(const struct rsan_part *part) {
  return rsan_value_up(mix_history_of(part)->history.value, part->offset);
}

static uint32_t mix_known_of(const struct rsan_part *part) {
  const struct rsan_location *location = part->location;
  uint32_t known = location->mixes ? location->mixed->known : (1u << location->size) - 1;
  return known << part->offset;
}

// `whole` has the versions of `part`. Moves their values and extents up by the part's offset in the
// new location. Forgets the condition that a wait has named, because it is about the part's value
// alone; the next wait names it again.
static void mix_move_versions(struct rsan_location *whole, const struct rsan_part *part,
                              uint32_t size) {
  struct rsan_history *history = &whole->history;
  for (uint32_t i = 0; i < history->count; i++) {
    struct rsan_version *version = &history->at[i];
    struct rsan_extent extent = {0, size};
    if (part->location->mixes)
      extent = rsan_extent_unpack(version->extent);
    extent.offset += part->offset;
    version->extent = rsan_extent_pack(extent);
    version->overwrote = rsan_value_up(version->overwrote, part->offset);
    version->wrote = rsan_value_up(version->wrote, part->offset);
  }
  history->value = rsan_value_up(history->value, part->offset);
  if (history->critical)
    history->critical->count = 0;
}

static void mix_move_stamp(struct rsan_stamp *into, struct rsan_stamp *from) {
  rsan_stamp_assign(into, from);
  rsan_stamp_clear(from);
}

// Gives the part's SC clocks to each of its bytes.
static void mix_move_bytes(struct rsan_mixed *mixed, const struct rsan_part *part) {
  struct rsan_location *location = part->location;
  for (uint32_t i = 0; i < location->size; i++) {
    struct rsan_compact_location *into = &mixed->bytes[part->offset + i];
    if (location->mixes) {
      mix_move_stamp(&into->w, &location->mixed->bytes[i].w);
      mix_move_stamp(&into->m, &location->mixed->bytes[i].m);
    } else {
      rsan_stamp_assign(&into->w, &location->compact.w);
      rsan_stamp_assign(&into->m, &location->compact.m);
    }
  }
  rsan_stamp_clear(&location->compact.w);
  rsan_stamp_clear(&location->compact.m);
}

// Moves the part's history into a new location, which it returns. The part is empty afterwards.
static struct rsan_location *mix_take_whole(struct rsan_engine *engine,
                                            const struct rsan_part *part) {
  struct rsan_location *location = part->location, *whole = mix_history_of(part);
  uint32_t size = location->size;
  if (location->mixes) {
    location->mixed->whole = rsan_location_make(engine);
  } else {
    struct rsan_location *other = rsan_location_make(engine), had = *other;
    *other = *location;
    *location = had;
    location->size = (uint8_t)size;
    whole = other;
  }
  mix_move_versions(whole, part, size);
  rsan_fast_forget(&whole->write);
  return whole;
}

// Makes a history that begins with the values of all parts as version 0.
static struct rsan_location *mix_begin_whole(struct rsan_engine *engine,
                                             const struct rsan_part *parts, uint32_t count,
                                             struct rsan_log *log) {
  struct rsan_location *whole = rsan_location_make(engine);
  struct rsan_value value = {0, 0};
  bool started = false;
  for (uint32_t i = 0; i < count; i++) {
    if (!mix_has_history(&parts[i]))
      continue;
    value = rsan_value_with(value, mix_value_of(&parts[i]), mix_known_of(&parts[i]));
    started = true;
  }
  if (started)
    rsan_location_restart(engine, whole, value, log);
  return whole;
}

// Gives the part's clocks to the new location, too.
static void mix_absorb(struct rsan_location *whole, const struct rsan_part *part) {
  struct rsan_location *other = mix_history_of(part);
  rsan_stamp_merge(&whole->hb_w, &other->hb_w);
  rsan_fast_w_read(&whole->w, true);
  rsan_seqcst_withdraw(whole, other);
}

static void mix_empty(struct rsan_engine *engine, struct rsan_location *location) {
  rsan_location_unmix(engine, location);
  rsan_location_restart(engine, location, (struct rsan_value){0, 0}, 0);
  location->withdrawn = true;
}

bool rsan_location_mix(struct rsan_engine *engine, struct rsan_thread *thread,
                       struct rsan_location *location, uint32_t size, const struct rsan_part *parts,
                       uint32_t count) {
  struct rsan_log *log = thread ? thread->log : 0;
  const struct rsan_part *only = 0;
  uint32_t histories = 0, known = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (parts[i].location->withdrawn && !parts[i].location->mixes)
      return false;
    if (mix_has_history(&parts[i])) {
      only = &parts[i];
      histories++;
      known |= mix_known_of(only);
    }
  }
  struct rsan_mixed *mixed = RSAN_NEW(struct rsan_mixed);
  mixed->known = known;
  for (uint32_t i = 0; i < count; i++) {
    if (rsan_cxx20_is_on(engine))
      rsan_cxx20_move_bytes(engine, mixed, parts[i].location, parts[i].offset);
    mix_move_bytes(mixed, &parts[i]);
  }
  only = histories == 1 ? only : 0;
  mixed->whole = only ? mix_take_whole(engine, only) : mix_begin_whole(engine, parts, count, log);
  if (histories > 1 && rsan_cxx20_is_on(engine)) { // nothing is proved of that
    RSAN_COUNT(&engine->counters, mixed_accesses);
    rsan_cxx20_restart_bytes(mixed);
  }
  for (uint32_t i = 0; i < count; i++)
    if (&parts[i] != only)
      mix_absorb(mixed->whole, &parts[i]);
  for (uint32_t i = 0; i < count; i++)
    mix_empty(engine, parts[i].location);
  mix_empty(engine, location);
  mixed->whole->size = location->size = (uint8_t)size;
  location->mixed = mixed;
  location->mixes = true;
  RSAN_COUNT(&engine->counters, mixed_locations);
  return true;
}
