# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""stand_in.py WORK PROGRAM [ARGUMENT...]: in place of a program for another machine.

WORK/mode says what to do. 'record': writes to WORK/calls how the program was called, and ends with status 0. Else it names
the folder with what came of the calls in the machine: prints the same, and ends with the same status. Which call it is
follows from the program's name, and from how often it was called before.
"""

import json
import os
import sys

MISSING = 125


def number_of_call(counters, name):
    """This call is the n-th one."""
    with open(os.path.join(counters, name), "ab") as file:
        file.write(b".")
        return file.tell()


def same_file(one, other):
    a, b = os.fstat(one), os.fstat(other)
    return (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino)


def record(path, program, arguments):
    options = {name: value for name, value in os.environ.items() if name.endswith(("SAN_OPTIONS", "SYMBOLIZER_OPTS"))}
    call = {
        "program": program,
        "arguments": arguments,
        "folder": os.getcwd(),
        "environment": options,
        "merged": same_file(1, 2),
    }
    with open(path + ".json", "w", encoding="utf-8") as file:
        json.dump(call, file)
    os.link(program + ".aarch64", path + ".program")  # another one may get its name
    return 0


def replay(folder, name):
    try:
        with open(os.path.join(folder, name + ".status"), encoding="ascii") as file:
            status = int(file.read().split()[0])
    except FileNotFoundError:
        print(f"stand_in.py: {name} was not called in the machine", file=sys.stderr)
        return MISSING
    for stream, to in (("out", 1), ("err", 2)):
        with open(os.path.join(folder, f"{name}.{stream}"), "rb") as file:
            text = file.read()
        while text:
            text = text[os.write(to, text) :]
    return status


def main(work, program, *arguments):
    program = os.path.realpath(program)
    with open(os.path.join(work, "mode"), encoding="utf-8") as file:
        mode = file.read()
    name = os.path.relpath(program, work).replace("/", "+")
    name += f"+{number_of_call(os.path.join(work, 'counters'), name)}"
    if mode == "record":
        return record(os.path.join(work, "calls", name), program, arguments)
    return replay(mode, name)


sys.exit(main(*sys.argv[1:]))
