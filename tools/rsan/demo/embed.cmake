# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DOUT=FILE -DEXAMPLES=DIR -P embed.cmake: writes FILE, which defines the texts of example.h.
file(WRITE "${OUT}.new" "#include \"demo/example.h\"\n")
foreach(pair "demo_dekker=dekker.c" "demo_stage=stage.h")
  string(REGEX MATCH "^([^=]*)=(.*)$" pair "${pair}")
  file(READ "${EXAMPLES}/${CMAKE_MATCH_2}" text)
  set(name "${CMAKE_MATCH_1}")
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n\"\n  \"" text "${text}")
  file(APPEND "${OUT}.new" "const char ${name}[] =\n  \"${text}\";\n")
endforeach()
file(RENAME "${OUT}.new" "${OUT}")
