// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a driver whose own main has been renamed (-Dmain=driver_main) as often as the argument says:
// alone it ends too soon to be measured.

#undef main

#include <cstdlib>

int driver_main();

int main(int argc, char **argv) {
  int times = argc == 2 ? std::atoi(argv[1]) : 0;
  for (int i = 0; i < times; i++)
    if (driver_main() != 0)
      return 1;
  return times > 0 ? 0 : 2;
}
