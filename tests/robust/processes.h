// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chains in which each place asks a process, which answers to the next place. The processes are
// started before any thread. Also descriptors without another process. Who reads from any
// descriptor, or waits for a process, knows everything, so that the twin has neither.

#ifndef RSAN_TEST_ROBUST_PROCESSES_H
#define RSAN_TEST_ROBUST_PROCESSES_H

#include "slots.h"

#include <csignal>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

// Something that one process says to another.
struct by_memory {
  std::atomic<int> *word;
  by_memory() {
    void *page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
      wrong("mmap");
    word = static_cast<std::atomic<int> *>(page);
  }
  void say() { word->store(1, std::memory_order_release); }
  void hear(pid_t) {
    while (!word->load(std::memory_order_acquire))
      usleep(50); // many processes wait
  }
};

struct by_descriptors {
  int ends[2]; // to read, to write
  void say() {
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
  void say() {
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

struct by_semaphore {
  sem_t *semaphore;
  by_semaphore() {
    void *page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
      wrong("mmap");
    semaphore = static_cast<sem_t *>(page);
    sem_init(semaphore, 1, 0);
  }
  void say() { sem_post(semaphore); }
  void hear(pid_t) {
    while (sem_wait(semaphore) != 0)
      ;
  }
};

// The other process ends.
struct by_end {
  void say() {}
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
    answer.say();
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
      given->question.say();
  }
};

template <typename How> struct described : How {
  static constexpr twin as_twin = without;
  ~described() {
    close(this->ends[0]);
    if (this->ends[1] != this->ends[0])
      close(this->ends[1]);
  }
  void give() { this->say(); }
  void take() { this->hear(0); }
};

#endif
