// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers of C++ that programs are made of: layers SHAPE THREADS ROUNDS. Each of THREADS threads (0:
// the main thread, after one thread has come and gone) makes ROUNDS of
//
//   tree      a walk over a tree that passes shared_ptr by value, 20 calls above a depth of 12
//   list      the same over a list of 1,000 nodes, in a loop
//   futures   1,000 promises with shared futures
//   function  1,000 calls through 20 layers of std::function
//   pool      1,000 tasks for a pool of 4 threads, whose results are awaited 64 at a time
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <vector>

struct Node {
  std::shared_ptr<Node> left, right;
  int value = 1;
};

__attribute__((noinline)) static int walk(std::shared_ptr<Node> node) {
  return node ? node->value + walk(node->left) + walk(node->right) : 0;
}

static std::shared_ptr<Node> make_tree(int depth, int spine) {
  auto node = std::make_shared<Node>();
  if (spine) {
    node->left = make_tree(depth, spine - 1);
  } else if (depth) {
    node->left = make_tree(depth - 1, 0);
    node->right = make_tree(depth - 1, 0);
  }
  return node;
}

static bool tree(long rounds) {
  auto root = make_tree(12, 20);
  bool right = true;
  for (long i = 0; i < rounds; i++)
    right &= walk(root) == (1 << 13) - 1 + 20;
  return right;
}

static bool list(long rounds) {
  std::shared_ptr<Node> head;
  for (int i = 0; i < 1000; i++) {
    auto node = std::make_shared<Node>();
    node->left = std::move(head);
    head = std::move(node);
  }
  long sum = 0;
  for (long i = 0; i < rounds; i++)
    for (auto node = head; node; node = node->left)
      sum += node->value;
  while (head) // one by one, not by recursion
    head = std::shared_ptr<Node>(std::move(head->left));
  return sum == 1000 * rounds;
}

static bool futures(long rounds) {
  long sum = 0;
  for (long i = 0; i < 1000 * rounds; i++) {
    std::promise<long> promise;
    std::shared_future<long> first = promise.get_future().share(), second = first;
    promise.set_value(1);
    sum += first.get() + second.get();
  }
  return sum == 2000 * rounds;
}

static long call(int layers, std::function<long(long)> inner, long value) {
  if (!layers)
    return inner(value);
  return call(layers - 1, [inner](long x) { return inner(x) + 1; }, value);
}

static bool function(long rounds) {
  long sum = 0;
  for (long i = 0; i < 1000 * rounds; i++)
    sum += call(20, [](long x) { return x; }, 0);
  return sum == 20000 * rounds;
}

class Pool {
public:
  explicit Pool(int threads) {
    for (int i = 0; i < threads; i++)
      threads_.emplace_back([this] { work(); });
  }

  ~Pool() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    for (auto &thread : threads_)
      thread.join();
  }

  std::future<long> submit(std::function<long()> function) {
    auto task = std::make_shared<std::packaged_task<long()>>(std::move(function));
    auto result = task->get_future();
    {
      std::lock_guard<std::mutex> lock(mutex_);
      tasks_.push([task] { (*task)(); });
    }
    changed_.notify_one();
    return result;
  }

private:
  void work() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [this] { return ends_ || !tasks_.empty(); });
        if (tasks_.empty())
          return;
        task = std::move(tasks_.front());
        tasks_.pop();
      }
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  bool ends_ = false;
};

static bool pool(long rounds) {
  Pool pool(4);
  std::vector<std::future<long>> results;
  long sum = 0;
  auto collect = [&] {
    for (auto &result : results)
      sum += result.get();
    results.clear();
  };
  for (long i = 0; i < 1000 * rounds; i++) {
    results.push_back(pool.submit([i] {
      std::vector<long> squares;
      for (long k = 0; k < 100; k++)
        squares.push_back(k * i);
      return squares[99];
    }));
    if (results.size() == 64)
      collect();
  }
  collect();
  return sum == 99 * (1000 * rounds * (1000 * rounds - 1) / 2);
}

static const struct {
  const char *name;
  bool (*run)(long rounds);
} shapes[] = {
    {"tree", tree}, {"list", list}, {"futures", futures}, {"function", function}, {"pool", pool}};

int main(int argc, char **argv) {
  bool (*run)(long) = nullptr;
  for (auto &shape : shapes)
    if (argc == 4 && shape.name == std::string(argv[1]))
      run = shape.run;
  if (!run) {
    std::fprintf(stderr, "usage: layers tree|list|futures|function|pool THREADS ROUNDS\n");
    return 2;
  }
  int count = std::atoi(argv[2]);
  long rounds = std::atol(argv[3]);
  std::thread([] {}).join();
  if (!count)
    return !run(rounds);
  std::vector<std::future<bool>> results;
  for (int i = 0; i < count; i++)
    results.push_back(std::async(std::launch::async, run, rounds));
  bool right = true;
  for (auto &result : results)
    right &= result.get();
  return !right;
}
