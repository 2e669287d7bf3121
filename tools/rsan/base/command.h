// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The subcommands of rsan. Each gets its own arguments, with "rsan NAME" in argv[0], and returns
// the exit status of the process.

#ifndef COMMAND_H
#define COMMAND_H

// name, what it does; one line each in `rsan --help`
#define RSAN_COMMANDS(COMMAND)                                                                     \
  COMMAND(demo, "show report, confirmation and repair of a small example")                         \
  COMMAND(doctor, "say what keeps RSan, or a program built with it, from working here")            \
  COMMAND(report, "merge the reports of many runs, and write them in another format")              \
  COMMAND(baseline, "write down which findings are known, or compare two such files")              \
  COMMAND(compare, "say which findings are new, gone or still there in another build")             \
  COMMAND(run, "run a command many times and gather what it reports")                              \
  COMMAND(unit, "make a share of many runs on this host, for `rsan merge'")                        \
  COMMAND(merge, "make one result of the shares that many hosts have made")                        \
  COMMAND(check, "make all schedules of a small test: a proof, or what is wrong")                  \
  COMMAND(confirm, "give a program stale values, and see what fails")                              \
  COMMAND(replay, "run a program again by the schedule that showed a report")                      \
  COMMAND(config, "print the settings that rsan.toml makes")                                       \
  COMMAND(fix, "find the fences that make a command's violations go away")

// The statuses of wrong usage, for every subcommand, and of reports.
enum { EXIT_USAGE = 2, EXIT_REPORTS = 66 };

#define DECLARE(name, text) int command_##name(int argc, char **argv);
RSAN_COMMANDS(DECLARE)
#undef DECLARE

#endif
