# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Sets RSAN_LLVM, the major number of the LLVM that everything is built with and from. Those that are known are in
# llvm-releases.txt.

set(known_llvm_file "${CMAKE_CURRENT_LIST_DIR}/llvm-releases.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${known_llvm_file}")
file(STRINGS "${known_llvm_file}" known_llvm REGEX "^[0-9]+$")
list(GET known_llvm 0 default_llvm)
set(RSAN_LLVM "${default_llvm}" CACHE STRING "Major number of the LLVM to build with (cmake/llvm-releases.txt)")
option(RSAN_LLVM_UNTRIED "Try a release of LLVM that is not in cmake/llvm-releases.txt" OFF)
if(NOT RSAN_LLVM MATCHES "^[1-9][0-9]*$" OR NOT (RSAN_LLVM IN_LIST known_llvm OR RSAN_LLVM_UNTRIED))
  list(JOIN known_llvm ", " known_llvm)
  message(FATAL_ERROR
    "RSAN_LLVM=${RSAN_LLVM} is not known, these are: ${known_llvm}. -DRSAN_LLVM_UNTRIED=1 tries another number.")
endif()

# The patches of a series in the folder `patches` that are for this LLVM (see patch-series).
function(rsan_patch_series variable patches)
  file(STRINGS "${patches}/series" names REGEX "^[^#]")
  set(files "")
  foreach(name IN LISTS names)
    if(EXISTS "${patches}/${RSAN_LLVM}/${name}")
      list(APPEND files "${patches}/${RSAN_LLVM}/${name}")
    else()
      list(APPEND files "${patches}/${name}")
    endif()
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${patches}" "${patches}/series")
  if(IS_DIRECTORY "${patches}/${RSAN_LLVM}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${patches}/${RSAN_LLVM}")
  endif()
  set(${variable} "${files}" PARENT_SCOPE)
endfunction()
