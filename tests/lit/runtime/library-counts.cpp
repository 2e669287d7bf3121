// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects whose references the C++ library counts where it is not instrumented. Two threads read
// such an object, and each drops its own reference; whoever drops the last one destroys it. In the
// twin each thread reads the object once more when it has dropped its reference.
//
// RUN: %buildxx -O0 %s -o %t.O0
// RUN: %buildxx -O2 %s -o %t.O2
// RUN: %t.O0 2>&1 | FileCheck %s
// RUN: %t.O2 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=schedule=mix:seed=1 %t.O0 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=schedule=mix:seed=2 %t.O2 2>&1 | FileCheck %s
// RUN: env RSAN_OPTIONS=robustness=0 %t.O2 2>&1 | FileCheck %s
// CHECK-NOT: WARNING
// CHECK: 7 kinds
// RUN: %exits 66 %t.O2 rethrown 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: %exits 66 %t.O2 dropped 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: %exits 66 %t.O2 nested 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: %exits 66 %t.O2 future 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: %exits 66 %t.O2 runtime_error 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: %exits 66 %t.O2 out_of_range 2>&1 | FileCheck %s --check-prefix=LATE
// RUN: %exits 66 %t.O2 locale 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: WARNING: ThreadSanitizer: {{data race|heap-use-after-free}}
#include <cstdio>
#include <cstring>
#include <exception>
#include <future>
#include <locale>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

volatile bool late;

struct Error {
  int number = 7;
  std::string text = "a text that is too long for the string itself, and on the heap";
};

void read(const char *text) {
  volatile char seen = *text;
  (void)seen;
}

// Gives each of two threads a reference to what `object` refers to. `use` reads it, and returns an
// address in it. The thread's reference is dropped before the late read.
template <typename Object, typename Use> void share(Object *object, const Use &use) {
  using Reference = std::unique_ptr<Object>;
  auto work = [&use](Reference own) {
    const char *inside = use(*own);
    own.reset();
    if (late)
      read(inside);
  };
  Reference first(object), second(new Object(*object));
  std::thread one(work, std::move(first)), other(work, std::move(second));
  one.join();
  other.join();
}

const char *rethrow(std::exception_ptr &pointer) {
  try {
    std::rethrow_exception(std::move(pointer));
  } catch (Error &error) {
    read(reinterpret_cast<char *>(&error.number));
    read(error.text.data());
    return reinterpret_cast<char *>(&error.number);
  }
}

// It is caught, and kept by another reference, before this one is dropped.
const char *look(std::exception_ptr &pointer) {
  const char *inside = nullptr;
  try {
    std::rethrow_exception(pointer);
  } catch (Error &error) {
    read(error.text.data());
    inside = reinterpret_cast<char *>(&error.number);
  }
  return inside;
}

struct Outer : std::nested_exception {
  int number = 8;
};

std::exception_ptr make_nested() {
  try {
    throw Error();
  } catch (...) {
    return std::make_exception_ptr(Outer());
  }
}

const char *look_nested(std::exception_ptr &pointer) {
  const char *inside = nullptr;
  try {
    std::rethrow_exception(pointer);
  } catch (Outer &outer) {
    try {
      outer.rethrow_nested();
    } catch (Error &error) {
      read(error.text.data());
      inside = reinterpret_cast<char *>(&error.number);
    }
  }
  pointer = nullptr;
  return inside;
}

std::shared_future<int> make_future() {
  std::promise<int> promise;
  promise.set_exception(std::make_exception_ptr(Error()));
  return promise.get_future().share();
}

const char *look_at_future(std::shared_future<int> &future) {
  const char *inside = nullptr;
  try {
    future.get();
  } catch (Error &error) {
    read(error.text.data());
    inside = reinterpret_cast<char *>(&error.number);
  }
  future = {};
  return inside;
}

template <typename Exception> const char *look_at_text(Exception &error) {
  read(error.what());
  return error.what();
}

struct Facet : std::locale::facet {
  static std::locale::id id;
  int number = 9;
  ~Facet() override { number = 0; }
};
std::locale::id Facet::id;

const char *look_at_facet(std::locale &locale) {
  const char *inside = reinterpret_cast<const char *>(&std::use_facet<Facet>(locale).number);
  read(inside);
  return inside;
}

const struct {
  const char *name;
  void (*run)();
} kinds[] = {
    {"rethrown", [] { share(new std::exception_ptr(std::make_exception_ptr(Error())), rethrow); }},
    {"dropped", [] { share(new std::exception_ptr(std::make_exception_ptr(Error())), look); }},
    {"nested", [] { share(new std::exception_ptr(make_nested()), look_nested); }},
    {"future", [] { share(new std::shared_future<int>(make_future()), look_at_future); }},
    {"runtime_error",
     [] { share(new std::runtime_error("a text"), look_at_text<std::runtime_error>); }},
    {"out_of_range",
     [] { share(new std::out_of_range("a text"), look_at_text<std::out_of_range>); }},
    {"locale", [] { share(new std::locale(std::locale(), new Facet), look_at_facet); }},
};

} // namespace

int main(int argc, char **argv) {
  const int rounds = 20;
  int count = 0;
  late = argc > 1;
  for (const auto &kind : kinds)
    if (argc < 2 || !std::strcmp(kind.name, argv[1])) {
      for (int i = 0; i < rounds; i++)
        kind.run();
      count++;
    }
  std::printf("%d kinds\n", count);
}
