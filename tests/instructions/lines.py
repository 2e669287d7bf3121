# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cache lines that go from one thread to another at an operation of the core, against a budget file.

Valgrind's lackey says which memory each step reads and writes, and a model of caches that keep what they have had
counts the lines that a step has to ask for: it reads one that another thread has written since it had it, or writes
one that another thread has as well. Nothing of it depends on the machine.

Each line of the budget: name, operations before the count, operations counted, tenths of lines an operation at
most, reason. Fails if a budget is exceeded, and if one is a quarter too high: then it guards nothing.
"""

import subprocess
import sys

from check import compare

LINE = 64


class Caches:
    """Which threads have a line; by its last write, or by reads since."""

    def __init__(self):
        self.holders = {}

    def step(self, thread, accesses):
        """The number of lines that the thread asked for. accesses: {line: is it written?}"""
        asked = 0
        for line, written in accesses.items():
            had = self.holders.get(line, frozenset())
            others = had - {thread}
            asked += bool(others) if written else bool(others) and thread not in had
            self.holders[line] = frozenset({thread}) if written else had | {thread}
        return asked


def steps(trace, turns, begin, end):
    """(thread, {line: is it written?}) for each step; trace: lines of lackey's."""
    thread, accesses = None, {}
    for text in trace:
        if text[:2] not in (" L", " S", " M"):
            continue  # an instruction, or something that valgrind or the program says
        address, size = text[3:].split(",")
        address = int(address, 16)
        if turns <= address < turns + 32 and text[1] == "S":
            if thread is not None:
                yield thread, accesses
            thread, accesses = address - turns, {}
        elif begin <= address < end:
            for line in range(address // LINE, (address + int(size) - 1) // LINE + 1):
                accesses[line] = accesses.get(line, False) or text[1] != "L"
    if thread is not None:
        yield thread, accesses


def places(program, name):
    """Where the program says whose turn it is, and its blocks: it is linked to fixed addresses."""
    run = subprocess.run([program, name, "0"], capture_output=True, text=True, check=True)
    turns, begin, size = run.stdout.split()
    return int(turns, 16), int(begin, 16), int(begin, 16) + int(size)


def lines(program, name, before, counted):
    """Lines that were asked for, and all that were touched, in the steps that are counted."""
    command = ["valgrind", "--tool=lackey", "--basic-counts=no", "--trace-mem=yes", "--log-fd=1", program, name]
    caches, asked, touched = Caches(), 0, 0
    with subprocess.Popen([*command, str(before), str(counted)], stdout=subprocess.PIPE, text=True) as run:
        for number, (thread, accesses) in enumerate(steps(run.stdout, *places(program, name))):
            some = caches.step(thread, accesses)
            if number >= before:
                asked += some
                touched += len(accesses)
    if run.returncode or number + 1 != before + counted:
        sys.exit(f"lines: {name}: valgrind's lackey failed")
    return asked, touched


def measure(program, row):
    name, before, counted, most = row
    asked, touched = lines(program, name, before, counted)
    return name, 10 * asked / counted, most, f"{touched / counted:8.1f}"


if __name__ == "__main__":
    sys.exit(compare(__doc__, measure, ("operation", "tenths of lines", "budget", " touched")))
