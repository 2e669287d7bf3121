// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef PART_H
#define PART_H

#include <atomic>

// Raises one's own flag and reads the other's: half of store buffering.
bool enter(std::atomic<int> &mine, const std::atomic<int> &other);

#endif
