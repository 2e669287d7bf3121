// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What blocks, under each policy: the C++ library's and POSIX's ways to wait all come to their end,
// with the results that they have without a schedule, and no token is taken from anybody: two runs
// of a seed have the same schedule.
//
// RUN: %buildxx -std=c++20 %s -o %t && rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: %t > expected
// RUN: env RSAN_OPTIONS=schedule=random:schedule_file=random:stats=1 %t 2> log | cmp expected - && FileCheck %s < log
// RUN: env RSAN_OPTIONS=schedule=pct:schedule_file=pct:stats=1 %t 2> log | cmp expected - && FileCheck %s < log
// RUN: env RSAN_OPTIONS=schedule=pos:schedule_file=pos:stats=1 %t 2> log | cmp expected - && FileCheck %s < log
// RUN: env RSAN_OPTIONS=schedule=random:switch=3:schedule_file=few:stats=1 %t 2> log | cmp expected - && FileCheck %s < log
// CHECK-NOT: WARNING
// CHECK: schedule_taken {{ *}}0
// RUN: env RSAN_OPTIONS=schedule=random:schedule_file=again %t > /dev/null && cmp random again
// RUN: env RSAN_OPTIONS=schedule=pct:schedule_file=again %t > /dev/null && cmp pct again
// RUN: env RSAN_OPTIONS=schedule=pos:schedule_file=again %t > /dev/null && cmp pos again
// RUN: env RSAN_OPTIONS=replay=random:schedule_file=again %t > log 2>&1 && cmp expected log
// RUN: not cmp random pct
//
// Nothing of it is there without a schedule.
// RUN: env RSAN_OPTIONS=stats=1 %t 2>&1 | FileCheck %s --check-prefix=OFF --implicit-check-not=schedule_
// OFF: RSan statistics

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <latch>
#include <mutex>
#include <pthread.h>
#include <queue>
#include <semaphore.h>
#include <shared_mutex>
#include <thread>
#include <vector>

template <typename F> static void in_threads(int count, F work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; i++)
    threads.emplace_back(work, i);
  for (std::thread &thread : threads)
    thread.join();
}

static void queue() {
  std::mutex mutex;
  std::condition_variable changed;
  std::queue<int> values;
  bool done = false;
  long sum = 0;
  in_threads(4, [&](int self) {
    if (self == 0) {
      for (int i = 1; i <= 50; i++) {
        std::lock_guard<std::mutex> lock(mutex);
        values.push(i);
        changed.notify_one();
      }
      std::lock_guard<std::mutex> lock(mutex);
      done = true;
      changed.notify_all();
      return;
    }
    std::unique_lock<std::mutex> lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return done || !values.empty(); });
      if (values.empty())
        return;
      sum += values.front();
      values.pop();
    }
  });
  printf("queue %ld\n", sum);
}

static void locks() {
  std::shared_mutex both;
  std::recursive_timed_mutex recursive;
  pthread_spinlock_t spin;
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  int a = 0, b = 0, c = 0, tried = 0;
  in_threads(3, [&](int self) {
    for (int i = 0; i < 10; i++) {
      if (self == 0) {
        std::unique_lock<std::shared_mutex> lock(both);
        a++;
      } else {
        std::shared_lock<std::shared_mutex> lock(both);
        (void)a;
      }
      std::lock_guard<std::recursive_timed_mutex> outer(recursive), inner(recursive);
      b++;
      pthread_spin_lock(&spin);
      c++;
      pthread_spin_unlock(&spin);
      if (recursive.try_lock_for(std::chrono::hours(1))) {
        tried++;
        recursive.unlock();
      }
    }
  });
  printf("locks %d %d %d %d\n", a, b, c, tried);
}

static void waits() {
  std::latch latch(3);
  pthread_barrier_t posix;
  pthread_barrier_init(&posix, nullptr, 3);
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  std::atomic<int> last{0};
  int serial = 0;
  in_threads(4, [&](int self) {
    if (self == 3) {
      for (int i = 0; i < 30; i++)
        while (sem_wait(&semaphore) != 0) {
        }
      last = 1;
      last.notify_all();
      return;
    }
    for (int i = 0; i < 10; i++) {
      if (pthread_barrier_wait(&posix) == PTHREAD_BARRIER_SERIAL_THREAD)
        serial++;
      sem_post(&semaphore);
    }
    latch.arrive_and_wait();
    last.wait(0);
  });
  printf("waits %d %d\n", serial, last.load());
}

static void threads() {
  auto answer = std::async(std::launch::async, [] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return 42;
  });
  std::promise<int> never;
  auto status = never.get_future().wait_for(std::chrono::milliseconds(20));
  printf("threads %d %d\n", answer.get(), status == std::future_status::timeout);
  std::jthread stopped([](std::stop_token token) {
    while (!token.stop_requested())
      std::this_thread::yield();
  });
  stopped.request_stop();
  std::once_flag once;
  int calls = 0;
  in_threads(3, [&](int) {
    std::call_once(once, [&] {
      std::this_thread::yield();
      calls++;
    });
    static const int made = (std::this_thread::yield(), 1);
    (void)made;
  });
  printf("once %d\n", calls);
}

int main() {
  queue();
  locks();
  waits();
  threads();
}
