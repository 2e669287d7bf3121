// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// structures NAME CALLS[:THREADS:CALLS-OF-ONE] [ORDER...]: data structures for rsan_structure.h,
// each checked with at most so many calls. ORDER is SITE=relaxed, acquire or release: that site of
// the structure gets this order. How each ends is in structure-cases.

#include <semaphore.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>

#include "rsan_structure.h"

namespace {

typedef std::memory_order order;
const order relaxed = std::memory_order_relaxed, acquire = std::memory_order_acquire,
            release = std::memory_order_release, acq_rel = std::memory_order_acq_rel,
            seq_cst = std::memory_order_seq_cst;

// The sites of all structures, with the orders that they should have.
struct {
  const char *name;
  order is;
} sites[] = {
    {"push", release},       {"pop_load", acquire},   {"pop", acquire},
    {"pop_fails", acquire},  {"link", release},       {"swing", release},
    {"tail", acquire},       {"next", acquire},       {"deq_head", acquire},
    {"deq_tail", acquire},   {"deq_next", acquire},   {"move_head", acq_rel},
    {"ring_tail", release},  {"ring_head", release},  {"see_tail", acquire},
    {"see_head", acquire},   {"full", release},       {"empty", release},
    {"see_full", acquire},   {"see_empty", acquire},  {"lay", release},
    {"lower", release},      {"take_fence", seq_cst}, {"steal_fence", seq_cst},
    {"see_bottom", acquire}, {"flag", seq_cst},       {"other", seq_cst},
};
order at(const char *site) {
  for (const auto &each : sites)
    if (!strcmp(each.name, site))
      return each.is;
  abort();
}

// Treiber's stack.
class treiber {
  struct node {
    int value;
    node *next;
  };
  std::atomic<node *> top{nullptr};
  const order push_ = at("push"), load_ = at("pop_load"), pop_ = at("pop"),
              fails_ = at("pop_fails");

public:
  void push(int value) {
    node *mine = new node{value, top.load(relaxed)};
    while (!top.compare_exchange_strong(mine->next, mine, push_, relaxed))
      ;
  }
  std::optional<int> pop() {
    node *first = top.load(load_);
    while (first && !top.compare_exchange_strong(first, first->next, pop_, fails_))
      ;
    return first ? std::optional<int>(first->value) : std::nullopt;
  }
};

// Michael and Scott's queue.
class ms_queue {
  struct node {
    int value;
    std::atomic<node *> next;
  };
  node dummy{0, {nullptr}};
  std::atomic<node *> head{&dummy}, tail{&dummy};
  const order link = at("link"), swing = at("swing"), see_tail = at("tail"), see_next = at("next"),
              deq_head = at("deq_head"), deq_tail = at("deq_tail"), deq_next = at("deq_next"),
              move_head = at("move_head");

public:
  void push(int value) {
    node *mine = new node{value, {nullptr}}, *last, *next;
    for (;;) {
      last = tail.load(see_tail);
      next = last->next.load(see_next);
      if (next)
        tail.compare_exchange_strong(last, next, swing, relaxed);
      else if (last->next.compare_exchange_strong(next, mine, link, relaxed))
        break;
    }
    tail.compare_exchange_strong(last, mine, swing, relaxed);
  }
  std::optional<int> pop() {
    for (;;) {
      node *first = head.load(deq_head), *last = tail.load(deq_tail);
      node *next = first->next.load(deq_next);
      if (!next)
        return std::nullopt;
      if (first == last) {
        tail.compare_exchange_strong(last, next, swing, relaxed);
        continue;
      }
      const int value = next->value;
      if (head.compare_exchange_strong(first, next, move_head, relaxed))
        return value;
    }
  }
};

// A ring of one producer and one consumer; its cells are plain, or atomic and relaxed.
template <typename Cell> class ring {
  static const unsigned room = 1;
  Cell cell[room] = {};
  std::atomic<unsigned> head{0}, tail{0};
  const order ring_tail = at("ring_tail"), ring_head = at("ring_head"), see_tail = at("see_tail"),
              see_head = at("see_head");
  static void put(int &cell, int value) { cell = value; }
  static int get(int &cell) { return cell; }
  static void put(std::atomic<int> &cell, int value) { cell.store(value, relaxed); }
  static int get(std::atomic<int> &cell) { return cell.load(relaxed); }

public:
  bool push(int value) {
    const unsigned last = tail.load(relaxed);
    if (last - head.load(see_head) == room)
      return false;
    put(cell[last % room], value);
    tail.store(last + 1, ring_tail);
    return true;
  }
  bool pop(int &value) {
    const unsigned first = head.load(relaxed);
    if (tail.load(see_tail) == first)
      return false;
    value = get(cell[first % room]);
    head.store(first + 1, ring_head);
    return true;
  }
};

// Vyukov's bounded queue of many producers and consumers.
class vyukov {
  static const size_t room = 2;
  struct {
    std::atomic<size_t> turn;
    int value;
  } cell[room];
  std::atomic<size_t> head{0}, tail{0};
  const order full = at("full"), empty = at("empty"), see_full = at("see_full"),
              see_empty = at("see_empty");

public:
  vyukov() {
    for (size_t i = 0; i < room; i++)
      cell[i].turn.store(i, relaxed);
  }
  bool push(int value) {
    size_t at = tail.load(relaxed);
    for (;;) {
      const long ahead = static_cast<long>(cell[at % room].turn.load(see_empty) - at);
      if (ahead < 0)
        return false;
      if (ahead > 0)
        at = tail.load(relaxed);
      else if (tail.compare_exchange_strong(at, at + 1, relaxed))
        break;
    }
    cell[at % room].value = value;
    cell[at % room].turn.store(at + 1, full);
    return true;
  }
  std::optional<int> pop() {
    size_t at = head.load(relaxed);
    for (;;) {
      const long ahead = static_cast<long>(cell[at % room].turn.load(see_full) - (at + 1));
      if (ahead < 0)
        return std::nullopt;
      if (ahead > 0)
        at = head.load(relaxed);
      else if (head.compare_exchange_strong(at, at + 1, relaxed))
        break;
    }
    const int value = cell[at % room].value;
    cell[at % room].turn.store(at + room, empty);
    return value;
  }
};

// Chase and Lev's deque: the owner pushes and takes, others steal.
class deque {
  std::atomic<int> top{0}, bottom{0};
  std::atomic<int> item[4] = {};
  const order lay = at("lay"), lower = at("lower"), take_fence = at("take_fence"),
              steal_fence = at("steal_fence"), see_bottom = at("see_bottom");

  bool moves_top(int from) { return top.compare_exchange_strong(from, from + 1, seq_cst, relaxed); }

public:
  void push(int value) {
    const int last = bottom.load(relaxed);
    item[last].store(value, relaxed);
    bottom.store(last + 1, lay);
  }
  std::optional<int> take() {
    const int last = bottom.load(relaxed) - 1;
    bottom.store(last, lower);
    std::atomic_thread_fence(take_fence);
    const int first = top.load(relaxed);
    std::optional<int> found;
    if (first < last || (first == last && moves_top(first)))
      found = item[last].load(relaxed);
    if (first >= last)
      bottom.store(last + 1, lower);
    return found;
  }
  std::optional<int> steal() {
    const int first = top.load(acquire);
    std::atomic_thread_fence(steal_fence);
    if (first >= bottom.load(see_bottom))
      return std::nullopt;
    const int value = item[first].load(relaxed);
    return moves_top(first) ? std::optional<int>(value) : std::nullopt;
  }
};

// A thread raises the flag of its side, and enters if the other one is down: one side at most.
class door {
  std::atomic<bool> flag[2] = {{false}, {false}};
  const order flag_ = at("flag"), other_ = at("other");

public:
  bool enter(int side) {
    flag[side].store(true, flag_);
    return !flag[1 - side].load(other_);
  }
};

// What was set while another thread sets is stored by that one, perhaps later.
class mailbox {
  std::atomic<int> value{0}, left{0};
  std::atomic<bool> busy{false};

public:
  void set(int next) {
    if (busy.exchange(true))
      return left.store(next);
    value.store(next);
    if (const int more = left.exchange(0))
      value.store(more);
    busy.store(false);
  }
  int get() { return value.load(); }
};

// A counter that knows nothing but its number.
class counter {
  std::atomic<int> count{0};

public:
  int add() { return count.fetch_add(1, relaxed); }
  int get() const noexcept { return count.load(relaxed); }
};
// Counts twice, in two steps.
class lossy_counter {
  std::atomic<int> count{0};

public:
  void add() { count.store(count.load(seq_cst) + 1, seq_cst); }
  int get() const { return count.load(seq_cst); }
};

// Has violations, which do no harm, and a call that graphs do not have.
class shared {
  sem_t semaphore;
  std::atomic<int> x{0}, y{0};

public:
  shared() { sem_init(&semaphore, 0, 1); }
  void left() {
    int value;
    sem_getvalue(&semaphore, &value);
    x.store(1, relaxed);
    (void)y.load(relaxed);
  }
  void right() {
    y.store(1, relaxed);
    (void)x.load(relaxed);
  }
};
// A second call waits for ever.
class stuck {
  std::atomic<int> state{0};

public:
  void take() {
    while (state.exchange(1, acquire))
      ;
  }
};
// The value is a block, which the next one replaces. Readers lock; or they look at a flag as well,
// which they need not see.
class boxed {
  std::mutex mutex;
  std::unique_ptr<int> box{new int(0)};

public:
  void set(int value) {
    auto next = std::make_unique<int>(value);
    const std::lock_guard<std::mutex> guard(mutex);
    box.swap(next);
  }
  int get() {
    const std::lock_guard<std::mutex> guard(mutex);
    return *box;
  }
};
class flagged_box : public boxed {
  std::atomic<bool> sets{false}, gets{false};

public:
  void set(int value) {
    sets.store(true, relaxed);
    (void)gets.load(relaxed);
    boxed::set(value);
  }
  int get() {
    gets.store(true, relaxed);
    (void)sets.load(relaxed);
    return boxed::get();
  }
};
// Each block replaces another one. A block that is seen again where two were replaced has got the
// address of the first one.
class replaced {
  std::atomic<int *> block{new int};
  std::atomic<int> count{0};

public:
  ~replaced() { delete block.load(); }
  void replace() {
    count.fetch_add(1);
    delete block.exchange(new int);
  }
  bool meets_again() {
    int *const seen = block.load();
    const int before = count.load(), after = count.load();
    return after == before + 2 && block.load() == seen;
  }
};
// Two threads at a time are too many.
class broken {
  std::atomic<int> entered{0};

public:
  void enter() {
    if (entered.fetch_add(1))
      abort();
    entered.fetch_sub(1);
  }
};

bool set_site(const char *text) {
  const char *equals = strchr(text, '=');
  for (auto &site : sites)
    if (equals && !strncmp(site.name, text, equals - text) && !site.name[equals - text]) {
      site.is = !strcmp(equals, "=relaxed")   ? relaxed
                : !strcmp(equals, "=acquire") ? acquire
                                              : release;
      return true;
    }
  return false;
}

template <typename Queue> auto queue_of() {
  return rsan::structure<Queue>().op("push", &Queue::push, rsan::fresh()).op("pop", &Queue::pop);
}
template <typename Ring> auto ring_of() {
  auto made = rsan::structure<Ring>();
  made.op("push", &Ring::push, rsan::values(1, 2)).by_one("producer");
  made.op("pop", &Ring::pop).by_one("consumer");
  return made;
}
auto vyukov_of_one_producer() {
  auto made = rsan::structure<vyukov>();
  made.op("push", &vyukov::push, rsan::values(1, 2)).by_one("producer");
  made.op("pop", &vyukov::pop);
  return made;
}

int check(const char *name, const char *bounds) {
  const auto checks = [&](const char *other, auto made) {
    unsigned calls = 0, threads, calls_of_one;
    if (strcmp(name, other))
      return;
    if (sscanf(bounds, "%u:%u:%u", &calls, &threads, &calls_of_one) == 3)
      made.threads(threads).calls(calls_of_one);
    exit(made.most_calls(calls).check());
  };
  checks("treiber", queue_of<treiber>());
  checks("ms_queue", queue_of<ms_queue>());
  checks("ring", ring_of<ring<int>>());
  checks("atomic_ring", ring_of<ring<std::atomic<int>>>());
  checks("vyukov", vyukov_of_one_producer());
  checks("vyukov_of_many", queue_of<vyukov>());
  checks("failing_vyukov", rsan::structure<vyukov>()
                               .op("push", &vyukov::push, rsan::fresh())
                               .may_fail()
                               .op("pop", &vyukov::pop)
                               .may_fail());
  checks("deque", rsan::structure<deque>()
                      .op("push", &deque::push, rsan::fresh())
                      .by_one("owner")
                      .op("take", &deque::take)
                      .by_one("owner")
                      .op("steal", &deque::steal)
                      .may_fail()
                      .calls(3));
  checks("door",
         rsan::structure<door>().op("enter", &door::enter, rsan::values(0, 1)).may_fail().calls(1));
  checks("mailbox", rsan::structure<mailbox>()
                        .op("set", &mailbox::set, rsan::values(1, 2))
                        .op("get", &mailbox::get)
                        .calls(1));
  checks("counter", rsan::structure<counter>().op("add", &counter::add).op("get", &counter::get));
  checks("counter_of_twos",
         rsan::structure<counter>()
             .op("add", &counter::add)
             .op("get", &counter::get)
             .model<int>([](int &count) { return count += 2; }, [](int &count) { return count; }));
  checks("lossy_counter", rsan::structure<lossy_counter>()
                              .op("add", &lossy_counter::add)
                              .op("get", &lossy_counter::get));
  checks("shared", rsan::structure<shared>().op("left", &shared::left).op("right", &shared::right));
  checks("stuck", rsan::structure<stuck>().op("take", &stuck::take).calls(1));
  checks("boxed",
         rsan::structure<boxed>().op("set", &boxed::set, rsan::fresh()).op("get", &boxed::get));
  checks("flagged_box", rsan::structure<flagged_box>()
                            .op("set", &flagged_box::set, rsan::fresh())
                            .op("get", &flagged_box::get));
  checks("replaced", rsan::structure<replaced>()
                         .op("replace", &replaced::replace)
                         .op("meets_again", &replaced::meets_again));
  checks("broken", rsan::structure<broken>().op("enter", &broken::enter));
  return 2;
}

} // namespace

int main(int argc, char **argv) {
  for (int i = 3; i < argc; i++)
    if (!set_site(argv[i]))
      return 2;
  return argc < 3 ? 2 : check(argv[1], argv[2]);
}
