// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The accesses of a trace, as the compiler makes them: access.c is the only instrumented source
// here. Arguments and results are values: an access through a pointer to the caller's memory would
// be one more that the runtime sees.
//
// Orders are __ATOMIC_RELAXED and so on.

#ifndef RSAN_TESTS_RUNTIME_REPLAY_ACCESS_H
#define RSAN_TESTS_RUNTIME_REPLAY_ACCESS_H

#include <stdint.h>

// The type of all locations, atomic and not.
#ifndef REPLAY_WORD
#define REPLAY_WORD uint64_t
#endif
typedef REPLAY_WORD word;

enum access_rmw { ACCESS_ADD, ACCESS_SUB, ACCESS_XOR, ACCESS_RMW_COUNT };

word access_load(const word *at, int order);
void access_store(word *at, word value, int order);
// All return the value read.
word access_fetch_op(word *at, enum access_rmw op, word operand, int order);
word access_exchange(word *at, word value, int order);
word access_weak_cas(word *at, word expected, word desired, int order, int failure);
word access_strong_cas(word *at, word expected, word desired, int order, int failure);
void access_fence(int order);

word access_plain_read(const word *at);
void access_plain_write(word *at, word value);

#endif
