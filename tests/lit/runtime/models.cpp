// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models of functions of a library that is not instrumented. Two threads write to one object, one
// after the other, and call the library in between: what the models of the two functions order is
// no data race; what they do not order is one. The calls pass on arguments, results and exceptions.
//
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: %stock_clangxx -O1 -DLIBRARY -shared -fPIC %s -o %t/libvendor.so
// RUN: %stock_clangxx -O1 -DPLUGIN -shared -fPIC %s -o %t/plugin.so
// RUN: split-file %S/Inputs/models.txt %t
// RUN: %buildxx -O1 %s %t/libvendor.so -Wl,-rpath,%t -o pie
// RUN: %buildxx -O0 -no-pie -Wl,-z,lazy %s %t/libvendor.so -Wl,-rpath,%t -o lazy
// RUN: %buildxx -O1 -Wl,-z,now,-z,relro %s %t/libvendor.so -Wl,-rpath,%t -o now
//
// RUN: sh %S/Inputs/each-model 0 vendor.models "lock named try try-zero read-write write-read wait finish back called-back plugin started joined in-order barrier met result offset condition" ./pie ./lazy ./now
// RUN: sh %S/Inputs/each-model 66 vendor.models "other named-other try-failed try-zero-failed read-read finish-early not-started not-joined not-in-order passed not-met other-result other-offset no-condition" ./pie ./lazy ./now
//
// Without models, and with a model of another library, nothing is ordered.
// RUN: sh %S/Inputs/each-model 66 none "lock named try read-write wait finish called-back started joined in-order barrier met result offset condition" ./pie
// RUN: sh %S/Inputs/each-model 66 absent.models "lock named" ./pie
// RUN: sh %S/Inputs/each-model 0 present.models "lock" ./pie
//
// RUN: env RSAN_OPTIONS=models=vendor.models ./pie pass
// RUN: env RSAN_OPTIONS=models=vendor.models ./lazy pass
//
// What cannot be modelled is said once.
// RUN: env RSAN_OPTIONS=models=vendor.models ./pie start 4000 2>&1 | count 0
// RUN: env RSAN_OPTIONS=models=vendor.models ./pie start 5000 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: ThreadSanitizer: more than 4096 functions have models or are handed over to modelled ones
// RUN: env RSAN_OPTIONS=models=vendor.models ./pie start 5000 2>&1 | count 1
//
// A modelled function acquires no more than the model says: a violation that others hide is shown.
// RUN: env RSAN_OPTIONS=models=vendor.models %exits 66 ./pie robust 2>&1 | FileCheck %s --check-prefix=ROBUST
// RUN: env RSAN_OPTIONS=models=none ./pie robust 2>&1 | count 0
// ROBUST: WARNING: ThreadSanitizer: robustness violation
//
// RUN: env RSAN_OPTIONS=models=missing not ./pie pass 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: ThreadSanitizer: models=missing in RSAN_OPTIONS: the file cannot be read
// RUN: env RSAN_OPTIONS=models=action.bad not ./pie pass 2>&1 | FileCheck %s --check-prefix=ACTION
// ACTION: ThreadSanitizer: action.bad:2: 'locks' is no action: write lock, unlock, trylock
// RUN: env RSAN_OPTIONS=models=arrow.bad not ./pie pass 2>&1 | FileCheck %s --check-prefix=ARROW
// ARROW: ThreadSanitizer: arrow.bad:1: 'lock' follows the function: write FUNCTION -> ACTION of argument N
// RUN: env RSAN_OPTIONS=models=number.bad not ./pie pass 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: ThreadSanitizer: number.bad:1: '17' is no argument: write a number from 1 to 16
// RUN: env RSAN_OPTIONS=models=object.bad not ./pie pass 2>&1 | FileCheck %s --check-prefix=OBJECT
// OBJECT: ThreadSanitizer: object.bad:1: '' names no object: write `of argument N' or `of NAME'
// RUN: env RSAN_OPTIONS=models=rest.bad not ./pie pass 2>&1 | FileCheck %s --check-prefix=REST
// REST: ThreadSanitizer: rest.bad:1: 'always' must not follow: only `if zero', `if result' or `if argument N'
// RUN: env RSAN_OPTIONS=models=condition.bad not ./pie pass 2>&1 | FileCheck %s --check-prefix=CONDITION
// CONDITION: ThreadSanitizer: condition.bad:1: 'one' must not follow: only `if zero', `if result' or `if argument N'
// RUN: env RSAN_OPTIONS=models=offset.bad not ./pie pass 2>&1 | FileCheck %s --check-prefix=OFFSET
// OFFSET: ThreadSanitizer: offset.bad:1: '0' is no offset: write a number of bytes up to 65536
// RUN: env RSAN_OPTIONS=models=run.bad not ./pie pass 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: ThreadSanitizer: run.bad:1: 'work' is no argument: write run of argument N for NAME
// RUN: env RSAN_OPTIONS=models=for.bad not ./pie pass 2>&1 | FileCheck %s --check-prefix=FOR
// FOR: ThreadSanitizer: for.bad:1: '' follows the argument: write run of argument N for NAME
// RUN: env RSAN_OPTIONS=models=early.bad not ./pie pass 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: ThreadSanitizer: early.bad:1: 'result' is not known before the call
// RUN: env RSAN_OPTIONS=models=barrier.bad not ./pie pass 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: ThreadSanitizer: barrier.bad:1: '1' is no name: write barrier of NAME

#if defined(LIBRARY) || defined(PLUGIN)

// What the functions would order is of no interest here: the threads take turns.
extern "C" {
#ifdef LIBRARY
void vendor_lock(int *) {}
void vendor_unlock(int *) {}
int vendor_try(int *, int result) {
  return result;
}
int vendor_try_zero(int *, int result) {
  return result;
}
void vendor_read_lock(int *) {}
void vendor_read_unlock(int *) {}
void vendor_put() {}
void vendor_get() {}
void vendor_get_other() {}
void vendor_wake(int *) {}
void vendor_wait(int *, int *) {}
void vendor_finish(int *, void (*task)(void)) {
  task();
}
void vendor_hand_over() {}
void vendor_run(void (*task)(void)) {
  task();
}
double vendor_sum(int a, double b, int c, int d, int e, int f, int g, int h, long i, double j) {
  return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i + 10 * j;
}
void vendor_throw(int *, int value) {
  throw value;
}
void vendor_call(void (*task)(void)) {
  task();
}
static void (*started)(void);
void vendor_start(void (*task)(void)) {
  started = task;
}
void vendor_start_in_order(void (*task)(void)) {
  started = task;
}
void vendor_start_other(void (*task)(void)) {
  started = task;
}
void vendor_work() {
  started();
}
void vendor_join() {}
void vendor_barrier() {}
int *vendor_meet(int *at) {
  return at;
}
int *vendor_take(int *at) {
  return at;
}
void vendor_give(int *) {}
int vendor_if(int *, int, int, int, int, int, int, const void *condition) {
  return condition != nullptr;
}
#else
void vendor_lock(int *);
void vendor_unlock(int *);
void plugin_lock(int *lock) {
  vendor_lock(lock);
}
void plugin_unlock(int *lock) {
  vendor_unlock(lock);
}
#endif
}

#else

#include "turns.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

extern "C" {
void vendor_lock(int *);
void vendor_unlock(int *);
int vendor_try(int *, int);
int vendor_try_zero(int *, int);
void vendor_read_lock(int *);
void vendor_read_unlock(int *);
void vendor_put();
void vendor_get();
void vendor_get_other();
void vendor_wake(int *);
void vendor_wait(int *, int *);
void vendor_finish(int *, void (*)(void));
void vendor_hand_over();
void vendor_run(void (*)(void));
double vendor_sum(int, double, int, int, int, int, int, int, long, double);
void vendor_throw(int *, int);
void vendor_call(void (*)(void));
void vendor_start(void (*)(void));
void vendor_start_in_order(void (*)(void));
void vendor_start_other(void (*)(void));
void vendor_work();
void vendor_join();
void vendor_barrier();
int *vendor_meet(int *);
int *vendor_take(int *);
void vendor_give(int *);
int vendor_if(int *, int, int, int, int, int, int, const void *);
}

static int lock, other, data, x, y, pair[2];
static void (*plugin_lock)(int *), (*plugin_unlock)(int *);

static void write_data() {
  data++;
}
static void nothing() {}
static void start_and_work() {
  vendor_start(write_data);
  vendor_work();
}

struct way {
  const char *name;
  void (*first)(void), (*second)(void);
};

static const struct way ways[] = {
    {"lock",
     [] {
       write_data();
       vendor_unlock(&lock);
     },
     [] {
       vendor_lock(&lock);
       write_data();
     }},
    {"other",
     [] {
       write_data();
       vendor_unlock(&lock);
     },
     [] {
       vendor_lock(&other);
       write_data();
     }},
    {"named",
     [] {
       write_data();
       vendor_put();
     },
     [] {
       vendor_get();
       write_data();
     }},
    {"named-other",
     [] {
       write_data();
       vendor_put();
     },
     [] {
       vendor_get_other();
       write_data();
     }},
    {"try",
     [] {
       write_data();
       vendor_unlock(&lock);
     },
     [] {
       vendor_try(&lock, 1);
       write_data();
     }},
    {"try-failed",
     [] {
       write_data();
       vendor_unlock(&lock);
     },
     [] {
       vendor_try(&lock, 0);
       write_data();
     }},
    {"try-zero",
     [] {
       write_data();
       vendor_unlock(&lock);
     },
     [] {
       vendor_try_zero(&lock, 0);
       write_data();
     }},
    {"try-zero-failed",
     [] {
       write_data();
       vendor_unlock(&lock);
     },
     [] {
       vendor_try_zero(&lock, 1);
       write_data();
     }},
    {"read-write",
     [] {
       write_data();
       vendor_read_unlock(&lock);
     },
     [] {
       vendor_lock(&lock);
       write_data();
     }},
    {"write-read",
     [] {
       write_data();
       vendor_unlock(&lock);
     },
     [] {
       vendor_read_lock(&lock);
       write_data();
     }},
    {"read-read",
     [] {
       write_data();
       vendor_read_unlock(&lock);
     },
     [] {
       vendor_read_lock(&lock);
       write_data();
     }},
    {"wait",
     [] {
       write_data();
       vendor_wake(&other);
     },
     [] {
       vendor_wait(&other, &lock);
       write_data();
     }},
    {"finish", [] { vendor_finish(&lock, write_data); },
     [] {
       vendor_lock(&lock);
       write_data();
     }},
    {"finish-early",
     [] {
       vendor_finish(&lock, nothing);
       write_data();
     },
     [] {
       vendor_lock(&lock);
       write_data();
     }},
    {"back",
     [] {
       write_data();
       vendor_hand_over();
     },
     [] { vendor_run(write_data); }},
    {"plugin",
     [] {
       write_data();
       plugin_unlock(&lock);
     },
     [] {
       plugin_lock(&lock);
       write_data();
     }},
    {"called-back",
     [] {
       write_data();
       vendor_hand_over();
     },
     [] { vendor_call(write_data); }},
    {"started",
     [] {
       write_data();
       vendor_start(write_data);
     },
     [] { vendor_work(); }},
    {"not-started",
     [] {
       write_data();
       vendor_start_other(write_data);
     },
     [] { vendor_work(); }},
    {"joined", start_and_work,
     [] {
       vendor_join();
       write_data();
     }},
    {"not-joined", start_and_work, write_data},
    {"in-order", start_and_work,
     [] {
       vendor_start_in_order(write_data);
       vendor_work();
     }},
    {"not-in-order", start_and_work,
     [] {
       vendor_start(write_data);
       vendor_work();
     }},
    {"barrier",
     [] {
       write_data();
       vendor_barrier();
     },
     [] {
       vendor_barrier();
       write_data();
     }},
    {"passed",
     [] {
       vendor_barrier();
       write_data();
       vendor_barrier();
     },
     [] {
       vendor_barrier();
       write_data();
     }},
    {"result",
     [] {
       write_data();
       vendor_unlock(&lock);
     },
     [] {
       vendor_take(&lock);
       write_data();
     }},
    {"other-result",
     [] {
       write_data();
       vendor_unlock(&lock);
     },
     [] {
       vendor_take(&other);
       write_data();
     }},
    {"offset",
     [] {
       write_data();
       vendor_give(&pair[0]);
     },
     [] {
       vendor_lock(&pair[1]);
       write_data();
     }},
    {"other-offset",
     [] {
       write_data();
       vendor_give(&pair[0]);
     },
     [] {
       vendor_lock(&pair[0]);
       write_data();
     }},
    {"condition",
     [] {
       write_data();
       vendor_unlock(&lock);
     },
     [] {
       vendor_if(&lock, 0, 0, 0, 0, 0, 0, &lock);
       write_data();
     }},
    {"no-condition",
     [] {
       write_data();
       vendor_unlock(&lock);
     },
     [] {
       vendor_if(&lock, 0, 0, 0, 0, 0, 0, nullptr);
       write_data();
     }},
    {"met",
     [] {
       write_data();
       vendor_meet(&lock);
     },
     [] {
       vendor_meet(nullptr);
       vendor_meet(&lock);
       write_data();
     }},
    {"not-met",
     [] {
       write_data();
       vendor_meet(&lock);
     },
     [] {
       vendor_meet(nullptr);
       write_data();
     }},
    {"robust",
     [] {
       __atomic_store_n(&x, 1, __ATOMIC_RELAXED);
       vendor_lock(&lock);
       __atomic_load_n(&y, __ATOMIC_RELAXED);
     },
     [] {
       __atomic_store_n(&y, 1, __ATOMIC_RELAXED);
       vendor_lock(&other);
       __atomic_load_n(&x, __ATOMIC_RELAXED);
     }},
};

static int pass() {
  try {
    vendor_throw(&lock, 7);
  } catch (int thrown) {
    bool sum = vendor_sum(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) == 385;
    return thrown == 7 && sum && vendor_try(&lock, 5) == 5 ? 0 : 1;
  }
  return 2;
}

int main(int, char **argv) {
  if (strcmp(argv[1], "pass") == 0)
    return pass();
  if (strcmp(argv[1], "start") == 0) {
    for (long i = 1; i <= atoi(argv[2]); i++)
      vendor_start((void (*)(void))i);
    return 0;
  }
  if (strcmp(argv[1], "plugin") == 0) {
    void *plugin = dlopen("./plugin.so", RTLD_NOW);
    plugin_lock = (void (*)(int *))dlsym(plugin, "plugin_lock");
    plugin_unlock = (void (*)(int *))dlsym(plugin, "plugin_unlock");
  }
  for (const way &one : ways)
    if (strcmp(argv[1], one.name) == 0) {
      one_then_other(one.first, one.second);
      return 0;
    }
  return 3;
}

#endif
