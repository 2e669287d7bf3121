# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -D LLVM=PREFIX -D FROM=ARCHIVE -D TO=ARCHIVE -P SeparateNames.cmake: copies the runtime's library, and
#
#   - moves its functions, inline ones too, which have a section each, to a section of their own, by which the runtime
#     recognises them (rsan_calls.cpp, rsan_delivery.cpp);
#   - renames the core's rsan_NAME to the reserved __rsan_core_NAME, so that a program may define rsan_NAME itself.
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND "${LLVM}/bin/llvm-nm" --defined-only --extern-only --format=just-symbols "${FROM}"
  OUTPUT_VARIABLE names COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(^|\n)rsan_[A-Za-z0-9_]+" names "${names}")
list(TRANSFORM names STRIP)
list(REMOVE_DUPLICATES names)
list(TRANSFORM names REPLACE "^rsan_(.*)$" "rsan_\\1 __rsan_core_\\1")
list(JOIN names "\n" names)
file(WRITE "${TO}.names" "${names}\n")

execute_process(COMMAND "${LLVM}/bin/llvm-readelf" --section-headers --wide "${FROM}"
  OUTPUT_VARIABLE sections COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " [.]text[^ ]*" sections "${sections}")
list(TRANSFORM sections STRIP)
list(REMOVE_DUPLICATES sections)
list(TRANSFORM sections REPLACE "^.+$" "--rename-section=\\0=rsan_text")
list(JOIN sections "\n" sections)
file(WRITE "${TO}.sections" "${sections}\n")
execute_process(COMMAND "${LLVM}/bin/llvm-objcopy" "@${TO}.sections" "--redefine-syms=${TO}.names" "${FROM}" "${TO}"
  COMMAND_ERROR_IS_FATAL ANY)
