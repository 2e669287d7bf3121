# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# find_package(RSan): the target RSan::robustness, which compiles and links what uses it with
# -fsanitize=robustness; the targets RSan::gtest, RSan::catch2, RSan::doctest and RSan::boost_test,
# with which reports name the test of that framework that was running; the program RSan::rsan; the function
#
#   rsan_name_tests()
#
# with which reports name the test of ctest, for those that the folder has by then, where no
# framework names one; and the function
#
#   rsan_add_check(TARGET [UNIT] [BOUNDED] [NAME name] [OPTIONS option...] [ARGS argument...])
#
# which adds a test for ctest, named check.TARGET or NAME: all schedules of the program TARGET with
# these arguments, by `rsan check` with these options. UNIT: the program explores them itself, as
# its tests are calls of rsan_check(). The test passes if all is proved. With BOUNDED one that finds
# nothing, and does not prove it either, is skipped: for options such as --preemptions. One in which
# nothing was checked fails, unless OPTIONS has --allow-empty.
#
# It is an error if a compiler of the project cannot do that: a project that went on without would
# be built uninstrumented and pass every test. After find_package(RSan QUIET) alone, RSan_FOUND is
# false instead.

# Through links: the Debian package has one in /usr/lib/cmake.
get_filename_component(_rsan_file "${CMAKE_CURRENT_LIST_FILE}" REALPATH)
get_filename_component(_rsan_prefix "${_rsan_file}/../../../.." ABSOLUTE)

# Sets VARIABLE to what is wrong with the project's compiler of LANGUAGE, or to nothing.
function(_rsan_check_compiler language variable)
  include(CheckSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS -fsanitize=robustness)
  set(CMAKE_REQUIRED_QUIET ON)
  set(source "
    #ifndef __SANITIZE_ROBUSTNESS__
    #error not instrumented
    #endif
    int main(void) { return 0; }")
  check_source_compiles(${language} "${source}" RSan_${language}_COMPILER_WORKS)
  if(RSan_${language}_COMPILER_WORKS)
    set(${variable} "" PARENT_SCOPE)
    return()
  endif()
  unset(RSan_${language}_COMPILER_WORKS CACHE) # what is missing may be installed before the next run

  set(compiler rsan-clang)
  if(language STREQUAL CXX)
    set(compiler rsan-clang++)
  endif()
  execute_process(COMMAND "${CMAKE_${language}_COMPILER}" --version
    OUTPUT_VARIABLE version ERROR_QUIET)
  if(version MATCHES "RSan")
    string(CONCAT message
      "RSan: ${CMAKE_${language}_COMPILER} cannot build a program with -fsanitize=robustness.\n"
      "  ${_rsan_prefix}/bin/rsan doctor\n"
      "says what is missing.")
  else()
    string(CONCAT message
      "RSan: CMAKE_${language}_COMPILER is ${CMAKE_${language}_COMPILER}, which does not know -fsanitize=robustness.\n"
      "Configure an empty build folder with\n"
      "  -DCMAKE_${language}_COMPILER=${_rsan_prefix}/bin/${compiler}\n"
      "or, for all languages at once, with\n"
      "  -DCMAKE_TOOLCHAIN_FILE=${_rsan_prefix}/lib/cmake/RSan/rsan-toolchain.cmake")
  endif()
  set(${variable} "${message}" PARENT_SCOPE)
endfunction()

set(RSan_FOUND TRUE)
get_property(_rsan_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
foreach(_rsan_language C CXX)
  if(_rsan_language IN_LIST _rsan_languages)
    _rsan_check_compiler(${_rsan_language} _rsan_defect)
    if(_rsan_defect)
      if(RSan_FIND_REQUIRED OR NOT RSan_FIND_QUIETLY)
        # The blank keeps CMake from breaking the lines anew.
        string(REPLACE "\n" "\n " _rsan_defect " ${_rsan_defect}")
        message(FATAL_ERROR "${_rsan_defect}")
      endif()
      set(RSan_FOUND FALSE)
      set(RSan_NOT_FOUND_MESSAGE "${_rsan_defect}")
      return()
    endif()
  endif()
endforeach()

if(NOT TARGET RSan::robustness)
  # Reports need lines. The user's own -g stays as it is: the last one would count.
  set(_rsan_lines "$<$<NOT:$<CONFIG:Debug,RelWithDebInfo>>:-g1>")
  if("${CMAKE_C_FLAGS} ${CMAKE_CXX_FLAGS}" MATCHES "(^| )-g")
    set(_rsan_lines)
  endif()
  add_library(RSan::robustness INTERFACE IMPORTED)
  set_target_properties(RSan::robustness PROPERTIES
    INTERFACE_COMPILE_OPTIONS "$<$<COMPILE_LANGUAGE:C,CXX>:-fsanitize=robustness;${_rsan_lines}>"
    INTERFACE_LINK_OPTIONS -fsanitize=robustness
    INTERFACE_INCLUDE_DIRECTORIES "${_rsan_prefix}/include")
endif()

if(NOT TARGET RSan::rsan)
  add_executable(RSan::rsan IMPORTED)
  set_target_properties(RSan::rsan PROPERTIES IMPORTED_LOCATION "${_rsan_prefix}/bin/rsan")
endif()

foreach(_rsan_framework gtest catch2 doctest boost_test)
  if(NOT TARGET RSan::${_rsan_framework})
    add_library(RSan::${_rsan_framework} INTERFACE IMPORTED)
    set_target_properties(RSan::${_rsan_framework} PROPERTIES
      INTERFACE_SOURCES "${_rsan_prefix}/share/rsan/glue/${_rsan_framework}.cpp"
      INTERFACE_INCLUDE_DIRECTORIES "${_rsan_prefix}/include")
  endif()
endforeach()

function(rsan_name_tests)
  get_property(tests DIRECTORY PROPERTY TESTS)
  foreach(test IN LISTS tests)
    set_property(TEST "${test}" APPEND PROPERTY ENVIRONMENT "RSAN_TEST=${test}")
  endforeach()
endfunction()

function(rsan_add_check target)
  cmake_parse_arguments(PARSE_ARGV 1 check "UNIT;BOUNDED" NAME "OPTIONS;ARGS")
  if(NOT TARGET "${target}")
    message(FATAL_ERROR "rsan_add_check: ${target} is no target: call it behind add_executable(${target} ...)")
  elseif(check_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "rsan_add_check(${target}): unknown: ${check_UNPARSED_ARGUMENTS}; arguments of the program stand behind ARGS")
  elseif(check_UNIT AND check_OPTIONS)
    message(FATAL_ERROR "rsan_add_check(${target}): OPTIONS are of `rsan check`, which does not run with UNIT; set RSAN_OPTIONS in the test's ENVIRONMENT")
  endif()
  if(NOT check_NAME)
    set(check_NAME "check.${target}")
  endif()
  if(check_UNIT)
    add_test(NAME "${check_NAME}" COMMAND "${target}" ${check_ARGS})
  else()
    add_test(NAME "${check_NAME}" COMMAND RSan::rsan check ${check_OPTIONS} -- "$<TARGET_FILE:${target}>" ${check_ARGS})
  endif()
  if(check_BOUNDED)
    # Not by the status 3, which a test that nothing was checked in has, too: that one fails.
    set_tests_properties("${check_NAME}" PROPERTIES SKIP_REGULAR_EXPRESSION
      "(^|\n)(rsan_check: )?(not proved: no finding|no failure) in [0-9]+ executions?, but")
  endif()
endfunction()
