# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Emulated machines: calls of programs go in, and how they ended and what they printed comes out.

An emulated machine with two processors is slow: whenever a program gives memory back, the emulator stops both until they have
forgotten it. So most calls are made on machines with one, of which as many run beside one another as this machine has
processors, and memory for. A call that is about threads at the same time asks for two.
"""

import base64
import contextlib
import os
import pathlib
import queue
import shlex
import shutil
import subprocess
import threading
import time

from outcomes import Kept, Outcome
from progress import Progress

HERE = pathlib.Path(__file__).resolve().parent
# With the instructions of LSE, and without.
PROCESSORS = {"max": "max,pauth-impdef=on", "cortex-a57": "cortex-a57"}
PATH = "/usr/bin:/bin:/usr/sbin:/sbin"
MACHINE_MB = 4096  # what a machine takes of this one's memory at most: 2,700 were seen
MEMORY_MB = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
CPUS = max(min(len(os.sched_getaffinity(0)), MEMORY_MB // MACHINE_MB), 1)


class Call:
    """A program's call. `program`: its file here; it goes by the name `name` there. `weight`: how long it may take,
    beside others. Calls of the same `group` are made in their order on one machine, which has `cpus` processors."""

    def __init__(self, key, program, name, arguments=(), folder="/tmp", environment=None, merged=True, seconds=1200,
                 weight=1.0, group=None, cpus=1):  # fmt: skip
        self.key, self.program, self.name, self.arguments = key, pathlib.Path(program), str(name), list(arguments)
        self.folder, self.environment, self.merged, self.seconds = folder, environment or {}, merged, seconds
        self.weight, self.group, self.cpus = weight, group or self.name, cpus


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


def share(calls, machines, expected):
    """The calls of each of `machines`, of about the same length by expected(call). Groups stay together."""
    groups, shares, seconds = {}, [[] for _ in range(machines)], [0.0] * machines
    for call in calls:
        groups.setdefault(call.group, []).append(call)
    for group in sorted(groups.values(), key=lambda group: -sum(map(expected, group))):
        least = seconds.index(min(seconds))
        shares[least] += group
        seconds[least] += sum(map(expected, group))
    return [calls for calls in shares if calls]


def write_files(calls, files, root):
    """The part of the machine's file system that the calls need. `files`: that go where they are here."""
    shutil.rmtree(root, ignore_errors=True)
    (root / "calls").mkdir(parents=True)
    (root / "programs").mkdir()
    order = []
    for number, call in enumerate(calls):
        stored = f"programs/{call.program.stat().st_ino}"
        if not (root / stored).exists():
            os.link(call.program, root / stored)
        for folder in (call.folder, os.path.dirname(call.name)):
            (root / folder[1:]).mkdir(parents=True, exist_ok=True)
        (root / "calls" / str(number)).write_text(script(call, stored))
        order.append(f"{number} {call.seconds}\n")
    (root / "calls" / "order").write_text("".join(order))
    shutil.copy2(HERE / "make-calls", root)
    for file in files:
        place = root / str(file)[1:]
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, place)


def pack(root, archive):
    names = subprocess.run(["find", "."], cwd=root, stdout=subprocess.PIPE, check=True).stdout
    with open(archive, "wb") as to:
        subprocess.run(["cpio", "--quiet", "-o", "-H", "newc"], cwd=root, input=names, stdout=to, check=True)


@contextlib.contextmanager
def boot(calls, files, processor, system, work):
    """The console, as a process' output, of a machine that makes the calls. `work`: a folder of its own."""
    root, archive, initrd = work / "root", work / "calls.cpio", work / "initrd"
    write_files(calls, files, root)
    pack(root, archive)
    shutil.rmtree(root)
    with open(initrd, "wb") as to:
        for part in (system / "system.cpio", archive):
            with open(part, "rb") as file:
                shutil.copyfileobj(file, to, 1 << 20)
    archive.unlink()
    command = ["qemu-system-aarch64", "-M", "virt", "-cpu", PROCESSORS[processor], "-smp", calls[0].cpus, "-m", "6144",
               "-nographic", "-no-reboot", "-nic", "none", "-kernel", system / "vmlinuz", "-initrd", initrd,
               "-append", "console=ttyAMA0 quiet loglevel=0 panic=-1"]  # fmt: skip
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


def run_beside(shares, files, processor, system, work):
    """Boots a machine for each share of the calls, and yields what they say (see read) as it comes."""
    events, end = queue.SimpleQueue(), object()

    def listen(console, calls, said):
        with open(said, "w", encoding="utf-8") as log:
            for event in read(console, calls, log):
                events.put(event)
        events.put(end)

    with contextlib.ExitStack() as machines:
        for number, calls in enumerate(shares):
            own = work / f"machine-{number}"
            own.mkdir(exist_ok=True)
            console = machines.enter_context(boot(calls, files, processor, system, own))
            said = work / f"console-{processor}-{calls[0].cpus}-{number}.txt"
            threading.Thread(target=listen, args=(console, calls, said), daemon=True).start()
        running = len(shares)
        while running:
            event = events.get()
            if event is end:
                running -= 1
            else:
                yield event


class Result:
    """What came of the calls: {key: Outcome}; seconds of this run; how many of them it made; the processor's features."""

    def __init__(self, outcomes, seconds, made, features):
        self.outcomes, self.seconds, self.made, self.features = outcomes, seconds, made, features

    def __str__(self):
        before = len(self.outcomes) - self.made
        return f"{self.made} calls in {self.seconds:.0f} s" + (f", {before} in an earlier run" if before else "")


def run(calls, files, processor, system, work, tell):
    """Makes the calls; all but those whose outcome is known since an earlier run."""
    kept = Kept(work / "outcomes" / processor, PROCESSORS[processor], system / "made-of", [*files, HERE / "make-calls"])
    outcomes = {call.key: outcome for call in calls if (outcome := kept.find(call, script))}
    wanted, begin = [call for call in calls if call.key not in outcomes], time.monotonic()
    progress = Progress(wanted, kept.seconds(), CPUS)
    for cpus in sorted({call.cpus for call in wanted}):
        mine = [call for call in wanted if call.cpus == cpus]
        for call, what in run_beside(share(mine, max(CPUS // cpus, 1), progress.expected), files, processor, system, work):
            if call is None:
                kept.keep_features(what)
                continue
            outcomes[call.key] = what
            kept.keep(call, script, what)
            progress.ended(call, what.seconds)
            tell(len(outcomes), len(calls), progress)
    return Result(outcomes, time.monotonic() - begin, len(wanted) - len(progress.left), kept.features())
