// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Looks into a file that has been linked with -fsanitize=robustness: the symbol table says which of
// its units another compiler has instrumented, in libraries and by link-time optimisation as well.
// `rsan doctor' tells them by the same symbols (tools/rsan/doctor/units.h). A stripped file has
// none, and nothing is said of it. Rust's units are left out: rustc has no pass of RSan's.

#include "ForeignUnits.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace rsan {
namespace {

/// Options whose value is the next argument, and may look like one that matters here.
bool takesNext(StringRef option) {
  static const StringRef names[] = {"-Xlinker", "-Xclang", "-Xassembler", "-Xpreprocessor",
                                    "-mllvm"};
  return is_contained(names, option);
}

uint64_t stateOf(StringRef path) {
  sys::fs::file_status status;
  if (sys::fs::status(path, status))
    return 0;
  return hash_combine(status.getUniqueID().getFile(), status.getSize(),
                      status.getLastModificationTime().time_since_epoch().count());
}

/// A unit of the symbol table: how often which compiler's function is in it.
struct Unit {
  StringRef name;
  unsigned modules = 0, compiled = 0, gcc = 0;
};

struct Found {
  unsigned instrumented = 0, others = 0;
  SmallVector<StringRef, 8> thread, gcc; // names
};

bool isRust(StringRef name) {
  return name.contains("-cgu.") ||
         (name.size() == 25 && all_of(name, [](char c) { return isDigit(c) || isLower(c); }));
}

void endUnit(const Unit &unit, Found *found) {
  const unsigned other = unit.modules > unit.compiled ? unit.modules - unit.compiled : 0;
  found->instrumented += unit.modules + unit.gcc;
  if (unit.gcc)
    found->gcc.push_back(unit.name);
  if (other && !isRust(unit.name))
    found->thread.push_back(unit.name);
  found->others += unit.gcc + (isRust(unit.name) ? 0 : other);
}

template <typename File> void readUnits(const File &file, Found *found) {
  Unit unit;
  for (const object::ELFSymbolRef symbol : file.symbols()) {
    Expected<StringRef> name = symbol.getName();
    if (!name) {
      consumeError(name.takeError());
      continue;
    }
    if (symbol.getBinding() != ELF::STB_LOCAL)
      break; // the local ones come first
    if (symbol.getELFType() == ELF::STT_FILE) {
      endUnit(unit, found);
      unit = {*name};
    }
    unit.modules += name->starts_with("tsan.module_ctor");
    unit.compiled += name->starts_with("rsan.compiled_ctor");
    unit.gcc += name->starts_with("_sub_I_00099_");
  }
  endUnit(unit, found);
}

void printNames(raw_ostream &out, StringRef who, ArrayRef<StringRef> names) {
  const size_t most = 4;
  if (names.empty())
    return;
  out << who << join(names.take_front(most), ", ");
  if (names.size() > most)
    out << " and " << names.size() - most << " more";
}

void print(StringRef driver, StringRef path, const Found &found) {
  raw_ostream &out = errs();
  out << driver << ": warning: " << found.others << " of " << found.instrumented
      << " instrumented source files of " << path << " were not compiled by rsan-clang (";
  printNames(out, "clang -fsanitize=thread: ", found.thread);
  if (!found.thread.empty() && !found.gcc.empty())
    out << "; ";
  printNames(out, "GCC: ", found.gcc);
  out << "): loops that wait are judged as reads there; compile them with rsan-clang "
         "-fsanitize=robustness, or give -w to leave out this warning\n";
}

} // namespace

LinkedFile::LinkedFile(ArrayRef<const char *> arguments) {
  BumpPtrAllocator memory;
  StringSaver saver(memory);
  SmallVector<const char *, 64> all(arguments.begin(), arguments.end());
  cl::ExpandResponseFiles(saver, cl::TokenizeGNUCommandLine, all);
  take(all);
  before = stateOf(path);
}

void LinkedFile::takeSanitizers(StringRef list, bool on) {
  SmallVector<StringRef, 4> names;
  list.split(names, ',');
  if (is_contained(names, "robustness") || (!on && is_contained(names, "all")))
    sanitizes = on;
}

void LinkedFile::take(ArrayRef<const char *> arguments) {
  for (size_t i = 0; i < arguments.size(); i++) {
    StringRef argument = arguments[i] ? arguments[i] : "";
    const char *next = i + 1 < arguments.size() ? arguments[i + 1] : nullptr;
    if (takesNext(argument))
      i++;
    else if (argument.consume_front("-fsanitize="))
      takeSanitizers(argument, true);
    else if (argument.consume_front("-fno-sanitize="))
      takeSanitizers(argument, false);
    else if ((argument == "-o" || argument == "--output") && next)
      path = arguments[++i];
    else if (argument.consume_front("--output="))
      path = argument.str();
    else if (argument.starts_with("-o") && !argument.starts_with("-obj"))
      path = argument.drop_front(2).str();
    else if (argument == "-r")
      relocatable = true;
    else if (argument == "-w")
      quiet = true;
  }
}

void LinkedFile::warn(StringRef driver) const {
  if (!sanitizes || quiet || before == stateOf(path))
    return;
  Expected<object::OwningBinary<object::ObjectFile>> opened =
      object::ObjectFile::createObjectFile(path);
  if (!opened) {
    consumeError(opened.takeError());
    return;
  }
  const auto *file = dyn_cast<object::ELF64LEObjectFile>(opened->getBinary());
  if (!file || (file->getELFFile().getHeader().e_type == ELF::ET_REL && !relocatable))
    return;
  Found found;
  readUnits(*file, &found);
  if (found.others)
    print(driver, path, found);
}

} // namespace rsan
