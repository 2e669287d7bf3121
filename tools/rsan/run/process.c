// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/options.h"
#include "processes.h"
#include "runs.h"

double now_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

// The options of a run. A record of its schedule for each process.
static void write_options(const struct run_plan *plan, unsigned number, double begun, char *options,
                          size_t room) {
  const char *folder = run_folder(plan, number), *quote = options_quote(folder);
  const char *more = plan->guide     ? plan->guide->options(plan->guide->context, number)
                     : plan->options ? plan->options
                                     : "";
  // The statistics at the end of a log tell that the program has RSan's runtime at all.
  int used = snprintf(options, room,
                      "log_path=%s%s/report%s:checked_file=%s%s/checked%s:report_format=json:"
                      "stats=1%s%s%s",
                      quote, folder, quote, quote, plan->folder, quote, options_failures(),
                      *more ? ":" : "", more);
  if (plan->timeout > 0 && used > 0)
    used +=
        snprintf(options + used, room - (size_t)used, ":time_limit_at=%.0f:time_limit_after=%.0f",
                 (begun + plan->timeout) * 1000, plan->timeout);
  if (plan->schedule && used > 0)
    used += snprintf(options + used, room - (size_t)used,
                     ":schedule=%s:seed=%u:schedule_file=%s%s/schedule.%%p%s", plan->schedule,
                     number, quote, folder, quote);
  if (plan->per_test && used > 0)
    used += snprintf(options + used, room - (size_t)used, ":per_test=1");
  if (plan->weak && used > 0)
    snprintf(options + used, room - (size_t)used, ":weak=random:weak_log=%s%s/weak.%%p%s", quote,
             folder, quote);
}

// In the child. Its own group, and with setsid what all its descendants have in common, so that
// all of it can be ended; and the terminal's Ctrl-C reaches rsan alone.
static void become(const struct run_plan *plan, unsigned number, double begun, int report) {
  const char *folder = run_folder(plan, number), *quote = options_quote(folder);
  char path[PATH_MAX + 16], options[6 * PATH_MAX];
  sigset_t none;
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (plan->same_addresses)
    personality((unsigned long)personality(0xffffffff) | ADDR_NO_RANDOMIZE);
  snprintf(path, sizeof path, "%s/output", folder);
  int in = open("/dev/null", O_RDONLY), out = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (in < 0 || out < 0)
    goto failed;
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(out, STDERR_FILENO);
  if (in > 2)
    close(in);
  if (out > 2)
    close(out);
  snprintf(options, sizeof options, "log_path=%s%s/report%s:checked_file=%s%s/checked%s", quote,
           folder, quote, quote, plan->folder, quote);
  options_surround("TSAN_OPTIONS", options, options);
  write_options(plan, number, begun, options, sizeof options);
  options_add("RSAN_OPTIONS", options);
  // Rust's library takes seconds for a backtrace in a program that is instrumented. A run that
  // panics would then seem to hang.
  if (plan->iterations != 1)
    setenv("RUST_BACKTRACE", "0", 1);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execvp(plan->command[0], plan->command);
failed:;
  int error = errno;
  ssize_t written = write(report, &error, sizeof error);
  _exit(written == sizeof error ? 127 : 126);
}

int run_start(const struct run_plan *plan, unsigned number, struct run_process *process) {
  char folder[PATH_MAX]; // the guide may ask for those of other runs
  int report[2], error = 0;
  *process = (struct run_process){.number = number, .begun = now_seconds()};
  if (mkdir(run_folder(plan, number), 0777) != 0)
    return errno;
  snprintf(folder, sizeof folder, "%s", run_folder(plan, number));
  if (plan->guide)
    error = plan->guide->begin(plan->guide->context, number, folder);
  if (error)
    return error;
  if (pipe2(report, O_CLOEXEC) != 0)
    return errno;
  fflush(NULL);
  process->pid = fork();
  if (process->pid == 0)
    become(plan, number, process->begun, report[1]);
  if (process->pid < 0)
    error = errno;
  close(report[1]);
  // Ends at once: the other end is closed by execvp.
  if (process->pid > 0 && read(report[0], &error, sizeof error) != sizeof error)
    error = 0;
  close(report[0]);
  return error;
}

// What /proc/PID/stat has after the name: state, parent, group, and what setsid has made.
static bool belongs(const char *pid, pid_t leader) {
  char path[64], text[1024];
  snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
  FILE *file = fopen(path, "r");
  if (!file)
    return false;
  size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[size] = 0;
  const char *end = strrchr(text, ')'); // the name may have any character
  char state;
  int parent, group, common;
  return end && sscanf(end + 1, " %c %d %d %d", &state, &parent, &group, &common) == 4 &&
         common == leader && state != 'Z';
}

static bool read_line(const char *path, char *line, size_t size) {
  FILE *file = fopen(path, "r");
  bool read = file && fgets(line, (int)size, file);
  if (file)
    fclose(file);
  if (read)
    line[strcspn(line, "\n")] = 0;
  return read;
}

// The runtime's thread that makes the report has this name until it is made.
static bool has_reporter(const char *pid) {
  char path[64], name[32];
  snprintf(path, sizeof path, "/proc/%.20s/task", pid);
  DIR *list = opendir(path);
  struct dirent *entry;
  bool found = false;
  while (list && !found && (entry = readdir(list))) {
    if (entry->d_name[0] == '.')
      continue;
    snprintf(path, sizeof path, "/proc/%.20s/task/%.20s/comm", pid, entry->d_name);
    found = read_line(path, name, sizeof name) && strcmp(name, "rsan.limit") == 0;
  }
  if (list)
    closedir(list);
  return found;
}

static bool reports(const char *pid, const void *process) {
  return belongs(pid, ((const struct run_process *)process)->pid) && has_reporter(pid);
}

bool run_is_reporting(const struct run_process *process) {
  return processes_visit(reports, process) > 0;
}

struct signalling {
  pid_t leader;
  int signal;
};

static bool signal_one(const char *pid, const void *context) {
  const struct signalling *signalling = context;
  bool found = belongs(pid, signalling->leader);
  if (found)
    kill((pid_t)strtol(pid, NULL, 10), signalling->signal);
  return found;
}

void run_signal(const struct run_process *process, int signal) {
  const struct signalling signalling = {process->pid, signal};
  kill(-process->pid, signal);
  // A process may fork while the list is read: again, until nobody is left to be killed.
  for (int round = 0; round < 100; round++)
    if (!processes_visit(signal_one, &signalling) || signal != SIGKILL)
      return;
}

// Where the kernel puts a core of the process: only names that consist of text and %p are known.
static bool core_name(pid_t pid, char *name, size_t size) {
  char pattern[256], uses_pid[16];
  if (!read_line("/proc/sys/kernel/core_pattern", pattern, sizeof pattern) || pattern[0] == '|')
    return false;
  size_t used = 0;
  bool has_pid = false;
  for (const char *at = pattern; *at && used + 24 < size; at++) {
    if (*at != '%') {
      name[used++] = *at;
    } else if (*++at == 'p') {
      used += (size_t)snprintf(name + used, size - used, "%d", (int)pid);
      has_pid = true;
    } else {
      return false;
    }
  }
  name[used] = 0;
  if (!has_pid && read_line("/proc/sys/kernel/core_uses_pid", uses_pid, sizeof uses_pid) &&
      uses_pid[0] == '1')
    snprintf(name + used, size - used, ".%d", (int)pid);
  return true;
}

bool run_take_core(const struct run_plan *plan, const struct run_process *process) {
  char name[512], target[PATH_MAX + 16];
  if (!core_name(process->pid, name, sizeof name))
    return false;
  snprintf(target, sizeof target, "%s/core", run_folder(plan, process->number));
  return rename(name, target) == 0;
}
