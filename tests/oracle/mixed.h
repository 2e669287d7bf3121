// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses of several sizes, by definition. Accesses that overlap, one by one, belong to one
// location. An access is one event, and has bytes:
//
//   rf    by byte: an access reads each byte from the write that it has it from
//   mo    total over all writes of a location, those without a common byte among them
//   fr    by byte: an access comes before whatever overwrites a byte where it has read it
//
// and with these rf, mo and fr the axioms are those of graph.h. eco is irreflexive besides: who
// reads of one version knows, of all bytes, what is before that.
//
// A run is sequentially consistent, so it is a list of events. Its last event violates robustness
// if the event has another outcome that is consistent, and is that of no sequentially consistent
// run: (po | rf | mo | fr)+ is reflexive, where mo is between writes with a common byte alone,
// since no value shows the order of the others.
#ifndef RSAN_TESTS_ORACLE_MIXED_H
#define RSAN_TESTS_ORACLE_MIXED_H

#include <stdbool.h>
#include <stdint.h>

enum { MIXED_EVENTS = 16, MIXED_ADDRESSES = 64, MIXED_SIZE = 8 };

enum mixed_kind { MIXED_LOAD, MIXED_STORE, MIXED_ADD, MIXED_EXCHANGE_IF, MIXED_FENCE };

struct mixed_event {
  enum mixed_kind kind;
  uint32_t thread, address, size;
  bool acquire, release, sc;
  uint64_t value;    // stored, added or, by a strong compare-exchange, desired
  uint64_t expected; // by that
  uint64_t left;     // by a write of the run
  bool fails;        // a compare-exchange of the run
};

// Does the last event of the run violate robustness? Memory is 0 at first.
bool mixed_violates(const struct mixed_event *run, uint32_t count);

#endif
