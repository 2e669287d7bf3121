// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An atomic object whose constructor leaves it as it is, as in C++17, or initialises it.

#include <atomic>
#include <thread>

namespace {

struct Raw {
  std::atomic<int> ready;
};

struct Ready {
  std::atomic<int> ready{0};
};

template <typename Node> void Pass() {
  std::atomic<Node *> head{nullptr};
  std::thread put([&] { head = new Node; });
  std::thread take([&] {
    if (Node *node = head)
      node->ready.load();
  });
  put.join();
  take.join();
  delete head.load();
}

} // namespace

int main(int argc, char **) {
  argc > 1 ? Pass<Raw>() : Pass<Ready>();
}
