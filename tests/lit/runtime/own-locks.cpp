// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the program that a file of models calls locks. Two threads write to one object, one
// after the other. The functions themselves order nothing, so only the models make a data race of
// the two writes impossible. Accesses inside the functions are not judged.
//
// RUN: rm -rf %t && mkdir %t && cd %t && split-file %S/Inputs/own-locks.txt %t
// RUN: %buildxx -O0 -mllvm -rsan-models=own.models %s -o O0
// RUN: %buildxx -O2 -mllvm -rsan-models=own.models %s -o O2
// RUN: %buildxx -O2 %s -o without
//
// RUN: sh %S/Inputs/each-model 0 own.models "lock member try try-zero read-write named plus inside" ./O0 ./O2
// RUN: sh %S/Inputs/each-model 66 own.models "other other-member try-failed try-zero-failed read-read other-name no-plus thrown outside" ./O0 ./O2
//
// Without the compiler's part nothing is a lock. The runtime passes over these lines.
// RUN: sh %S/Inputs/each-model 66 own.models "lock member try try-zero read-write named plus inside" ./without
//
// RUN: not %rsan_clangxx -fsanitize=robustness -I%S/Inputs -mllvm -rsan-models=missing -c %s -o bad.o 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: -rsan-models=missing: No such file or directory
// RUN: not %rsan_clangxx -fsanitize=robustness -I%S/Inputs -mllvm -rsan-models=action.bad -c %s -o bad.o 2>&1 | FileCheck %s --check-prefix=ACTION
// ACTION: error: action.bad:2: write sync FUNCTION -> ACTION of argument N
// RUN: not %rsan_clangxx -fsanitize=robustness -I%S/Inputs -mllvm -rsan-models=pointer.bad -c %s -o bad.o 2>&1 | FileCheck %s --check-prefix=POINTER
// POINTER: error: pointer.bad: argument 2 of try_it is no pointer
// RUN: not %rsan_clangxx -fsanitize=robustness -I%S/Inputs -mllvm -rsan-models=result.bad -c %s -o bad.o 2>&1 | FileCheck %s --check-prefix=RESULT
// RESULT: error: result.bad: lock_it returns neither a number nor a pointer
// RUN: env RSAN_OPTIONS=models=action.bad not ./O2 lock 2>&1 | FileCheck %s --check-prefix=RUNTIME
// RUNTIME: ThreadSanitizer: action.bad:2: 'acquire' locks and unlocks nothing: write sync FUNCTION -> lock

#include "turns.h"

#include <atomic>
#include <cstring>

static std::atomic<int> word, left, right;
static int data, object, other;
struct Deep {
  int unused, lock;
};
static Deep deep;

extern "C" {
void lock_it(int *) {
  word.store(1, std::memory_order_relaxed);
}
void unlock_it(int *) {
  word.store(0, std::memory_order_relaxed);
}
int try_it(int *, int result) {
  return word.exchange(1, std::memory_order_relaxed) < 2 ? result : 0;
}
int try_it_zero(int *, int result) {
  return word.exchange(1, std::memory_order_relaxed) < 2 ? result : 0;
}
void read_lock_it(int *) {}
void read_unlock_it(int *) {}
void lock_all() {}
void unlock_all() {}
void lock_another() {}
void unlock_another() {}
void lock_deep(Deep *) {}
void lock_or_throw(int *) {
  if (word.load(std::memory_order_relaxed) < 2)
    throw 1;
}
}

namespace spin {
template <typename T> class Lock {
public:
  void lock() { word_.store(1, std::memory_order_relaxed); }
  void unlock() { word_.store(0, std::memory_order_relaxed); }

private:
  std::atomic<T> word_{0};
};
} // namespace spin

static spin::Lock<int> first, second;

__attribute__((noinline)) static void write_data() {
  data++;
}

static void write_locked() {
  lock_it(&object);
  write_data();
  unlock_it(&object);
}

// A store buffer's halves, as a part of a lock's functions and as they are.
static std::atomic<int> *halves[2] = {&left, &right};
static void store_and_look(int own) {
  halves[own]->store(1, std::memory_order_relaxed);
  (void)halves[!own]->load(std::memory_order_relaxed);
}
extern "C" void lock_by_looking(int *, int own) {
  store_and_look(own);
}

struct way {
  const char *name;
  void (*one)(), (*other)();
};

static const struct way ways[] = {
    {"lock", write_locked, write_locked},
    {"other", write_locked,
     [] {
       lock_it(&other);
       write_data();
     }},
    {"member",
     [] {
       first.lock();
       write_data();
       first.unlock();
     },
     [] {
       first.lock();
       write_data();
     }},
    {"other-member",
     [] {
       first.lock();
       write_data();
       first.unlock();
     },
     [] {
       second.lock();
       write_data();
     }},
    {"try", write_locked,
     [] {
       try_it(&object, 1);
       write_data();
     }},
    {"try-failed", write_locked,
     [] {
       try_it(&object, 0);
       write_data();
     }},
    {"try-zero", write_locked,
     [] {
       try_it_zero(&object, 0);
       write_data();
     }},
    {"try-zero-failed", write_locked,
     [] {
       try_it_zero(&object, 1);
       write_data();
     }},
    {"read-write",
     [] {
       read_lock_it(&object);
       write_data();
       read_unlock_it(&object);
     },
     write_locked},
    {"read-read",
     [] {
       read_lock_it(&object);
       write_data();
       read_unlock_it(&object);
     },
     [] {
       read_lock_it(&object);
       write_data();
     }},
    {"named",
     [] {
       lock_all();
       write_data();
       unlock_all();
     },
     [] {
       lock_all();
       write_data();
     }},
    {"other-name",
     [] {
       lock_all();
       write_data();
       unlock_all();
     },
     [] {
       lock_another();
       write_data();
     }},
    {"plus",
     [] {
       lock_it(&deep.lock);
       write_data();
       unlock_it(&deep.lock);
     },
     [] {
       lock_deep(&deep);
       write_data();
     }},
    {"no-plus",
     [] {
       lock_it(&deep.unused);
       write_data();
       unlock_it(&deep.unused);
     },
     [] {
       lock_deep(&deep);
       write_data();
     }},
    {"thrown", write_locked,
     [] {
       try {
         lock_or_throw(&object);
       } catch (int) {
       }
       write_data();
     }},
    {"inside", [] { lock_by_looking(&object, 0); }, [] { lock_by_looking(&other, 1); }},
    {"outside", [] { store_and_look(0); }, [] { store_and_look(1); }},
};

int main(int argc, char **argv) {
  for (const way &one : ways)
    if (argc > 1 && !strcmp(argv[1], one.name)) {
      one_then_other(one.one, one.other);
      return 0;
    }
  return 2;
}
