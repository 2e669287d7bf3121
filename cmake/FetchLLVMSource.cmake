# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sets RSAN_LLVM_SOURCE_DIR to an unpacked source tree of LLVM RSAN_LLVM: the one given by the user, or else
# Debian's, fetched at configure time by compiler-rt-patch/fetch-source (which does nothing when it
# is there). Either is checked.

set(RSAN_LLVM_SOURCE_DIR "" CACHE PATH
    "Unpacked source of LLVM, of the release RSAN_LLVM (compiler-rt, cmake, llvm, clang); empty: fetch Debian's")

# Fails unless DIR has every part of LLVM that is built from, in a version that fits clang's.
function(rsan_check_llvm_source dir)
  foreach(file
      compiler-rt/lib/tsan/rtl/tsan_rtl.cpp
      compiler-rt/test/tsan/lit.cfg.py
      cmake/Modules/LLVMVersion.cmake
      llvm/cmake/modules/AddLLVM.cmake
      llvm/utils/lit/lit.py
      clang/include/clang/Basic/Sanitizers.def
      clang/lib/Basic/Sanitizers.cpp
      clang/lib/Driver/SanitizerArgs.cpp
      clang/tools/driver/driver.cpp)
    if(NOT EXISTS "${dir}/${file}")
      message(FATAL_ERROR
        "RSAN_LLVM_SOURCE_DIR=${dir} is not an LLVM source tree: it has no ${file}.")
    endif()
  endforeach()

  # The file keeps what is defined already, as find_package(LLVM) may have done.
  unset(LLVM_VERSION_MAJOR)
  unset(LLVM_VERSION_MINOR)
  unset(LLVM_VERSION_PATCH)
  include("${dir}/cmake/Modules/LLVMVersion.cmake")
  set(version "${LLVM_VERSION_MAJOR}.${LLVM_VERSION_MINOR}.${LLVM_VERSION_PATCH}")
  if(NOT version MATCHES "^${RSAN_LLVM}\\.1\\.")
    message(FATAL_ERROR "RSAN_LLVM_SOURCE_DIR=${dir} is LLVM ${version}, RSAN_LLVM=${RSAN_LLVM} needs ${RSAN_LLVM}.1.x.")
  endif()
  message(STATUS "LLVM source: ${dir} (${version})")
endfunction()

if(NOT RSAN_LLVM_SOURCE_DIR)
  # A normal variable: the cache entry stays empty, so a later configure looks again whether
  # clang has been upgraded since.
  set(RSAN_LLVM_SOURCE_DIR "${CMAKE_BINARY_DIR}/llvm-source")
  execute_process(
    COMMAND "${PROJECT_SOURCE_DIR}/compiler-rt-patch/fetch-source" --llvm "${RSAN_LLVM}" "${RSAN_LLVM_SOURCE_DIR}"
    RESULT_VARIABLE rsan_fetch_result) # its output goes straight to the user, as progress
  if(NOT rsan_fetch_result EQUAL 0)
    message(FATAL_ERROR
      "LLVM's source could not be fetched, see the line above. "
      "-DRSAN_LLVM_SOURCE_DIR=DIR takes an unpacked source tree of LLVM ${RSAN_LLVM}.1 instead.")
  endif()
  unset(rsan_fetch_result)
endif()
rsan_check_llvm_source("${RSAN_LLVM_SOURCE_DIR}")
