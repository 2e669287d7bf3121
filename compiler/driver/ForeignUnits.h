// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Source files that are linked with RSan's runtime and that another compiler has instrumented.

#ifndef RSAN_DRIVER_FOREIGN_UNITS_H
#define RSAN_DRIVER_FOREIGN_UNITS_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <string>

namespace rsan {

/// What a command line links. To be made before it is carried out.
class LinkedFile {
public:
  explicit LinkedFile(llvm::ArrayRef<const char *> arguments);

  /// After the link: warns of such files, unless -w was given.
  void warn(llvm::StringRef driver) const;

private:
  std::string path = "a.out";
  bool sanitizes = false, relocatable = false, quiet = false;
  uint64_t before; // what tells the old file from the new one

  void take(llvm::ArrayRef<const char *> arguments);
  void takeSanitizers(llvm::StringRef list, bool on);
};

} // namespace rsan

#endif
