# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The emulated machine: calls of programs go in, and how they ended and what they printed comes out."""

import base64
import os
import pathlib
import shlex
import shutil
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
# With the instructions of LSE, and without.
PROCESSORS = {"max": "max,pauth-impdef=on", "cortex-a57": "cortex-a57"}
PATH = "/usr/bin:/bin:/usr/sbin:/sbin"


class Call:
    """A program's call. `program`: its file here; it goes by the name `name` there."""

    def __init__(self, key, program, name, arguments=(), folder="/tmp", environment=None, merged=True, seconds=1200):
        self.key, self.program, self.name, self.arguments = key, pathlib.Path(program), str(name), list(arguments)
        self.folder, self.environment, self.merged, self.seconds = folder, environment or {}, merged, seconds


class Outcome:
    def __init__(self, status, seconds, out, err):
        self.status, self.seconds, self.out, self.err = status, seconds, out, err


def script(call, stored):
    """What the machine's shell runs: the program gets its name for as long as it is called."""
    parent = os.path.dirname(call.name)
    options = " ".join(shlex.quote(f"{name}={value}") for name, value in sorted(call.environment.items()))
    command = " ".join(map(shlex.quote, [call.name, *call.arguments]))
    return "\n".join((
        f"mkdir -p {shlex.quote(parent)} {shlex.quote(call.folder)}",
        f"ln -f {stored} {shlex.quote(call.name)}",
        f"cd {shlex.quote(call.folder)}",
        f"exec env -i PATH={PATH} HOME=/root LC_ALL=C {options} {command}" + (" 2>&1" if call.merged else ""),
        "",
    ))  # fmt: skip


def write_files(calls, files, root):
    """The part of the machine's file system that the calls need. `files`: that go where they are here."""
    shutil.rmtree(root, ignore_errors=True)
    (root / "calls").mkdir(parents=True)
    (root / "programs").mkdir()
    order = []
    for number, call in enumerate(calls):
        stored = f"/programs/{call.program.stat().st_ino}"
        if not (root / stored[1:]).exists():
            os.link(call.program, root / stored[1:])
        (root / "calls" / str(number)).write_text(script(call, stored))
        order.append(f"{number} {call.seconds}\n")
    (root / "calls" / "order").write_text("".join(order))
    for file in files:
        place = root / str(file)[1:]
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, place)


def pack(root, archive):
    names = subprocess.run(["find", "."], cwd=root, stdout=subprocess.PIPE, check=True).stdout
    with open(archive, "wb") as to:
        subprocess.run(["cpio", "--quiet", "-o", "-H", "newc"], cwd=root, input=names, stdout=to, check=True)


def start(system, archive, processor, work):
    """The machine's console, as a process' output."""
    initrd = work / "initrd"
    with open(initrd, "wb") as to:
        for part in (system / "system.cpio", archive):
            with open(part, "rb") as file:
                shutil.copyfileobj(file, to, 1 << 20)
    command = ["qemu-system-aarch64", "-M", "virt", "-cpu", PROCESSORS[processor], "-smp", "2", "-m", "6144", "-nographic",
               "-no-reboot", "-nic", "none", "-kernel", system / "vmlinuz", "-initrd", initrd,
               "-append", "console=ttyAMA0 quiet loglevel=0 panic=-1"]  # fmt: skip
    return subprocess.Popen(
        ["timeout", "--signal=KILL", "14400", *map(str, command)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip


def decode(lines):
    return base64.b64decode("".join(lines))


def read(console, calls, log, tell):
    """{key: Outcome} of the calls that came to their end, and the processor's features."""
    outcomes, features, part, lines = {}, "", None, {"out": [], "err": []}
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
            features = " ".join(words[2:])
        elif words[1] == "begin":
            lines = {"out": [], "err": []}
        elif words[1] == "end":
            call = calls[int(words[2])]
            outcomes[call.key] = Outcome(int(words[3]), float(words[4]), decode(lines["out"]), decode(lines["err"]))
            tell(len(outcomes), len(calls))
    return outcomes, features


def run(calls, files, processor, system, work, tell):
    """Boots a machine that makes the calls, in that order."""
    root, archive = work / "root", work / "calls.cpio"
    write_files(calls, files, root)
    pack(root, archive)
    begin = time.monotonic()
    process = start(system, archive, processor, work)
    try:
        with open(work / f"console-{processor}.txt", "w", encoding="utf-8") as log:
            outcomes, features = read(process.stdout, calls, log, tell)
    finally:
        process.terminate()
        process.wait()
    for file in (archive, work / "initrd"):
        file.unlink()
    shutil.rmtree(root)
    return outcomes, features, time.monotonic() - begin
