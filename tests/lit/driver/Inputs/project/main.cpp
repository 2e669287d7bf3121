// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>
extern "C" int part();
int main() {
  return std::to_string(part()) == "0" ? 0 : 1;
}
