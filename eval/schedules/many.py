# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many scheduled runs of a program: how they end, beside runs without a schedule.

Also a command, for suites whose tests run programs: `many.py LOG RUNS SECONDS PROGRAM ARGUMENT...` adds a line of JSON to LOG, and
then runs the program as if it stood there alone, with its output and exit status.
"""
import collections
import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

REPORT = 66
TIMEOUT = 300  # seconds; what takes longer hangs
PLAIN_RUNS = 5
FIELDS = ("plain", "scheduled", "reports", "changed")  # of measure()


def status(command, options):
    """Exit status of one run: a number (negative: a signal), or "hangs"."""
    old = os.environ.get("RSAN_OPTIONS", "")
    environment = dict(os.environ, RSAN_OPTIONS=f"{old}:{options}" if old else options)
    try:
        done = subprocess.run(
            command, env=environment, timeout=TIMEOUT, check=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    except subprocess.TimeoutExpired:
        return "hangs"
    return done.returncode


def is_changed(found, plain, report, own):
    """A report may need a schedule, and may be missed by one: then the program ends with 0, or in one of its `own` ways, which
    runs show whose reports do not change the status. Anything else that no plain run does is a change.
    """
    return found not in plain and found != report and not (found in (0, *own) and report in plain)


def count(statuses):
    return {str(one): number for one, number in sorted(collections.Counter(statuses).items(), key=str)}


def claim_processor(folder):
    """A command that keeps a program on one processor, and what holds the claim; ([], None) if all are claimed.

    One thread at a time runs under a schedule; where the next one is on another processor, it has to be woken there.
    """
    for processor in sorted(os.sched_getaffinity(0)):
        claim = open(folder / f"processor-{processor}.lock", "w", encoding="utf-8")
        try:
            fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return ["taskset", "-c", str(processor)], claim
        except OSError:
            claim.close()
    return [], None


def run_scheduled(command, runs, seconds):
    """The statuses of the seeds from 1 on; no run begins after `seconds`, if that is not None."""
    end = None if seconds is None else time.monotonic() + seconds
    statuses = []
    while len(statuses) < runs and (end is None or not statuses or time.monotonic() < end):
        statuses.append(status(command, f"symbolize=0:schedule=mix:seed={len(statuses) + 1}"))
    return statuses


def measure(command, runs, report=REPORT, seconds=None, scheduled_by=()):
    """{plain, scheduled: {status: how often}, reports, changed: [[seed, status]]}. `report`: the status after one.

    scheduled_by: a command that runs the command of the scheduled runs.
    """
    plain = [status(command, "symbolize=0") for _ in range(PLAIN_RUNS)]
    own = [status(command, "symbolize=0:exitcode=0") for _ in range(PLAIN_RUNS)] if report in plain else []
    scheduled = run_scheduled([*scheduled_by, *command], runs, seconds)
    changed = [[seed, found] for seed, found in enumerate(scheduled, 1) if is_changed(found, plain, report, own)]
    return {"plain": count(plain), "scheduled": count(scheduled), "reports": scheduled.count(report), "changed": changed}


def is_done(log, key):
    if not log.exists():
        return False
    lines = map(json.loads, log.read_text(encoding="utf-8").splitlines())
    return any(key.items() <= line.items() for line in lines)


def main():
    log, runs, command = pathlib.Path(sys.argv[1]), int(sys.argv[2]), sys.argv[4:]
    seconds = float(sys.argv[3]) or None
    made = hashlib.sha256(pathlib.Path(shutil.which(command[0])).read_bytes()).hexdigest()[:12]
    key = {"command": command, "runs": runs, "made": made}
    if not is_done(log, key):
        pinned, _claim = claim_processor(log.parent)
        line = json.dumps({**key, **measure(command, runs, seconds=seconds, scheduled_by=pinned)})
        with open(log, "a", encoding="utf-8") as file:
            file.write(line + "\n")
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
