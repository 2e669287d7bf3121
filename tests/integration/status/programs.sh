# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash disable=SC2034,SC2119,SC2120
#
# Programs for the tests of exit statuses, each as small as it can be.
# shellcheck source=tests/integration/packaging/common.sh
. "$(dirname "$0")/../packaging/common.sh"
RSAN=$BUILD/bin/rsan

# Builds $CASE/program of the source on standard input, with these options.
build() { # OPTION...
  { cat "$SOURCES/tests/integration/status/head.h" - ; } >"$CASE/program.c"
  "$BUILD/bin/rsan-clang" -fsanitize=robustness -g -O1 "$@" "$CASE/program.c" -o "$CASE/program"
}

# Two threads that count, robustly. THEN: what the first one does in the end.
build_counting() { # [THEN [OPTION...]]
  build "${@:2}" <<END
static void *second(void *unused) {
  atomic_fetch_add(&x, 1);
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, second, NULL);
  atomic_fetch_add(&x, 1);
  pthread_join(thread, NULL);
  ${1-}
  return 0;
}
END
}

# Store buffering. THEN: what the first thread does in the end, with what both have read.
build_buffering() { # [THEN [OPTION...]]
  build "${@:2}" <<END
static int one, other;
static void *second(void *unused) {
  STORE(&y);
  other = LOAD(&x);
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, second, NULL);
  STORE(&x);
  one = LOAD(&y);
  pthread_join(thread, NULL);
  ${1-}
  return 0;
}
END
}

# Two threads with a mutex, and no atomic access. THEN: what the first one does in the end.
build_locking() { # [THEN [OPTION...]]
  build "${@:2}" <<END
static int count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *second(void *unused) {
  pthread_mutex_lock(&mutex);
  count++;
  pthread_mutex_unlock(&mutex);
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, second, NULL);
  second(NULL);
  pthread_join(thread, NULL);
  ${1-}
  return 0;
}
END
}

# Linked with the runtime, and compiled without the option.
build_plain() {
  build_counting
  "$BUILD/bin/rsan-clang" -c "$CASE/program.c" -o "$CASE/program.o"
  "$BUILD/bin/rsan-clang" -fsanitize=robustness "$CASE/program.o" -o "$CASE/program"
}
