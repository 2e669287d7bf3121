// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the core asks of whoever links it: the whole contract, nothing else is called.
//
// The core is freestanding C11. It knows neither libc nor ThreadSanitizer; the runtime implements
// these functions on sanitizer_common, the tools and tests implement them on libc. A test compares
// `nm -u` of the core's archive with exactly this list.
//
// Signatures all over rsan/: the object acted on comes first, the destination before the source.
// The caller of rsan_X_new owns the result and gives it to rsan_X_free. Nothing in the core is
// thread-safe by itself unless its header says so: the engine's header says which lock covers what.

#ifndef RSAN_HOST_H
#define RSAN_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"

// Returns `size` bytes (size > 0) aligned to 16, with any content. Never returns NULL: a host that
// is out of memory ends the process. May be called with a location's lock held.
void *rsan_host_alloc(size_t size);

// Frees what rsan_host_alloc returned. NULL is allowed and does nothing.
void rsan_host_free(void *block);

// Ends the process with `message`, a bug of RSan. Called by VERIFY builds only.
_Noreturn void rsan_host_die(const char *message);

// Lets another thread run; called while waiting for one of the core's own short locks.
void rsan_host_yield(void);

// Returns who left the value `access->seen`, which no access of the engine has left at the
// location. `first` says whether the access is the first one there. engine/unseen.h says what
// follows from the answer. Called with the location's lock held.
enum rsan_writer rsan_host_who_wrote(const struct rsan_access *access, bool first);

// The number of what the calling thread does now in the host's own clocks, and its slot there: what
// the thread releases has it (rsan_thread_knows). The thread does nothing more of that number after
// the release. 0: the host has none. `last`: where the thread's next slot is another one, none of
// what it did in this one has a greater number. Asked for rsan_engine_begin_cxx20 alone.
uint64_t rsan_host_mark(uint32_t *slot, uint64_t *last);

// A struct copy or a zeroing loop compiles to a call of memcpy, memmove or memset, which inside a
// sanitizer runtime would hit the interceptors of the user's calls. Every C file of the core
// includes this header, so that those calls go to the host.
void *rsan_host_memcpy(void *to, const void *from, size_t size);
void *rsan_host_memmove(void *to, const void *from, size_t size);
void *rsan_host_memset(void *to, int byte, size_t size);
__asm__("memcpy = rsan_host_memcpy\n"
        "memmove = rsan_host_memmove\n"
        "memset = rsan_host_memset\n");

// Marks a function that is called seldom: the frequent way saves no registers for it.
#define RSAN_SELDOM __attribute__((noinline, cold, preserve_most))

static inline uint64_t rsan_max(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

// A block of `size` bytes that begins with the first `used` ones of `block` (at most `size`), which
// is freed; NULL is allowed. The caller owns it.
static inline void *rsan_resize(void *block, size_t used, size_t size) {
  void *other = rsan_host_alloc(size);
  if (used)
    rsan_host_memcpy(other, block, used);
  rsan_host_free(block);
  return other;
}

// The same, zeroed from there on.
static inline void *rsan_enlarge_zeroed(void *block, size_t used, size_t size) {
  char *larger = rsan_resize(block, used, size);
  rsan_host_memset(larger + used, 0, size - used);
  return larger;
}

// The smallest block for so many elements of that size, of `first`, twice that, ... bytes: a host
// keeps each size apart.
static inline uint32_t rsan_block_for(uint32_t count, size_t size, uint32_t first) {
  while (first / size < count)
    first *= 2;
  return first;
}

// A full array of elements of that size gets such a block with room for more.
static inline RSAN_SELDOM void *rsan_grow(void *array, uint32_t *room, size_t size,
                                          uint32_t first) {
  uint32_t used = *room;
  *room = rsan_block_for(used + 1, size, first) / (uint32_t)size;
  return rsan_resize(array, used * size, *room * size);
}

// The array, which has `count` elements, moves to the block for `wanted` ones if that is smaller.
__attribute__((noinline)) static inline void *rsan_fit(void *array, uint32_t *room, uint32_t count,
                                                       size_t size, uint32_t first,
                                                       uint32_t wanted) {
  uint32_t fitting = rsan_block_for(count > wanted ? count : wanted, size, first) / (uint32_t)size;
  if (fitting >= *room)
    return array;
  *room = fitting;
  return rsan_resize(array, count * size, *room * size);
}

// An array of elements of that size, enlarged so that it has one at `index`: at least eight, and
// twice as many each time, the new ones zeroed.
static inline void *rsan_make_room(void *array, uint32_t *room, uint32_t index, size_t size) {
  uint32_t had = *room;
  if (index < had)
    return array;
  for (*room = had ? had : 8; *room <= index;)
    *room *= 2;
  return rsan_enlarge_zeroed(array, had * size, *room * size);
}

// Out of line: the frequent way saves no registers for it.
__attribute__((noinline)) static inline void *rsan_new_zeroed(size_t size) {
  return rsan_enlarge_zeroed(0, 0, size);
}
#define RSAN_NEW(type) ((type *)rsan_new_zeroed(sizeof(type)))

#ifdef RSAN_VERIFY
#define RSAN_ASSERT(condition, message) ((condition) ? (void)0 : rsan_host_die(message))
#else
#define RSAN_ASSERT(condition, message) ((void)(0 && (condition)))
#endif

#endif
