// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sources of the example that `rsan demo' builds, as text. embed.cmake makes their definitions
// from examples/dekker.c and examples/stage.h.

#ifndef EXAMPLE_H
#define EXAMPLE_H

extern const char demo_dekker[], demo_stage[];

#endif
