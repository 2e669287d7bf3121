# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Run by cpack when the package is made.
if(CPACK_GENERATOR STREQUAL DEB)
  foreach(package IN LISTS CPACK_PACKAGE_FILES)
    execute_process(COMMAND "${CMAKE_CURRENT_LIST_DIR}/set-installed-size" "${package}" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endif()
