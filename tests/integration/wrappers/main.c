// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "algorithms.h"
#include "turns.h"

int main(void) {
  one_then_other(ring_producer, ring_consumer);
  one_then_other(hazard_reader, hazard_reclaimer);
  one_then_other(ticket_first, ticket_second);
#ifndef NO_PAIR
  one_then_other(pair_first, pair_second);
#endif
}
