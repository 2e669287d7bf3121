# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# ctest reads this before it runs anything: the environment of all tests.
#
# Debian's valgrind brings libc6-dbg along, and llvm-symbolizer unpacks the C library's debug
# information for every program that reports: 50 of 130 ms for lines of frames above main() that no
# report shows. Tests see the C library as it is on a machine without that package.
set(ENV{LLVM_SYMBOLIZER_OPTS} "--debug-file-directory=/nonexistent")

# Sanitizer builds (RSAN_ASAN): the first thing that they find ends a program, which fails its test.
# A small quarantine keeps memory within what a small machine has. libclang's threads have signal
# stacks of their own, which ASan would take for its own. Programs that `rsan run` starts may leave
# cores.
set(ENV{ASAN_OPTIONS} "halt_on_error=1:quarantine_size_mb=16:use_sigaltstack=0:disable_coredump=0")
set(ENV{UBSAN_OPTIONS} "halt_on_error=1:print_stacktrace=1")
