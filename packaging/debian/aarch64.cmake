# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A toolchain file: RSan for an aarch64 host, built on x86-64 (arm64-deb). RSAN_SYSROOT has that host's
# headers and libraries (arm64-packages.txt); RSAN_LLVM is the release of LLVM that compiles.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES RSAN_SYSROOT RSAN_LLVM)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_SYSROOT "${RSAN_SYSROOT}")
set(CMAKE_C_COMPILER "clang-${RSAN_LLVM}")
set(CMAKE_CXX_COMPILER "clang++-${RSAN_LLVM}")
set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
# What the shared libraries need of others is not among the packages.
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,--unresolved-symbols=ignore-in-shared-libs)
set(CMAKE_STRIP "/usr/lib/llvm-${RSAN_LLVM}/bin/llvm-strip")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
