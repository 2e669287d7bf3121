# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other tools on the same algorithms: Relacy (eval/others/relacy.cpp) and Spin (eval/others/dekker.pml).

The raw record: `verdicts`, a list of [program, version, what the tool found].
"""
import pathlib
import re
import shutil
import subprocess
import sys

import programs
import raw
from tables import row

OTHERS = pathlib.Path(__file__).resolve().parents[1] / "others"
RELACY = pathlib.Path("/usr/include/relacy")
ITERATIONS = 1_000_000
MODELS = {
    ("Dekker's entry", "robust"): (),
    ("Dekker's entry", "weakened"): ("-DWEAKENED",),
    ("Dekker's entry, store buffers modelled", "robust"): ("-DTSO",),
    ("Dekker's entry, store buffers modelled", "weakened"): ("-DTSO", "-DWEAKENED"),
}


def output_of(*command, folder=None):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def relacy(folder):
    binary = folder / "relacy"
    source = OTHERS / "relacy.cpp"
    subprocess.run(["clang++-19", "-std=c++11", "-w", "-O1", source, "-o", binary], check=True)
    titles = {one.name: one.title for one in programs.load_all()}
    found = []
    for line in output_of(binary, str(ITERATIONS)).splitlines():
        name, version, iteration = line.split()
        told = f"assertion fails in iteration {iteration}" if iteration != "0" else f"nothing in {ITERATIONS:,} iterations"
        found.append([titles[name], version, told])
    return {"verdicts": found}


def spin(folder):
    found = []
    preprocessor = "-Pclang-19 -E -x c"  # else gcc, which is not there
    for (name, version), flags in MODELS.items():
        command = ["spin", preprocessor, *flags, "-a", OTHERS / "dekker.pml"]
        subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=True)
        subprocess.run(["clang-19", "-w", "-O1", "-DSAFETY", "-o", "pan", "pan.c"], cwd=folder, check=True)
        text = output_of("./pan", folder=folder)
        errors = int(re.search(r"errors: (\d+)", text).group(1))
        states = int(re.search(r"(\d+) states, stored", text).group(1))
        found.append([name, version, "assertion fails" if errors else f"nothing in all {states} states"])
    return {"verdicts": found}


def run(work, results):
    found = {"relacy-dev": RELACY.is_dir(), "spin": shutil.which("spin") is not None}
    missing = " and ".join(name for name, there in found.items() if not there)
    if missing:
        sys.exit(f"eval: error: {missing} not installed; eval/run fetch does that")
    folder = work / "others"
    folder.mkdir(parents=True, exist_ok=True)
    file = raw.File(results / "others.jsonl")
    made = raw.digest(OTHERS / "relacy.cpp", OTHERS / "dekker.pml")
    for name, way in (("Relacy", relacy), ("Spin", spin)):
        file.unit({"tool": name}, made, lambda way=way: way(folder))


def table(records):
    lines = [row(["tool", "program", "robust", "weakened"]), row(["---"] * 4)]
    for record in records.values():
        by_name = {}
        for name, version, told in record["verdicts"]:
            by_name.setdefault(name, {})[version] = told
        for name, told in by_name.items():
            lines.append(row([record["key"]["tool"], name, told["robust"], told["weakened"]]))
    return lines
