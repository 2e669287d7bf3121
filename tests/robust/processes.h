// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains in which each place asks a process, which answers to the next place. The processes are
// started before any thread. Also descriptors without another process. A thread that reads
// from any descriptor, or waits for a process, knows everything, so the twin has neither.

#ifndef RSAN_TEST_ROBUST_PROCESSES_H
#define RSAN_TEST_ROBUST_PROCESSES_H

#include "slots.h"

#include <csignal>
#include <fcntl.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

inline void *shared_page() {
  void *page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED)
    wrong("mmap");
  return page;
}

// Something that one process says to another.
struct by_memory {
  std::atomic<int> *word = static_cast<std::atomic<int> *>(shared_page());
  void say(pid_t) { word->store(1, std::memory_order_release); }
  void hear(pid_t) {
    while (!word->load(std::memory_order_acquire))
      usleep(50); // many processes wait
  }
};

struct by_descriptors {
  int ends[2]; // to read, to write
  void say(pid_t) {
    if (write(ends[1], "12345678", 8) != 8)
      wrong("write");
  }
  void hear(pid_t) {
    char read_here[8];
    if (read(ends[0], read_here, 8) != 8)
      wrong("read");
  }
};

struct by_pipe : by_descriptors {
  by_pipe() {
    if (pipe(ends) != 0)
      wrong("pipe");
  }
};

struct by_socket : by_descriptors {
  by_socket() {
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
      wrong("socketpair");
  }
  void say(pid_t) {
    if (send(ends[1], "12345678", 8, 0) != 8)
      wrong("send");
  }
  void hear(pid_t) {
    char read_here[8];
    if (recv(ends[0], read_here, 8, MSG_WAITALL) != 8)
      wrong("recv");
  }
};

struct by_event : by_descriptors {
  by_event() { ends[0] = ends[1] = eventfd(0, 0); }
};

// The end of what the other process has written.
struct by_shutdown : by_socket {
  void say(pid_t) { shutdown(ends[1], SHUT_WR); }
  void hear(pid_t) {
    char read_here;
    if (read(ends[0], &read_here, 1) != 0)
      wrong("end of file");
  }
};

enum stream_functions { LINES, FORMATS, BLOCKS, CHARACTERS };

template <stream_functions By> struct by_stream : by_pipe {
  FILE *from = fdopen(ends[0], "r"), *to = fdopen(ends[1], "w");
  void say(pid_t) {
    if (By == LINES)
      fputs("line\n", to);
    else if (By == FORMATS)
      fprintf(to, "%s\n", "line");
    else if (By == BLOCKS)
      fwrite("line\n", 1, 5, to);
    else
      for (char c : {'l', 'i', 'n', 'e', '\n'})
        putc(c, to);
    fflush(to);
  }
  void hear(pid_t) {
    char line[6] = "";
    bool heard = By == LINES     ? fgets(line, 6, from) == line
                 : By == FORMATS ? fscanf(from, "%5s", line) == 1
                 : By == BLOCKS  ? fread(line, 1, 5, from) == 5
                                 : true;
    for (int i = 0; By == CHARACTERS && i < 5; i++)
      line[i] = static_cast<char>(getc(from));
    if (!heard || line[0] != 'l')
      wrong("line");
  }
};

struct by_semaphore {
  sem_t *semaphore = static_cast<sem_t *>(shared_page());
  by_semaphore() { sem_init(semaphore, 1, 0); }
  void say(pid_t) { sem_post(semaphore); }
  void hear(pid_t) {
    while (sem_wait(semaphore) != 0)
      ;
  }
};

struct by_named_semaphore {
  sem_t *semaphore;
  by_named_semaphore() {
    char name[32];
    std::snprintf(name, sizeof name, "/robust-%d", getpid());
    semaphore = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
    if (semaphore == SEM_FAILED || sem_unlink(name) != 0)
      wrong("sem_open");
  }
  void say(pid_t) { sem_post(semaphore); }
  void hear(pid_t) {
    while (sem_wait(semaphore) != 0)
      ;
  }
};

struct by_condition {
  struct shared {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool said;
  } *shared = static_cast<struct shared *>(shared_page());
  by_condition() {
    pthread_mutexattr_t mutexes;
    pthread_mutexattr_init(&mutexes);
    pthread_mutexattr_setpshared(&mutexes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->mutex, &mutexes);
    pthread_condattr_t conditions;
    pthread_condattr_init(&conditions);
    pthread_condattr_setpshared(&conditions, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&shared->changed, &conditions);
  }
  void say(pid_t) {
    pthread_mutex_lock(&shared->mutex);
    shared->said = true;
    pthread_cond_broadcast(&shared->changed);
    pthread_mutex_unlock(&shared->mutex);
  }
  void hear(pid_t) {
    pthread_mutex_lock(&shared->mutex);
    while (!shared->said)
      pthread_cond_wait(&shared->changed, &shared->mutex);
    pthread_mutex_unlock(&shared->mutex);
  }
};

// The giver waits for the taker.
struct by_barrier {
  pthread_barrier_t *barrier = static_cast<pthread_barrier_t *>(shared_page());
  by_barrier() {
    pthread_barrierattr_t attributes;
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(barrier, &attributes, 2);
  }
  void say(pid_t) { pthread_barrier_wait(barrier); }
  void hear(pid_t) { pthread_barrier_wait(barrier); }
};

// Each place's own, so that nobody takes another one's. Blocked before there are threads.
struct by_signal {
  static inline int count;
  sigset_t set;
  int number = SIGRTMIN + count++ % (2 * THREADS);
  by_signal() {
    sigemptyset(&set);
    sigaddset(&set, number);
    sigprocmask(SIG_BLOCK, &set, nullptr);
  }
  void say(pid_t to) {
    if (kill(to, number) != 0)
      wrong("kill");
  }
  void hear(pid_t) {
    int got;
    if (sigwait(&set, &got) != 0)
      wrong("sigwait");
  }
};

// The other process ends.
struct by_end {
  void say(pid_t) {}
  void hear(pid_t from) {
    int status;
    if (waitpid(from, &status, 0) != from || status != 0)
      wrong("end of a process");
  }
};

template <typename Question, typename Answer> struct process {
  Question question;
  Answer answer;
  pid_t child = 0;

  void start() {
    pid_t parent = getpid();
    child = fork();
    if (child < 0)
      wrong("fork");
    if (child > 0)
      return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
      _exit(1);
    question.hear(parent);
    answer.say(parent);
    _exit(0);
  }
};

template <typename Question, typename Answer> struct asked {
  using one = process<Question, Answer>;
  static inline one *processes;

  static void start(int threads) {
    processes = new one[PASSES * THREADS];
    for (int i = 0; i < PASSES * THREADS && !apart; i++)
      if (i % THREADS + 1 < threads)
        processes[i].start();
  }

  void run(const part &part) {
    in_turn turn(part);
    one *given = processes + part.pass * THREADS + part.place;
    if (!apart && part.place > 0)
      given[-1].answer.hear(given[-1].child);
    part.act();
    if (!apart && part.place + 1 < part.of.threads)
      given->question.say(given->child);
  }
};

template <typename How> struct described : How {
  static constexpr twin as_twin = without;
  ~described() {
    close(this->ends[0]);
    if (this->ends[1] != this->ends[0])
      close(this->ends[1]);
  }
  void give() { this->say(0); }
  void take() { this->hear(0); }
};

#endif
