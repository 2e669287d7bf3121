// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some programs of eval/synthetic for Relacy, which executes a test again and again under a
// scheduler and a weak memory of its own. It sees what the test's assertion says is wrong, and data
// races; a program that is not robust but breaks no assertion it lets pass.
//
//   PROGRAM ITERATIONS    prints, for each: name, version, and the iteration that failed or 0
//
// The fences of the robust version are where eval/synthetic has them.

#include <relacy/relacy.hpp>

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace {

template <bool Weakened> void fence() {
  if (!Weakened)
    rl::atomic_thread_fence(rl::mo_seq_cst, $);
}

// Two threads that each visit once. A visit that is lost shows that both were inside.
template <class Test> struct lock : rl::test_suite<Test, 2> {
  rl::atomic<int> flag[2], turn, visits;

  void before() {
    flag[0].store(0, rl::mo_relaxed, $);
    flag[1].store(0, rl::mo_relaxed, $);
    turn.store(0, rl::mo_relaxed, $);
    visits.store(0, rl::mo_relaxed, $);
  }
  void visit() { visits.store(visits.load(rl::mo_relaxed, $) + 1, rl::mo_relaxed, $); }
  void after() { RL_ASSERT(visits.load(rl::mo_relaxed, $) == 2); }
  int read(rl::atomic<int> &from) { return from.load(rl::mo_acquire, $); }
  void write(rl::atomic<int> &to, int value) { to.store(value, rl::mo_release, $); }
};

template <bool Weakened> struct dekker : lock<dekker<Weakened>> {
  void thread(unsigned self) {
    this->write(this->flag[self], 1);
    fence<Weakened>();
    while (this->read(this->flag[1 - self])) {
      if (this->read(this->turn) != static_cast<int>(self)) {
        this->write(this->flag[self], 0);
        while (this->read(this->turn) != static_cast<int>(self))
          rl::yield(1, $);
        this->write(this->flag[self], 1);
        fence<Weakened>();
      }
      rl::yield(1, $);
    }
    this->visit();
    this->write(this->turn, 1 - self);
    this->write(this->flag[self], 0);
  }
};

template <bool Weakened> struct peterson : lock<peterson<Weakened>> {
  void thread(unsigned self) {
    const int other = 1 - static_cast<int>(self);
    this->write(this->flag[self], 1);
    fence<false>();
    this->write(this->turn, other);
    fence<Weakened>();
    while (this->read(this->flag[other]) && this->read(this->turn) == other)
      rl::yield(1, $);
    this->visit();
    this->write(this->flag[self], 0);
  }
};

template <bool Weakened> struct ticketlock : lock<ticketlock<Weakened>> {
  void thread(unsigned) {
    const int mine = this->flag[0].fetch_add(1, rl::mo_relaxed, $);
    const auto order = Weakened ? rl::mo_relaxed : rl::mo_acquire;
    while (this->turn.load(order, $) != mine)
      rl::yield(1, $);
    this->visit();
    this->write(this->turn, mine + 1);
  }
};

template <bool Weakened> struct seqlock : rl::test_suite<seqlock<Weakened>, 2> {
  rl::atomic<int> sequence, left, right;

  void before() {
    sequence.store(0, rl::mo_relaxed, $);
    left.store(0, rl::mo_relaxed, $);
    right.store(0, rl::mo_relaxed, $);
  }
  void thread(unsigned self) {
    const auto load = Weakened ? rl::mo_relaxed : rl::mo_acquire;
    const auto store = Weakened ? rl::mo_relaxed : rl::mo_release;
    if (self == 0) {
      sequence.store(1, rl::mo_relaxed, $);
      left.store(1, store, $);
      right.store(1, store, $);
      sequence.store(2, rl::mo_release, $);
      return;
    }
    const int before = sequence.load(rl::mo_acquire, $);
    if (before % 2 != 0)
      return;
    const int l = left.load(load, $), r = right.load(load, $);
    if (sequence.load(rl::mo_relaxed, $) == before)
      RL_ASSERT(l == r);
  }
};

template <class Test> void run(const char *name, const char *version, unsigned iterations) {
  std::ostringstream nowhere;
  rl::test_params parameters;
  parameters.iteration_count = iterations;
  parameters.output_stream = &nowhere;
  parameters.progress_stream = &nowhere;
  const bool passed = rl::simulate<Test>(parameters);
  std::printf("%s %s %llu\n", name, version,
              passed ? 0ULL : static_cast<unsigned long long>(parameters.stop_iteration) + 1);
}

} // namespace

int main(int argc, char **argv) {
  const unsigned iterations = argc == 2 ? static_cast<unsigned>(std::atol(argv[1])) : 0;
  if (iterations == 0) {
    std::fprintf(stderr, "usage: %s ITERATIONS\n", argv[0]);
    return 2;
  }
  run<dekker<false>>("dekker", "robust", iterations);
  run<dekker<true>>("dekker", "weakened", iterations);
  run<peterson<false>>("peterson", "robust", iterations);
  run<peterson<true>>("peterson", "weakened", iterations);
  run<ticketlock<false>>("ticketlock", "robust", iterations);
  run<ticketlock<true>>("ticketlock", "weakened", iterations);
  run<seqlock<false>>("seqlock", "robust", iterations);
  run<seqlock<true>>("seqlock", "weakened", iterations);
}
