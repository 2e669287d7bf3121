# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of eval/synthetic: what there is, how it is compiled, and one run."""
import dataclasses
import os
import pathlib
import subprocess
import tomllib

import measure
import run as harness

SYNTHETIC = pathlib.Path(__file__).resolve().parents[1] / "synthetic"
FLAGS = ("-std=gnu11", "-O1", "-g", "-pthread")
VERSIONS = {"robust": (), "weakened": ("-DWEAKENED",)}
REPORT = 66  # the exit code after a report

# The first report ends the run. It is not symbolized: that takes longer than the run.
OPTIONS = "halt_on_error=1 exitcode=66 symbolize=0 atexit_sleep_ms=0"
TIMEOUT = 120


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    title: str
    threads: tuple
    rounds: int
    spend: int
    rate: bool = False
    rocker: dict = dataclasses.field(default_factory=dict)
    c11tester: str = ""
    check: dict = dataclasses.field(default_factory=dict)

    @property
    def source(self):
        return SYNTHETIC / f"{self.name}.c"

    def head(self, word):
        """What the source's head says after `Robust:` or `Weakened:`."""
        text = self.source.read_text(encoding="utf-8").split("\n\n")[0]
        lines = [line.removeprefix("//").strip() for line in text.splitlines()]
        begin = next(i for i, line in enumerate(lines) if line.startswith(f"{word}: "))
        said = [lines[begin].removeprefix(f"{word}: ")]
        for line in lines[begin + 1 :]:
            if line.startswith(("Robust: ", "Weakened: ")):
                break
            said.append(line)
        return " ".join(said)


only = None  # the name of one program: load_all() says that there is no other


def load_all():
    with open(SYNTHETIC / "programs.toml", "rb") as file:
        fields = tomllib.load(file)
    return [Program(name=name, threads=tuple(one.pop("threads")), **one) for name, one in fields.items() if only in (None, name)]


class Builder:
    """Compiles, when what a program is made of has changed."""

    def __init__(self, build, work):
        self.toolchain = measure.Toolchain(build, work)
        self.folder = work / "programs"
        self.folder.mkdir(parents=True, exist_ok=True)

    def make(self, source, flags, kind, name):
        output = self.folder / f"{name}-{kind}"
        compiler = pathlib.Path(self.toolchain.compiler(kind, "c"))
        runtimes = self.toolchain.runtimes(kind)
        newest = max(file.stat().st_mtime for file in (compiler, *runtimes, *source.parent.glob("*.[ch]")))
        if not output.exists() or output.stat().st_mtime < newest:
            header = ("-I", SYNTHETIC.parents[1] / "include") if kind == "gcc" else ()
            command = [compiler, *measure.FLAGS[kind], *FLAGS, *flags, *header, source, "-o", output]
            subprocess.run(command, check=True)
        return output

    def program(self, program, version, kind):
        return self.make(program.source, VERSIONS[version], kind, f"{program.name}-{version}")

    def launcher(self):
        """Made once: another phase may be running it."""
        source = measure.HERE / "launch.c"
        output = self.toolchain.launcher_path(source)
        made = output.exists() and output.stat().st_mtime > source.stat().st_mtime
        return output if made else self.toolchain.launcher(source)


def run(launcher, program, arguments, work, rsan_options="", keep=3000):
    """One run: status (exit code; "timeout"), CPU and wall time in microseconds, peak memory in KB,
    and the last `keep` characters of what it printed."""
    usage = work / "usage"
    usage.unlink(missing_ok=True)
    variables = {name: value for name, value in os.environ.items() if not name.endswith("SAN_OPTIONS")}
    variables |= {"TSAN_OPTIONS": OPTIONS, "RSAN_OPTIONS": rsan_options}
    output, _, status = harness.run_group(
        [launcher, usage, program, *map(str, arguments)], TIMEOUT, env=variables, stderr=subprocess.STDOUT
    )
    if status is None:
        return {"status": "timeout", "cpu_us": 0, "wall_us": 0, "memory_kb": 0, "output": ""}
    status, user, system, wall, memory = map(int, usage.read_text(encoding="ascii").split())
    return {
        "status": os.waitstatus_to_exitcode(status),
        "cpu_us": user + system,
        "wall_us": wall,
        "memory_kb": memory,
        "output": output.decode(errors="replace")[-keep:],
    }
