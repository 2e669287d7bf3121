// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call that may throw, for interceptors that hold something meanwhile: pthread_once. This file
// alone is compiled with -fexceptions. It is C, so that programs in C need no C++ library.

struct call {
  void (*give_up)(void *);
  void *arg;
  int has_returned;
};

static void clean_up(struct call *call) {
  if (!call->has_returned)
    call->give_up(call->arg);
}

// Calls `function`, and `give_up` with `arg` if that does not return: if it throws, or ends its
// thread.
void rsan_call_guarded(void (*function)(void), void (*give_up)(void *), void *arg) {
  struct call call __attribute__((cleanup(clean_up))) = {give_up, arg, 0};
  function();
  call.has_returned = 1;
}
