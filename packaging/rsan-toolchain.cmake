# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DCMAKE_TOOLCHAIN_FILE=.../rsan-toolchain.cmake: rsan-clang compiles C and C++, and
# find_package(RSan) finds the tree that this file is in. What is instrumented is up to the project
# (target RSan::robustness), or, for all of it, -DCMAKE_C_FLAGS=-fsanitize=robustness and the same
# with CXX.
get_filename_component(_rsan_file "${CMAKE_CURRENT_LIST_FILE}" REALPATH)
get_filename_component(_rsan_prefix "${_rsan_file}/../../../.." ABSOLUTE)

set(CMAKE_C_COMPILER "${_rsan_prefix}/bin/rsan-clang")
set(CMAKE_CXX_COMPILER "${_rsan_prefix}/bin/rsan-clang++")
# This file is read many times in one run.
if(NOT "${_rsan_prefix}" IN_LIST CMAKE_PREFIX_PATH)
  list(APPEND CMAKE_PREFIX_PATH "${_rsan_prefix}")
endif()
