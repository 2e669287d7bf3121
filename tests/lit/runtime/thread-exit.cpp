// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is made ready at a thread's exit is made so by the C++ library's own code, which is not
// instrumented. Who waits for it knows what the thread did. Who does not wait does not.
//
// RUN: %buildxx -O0 %s -o %t.O0 && %t.O0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %buildxx -O2 %s -o %t && %t 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: WARNING
// NONE: end
//
// RUN: %exits 66 %t apart 2>&1 | FileCheck %s
// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: #0 {{.*}}look
// CHECK: may miss
// CHECK-NEXT: #0 {{.*}}work
#include "access.h"
#include "turns.h"

#include <condition_variable>
#include <cstdio>
#include <future>
#include <thread>

namespace {

int x, y;

int work() {
  STORE(x, 1);
  STORE(y, 1);
  return 1;
}

void look() {
  if (LOAD(y) != 1 || LOAD(x) != 1)
    abort();
}

void use_promise() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread thread([&] { promise.set_value_at_thread_exit(work()); });
  future.get();
  look();
  thread.join();
}

void use_task() {
  std::packaged_task<int()> task(work);
  std::future<int> future = task.get_future();
  std::thread thread([&] { task.make_ready_at_thread_exit(); });
  future.wait();
  look();
  thread.join();
}

void use_condition() {
  std::mutex mutex;
  std::condition_variable condition;
  bool ready = false;
  std::thread thread([&] {
    std::unique_lock<std::mutex> lock(mutex);
    work();
    ready = true;
    std::notify_all_at_thread_exit(condition, std::move(lock));
  });
  {
    std::unique_lock<std::mutex> lock(mutex);
    condition.wait(lock, [&] { return ready; });
  }
  look();
  thread.join();
}

} // namespace

int main(int argc, char **) {
  if (argc > 1) {
    one_then_other([] { work(); }, look);
    return 0;
  }
  for (int i = 0; i < 20; i++) { // the waiter comes before the exit, or after it
    use_promise();
    use_task();
    use_condition();
    x = y = 0;
  }
  std::fputs("end\n", stderr);
}
