// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of orders (order.c).

#ifndef ORDER_H
#define ORDER_H

#include <stdbool.h>

#include "rule.h"

// Returns the weakest order that is at least as strong as both.
enum rule_order order_join(enum rule_order a, enum rule_order b);

// Returns the strongest part of the order that a load, a store, or an access that is both may have.
enum rule_order order_restrict(enum rule_order order, bool loads, bool stores);

#endif
