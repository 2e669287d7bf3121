// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread asks another process, which answers to another thread, by any of the ways in which
// processes tell each other something. The receiver knows what was done before the question.
// The twins: nobody asks, and the process answers all the same (where memory is shared, an answer
// counts as one to that, so there nobody hears it).
//
// RUN: %build %s -o %t && %t all 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %build -O0 %s -o %t.O0 && %t.O0 all 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env RSAN_OPTIONS=io_sync=0 %t all 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env RSAN_OPTIONS=races=0 %t all 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env RSAN_OPTIONS=clocks=explicit %t all 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: env RSAN_OPTIONS=target=x86+armv8 %t all 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: WARNING
// NONE: done
//
// RUN: env RSAN_OPTIONS=stats=1 %t memory 2>&1 | FileCheck %s --check-prefix=COUNTED
// COUNTED: unseen_answers {{[1-9]}}
// RUN: env RSAN_OPTIONS=stats=1 %t pipe 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: unseen_answers 0
//
// RUN: %exits 66 %t memory unasked 2>&1 | FileCheck %s
// RUN: %exits 66 %t segment unasked 2>&1 | FileCheck %s
// RUN: %exits 66 %t end unasked 2>&1 | FileCheck %s
// RUN: %exits 66 %t mutex unasked 2>&1 | FileCheck %s
// RUN: %exits 66 %t pipe unasked 2>&1 | FileCheck %s
// RUN: %exits 66 %t semaphore unasked 2>&1 | FileCheck %s
// RUN: %exits 66 %t close unasked 2>&1 | FileCheck %s
// RUN: %exits 66 %t streams unasked 2>&1 | FileCheck %s
// RUN: %exits 66 %t formats unasked 2>&1 | FileCheck %s
// RUN: %exits 66 %t signal unasked 2>&1 | FileCheck %s
// RUN: %exits 66 %t handler unasked 2>&1 | FileCheck %s
// RUN: %exits 66 %t messages unasked 2>&1 | FileCheck %s
// CHECK: WARNING: ThreadSanitizer: robustness violation
// CHECK: #0 look
// CHECK: may miss
// CHECK-NEXT: #0 work
#include "access.h"
#include "turns.h"

#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

static int x, y;
static bool unasked;
static int to[2], from[2];
static FILE *streams[2]; // to read, to write: the other process's after fork
static pid_t child;
static const struct way *way;

static struct shared {
  int question;
  bool answered;
  pthread_mutex_t mutex;
} *shared;
static sem_t *question, *answer;
static int queue;
static volatile sig_atomic_t signals;
static sigset_t set, before;

static void check(bool fine) {
  if (!fine)
    abort();
}

static void prepare_pipes(void) {
  check(pipe(to) == 0 && pipe(from) == 0);
}
static void ask_pipe(void) {
  check(write(to[1], "1", 1) == 1);
}
static void hear_question_by_pipe(void) {
  char c;
  check(read(to[0], &c, 1) == 1);
}
static void answer_by_pipe(void) {
  check(write(from[1], "1", 1) == 1);
}
static void hear_pipe(void) {
  char c;
  check(read(from[0], &c, 1) == 1);
}

static void share(void *memory) {
  check(memory != MAP_FAILED);
  shared = memory;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&shared->mutex, &attributes);
  prepare_pipes();
}
static void prepare_memory(void) {
  share(mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
}
static void prepare_segment(void) {
  int id = shmget(IPC_PRIVATE, 4096, 0600);
  share(shmat(id, 0, 0));
  check(shmctl(id, IPC_RMID, 0) == 0);
}
static void ask_memory(void) {
  __atomic_store_n(&shared->question, 1, __ATOMIC_RELEASE);
}
static void hear_question_by_memory(void) {
  while (!unasked && __atomic_load_n(&shared->question, __ATOMIC_ACQUIRE) == 0)
    ;
}
static void nothing(void) {}
static void hear_end(void) {
  check(waitpid(child, 0, 0) == child);
}
static void answer_by_mutex(void) {
  pthread_mutex_lock(&shared->mutex);
  shared->answered = true;
  pthread_mutex_unlock(&shared->mutex);
}
static void hear_mutex(void) {
  for (bool answered = false; !answered;) {
    pthread_mutex_lock(&shared->mutex);
    answered = shared->answered;
    pthread_mutex_unlock(&shared->mutex);
  }
}

static sem_t *named(const char *kind) {
  char name[40];
  snprintf(name, sizeof name, "/rsan-%d-%s", getpid(), kind);
  sem_t *semaphore = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
  check(semaphore != SEM_FAILED && sem_unlink(name) == 0);
  return semaphore;
}
static void prepare_semaphores(void) {
  question = named("question");
  answer = named("answer");
}
static void ask_semaphore(void) {
  check(sem_post(question) == 0);
}
static void hear_question_by_semaphore(void) {
  check(sem_wait(question) == 0);
}
static void answer_by_semaphore(void) {
  check(sem_post(answer) == 0);
}
static void hear_semaphore(void) {
  check(sem_wait(answer) == 0);
}

// In the other process the end of the question's pipe was closed after fork.
static void ask_by_close(void) {
  close(to[1]);
}
static void hear_close_of_question(void) {
  char c;
  check(read(to[0], &c, 1) == 0);
}
static void answer_by_close(void) {
  close(from[1]);
}
static void hear_close(void) {
  char c;
  check(read(from[0], &c, 1) == 0);
}

static void prepare_streams(void) {
  prepare_pipes();
  streams[0] = fdopen(from[0], "r");
  streams[1] = fdopen(to[1], "w");
}
static void ask_stream(void) {
  fputc('1', streams[1]);
  fflush(streams[1]);
}
static void hear_stream(void) {
  check(fgetc(streams[0]) == '1');
}
static void ask_by_format(void) {
  check(fprintf(streams[1], "%d ", 1) == 2 && fflush(streams[1]) == 0);
}
static void hear_format(void) {
  char word[2];
  check(fscanf(streams[0], "%1s", word) == 1);
}

static void count_signal(int number) {
  (void)number;
  signals++;
}
static void prepare_signals(void) {
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  check(pthread_sigmask(SIG_BLOCK, &set, &before) == 0);
  signal(SIGUSR1, count_signal);
}
static void ask_signal(void) {
  check(kill(child, SIGUSR1) == 0);
}
static void hear_signal(void) {
  int got;
  check(sigwait(&set, &got) == 0);
}
static void answer_by_signal(void) {
  check(kill(getppid(), SIGUSR1) == 0);
}
static void hear_handler(void) {
  while (!signals)
    sigsuspend(&before);
}

static void prepare_messages(void) {
  queue = msgget(IPC_PRIVATE, 0600);
  check(queue >= 0);
}
static void send(long type) {
  struct {
    long type;
    char text[8];
  } message = {type, "message"};
  check(msgsnd(queue, &message, sizeof message.text, 0) == 0);
}
static void receive(long type) {
  struct {
    long type;
    char text[8];
  } message;
  check(msgrcv(queue, &message, sizeof message.text, type, 0) == sizeof message.text);
}
static void ask_message(void) {
  send(1);
}
static void hear_question_by_message(void) {
  receive(1);
}
static void answer_by_message(void) {
  send(2);
}
static void hear_message(void) {
  receive(2);
  check(msgctl(queue, IPC_RMID, 0) == 0);
}

static const struct way {
  const char *name;
  void (*prepare)(void);
  void (*ask)(void);
  void (*hear_question)(void), (*answer)(void); // in the other process
  void (*hear)(void);
} ways[] = {
    {"memory", prepare_memory, ask_memory, hear_question_by_memory, answer_by_pipe, hear_pipe},
    {"segment", prepare_segment, ask_memory, hear_question_by_memory, answer_by_pipe, hear_pipe},
    {"end", prepare_memory, ask_memory, hear_question_by_memory, nothing, hear_end},
    {"mutex", prepare_memory, ask_memory, hear_question_by_memory, answer_by_mutex, hear_mutex},
    {"pipe", prepare_pipes, ask_pipe, hear_question_by_pipe, answer_by_pipe, hear_pipe},
    {"semaphore", prepare_semaphores, ask_semaphore, hear_question_by_semaphore,
     answer_by_semaphore, hear_semaphore},
    {"close", prepare_pipes, ask_by_close, hear_close_of_question, answer_by_close, hear_close},
    {"streams", prepare_streams, ask_stream, hear_question_by_pipe, answer_by_pipe, hear_stream},
    {"formats", prepare_streams, ask_by_format, hear_question_by_pipe, answer_by_pipe, hear_format},
    {"signal", prepare_signals, ask_signal, hear_signal, answer_by_signal, hear_signal},
    {"handler", prepare_signals, ask_signal, hear_signal, answer_by_signal, hear_handler},
    {"messages", prepare_messages, ask_message, hear_question_by_message, answer_by_message,
     hear_message},
};

static void work(void) {
  STORE(x, 1);
  STORE(y, 1);
}

static void look(void) {
  if (LOAD(y) != 1 || LOAD(x) != 1)
    abort();
}

static void work_and_ask(void) {
  work();
  if (!unasked)
    way->ask();
}

static void hear_and_look(void) {
  if (!unasked || !shared)
    way->hear();
  look();
}

static void be_other(void) {
  if (to[1])
    close(to[1]);
  if (!unasked)
    way->hear_question();
  way->answer();
  _exit(0);
}

static void make(void) {
  way->prepare();
  child = fork();
  check(child >= 0);
  if (child == 0)
    be_other();
  if (from[1])
    close(from[1]);
  one_then_other(work_and_ask, hear_and_look);
  exit(0);
}

// Each way in a process of its own: one shares memory, the next does not.
int main(int argc, char **argv) {
  unasked = argc > 2;
  for (size_t i = 0; argc > 1 && i < sizeof ways / sizeof *ways; i++) {
    if (strcmp(argv[1], "all") != 0 && strcmp(argv[1], ways[i].name) != 0)
      continue;
    way = &ways[i];
    int status;
    pid_t maker = fork();
    if (maker == 0)
      make();
    check(waitpid(maker, &status, 0) == maker && WIFEXITED(status));
    if (status != 0)
      return WEXITSTATUS(status);
  }
  fputs("done\n", stderr);
  return 0;
}
