# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Every part of LLVM that the compiler is built from is there and of one version, or one line says what to install.
# Sets RSAN_CLANG_VENDOR and RSAN_CLANG_REPOSITORY, the parts of clang's version line.

function(rsan_require file package)
  set(prefix "${RSAN_LLVM_TARGET_PREFIX}")
  if(file MATCHES "^bin/")
    set(prefix "${RSAN_LLVM_PREFIX}")
  endif()
  if(NOT EXISTS "${prefix}/${file}")
    message(FATAL_ERROR "Install the package ${package}: ${prefix}/${file} is missing.")
  endif()
endfunction()

rsan_require(bin/clang clang-${RSAN_LLVM})
rsan_require(bin/ld.lld lld-${RSAN_LLVM})
rsan_require(bin/llvm-ar llvm-${RSAN_LLVM})
rsan_require(include/llvm/Config/llvm-config.h llvm-${RSAN_LLVM}-dev)
rsan_require(lib/libLLVM-${RSAN_LLVM}.so llvm-${RSAN_LLVM}-dev)
rsan_require(include/clang/Basic/Version.inc libclang-${RSAN_LLVM}-dev)
rsan_require(lib/libclangDriver.a libclang-${RSAN_LLVM}-dev)
if(NOT CMAKE_CROSSCOMPILING)
  rsan_require(lib/clang/${RSAN_LLVM}/include/stddef.h libclang-common-${RSAN_LLVM}-dev)
endif()
rsan_require(lib/clang/${RSAN_LLVM}/lib/linux/libclang_rt.tsan-${CMAKE_SYSTEM_PROCESSOR}.a libclang-rt-${RSAN_LLVM}-dev)

find_program(RSAN_PATCH patch)
mark_as_advanced(RSAN_PATCH)
if(NOT RSAN_PATCH)
  message(FATAL_ERROR "Install the package patch: the program is missing.")
endif()

# Headers, libraries and source are compiled and linked into one program: their versions must be equal.
file(STRINGS "${RSAN_LLVM_TARGET_PREFIX}/include/llvm/Config/llvm-config.h" version_line REGEX "define LLVM_VERSION_STRING")
string(REGEX MATCH "[0-9.]+" installed_version "${version_line}")
block(SCOPE_FOR VARIABLES PROPAGATE source_version)
  unset(LLVM_VERSION_MAJOR)
  unset(LLVM_VERSION_MINOR)
  unset(LLVM_VERSION_PATCH)
  include("${RSAN_LLVM_SOURCE_DIR}/cmake/Modules/LLVMVersion.cmake")
  set(source_version "${LLVM_VERSION_MAJOR}.${LLVM_VERSION_MINOR}.${LLVM_VERSION_PATCH}")
endblock()
if(NOT installed_version VERSION_EQUAL source_version)
  message(FATAL_ERROR
    "LLVM ${installed_version} is installed, the source is ${source_version}: they must be the same "
    "(${RSAN_LLVM_TARGET_PREFIX}, RSAN_LLVM_SOURCE_DIR=${RSAN_LLVM_SOURCE_DIR}).")
endif()

execute_process(
  COMMAND "${RSAN_LLVM_PREFIX}/bin/clang" --version
  OUTPUT_VARIABLE clang_version
  COMMAND_ERROR_IS_FATAL ANY)
if(NOT clang_version MATCHES "^([^\n]*)clang version ([0-9.]+)( \\(([^\n]*)\\))?")
  message(FATAL_ERROR "${RSAN_LLVM_PREFIX}/bin/clang --version says something unexpected: ${clang_version}")
endif()
set(RSAN_CLANG_VENDOR "${CMAKE_MATCH_1}")
set(RSAN_CLANG_REPOSITORY "${CMAKE_MATCH_4}")
