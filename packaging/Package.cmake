# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cpack -G DEB, in the build folder: rsan_VERSION-1_amd64.deb for the Debian that it is made on, all of it in
# /usr/lib/rsan, with links where Debian's tools look (debian/layout.cmake). Needs dpkg-dev and
# file, which find out what the programs' shared libraries belong to.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME rsan)
set(CPACK_PACKAGE_VENDOR RSan)
set(CPACK_PACKAGE_CONTACT "RSan <rsan@localhost>" CACHE STRING "Maintainer of the Debian package")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr/lib/rsan)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0) # xz takes what the machine has

# What the driver loads, runs or reads. libLLVM is not among what dpkg-shlibdeps finds: where it looks,
# by the driver's rpath, there is a link of llvm-dev's.
set(depends
  "libllvm${RSAN_LLVM} (>= 1:${RSAN_LLVM}.1)"
  libclang-common-${RSAN_LLVM}-dev # clang's headers
  libclang-rt-${RSAN_LLVM}-dev     # builtins and the stock runtimes
  llvm-${RSAN_LLVM}                # llvm-symbolizer, llvm-dwarfdump, llvm-ar
  lld-${RSAN_LLVM}                 # ld.lld, for -flto and -fuse-ld=lld
  binutils               # ld
  libc6-dev)
# crtbegin.o and libgcc, and the C++ library: of the GCC whose files the compiler uses here.
set(where "")
if(CMAKE_SYSROOT)
  set(where "--target=${CMAKE_C_COMPILER_TARGET}" "--sysroot=${CMAKE_SYSROOT}")
endif()
execute_process(COMMAND "${CMAKE_C_COMPILER}" ${where} -print-file-name=crtbegin.o
  OUTPUT_VARIABLE crtbegin COMMAND_ERROR_IS_FATAL ANY)
if(crtbegin MATCHES "/gcc/[^/]*/([0-9]+)/|/([0-9]+)/crtbegin")
  list(APPEND depends libgcc-${CMAKE_MATCH_1}-dev libstdc++-${CMAKE_MATCH_1}-dev)
endif()
list(JOIN depends ", " CPACK_DEBIAN_PACKAGE_DEPENDS)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(architecture_x86_64 amd64)
set(architecture_aarch64 arm64)
set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${architecture_${CMAKE_SYSTEM_PROCESSOR}})
if(CMAKE_CROSSCOMPILING) # the libraries' packages, unpacked by debian/arm64-deb
  file(GLOB CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS
    "${CMAKE_SYSROOT}/../libraries/*/lib/*-linux-gnu" "${CMAKE_SYSROOT}/../libraries/*/usr/lib/*-linux-gnu")
endif()
# rsan-clang-scan-deps runs clang-scan-deps, which CMake 3.28 and later asks about every file of C++20.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "clang-tools-${RSAN_LLVM}")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "cmake, pkgconf, bash-completion, gcc, g++, cargo")
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "robustness sanitizer for C and C++ atomics")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"rsan-clang is clang ${RSAN_LLVM} with one more sanitizer, -fsanitize=robustness. A
program built with it reports where the C11 memory model allows behaviours
that are not sequentially consistent, from one run in which nothing need go
wrong, and data races by the rules of C++20. rsan-gcc is GCC with the same
runtime, and cargo rsan builds programs of Rust with it.
.
It comes with a CMake package, a toolchain file, rsan.pc, and the commands
rsan, rsan-edit, rsan-replay and rsan-symbolize. rsan demo shows what it does.")

set(CPACK_RSAN_LLVM "${RSAN_LLVM}")
set(CPACK_RSAN_DEBIAN "${CMAKE_CURRENT_SOURCE_DIR}/debian")
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_SOURCE_DIR}/debian/layout.cmake")
set(CPACK_POST_BUILD_SCRIPTS "${CMAKE_CURRENT_SOURCE_DIR}/debian/installed-size.cmake")
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
