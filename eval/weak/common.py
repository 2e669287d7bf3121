# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the scripts of this folder share: their options --build and --out, and the compiler's command."""
import argparse
import pathlib
import subprocess
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
SYNTHETIC = ROOT / "eval/synthetic"


def parser(description):
    made = argparse.ArgumentParser(
        description=description, usage=argparse.SUPPRESS, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    made.add_argument("--out", type=pathlib.Path)
    return made


def parse(made, folder):
    """The arguments; `out` exists, and is BUILD/eval/FOLDER if not given."""
    arguments = made.parse_args()
    arguments.build = arguments.build.resolve()
    arguments.out = (arguments.out or arguments.build / "eval" / folder).resolve()
    arguments.out.mkdir(parents=True, exist_ok=True)
    return arguments


def check_names(made, names, known):
    """Ends the program with one line if a name is not among those that are known."""
    unknown = [name for name in names if name not in known]
    if unknown:
        made.error(f"no such name: {', '.join(unknown)}; there are: {', '.join(known)}")


def compile_c(build, source, output, *flags):
    command = [build / "bin/rsan-clang", "-fsanitize=robustness", "-g", "-O1", "-pthread", *flags, source, "-o", output]
    subprocess.run(command, check=True)
    return output


def synthetic():
    """{name: what programs.toml says of it}"""
    with open(SYNTHETIC / "programs.toml", "rb") as file:
        return tomllib.load(file)
