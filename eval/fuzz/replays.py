# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changed schedules for the runtime, which reads them with replay= and cannot be built with ASan: a program is run by each."""

import os
import random
import subprocess

TOKENS = (b"0", b"-1", b"4294967295", b"18446744073709551616", b"1e9", b"", b" ", b"\0", b"\xff", b"%", b"end 0", b"steps", b"x" * 5000)
CHANGES, LONGEST = 5, 20  # changes of one file; seconds of a run
BROKEN = (b"DEADLYSIGNAL", b"CHECK failed", b"SEGV")


def change_token(generator, data):
    at = generator.randrange(len(data) + 1)
    return data[:at] + generator.choice(TOKENS) + data[at + generator.randint(0, 8) :]


def change_byte(generator, data):
    at = generator.randrange(len(data) + 1)
    return data[:at] + bytes([generator.randrange(256)]) + data[at + 1 :]


def change_line(generator, data):
    lines = data.split(b"\n")
    at = generator.randrange(len(lines))
    words = lines[at].split(b" ")
    words[generator.randrange(len(words))] = generator.choice(TOKENS)
    lines[at : at + 1] = generator.choice(([b" ".join(words)], [lines[at]] * generator.randint(0, 3)))
    return b"\n".join(lines)


def cut_off(generator, data):
    return data[: generator.randrange(len(data) + 1)]


def changed(generator, data):
    for _ in range(generator.randint(1, CHANGES)):
        data = generator.choice((change_token, change_byte, change_byte, change_line, cut_off))(generator, data)
    return data


def is_broken(program, path):
    try:
        done = subprocess.run([program], env={"RSAN_OPTIONS": f"replay={path}:symbolize=0"}, capture_output=True, check=False,
                              timeout=LONGEST, stdin=subprocess.DEVNULL)  # fmt: skip
    except subprocess.TimeoutExpired:
        return True
    return done.returncode < 0 or any(text in done.stderr for text in BROKEN)


def run(program, schedule, runs, seed, temporary, folder):
    """How many files broke the runtime; they are kept in the folder."""
    generator, broken = random.Random(seed), 0
    path = os.path.join(temporary, "schedule")
    for number in range(runs):
        data = changed(generator, schedule)
        with open(path, "wb") as file:
            file.write(data)
        if is_broken(program, path):
            broken += 1
            (folder / f"crash-{number}").write_bytes(data)
    return broken
