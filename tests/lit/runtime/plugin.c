// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of C loads a plug-in of C++, whose library comes with it. When the C++ library starts
// it drops references that the runtime watches; the runtime has to find the library's own
// functions.
//
// RUN: %stock_clangxx -O1 -x c++ -DPLUGIN -shared -fPIC %s -o %t.so
// RUN: %build %s -o %t
// RUN: %t %t.so 2>&1 | FileCheck %s
// RUN: not %t %t.none 2>&1 | FileCheck %s --check-prefix=NONE
// CHECK: the plug-in says 7
// NONE: no plug-in

#ifdef PLUGIN

#include <sstream>

extern "C" int answer(void) {
  std::stringstream stream("7");
  int number = 0;
  stream >> number;
  return number;
}

#else

#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
  int (*answer)(void) = plugin ? (int (*)(void))dlsym(plugin, "answer") : NULL;
  if (!answer) {
    puts("no plug-in");
    return 1;
  }
  printf("the plug-in says %d\n", answer());
  return dlclose(plugin);
}

#endif
