# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ways a program is built and run, and one run of it."""
import dataclasses
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "harness"))

import run as harness  # noqa: E402

TIMEOUT = 600

# A report where none belongs must not pass: the exit code tells of it.
OPTIONS = "exitcode=66 atexit_sleep_ms=0 allow_addr2line=0 halt_on_error=0"


@dataclasses.dataclass(frozen=True)
class Variant:
    """name: in tables; build: which of the programs; rsan_options: of the run."""

    name: str
    build: str
    rsan_options: str = ""


VARIANTS = (
    Variant("native", "native"),
    Variant("TSan", "tsan"),
    Variant("RSan", "rsan"),
    Variant("robustness=0", "rsan", "robustness=0"),
    Variant("races=0", "rsan", "races=0"),
    Variant("atomics only", "atomics", "races=0"),
)

# What further clocks cost: the others' ratios are to the first one.
TARGETS = (
    Variant("c11", "rsan", "target=c11"),
    Variant("c11+x86", "rsan", "target=c11+x86"),
    Variant("x86", "rsan", "target=x86"),
    Variant("armv8", "rsan", "target=armv8"),
)

# What the memory model of seq_cst accesses costs. The default is spelt out: it may change.
SEQ_CST = (
    Variant("TSan", "tsan"),
    Variant("acq_rel", "rsan", "seq_cst=acq_rel"),
    Variant("exact", "rsan", "seq_cst=exact"),
    Variant("fence", "rsan", "seq_cst=fence"),
)

# What a change costs: another build of RSan beside this one.
AGAINST = (
    Variant("before", "before"),
    Variant("now", "rsan"),
)

FLAGS = {
    "native": (),
    "tsan": ("-fsanitize=thread",),
    "rsan": ("-fsanitize=robustness",),
    "before": ("-fsanitize=robustness",),
    "atomics": ("-fsanitize=robustness", "-fno-sanitize-thread-memory-access"),
    "gcc": (),  # rsan-gcc
}


class Toolchain:
    """Compilers, and where programs go. before: the build whose compiler makes the programs named so, or None."""

    def __init__(self, build, work, before=None):
        self.work = work
        self.folders = {"rsan": build, "atomics": build, "gcc": build} | ({"before": before} if before else {})
        for folder in set(self.folders.values()):
            if not (folder / "bin/rsan-clang").exists():
                raise FileNotFoundError(f"{folder}/bin/rsan-clang is missing: build RSan there first")

    def compiler(self, build, language):
        name = ({"c": "gcc", "c++": "g++"} if build == "gcc" else {"c": "clang", "c++": "clang++"})[language]
        if build in self.folders:
            return str(self.folders[build] / f"bin/rsan-{name}")
        llvm = harness.release_of_llvm(self.folders["rsan"])
        return shutil.which(f"{name}-{llvm}") or f"/usr/lib/llvm-{llvm}/bin/{name}"

    def runtimes(self, build):
        if build not in self.folders:
            return []
        return sorted((self.folders[build] / "lib/clang").glob("*/lib/linux/libclang_rt.rsan*.a"))

    def make(self, program, build):
        """Compiles the program, if it is older than what it is made of."""
        output = self.work / "programs" / f"{program.name}-{build}"
        compiler = pathlib.Path(self.compiler(build, program.language))
        inputs = [compiler, *program.inputs(), *self.runtimes(build)]
        if output.exists() and output.stat().st_mtime > max(path.stat().st_mtime for path in inputs):
            return output
        output.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([compiler, *FLAGS[build], *program.command(self.work), "-o", output], check=True)
        return output

    def launcher_path(self, source):
        return self.work / "programs" / f"{source.parent.name}-{source.stem}"

    def launcher(self, source):
        output = self.launcher_path(source)
        output.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([self.compiler("native", "c"), "-O2", "-pthread", source, "-o", output], check=True)
        return output


def environment(variant, benchmark):
    """What the caller has set for other programs must not decide a run. RSan reads both."""
    variables = {name: value for name, value in os.environ.items() if not name.endswith("SAN_OPTIONS")}
    # Real programs may have violations and races. Printing them is no part of what the analysis costs.
    quiet = "" if benchmark.silent else "report_bugs=0"
    variables["TSAN_OPTIONS"] = f"{OPTIONS} {quiet} {benchmark.options}"
    variables["RSAN_OPTIONS"] = variant.rsan_options
    return variables


def run(launcher, program, benchmark, variant, work):
    """One run: its raw record."""
    usage = work / "usage"
    usage.unlink(missing_ok=True)
    command = [launcher, usage, program, *benchmark.arguments]
    output, errors, status = harness.run_group(
        command, TIMEOUT, env=environment(variant, benchmark), cwd=work, stderr=subprocess.PIPE
    )
    if status is None:
        return {"variant": variant.name, "failed": f"no end after {TIMEOUT} seconds"}
    return {"variant": variant.name, **read(usage, output, errors, benchmark)}


def read(usage, output, errors, benchmark):
    status, user, system, wall, memory = map(int, usage.read_text(encoding="ascii").split())
    if status != 0:
        code = os.waitstatus_to_exitcode(status)
        return {"failed": f"status {code}", "output": errors.decode(errors="replace")[-2000:]}
    record = {"user_us": user, "system_us": system, "wall_us": wall, "memory_kb": memory}
    if benchmark.per_operation:
        cpu, elapsed, operations = map(int, output.split())
        record |= {"loop_cpu_ns": cpu, "loop_wall_ns": elapsed, "operations": operations}
    return record
