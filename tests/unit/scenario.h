// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scripted execution on the engine: threads T1..T4, which nothing orders, and locations X..Z with
// their values in memory, 0 at first. Each step is one access and returns whether it was flagged.
//
// A test that RSAN_EVERY_ENGINE lists runs with the compact clocks, bounded and exact, and with the
// explicit ones.

#ifndef SCENARIO_H
#define SCENARIO_H

#include "unit.h"

#include "steps/types.h"

enum { T1, T2, T3, T4, SCENARIO_THREADS };
enum { X, Y, Z, SCENARIO_LOCATIONS };

enum { OWNER_OF_T1 = 101, SITE_OF_STEP_1 = 501 }; // T2 is 102, ...; step 2 is 502, ...

struct scenario {
  struct rsan_engine *engine;
  struct rsan_thread *threads[SCENARIO_THREADS];
  struct rsan_location *locations[SCENARIO_LOCATIONS];
  struct rsan_value memory[SCENARIO_LOCATIONS];
  struct rsan_violation violation; // of the last step that was flagged
  uint32_t steps;
};

extern struct rsan_options scenario_bounded, scenario_exact, scenario_explicit;
extern struct rsan_options scenario_with_logs;
extern struct rsan_options scenario_fence, scenario_explicit_fence; // seq_cst=fence

int scenario_begin(void **state); // *state: the options; becomes the scenario
int scenario_end(void **state);

#define RSAN_ENGINE(test, engine)                                                                  \
  {#test " (" #engine ")", test, scenario_begin, scenario_end, &scenario_##engine}
#define RSAN_EVERY_ENGINE(test)                                                                    \
  RSAN_ENGINE(test, bounded), RSAN_ENGINE(test, exact), RSAN_ENGINE(test, explicit)
#define RSAN_EVERY_FENCE(test) RSAN_ENGINE(test, fence), RSAN_ENGINE(test, explicit_fence)

// Thread t in place of the one that is there (NULL: none), which is freed.
void scenario_replace_thread(struct scenario *s, int t, struct rsan_thread *thread);

// Memory of x changes behind the engine's back.
void scenario_poke(struct scenario *s, int x, uint64_t value);

bool load(struct scenario *s, int t, int x, enum rsan_order order);
bool store(struct scenario *s, int t, int x, uint64_t value, enum rsan_order order);
bool add(struct scenario *s, int t, int x, uint64_t value, enum rsan_order order); // fetch-add
// Compare-exchange; `order` is that of the branch it takes. The strong and the weak one.
bool cas(struct scenario *s, int t, int x, uint64_t expected, uint64_t value,
         enum rsan_order order);
bool weak_cas(struct scenario *s, int t, int x, uint64_t expected, uint64_t value,
              enum rsan_order order);
// wait(x = expected) and BCAS(x, expected, value). Where the value is another one they arrive,
// are checked and block.
bool wait_for(struct scenario *s, int t, int x, uint64_t expected, enum rsan_order order);
bool bcas(struct scenario *s, int t, int x, uint64_t expected, uint64_t value,
          enum rsan_order order);
// The same until another condition holds.
bool wait_until(struct scenario *s, int t, int x, struct rsan_condition condition,
                enum rsan_order order);
bool bcas_when(struct scenario *s, int t, int x, struct rsan_condition condition, uint64_t value,
               enum rsan_order order);
// The kernel compares, or makes a read-modify-write.
bool kernel_compares(struct scenario *s, int t, int x, uint64_t expected);
bool kernel_writes(struct scenario *s, int t, int x, uint64_t value);
void track(struct scenario *s, int x, uint64_t value);
// In code that is left out of the analysis: kind, order and the value written are the access's.
void unchecked(struct scenario *s, int t, int x, struct rsan_access access);
// The same in a primitive.
void primitive(struct scenario *s, int t, int x, struct rsan_access access);
void fence(struct scenario *s, int t, enum rsan_order order);

uint64_t stat(const struct scenario *s, enum rsan_stat stat);

#endif
