// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is made ready at a thread's exit is made so by the C++ library's own code, which is not
// instrumented. A thread that waits for it knows what the other did, in destructors of thread_local
// objects and of keys, too. A thread that does not wait does not.
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
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

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

// Nobody has looked at the object when the thread is gone.
int whose_id;

UNSEEN void tell_id() {
  __atomic_store_n(&whose_id, gettid(), __ATOMIC_RELEASE);
}

UNSEEN void await_end() {
  int id;
  while ((id = __atomic_load_n(&whose_id, __ATOMIC_ACQUIRE)) == 0)
    sched_yield();
  while (syscall(SYS_tgkill, getpid(), id, 0) == 0)
    sched_yield();
  __atomic_store_n(&whose_id, 0, __ATOMIC_RELEASE);
}

// What the thread does comes after its own function.
struct at_end {
  std::promise<int> *promise = nullptr;
  ~at_end() {
    if (promise)
      promise->set_value_at_thread_exit(work());
  }
};
thread_local at_end local;

void use_destructor() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread thread([&] {
    tell_id();
    local.promise = &promise;
  });
  await_end();
  future.get();
  look();
  thread.join();
}

void set_promise(void *promise) {
  static_cast<std::promise<int> *>(promise)->set_value_at_thread_exit(work());
}

void use_key() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  static pthread_key_t key;
  if (pthread_key_create(&key, set_promise) != 0)
    abort();
  std::thread thread([&] {
    tell_id();
    pthread_setspecific(key, &promise);
  });
  await_end();
  future.get();
  look();
  thread.join();
  pthread_key_delete(key);
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
    use_destructor();
    x = y = 0;
    use_key();
    x = y = 0;
  }
  std::fputs("end\n", stderr);
}
