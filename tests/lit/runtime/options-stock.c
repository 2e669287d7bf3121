// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TSan's options for the form of a report have the same effect as in stock ThreadSanitizer: with
// each of them, both print the same text for one data race. The last command shows that the
// comparison fails when the texts differ: with robustness=1 RSan prints a violation too.
//
// RUN: %stock_clang -fsanitize=thread -g -O1 %s -o %t.stock
// RUN: %rsan_clang -fsanitize=robustness -g -O1 %s -o %t
// RUN: %S/Inputs/like-stock %t.stock %t robustness=0
// RUN: %S/Inputs/like-stock %t.stock %t robustness=0:enable_symbolizer_markup=1
// RUN: %S/Inputs/like-stock %t.stock %t 'robustness=0:stack_trace_format="    @%%n\n\t%%f %%l"'
// RUN: %S/Inputs/like-stock %t.stock %t robustness=0:color=always
// RUN: %S/Inputs/like-stock %t.stock %t robustness=0:strip_path_prefix=/work
// RUN: %S/Inputs/like-stock %t.stock %t robustness=0:print_full_thread_history=0
// RUN: %S/Inputs/like-stock %t.stock %t robustness=0:symbolize=0
// RUN: not %S/Inputs/like-stock %t.stock %t robustness=1
#include <pthread.h>
#include <stdatomic.h>

// The barrier of TSan's own tests. TSan does not count it as synchronisation.
void __tsan_testonly_barrier_init(unsigned long long *barrier, unsigned count);
void __tsan_testonly_barrier_wait(unsigned long long *barrier);

static unsigned long long barrier;
int data;
static atomic_int first, second;

static void *write_data(void *unused) {
  data = 1;
  atomic_store_explicit(&first, 1, memory_order_relaxed);
  atomic_load_explicit(&second, memory_order_relaxed);
  __tsan_testonly_barrier_wait(&barrier);
  return unused;
}

int main(void) {
  pthread_t thread;
  __tsan_testonly_barrier_init(&barrier, 2);
  pthread_create(&thread, NULL, write_data, NULL);
  __tsan_testonly_barrier_wait(&barrier);
  data = 2;
  atomic_store_explicit(&second, 1, memory_order_relaxed);
  atomic_load_explicit(&first, memory_order_relaxed);
  pthread_join(thread, NULL);
  return 0;
}
