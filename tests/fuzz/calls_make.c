// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random calls, and how they are printed.

#include <inttypes.h>
#include <stdio.h>

#include "calls.h"
#include "rng.h"

uint32_t calls_size(uint32_t location) {
  static const uint32_t sizes[CALLS_LOCATIONS] = {8, 1, 4, 2, 16, 8};
  return sizes[location];
}

struct rsan_value calls_value(uint32_t size, uint32_t n) {
  uint64_t all = size >= 8 ? UINT64_MAX : ((uint64_t)1 << 8 * size) - 1;
  uint64_t sign = all ^ all >> 1;
  const uint64_t values[CALLS_VALUES] = {0, 1, 2, 3, sign - 1, sign, all - 1, all};
  struct rsan_value value = {values[n % CALLS_VALUES], 0};
  if (size == 16) // few of each half, so that one of them may be equal
    value = (struct rsan_value){n & 1, n >> 1 & 3};
  return value;
}

struct mix {
  uint32_t kind[CALL_KINDS], kinds;
  uint32_t check[RSAN_CHECK_STRONG_CAS + 1], checks;
  uint32_t threads, locations, syncs, values;
  uint32_t ordered_percent, sc_percent, uncertain_percent, equal_percent;
};

static uint32_t shake(struct rng *rng, uint32_t *weight, uint32_t count) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t choice = rng_below(rng, 4);
    if (i > 0 && choice == 0)
      weight[i] = 0;
    if (choice == 1)
      weight[i] *= 3;
    sum += weight[i];
  }
  return sum;
}

static void draw_mix(struct rng *rng, struct mix *mix) {
  *mix = (struct mix){
      .kind = {[CALL_ACCESS] = 300,
               [CALL_UNCHECKED] = 4,
               [CALL_FENCE] = 20,
               [CALL_RELEASE] = 10,
               [CALL_RELEASE_MERGE] = 15,
               [CALL_ACQUIRE] = 25,
               [CALL_ACQUIRE_LOCATION] = 10,
               [CALL_WITHDRAW] = 1,
               [CALL_TRACK] = 3,
               [CALL_FOREIGN] = 3,
               [CALL_UNSEEN] = 5,
               [CALL_EVERYTHING] = 5,
               [CALL_RENEW] = 2,
               [CALL_CREATE] = 10,
               [CALL_FINISH] = 5,
               [CALL_JOIN] = 8,
               [CALL_FREE] = 3},
      .check = {[RSAN_CHECK_READ] = 30,
                [RSAN_CHECK_WRITE] = 40,
                [RSAN_CHECK_WAIT] = 20,
                [RSAN_CHECK_BCAS] = 10,
                [RSAN_CHECK_STRONG_CAS] = 8},
      .threads = rng_between(rng, 2, CALLS_THREADS),
      .locations = rng_between(rng, 2, CALLS_LOCATIONS),
      .syncs = rng_between(rng, 1, CALLS_SYNCS),
      .values = rng_between(rng, 2, CALLS_VALUES),
      .ordered_percent = rng_below(rng, 101),
      .sc_percent = rng_percent(rng, 25) ? rng_below(rng, 30) : 0,
      .uncertain_percent = rng_below(rng, 101),
      .equal_percent = rng_below(rng, 101),
  };
  mix->kinds = shake(rng, mix->kind, CALL_KINDS);
  mix->checks = shake(rng, mix->check, RSAN_CHECK_STRONG_CAS + 1);
}

static uint32_t draw(struct rng *rng, const uint32_t *weight, uint32_t sum) {
  uint32_t left = rng_below(rng, sum), n = 0;
  while (left >= weight[n])
    left -= weight[n++];
  return n;
}

static enum rsan_order draw_order(struct rng *rng, const struct mix *mix) {
  if (rng_percent(rng, mix->sc_percent))
    return RSAN_SEQ_CST;
  if (!rng_percent(rng, mix->ordered_percent))
    return RSAN_RELAXED;
  return (enum rsan_order)rng_between(rng, RSAN_ACQUIRE, RSAN_ACQ_REL);
}

static struct rsan_condition draw_condition(struct rng *rng, const struct mix *mix, uint32_t size,
                                            bool any) {
  struct rsan_condition condition = rsan_equals(calls_value(size, rng_below(rng, mix->values)));
  condition.size = (uint8_t)size;
  if (!any || rng_percent(rng, mix->equal_percent))
    return condition;
  condition.relation = (uint8_t)rng_below(rng, size == 16 ? RSAN_U_LESS : RSAN_RELATIONS);
  if (size != 16 && rng_percent(rng, 40))
    condition.mask = rng_percent(rng, 50) ? rng_between(rng, 1, 3) : ~(uint64_t)1;
  return condition;
}

static struct call draw_call(struct rng *rng, const struct mix *mix) {
  struct call call = {
      .kind = (enum call_kind)draw(rng, mix->kind, mix->kinds),
      .thread = rng_below(rng, mix->threads),
      .other = rng_below(rng, mix->threads),
      .uncertain = rng_percent(rng, mix->uncertain_percent),
      .order = draw_order(rng, mix),
      .check = (enum rsan_check)draw(rng, mix->check, mix->checks),
      .written = rng_below(rng, mix->values),
  };
  bool sync = call.kind >= CALL_RELEASE && call.kind <= CALL_ACQUIRE;
  call.object = rng_below(rng, sync ? mix->syncs : mix->locations);
  call.access = call.check == RSAN_CHECK_WRITE && rng_percent(rng, 75) ? RSAN_WRITE : RSAN_RMW;
  if (call.check == RSAN_CHECK_READ && rng_percent(rng, 80))
    call.access = RSAN_READ; // else a weak compare-exchange
  call.condition = draw_condition(rng, mix, calls_size(call.object % CALLS_LOCATIONS),
                                  call.check == RSAN_CHECK_WAIT || call.check == RSAN_CHECK_BCAS);
  call.condition.alone = call.check == RSAN_CHECK_WAIT && rng_percent(rng, 30);
  return call;
}

void calls_make(uint64_t seed, struct calls *out) {
  struct rng rng = {seed};
  struct mix mix;
  draw_mix(&rng, &mix);
  out->sleepers = rng_percent(&rng, 20);
  out->roots = rng_between(&rng, 1, mix.threads);
  out->count = rng_percent(&rng, 50) ? rng_between(&rng, 5, 60) : rng_between(&rng, 60, CALLS_MAX);
  for (size_t i = 0; i < out->count; i++)
    out->at[i] = draw_call(&rng, &mix);
}

void calls_print(const struct calls *calls) {
  static const char *const kinds[CALL_KINDS] = {
      "access",   "unchecked", "fence",   "release", "release_merge", "acquire", "acquire_location",
      "withdraw", "track",     "foreign", "unseen",  "everything",    "renew",   "create",
      "finish",   "join",      "free"};
  static const char *const checks[] = {"read", "write", "wait", "bcas", "strong_cas"};
  static const char *const accesses[] = {"R", "W", "RMW"};
  printf("%" PRIu32 " roots%s\n", calls->roots, calls->sleepers ? ", and many that sleep" : "");
  for (size_t i = 0; i < calls->count; i++) {
    const struct call *call = &calls->at[i];
    printf("%3zu  T%" PRIu32 " %s", i, call->thread, kinds[call->kind]);
    if (call->kind <= CALL_UNCHECKED)
      printf(" %s %s", accesses[call->access], checks[call->check]);
    if (call->kind >= CALL_CREATE)
      printf(" T%" PRIu32 "\n", call->other);
    else
      printf(" object %" PRIu32 ", order %d, value %" PRIu32 ", relation %d of %#" PRIx64
             " mask %#" PRIx64 "%s%s\n",
             call->object, call->order, call->written, call->condition.relation,
             call->condition.operand.low, call->condition.mask,
             call->condition.alone ? " alone" : "", call->uncertain ? ", uncertain" : "");
  }
}
