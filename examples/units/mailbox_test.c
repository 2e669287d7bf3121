// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mailbox.h"

#include <rsan.h>

struct test {
  struct mailbox mailbox;
  bool put_first, put_second;
  int taken, left;
};

static void setup(void *argument) {
  struct test *t = argument;
  *t = (struct test){{EMPTY, 0}, false, false, 0, 0};
}

static void put_first(void *argument) {
  struct test *t = argument;
  t->put_first = put(&t->mailbox, 1);
}

static void put_second(void *argument) {
  struct test *t = argument;
  t->put_second = put(&t->mailbox, 2);
}

static void take_one(void *argument) {
  struct test *t = argument;
  t->taken = take(&t->mailbox);
}

// Each message that was put was taken, or is still there; and no other.
static bool none_is_lost(void *argument) {
  struct test *t = argument;
  t->left = take(&t->mailbox);
  return t->taken + t->left == t->put_first * 1 + t->put_second * 2;
}

int main(void) {
  void (*const hand_over[])(void *) = {put_first, take_one};
  void (*const compete[])(void *) = {put_first, put_second, take_one};
  struct test t;
  int result = rsan_check(setup, 2, hand_over, none_is_lost, &t);
  if (result == RSAN_CHECK_PROVED)
    result = rsan_check(setup, 3, compete, none_is_lost, &t);
  return result;
}
