// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of orders (order.c).

#ifndef ORDER_H
#define ORDER_H

#include <stdbool.h>

#include "rule.h"

// As strong as both.
enum rule_order order_join(enum rule_order a, enum rule_order b);

// What a load or a store can have of the order.
enum rule_order order_restrict(enum rule_order order, bool loads, bool stores);

#endif
