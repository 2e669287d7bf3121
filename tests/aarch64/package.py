# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Debian package for arm64: what its files are for, and the steps of use-package on the emulated machine, one call each."""

import re
import shutil
import subprocess

import machine
import suites

SCRIPT = suites.HERE / "use-package"
EXAMPLES = suites.ROOT / "examples"
LEAST = 8  # files with code: five programs, two plugins, the runtime in more than one form
STEP = re.compile(r"^step_(\w+)\(\)", re.M)


def read_elf(readelf, file):
    """The processors that the file's code is for: of a program, a library, or an archive's members."""
    done = subprocess.run([readelf, "-h", file], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return set(re.findall(r"^ *Machine: *(.*)$", done.stdout, re.M))


def wrong_files(package, folder, llvm):
    """What is wrong with the package's files, or None."""
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["dpkg-deb", "--extract", package, folder], check=True)
    architecture = subprocess.run(["dpkg-deb", "--field", package, "Architecture"], stdout=subprocess.PIPE, text=True, check=True)
    code, wrong = 0, []
    for file in sorted(folder.glob("**/*")):
        target = file.readlink() if file.is_symlink() else None
        if target and "x86_64" in target.name:
            wrong.append(f"{file}: a link to {target}")
        elif not target and file.is_file() and (processors := read_elf(llvm / "bin" / "llvm-readelf", file)):
            code += 1
            if processors != {"AArch64"}:
                wrong.append(f"{file}: for {', '.join(sorted(processors))}")
    if architecture.stdout.strip() != "arm64" or code < LEAST:
        wrong.append(f"{package}: for {architecture.stdout.strip()}, with {code} files of code")
    return "\n".join(wrong) or None


def calls(only):
    steps = STEP.findall(SCRIPT.read_text(encoding="utf-8"))
    made = [machine.Call(f"package {step}", SCRIPT, "/srv/use-package", [step, str(EXAMPLES)], "/srv", group=step) for step in steps]
    return [call for call in made if only.search(call.key)]


def run(package, setup, work, tell):
    """The calls, and what came of them."""
    system = work / "machine"
    subprocess.run([suites.HERE / "get-system", system, setup.major, package], check=True)
    made = calls(setup.only)
    files = sorted([*EXAMPLES.glob("*.c"), *EXAMPLES.glob("*.h")])
    return made, machine.run(made, files, "max", system, work, tell)
