// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "holders.h"

#include "../host.h"

// A program that is explored holds a few at a time.
static struct rsan_holder *find(const struct rsan_holders *h, uint64_t object) {
  for (uint32_t i = 0; i < h->count; i++)
    if (h->holder[i].object == object)
      return &h->holder[i];
  return NULL;
}

const struct rsan_holder *rsan_holders_find(const struct rsan_holders *h, uint64_t object) {
  return find(h, object);
}

bool rsan_holders_may_take(const struct rsan_holders *h, uint64_t object, uint32_t thread,
                           bool writes) {
  const struct rsan_holder *holder = find(h, object);
  return !holder || (!writes && !holder->writes) || (holder->writes && holder->owner == thread);
}

void rsan_holders_take(struct rsan_holders *h, uint64_t object, uint32_t thread, bool writes) {
  struct rsan_holder *holder = find(h, object);
  if (!holder) {
    h->holder = rsan_make_room(h->holder, &h->room, h->count, sizeof *h->holder);
    holder = &h->holder[h->count++];
    *holder = (struct rsan_holder){.object = object, .owner = thread, .writes = writes};
  }
  holder->count++;
}

void rsan_holders_give(struct rsan_holders *h, uint64_t object) {
  struct rsan_holder *holder = find(h, object);
  if (holder && !--holder->count)
    *holder = h->holder[--h->count];
}
