# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a command again and again, and in each run another one of its calls that write below a folder fails."""

import os
import subprocess


class Run:
    """One run: what came of it, and which calls failed."""

    def __init__(self, done, failed):
        self.status, self.out, self.err, self.failed = done.returncode, done.stdout, done.stderr, failed


def run(command, shim, folder, work, number, how, **more):
    counter, log = os.path.join(work, "counter"), os.path.join(work, "log")
    with open(counter, "wb") as file:
        file.write(bytes(8))
    if os.path.exists(log):
        os.remove(log)
    environment = {
        **os.environ,
        "LD_PRELOAD": shim,
        "FAULT_FOLDER": os.path.realpath(folder),
        "FAULT_COUNTER": counter,
        "FAULT_AT": str(number),
        "FAULT_HOW": how,
        "FAULT_LOG": log,
    }
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, **more)
    failed = []
    if os.path.exists(log):
        with open(log, encoding="utf-8") as file:
            failed = file.read().splitlines()
    return Run(done, failed)


def each(prepare, command, shim, folder, work, how, **more):
    """Runs, each on what `prepare()` has made, until one in which nothing has failed."""
    number = 0
    while True:
        number += 1
        prepare()
        one = run(command, shim, folder, work, number, how, **more)
        yield one
        if not one.failed:
            return
