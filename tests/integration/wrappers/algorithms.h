// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef ALGORITHMS_H
#define ALGORITHMS_H

// The parts of the two threads of each algorithm: the first one acts before the other.
void ring_producer(void);
void ring_consumer(void);
void hazard_reader(void);
void hazard_reclaimer(void);
void ticket_first(void);
void ticket_second(void);
void pair_first(void);
void pair_second(void);

#endif
