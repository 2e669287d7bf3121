# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program with changed inputs of the runtime, one process for each, because the runtime cannot be built with ASan.

With an input that makes no sense, the program must not start, and the last line of its output must say so. The program must
not crash, hang, or print a control character.
"""

import os
import random
import re
import subprocess

TOKENS = (b"0", b"-1", b"4294967295", b"18446744073709551616", b"1e9", b"", b" ", b"\0", b"\xff", b"%", b"end 0", b"steps", b"x" * 5000)
CHANGES, LONGEST = 5, 20  # changes of one file; seconds of a run
BROKEN = re.compile(rb"DEADLYSIGNAL|CHECK failed|SEGV|[\0-\x08\x0b-\x1f\x7f]")
REFUSAL = re.compile(rb"(==\d+==)?ThreadSanitizer: ")
STARTED = b"started\n"  # what the program of all targets but `replay` prints

# By target: the options, with @ for the file, and the file's content. The options' own content is the environment's.
INPUTS = {
    "suppressions": (b"suppressions=@", b"""# reasons
race:^foo$
robustness:bar*
robustness_top:x.c
robustness_location:^g$
uninitialised:e
called_from_lib:libx.so
mutex:a
deadlock:d
"""),
    "simulate": (b"simulate=@", b"""# repair
fence-after /p/f.c:4:3
fence-before f.c:12
order acq_rel /p/a:b.c:7:1 # because
fence-after program+0x12
"""),
    "weak-file": (b"weak=flagged:weak_file=@", b"""program+0x12 newest
/p/program+0x1234 oldest
f.c:3:4 1
"""),
    "wrappers": (b"wrappers=@", b"fun:store_*\nsrc:*/atomic.h\n# mine\n fun:^x$\n"),
    "include": (b"include=@", b"""exitcode=4
verbosity=0 history_size=7:stats=0
# mine
strip_path_prefix="/a b"
"""),
    "RSAN_OPTIONS": (b"", b"exitcode=4:history=exact,clocks=compact target=c11+x86 seq_cst=fence location_budget=352:"
                          b"strip_path_prefix='/a b':schedule=pct:seed=3:depth=2:switch=100:explain_history=16:weak=random"),
}  # fmt: skip
REPLAY = "replay"  # a recorded schedule
TARGETS = (REPLAY, *INPUTS)
SHARE = 10  # one of so many inputs for each of INPUTS, because the readers are small and a process costs 20 ms


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


def environment(target, path, data):
    """The program's environment for this input. Writes the input to the file."""
    options = b"" if target == REPLAY else INPUTS[target][0]
    options = options.replace(b"@", os.fsencode(path)) or data.replace(b"\0", b"")
    with open(path, "wb") as file:
        file.write(data)
    return {b"RSAN_OPTIONS": (b"replay=" + os.fsencode(path) if target == REPLAY else options) + b":symbolize=0"}


def is_broken(target, program, path, data):
    try:
        done = subprocess.run([program], env=environment(target, path, data), capture_output=True, check=False, timeout=LONGEST,
                              stdin=subprocess.DEVNULL)  # fmt: skip
    except subprocess.TimeoutExpired:
        return True
    lines = done.stderr.splitlines()
    silent = target != REPLAY and done.stdout != STARTED and not (lines and REFUSAL.match(lines[-1]))
    return done.returncode < 0 or silent or bool(BROKEN.search(done.stderr))


def inputs_of(target, runs):
    return runs if target == REPLAY else max(1, runs // SHARE)


def run(target, seeds, runs, seed, temporary, folder):
    """Returns how many inputs broke the runtime, and keeps these in the folder. SEEDS has the programs and the schedule."""
    generator, broken = random.Random(f"{target} {seed}"), 0
    program = seeds / ("program" if target == REPLAY else "started")
    content = (seeds / "schedule").read_bytes() if target == REPLAY else INPUTS[target][1]
    path = os.path.join(temporary, "input")
    for number in range(inputs_of(target, runs)):
        data = changed(generator, content)
        if is_broken(target, program, path, data):
            broken += 1
            (folder / f"crash-{number}").write_bytes(data)
    return broken
