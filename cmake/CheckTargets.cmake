# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Can the runtime be built for what RSAN_TARGETS names? Another processor than this one needs Debian's
# cross compiler, for its C and C++ libraries and its linker: cmake/cross-packages.txt.
foreach(target IN LISTS RSAN_TARGETS)
  if(NOT target IN_LIST processors)
    message(FATAL_ERROR "RSAN_TARGETS=${RSAN_TARGETS}: there is no '${target}'; it is x86_64, aarch64, or x86_64;aarch64.")
  endif()
  if(target STREQUAL CMAKE_HOST_SYSTEM_PROCESSOR)
    continue()
  endif()
  find_program(RSAN_CROSS_GXX_${target} ${target}-linux-gnu-g++)
  if(NOT RSAN_CROSS_GXX_${target})
    file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/cross-packages.txt" packages REGEX "^[a-z].*${target}|^[a-z].*arm64")
    list(TRANSFORM packages REPLACE " .*" "")
    string(JOIN " " packages ${packages})
    message(FATAL_ERROR "RSAN_TARGETS=${RSAN_TARGETS}: install the packages ${packages}: ${target}-linux-gnu-g++ is missing.")
  endif()
endforeach()
if(NOT CMAKE_SYSTEM_PROCESSOR IN_LIST RSAN_TARGETS)
  message(FATAL_ERROR "RSAN_TARGETS=${RSAN_TARGETS}: ${CMAKE_SYSTEM_PROCESSOR}, which this is, must be among them.")
endif()
