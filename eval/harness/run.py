# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Toolchains, and one run of a program under one of them."""
import contextlib
import dataclasses
import os
import pathlib
import platform
import shutil
import signal
import subprocess
import time

import reports

# The exit code is the program's own; a second race at an address counts, too; stacks are as reports.py reads them.
OPTIONS = (
    "exitcode=0 atexit_sleep_ms=0 history_size=7 suppress_equal_addresses=0 allow_addr2line=0 "
    'stack_trace_format="    #%n %S %f"'
)
TIMEOUT = 300


@dataclasses.dataclass(frozen=True)
class Toolchain:
    name: str
    compiler: str
    flag: str
    files: tuple  # a program older than these is built anew


def release_of_llvm(build):
    """Returns the release of LLVM that the build was made with."""
    return max(int(folder.name) for folder in (build / "lib/clang").glob("[0-9]*"))


def toolchains(build):
    rsan = build / "bin/rsan-clang++"
    if not rsan.exists():
        raise FileNotFoundError(f"{rsan} is missing: build RSan first, or give --build")
    llvm = release_of_llvm(build)
    stock = pathlib.Path(shutil.which(f"clang++-{llvm}") or f"/usr/lib/llvm-{llvm}/bin/clang++")
    runtimes = sorted((build / f"lib/clang/{llvm}/lib/linux").glob("libclang_rt.rsan*.a"))
    return {
        "tsan": Toolchain("tsan", str(stock), "-fsanitize=thread", (stock,)),
        "rsan": Toolchain("rsan", str(rsan), "-fsanitize=robustness", (rsan, *runtimes)),
    }


def environment(options, rsan_options):
    """What the caller has set for other programs must not decide a run. RSan reads both."""
    variables = {name: value for name, value in os.environ.items() if not name.endswith("SAN_OPTIONS")}
    symbolizer = shutil.which("llvm-symbolizer-19")
    variables["TSAN_OPTIONS"] = f"{OPTIONS} external_symbolizer_path={symbolizer} {options}"
    variables["RSAN_OPTIONS"] = rsan_options
    return variables


def run(program, arguments, options, rsan_options, log):
    """One run. What it printed goes to `log`; returns its record without the reports."""
    variables = environment(options, rsan_options)
    begin = time.monotonic()
    with open(log, "wb") as file:
        try:
            done = subprocess.run(
                [program, *arguments], env=variables, stdout=file, stderr=subprocess.STDOUT, timeout=TIMEOUT, check=False
            )
            status = done.returncode
        except subprocess.TimeoutExpired:
            status = "timeout"
    return {"status": status, "seconds": round(time.monotonic() - begin, 3)}


def run_group(command, timeout, **options):
    """Output, errors and exit status (None: it took more than `timeout` seconds) of a command in a process group of its
    own, of which no process is left, whatever happens."""
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True, **options
    ) as process:
        try:
            return *process.communicate(timeout=timeout), process.returncode
        except BaseException as reason:
            with contextlib.suppress(ProcessLookupError):  # they have just ended
                os.killpg(process.pid, signal.SIGKILL)
            if not isinstance(reason, subprocess.TimeoutExpired):
                raise
            return *process.communicate(), None


def read(log, subject, work):
    text = log.read_text(encoding="utf-8", errors="replace")
    return reports.read(text, reports.Sites(subject.roots(work), subject.wrappers))


def machine():
    """The machine's description for the raw results."""
    info = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = next((line.split(":")[1].strip() for line in info.splitlines() if line.startswith("model name")), "?")
    return {
        "processor": model,
        "processors": os.cpu_count(),
        "kernel": platform.release(),
        "system": platform.freedesktop_os_release().get("PRETTY_NAME", "?"),
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
    }
