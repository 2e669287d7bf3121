// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared_ptr: two threads copy, use and drop a std::shared_ptr; the last owner deletes the object.
// Verdict: robust (any run)
// Why: the last owner acquires what the others did, as in Refcount+acqrel.
// Twin: Refcount+rlx

#include "litmus.h"

#include <memory>
#include <new>

namespace {

struct object {
  int used[2] = {0, 0};
  int *deleted;
  explicit object(int *deleted) : deleted(deleted) {}
  ~object() { *deleted += used[0] + used[1]; }
};

struct shared {
  std::shared_ptr<object> owner[2];
  std::weak_ptr<object> observer;
  int deleted = 0; // sum of the uses that the destructor saw
};

void init(void *memory) {
  auto *s = new (memory) shared;
  s->owner[0] = s->owner[1] = std::make_shared<object>(&s->deleted);
  s->observer = s->owner[0];
}

void fini(void *memory) {
  static_cast<shared *>(memory)->~shared();
}

void use_and_drop(shared *s, int self) {
  step();
  std::shared_ptr<object> copy = s->owner[self];
  s->owner[self].reset();
  copy->used[self] = 1;
  std::shared_ptr<object> locked = s->observer.lock();
  copy.reset();
  locked->used[self]++;
  locked.reset();
}

void thread_0(void *memory) {
  use_and_drop(static_cast<shared *>(memory), 0);
}
void thread_1(void *memory) {
  use_and_drop(static_cast<shared *>(memory), 1);
}

int weak(const void *memory) {
  return static_cast<const shared *>(memory)->deleted != 4;
}

} // namespace

const struct litmus litmus_program = {
    .size = sizeof(shared),
    .threads = 2,
    .thread = {thread_0, thread_1},
    .init = init,
    .fini = fini,
    .weak = weak,
};
