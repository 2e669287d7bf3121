// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// load OUTPUT MEMCACHED THREADS CONNECTIONS REQUESTS: starts the server with THREADS workers on a
// port of the loopback interface that the system chooses, sends REQUESTS requests over each of
// CONNECTIONS connections, one set to nine gets, checks each answer, and ends the server. Writes to
// OUTPUT what launch.c writes, of the server alone; wall time is that of the requests.
//
// Ends with an error, and the server with it, if anything goes wrong or takes too long.

#include <arpa/inet.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KEYS = 10000, VALUE = 100, BATCH = 10, TRIES = 2000, SECONDS = 240, CONNECTIONS_MAX = 256 };

static in_port_t port;
static long requests;
static pid_t server;

static void fail(const char *what) {
  fprintf(stderr, "load: %s\n", what);
  exit(1); // PR_SET_PDEATHSIG ends the server
}

static void too_late(int signal) {
  (void)signal;
  static const char message[] = "load: no end\n";
  (void)!write(STDERR_FILENO, message, sizeof message - 1);
  _exit(1);
}

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (long long)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

static void start_server(const char *program, char *workers, const char *port_file) {
  pid_t parent = getpid();
  server = fork();
  if (server < 0)
    fail("cannot fork");
  if (server != 0)
    return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(127);
  setenv("MEMCACHED_PORT_FILENAME", port_file, 1);
  char *const arguments[] = {"memcached", "-u", "root", "-l", "127.0.0.1", "-p",
                             "-1",        "-U", "0",    "-t", workers,     NULL};
  execv(program, arguments);
  perror(program);
  _exit(127);
}

// The server writes the file when it listens.
static void find_port(const char *port_file) {
  for (int i = 0; i < TRIES; i++) {
    FILE *file = fopen(port_file, "r");
    unsigned number;
    if (file && fscanf(file, "TCP INET: %u", &number) == 1) {
      fclose(file);
      unlink(port_file);
      port = (in_port_t)number;
      return;
    }
    if (file)
      fclose(file);
    if (waitpid(server, NULL, WNOHANG) != 0)
      fail("the server has ended at once");
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  fail("the server does not listen");
}

static char letter(unsigned key) {
  return (char)('a' + key % 26);
}

static void send_set(FILE *to, unsigned key) {
  char value[VALUE + 1];
  memset(value, letter(key), VALUE);
  value[VALUE] = 0;
  fprintf(to, "set key%u 0 0 %d\r\n%s\r\n", key, VALUE, value);
}

static void line(FILE *from, char *into, int size) {
  if (!fgets(into, size, from))
    fail("the server has closed a connection");
}

static void check_answer(FILE *from, unsigned key, int is_set) {
  char text[2 * VALUE], wanted[64];
  line(from, text, sizeof text);
  if (is_set ? strcmp(text, "STORED\r\n") == 0 : strcmp(text, "END\r\n") == 0)
    return; // a get of what nobody has set so far is answered by END alone
  snprintf(wanted, sizeof wanted, "VALUE key%u 0 %d\r\n", key, VALUE);
  if (is_set || strcmp(text, wanted) != 0)
    fail("an answer that was not asked for");
  line(from, text, sizeof text);
  if (strspn(text, (char[]){letter(key), 0}) != VALUE)
    fail("a wrong value");
  line(from, text, sizeof text);
  if (strcmp(text, "END\r\n") != 0)
    fail("no end of an answer");
}

static void *client(void *self) {
  int connection = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connection < 0 || connect(connection, (struct sockaddr *)&address, sizeof address) != 0)
    fail("cannot connect");
  FILE *to = fdopen(connection, "w"), *from = fdopen(dup(connection), "r");
  if (!to || !from)
    fail("cannot connect");
  unsigned long random = (unsigned long)(size_t)self;
  unsigned keys[BATCH];
  for (long done = 0; done < requests; done += BATCH) {
    for (int i = 0; i < BATCH; i++) {
      random = random * 6364136223846793005UL + 1442695040888963407UL;
      keys[i] = (unsigned)((random >> 32) * KEYS >> 32);
      if (i == 0)
        send_set(to, keys[i]);
      else
        fprintf(to, "get key%u\r\n", keys[i]);
    }
    if (fflush(to) != 0)
      fail("cannot send");
    for (int i = 0; i < BATCH; i++)
      check_answer(from, keys[i], i == 0);
  }
  fclose(from);
  fclose(to);
  return NULL;
}

static long long send_all(int connections) {
  pthread_t threads[CONNECTIONS_MAX];
  long long begin = now();
  for (int i = 0; i < connections; i++)
    if (pthread_create(&threads[i], NULL, client, (void *)(size_t)i) != 0)
      fail("cannot start a thread");
  for (int i = 0; i < connections; i++)
    pthread_join(threads[i], NULL);
  return now() - begin;
}

int main(int argc, char **argv) {
  int connections = argc == 6 ? atoi(argv[4]) : 0;
  requests = argc == 6 ? atol(argv[5]) : 0;
  if (connections < 1 || connections > CONNECTIONS_MAX || requests < 1) {
    fprintf(stderr, "usage: load OUTPUT MEMCACHED THREADS CONNECTIONS REQUESTS\n");
    return 2;
  }
  char port_file[4096];
  snprintf(port_file, sizeof port_file, "%s.port", argv[1]);
  unlink(port_file);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGALRM, too_late);
  alarm(SECONDS);
  start_server(argv[2], argv[3], port_file);
  find_port(port_file);
  long long wall = send_all(connections);
  int status;
  struct rusage usage;
  kill(server, SIGTERM);
  if (wait4(server, &status, 0, &usage) != server)
    fail("the server is gone");
  FILE *output = fopen(argv[1], "w");
  if (!output)
    fail("cannot write the figures");
  fprintf(output, "%d %lld %lld %lld %ld\n", status,
          (long long)usage.ru_utime.tv_sec * 1000000 + usage.ru_utime.tv_usec,
          (long long)usage.ru_stime.tv_sec * 1000000 + usage.ru_stime.tv_usec, wall,
          usage.ru_maxrss);
  return fclose(output) == 0 ? 0 : 1;
}
