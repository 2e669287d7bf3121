# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The emulated machine: calls of programs go in, and how they ended and what they printed comes out."""

import base64
import contextlib
import os
import pathlib
import shlex
import shutil
import subprocess
import time

from outcomes import Kept, Outcome
from progress import Progress

HERE = pathlib.Path(__file__).resolve().parent
# With the instructions of LSE, and without.
PROCESSORS = {"max": "max,pauth-impdef=on", "cortex-a57": "cortex-a57"}
PATH = "/usr/bin:/bin:/usr/sbin:/sbin"
# Each makes a call at a time. Never one alone: programs' threads are to run at the same time.
CPUS = min(max(len(os.sched_getaffinity(0)), 2), 8)
MEMORY_MB = 2048 + 2048 * CPUS


class Call:
    """A program's call. `program`: its file here; it goes by the name `name` there. `weight`: how long it may take,
    beside others of its kind. Calls of the same `group` are made in their order, one after the other."""

    def __init__(self, key, program, name, arguments=(), folder="/tmp", environment=None, merged=True, seconds=1200,
                 weight=1.0, group=None):  # fmt: skip
        self.key, self.program, self.name, self.arguments = key, pathlib.Path(program), str(name), list(arguments)
        self.folder, self.environment, self.merged, self.seconds = folder, environment or {}, merged, seconds
        self.weight, self.group = weight, group or self.name


def script(call, stored):
    """What make-calls runs: the program gets its name for as long as it is called."""
    options = " ".join(shlex.quote(f"{name}={value}") for name, value in sorted(call.environment.items()))
    command = " ".join(map(shlex.quote, [call.name, *call.arguments]))
    return "\n".join((
        f'ln -f "$root/{stored}" {shlex.quote(call.name)}',
        f"cd {shlex.quote(call.folder)}",
        f"exec env -i PATH={PATH} HOME=/root LC_ALL=C {options} {command}" + (" 2>&1" if call.merged else ""),
        "",
    ))  # fmt: skip


def in_order(calls, progress):
    """Lines for the machine: the groups, those that take longest first, as one that comes last has one processor."""
    groups = {}
    for number, call in enumerate(calls):
        groups.setdefault(call.group, []).append((number, call))
    longest_first = sorted(groups.values(), key=lambda group: -sum(progress.expected(call) for _, call in group))
    for group in longest_first:
        yield " ".join(map(str, [max(call.seconds for _, call in group), *(number for number, _ in group)]))


def write_files(calls, files, progress, root):
    """The part of the machine's file system that the calls need. `files`: that go where they are here."""
    shutil.rmtree(root, ignore_errors=True)
    (root / "calls").mkdir(parents=True)
    (root / "programs").mkdir()
    for number, call in enumerate(calls):
        stored = f"programs/{call.program.stat().st_ino}"
        if not (root / stored).exists():
            os.link(call.program, root / stored)
        for folder in (call.folder, os.path.dirname(call.name)):
            (root / folder[1:]).mkdir(parents=True, exist_ok=True)
        (root / "calls" / str(number)).write_text(script(call, stored))
    shutil.copy2(HERE / "make-calls", root)
    (root / "calls" / "order").write_text("".join(line + "\n" for line in in_order(calls, progress)))
    for file in files:
        place = root / str(file)[1:]
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, place)


def pack(root, archive):
    names = subprocess.run(["find", "."], cwd=root, stdout=subprocess.PIPE, check=True).stdout
    with open(archive, "wb") as to:
        subprocess.run(["cpio", "--quiet", "-o", "-H", "newc"], cwd=root, input=names, stdout=to, check=True)


@contextlib.contextmanager
def boot(calls, files, progress, processor, system, work):
    """The console, as a process' output, of a machine that makes the calls."""
    root, archive, initrd = work / "root", work / "calls.cpio", work / "initrd"
    write_files(calls, files, progress, root)
    pack(root, archive)
    shutil.rmtree(root)
    with open(initrd, "wb") as to:
        for part in (system / "system.cpio", archive):
            with open(part, "rb") as file:
                shutil.copyfileobj(file, to, 1 << 20)
    archive.unlink()
    command = ["qemu-system-aarch64", "-M", "virt", "-cpu", PROCESSORS[processor], "-smp", CPUS, "-m", MEMORY_MB, "-nographic",
               "-accel", "tcg,thread=multi,tb-size=512", "-no-reboot", "-nic", "none", "-kernel", system / "vmlinuz",
               "-initrd", initrd, "-append", "console=ttyAMA0 quiet loglevel=0 panic=-1"]  # fmt: skip
    process = subprocess.Popen(
        ["timeout", "--signal=KILL", "14400", *map(str, command)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        yield process.stdout
    finally:
        process.terminate()
        process.wait()
        initrd.unlink()


def decode(lines):
    return base64.b64decode("".join(lines))


def read(console, calls, log):
    """Yields (call, Outcome) for each call that came to its end; before them (None, the processor's features)."""
    part, lines = None, {"out": [], "err": []}
    for raw in console:
        line = raw.decode(errors="replace").rstrip("\r\n")
        log.write(line + "\n")
        words = line.split()
        if not words or words[0] != "@@":
            if part:
                lines[part].append(line)
            continue
        part = words[1] if words[1] in lines else None
        if words[1] == "processor":
            yield None, " ".join(words[2:])
        elif words[1] == "begin":
            lines = {"out": [], "err": []}
        elif words[1] == "end":
            status, seconds = int(words[3]), float(words[5]) - float(words[4])
            yield calls[int(words[2])], Outcome(status, seconds, decode(lines["out"]), decode(lines["err"]))


class Result:
    """What came of the calls: {key: Outcome}; seconds of this run; how many of them it made; the processor's features."""

    def __init__(self, outcomes, seconds, made, features):
        self.outcomes, self.seconds, self.made, self.features = outcomes, seconds, made, features

    def __str__(self):
        before = len(self.outcomes) - self.made
        return f"{self.made} calls in {self.seconds:.0f} s" + (f", {before} in an earlier run" if before else "")


def run(calls, files, processor, system, work, tell):
    """Makes the calls in a machine; all but those whose outcome is known since an earlier run."""
    kept = Kept(work / "outcomes" / processor, PROCESSORS[processor], system / "made-of", [*files, HERE / "make-calls"])
    outcomes = {call.key: outcome for call in calls if (outcome := kept.find(call, script))}
    wanted, begin = [call for call in calls if call.key not in outcomes], time.monotonic()
    if not wanted:
        return Result(outcomes, 0, 0, kept.features())
    progress, said = Progress(wanted, kept.seconds(), CPUS), work / f"console-{processor}.txt"
    with boot(wanted, files, progress, processor, system, work) as console, open(said, "w", encoding="utf-8") as log:
        for call, what in read(console, wanted, log):
            if call is None:
                kept.keep_features(what)
                continue
            outcomes[call.key] = what
            kept.keep(call, script, what)
            progress.ended(call, what.seconds)
            tell(len(outcomes), len(calls), progress)
    made = len(wanted) - len(progress.left)
    return Result(outcomes, time.monotonic() - begin, made, kept.features())
