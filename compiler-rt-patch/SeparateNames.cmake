# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -D LLVM=PREFIX -D FROM=ARCHIVE -D TO=ARCHIVE -P SeparateNames.cmake: a copy of the runtime that
# shares no name with a program it is linked into.
#
#   - Its functions are in a section of their own, by which the runtime knows them (rsan_calls.cpp).
#   - The core's functions, rsan_NAME in its sources, are __rsan_core_NAME, which is reserved: a program
#     may have an rsan_fence of its own.
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND "${LLVM}/bin/llvm-nm" --defined-only --extern-only --format=just-symbols "${FROM}"
  OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(^|\n)rsan_[A-Za-z0-9_]+" names "${names}")
list(TRANSFORM names STRIP)
list(REMOVE_DUPLICATES names)
list(TRANSFORM names REPLACE "^rsan_(.*)$" "rsan_\\1 __rsan_core_\\1")
list(JOIN names "\n" names)
file(WRITE "${TO}.names" "${names}\n")
execute_process(COMMAND "${LLVM}/bin/llvm-objcopy" --rename-section .text=rsan_text "--redefine-syms=${TO}.names"
  "${FROM}" "${TO}" COMMAND_ERROR_IS_FATAL ANY)
