# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a C file for each litmus program of the tables, and prints the names of the programs.

usage: generate.py FOLDER FIND TABLE...

FIND is a C file more, which finds a program by its name: there each is litmus_NAME, with _ for what
is neither letter nor digit.

An entry of a table begins with a line `NAME: what it is`. These follow it, indented by two blanks;
a line that is indented further continues the one before it:

    Verdict:, Why:, Twin:   the head of the file, see litmus.h
    Flagged: SCHEDULES      the schedules that are to be flagged, or to race
    Weak: EXPRESSION        true of the result that no sequentially consistent run has
    Shared: DECLARATIONS    what the threads share beside atomic_ints, registers and the mutex
    Init: STATEMENTS        before the threads start
    0: STATEMENTS           what thread 0 does; and so on
    both: STATEMENTS        what two threads do: self is 0 and 1, mine x and y, other y and x
    Stack:                  everything is on the stack of thread 0, which creates thread 1

Statements are C. What is shared is called by its name alone, and r0, r1 ... are registers. Each of
these operations is a step of its own, and has one of the orders rlx, acq, rel, ar (acq_rel), sc:

    st LOCATION ORDER VALUE              store
    ld LOCATION ORDER                    load, an expression
    xc, fa, fs LOCATION ORDER VALUE      exchange, fetch_add, fetch_sub
    cs, cw LOCATION SUCCESS FAILURE EXPECTED VALUE
                                         strong and weak compare-exchange; EXPECTED is a variable
    fn ORDER                             fence
    lk, ul                               lock and unlock the mutex m

A statement has at most one of them. `step STATEMENT` makes another one a step.
"""

import os
import re
import sys

ORDERS = {"rlx": "relaxed", "acq": "acquire", "rel": "release", "ar": "acq_rel", "sc": "seq_cst"}
CALLS = {
    "ld": "load",
    "st": "store",
    "xc": "exchange",
    "fa": "fetch_add",
    "fs": "fetch_sub",
    "cs": "compare_exchange_strong",
    "cw": "compare_exchange_weak",
}
ACCESS = re.compile(rf"\b({'|'.join(CALLS)}) ((\w+)(?:\[\w+\])?)((?: (?:{'|'.join(ORDERS)})\b)+)")
FENCE = re.compile(rf"\bfn ({'|'.join(ORDERS)})\b")
VALUE = re.compile(r" ([^(){};]+)")
MUTEX = {"lk;": "lock", "ul;": "unlock"}
LOCAL = ("mine", "other")
HEAD = """\
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// {head}

#include "litmus.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

"""
ON_STACK = """\
static void *child(void *memory) {
  litmus_enter(1);
  thread_1(memory);
  litmus_leave();
  return NULL;
}

static void parent(void *memory) {
  struct shared *result = memory, local = {0};
  pthread_t thread;
  if (pthread_create(&thread, NULL, child, &local) != 0)
    abort();
  thread_0(&local);
  litmus_leave();
  pthread_join(thread, NULL);
  result->r[0] = local.r[0];
  result->r[1] = local.r[1];
}

"""


class Program:
    def __init__(self, name, what):
        self.name, self.parts = name, {}
        self.head = [f"{name}: {what}"]

    def text(self, key):
        return " ".join(self.parts.get(key, []))

    def bodies(self):
        return [key for key in self.parts if key.isdigit() or key == "both"]


def read_table(path):
    programs, key = [], None
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    for number, line in enumerate(lines, 1):
        name = re.match(r"(\S+): (.+)", line)
        part = re.match(r"  (Verdict|Why|Twin|Flagged|Weak|Shared|Init|Stack|both|\d):(?: (.+))?$", line)
        if not line or line.startswith("#"):
            key = None
        elif name and name.group(1) not in [program.name for program in programs]:
            programs.append(Program(*name.groups()))
        elif part and programs:
            key = part.group(1)
            programs[-1].parts[key] = [part.group(2) or ""]
        elif line.startswith("    ") and programs and key:
            programs[-1].parts[key].append(line.strip())
        elif line.startswith("    ") and programs:
            programs[-1].head.append(line.strip())
        else:
            sys.exit(f"{path}:{number}: no line of a table; the head of generate.py says what is")
        if part and key in ("Verdict", "Why", "Twin") or line.startswith("    ") and key == "Why":
            programs[-1].head.append(line.strip() if part else "  " + line.strip())
    return programs


def declarations(program):
    """The members of the shared structure."""
    said = program.text("Shared")
    code = " ".join(program.text(key) for key in program.bodies())
    atomics = {match.group(3) for match in ACCESS.finditer(code)} - set(LOCAL)
    if re.search(r"\b(mine|other)\b", code):
        atomics |= {"x", "y"}
    atomics -= set(members_of([said]))
    registers = [int(digit) for digit in re.findall(r"\br(\d)\b", code)] + [1] * ("r[self]" in code)
    members = [f"atomic_int {', '.join(sorted(atomics))};"] if atomics else []
    members += ["pthread_mutex_t m;"] if re.search(r"\b(lk|ul)\b", code) else []
    members += [said] if said else []
    return members + ([f"int r[{max(registers) + 1}];"] if registers else [])


def members_of(declared):
    return re.findall(r"(\w+)(?:\[\d+\])?(?=[,;])", re.sub(r"\{.*?\}", "", " ".join(declared)))


def with_members(code, members):
    code = re.sub(r"\br(\d)\b", r"r[\1]", code)
    return re.sub(rf"(?<![\w>.])({'|'.join(members)})\b", r"s->\1", code)


def statements(text):
    """The statements, each with its `;`, `{` or `}`."""
    depth, begin = 0, 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if depth == 0 and char in ";{}":
            yield text[begin : at + 1].strip()
            begin = at + 1
    if text[begin:].strip():
        yield text[begin:].strip() + ";"


def in_c(statement):
    """The statement without the words of its own language."""
    access = ACCESS.search(statement)
    if not access:
        return FENCE.sub(lambda fence: f"atomic_thread_fence(memory_order_{ORDERS[fence.group(1)]})", statement)
    word, location, _, orders = access.groups()
    end, values = access.end(), []
    if word != "ld":
        value = VALUE.match(statement, end)
        end, values = value.end(), [value.group(1)]
    if word in ("cs", "cw"):
        expected, desired = values[0].split(" ", 1)
        values = ["&" + expected, desired]
    place = location if location in LOCAL else "&" + location
    arguments = [place, *values, *("memory_order_" + ORDERS[order] for order in orders.split())]
    return f"{statement[: access.start()]}atomic_{CALLS[word]}_explicit({', '.join(arguments)}){statement[end:]}"


def body(text, members):
    """The lines of C."""
    depth, lines = 1, []
    for statement in statements(text):
        depth -= statement.startswith("}")
        margin = "  " * depth
        if statement in MUTEX:
            lines += [f"{margin}step_{MUTEX[statement]}(&s->m);", f"{margin}pthread_mutex_{MUTEX[statement]}(&s->m);"]
            continue
        code = re.sub(r"^step ?;?", "", statement)
        if code != statement or ACCESS.search(code) or FENCE.search(code):
            lines.append(margin + "step();")
        if code:
            lines.append(margin + with_members(in_c(code), members))
        depth += statement.endswith("{")
    return lines


def function(head, lines):
    return "\n".join([f"static {head} {{", *lines, "}", "", ""])


def threads(program, members):
    """The functions of the threads, and how many there are."""
    shared = "  struct shared *s = shared;"
    if "both" not in program.parts:
        bodies = [body(program.text(key), members) for key in program.bodies()]
        texts = [function(f"void thread_{i}(void *shared)", [shared, *lines]) for i, lines in enumerate(bodies)]
        return "".join(texts), len(texts)
    code = program.text("both")
    lines = body(code, members)
    for name, of_0, of_1 in (("other", "y", "x"), ("mine", "x", "y")):
        if re.search(rf"\b{name}\b", code):
            lines.insert(0, f"  atomic_int *{name} = self == 0 ? &s->{of_0} : &s->{of_1};")
    text = function("void both(struct shared *s, int self)", lines)
    return text + "".join(function(f"void thread_{i}(void *shared)", [f"  both(shared, {i});"]) for i in (0, 1)), 2


def generate(program):
    declared = declarations(program)
    members = members_of(declared)
    text = HEAD.format(head="\n// ".join(program.head))
    text += "\n".join(["struct shared {", *("  " + member for member in declared), "};", "", ""])
    of_threads, count = threads(program, members)
    text += of_threads
    fields = [".size = sizeof(struct shared)", f".threads = {count}"]
    names = ", ".join(f"thread_{i}" for i in range(count))
    if "Stack" in program.parts:
        text += ON_STACK
        names = "parent"
        fields.append(".children = 1")
    fields.append(f".thread = {{{names}}}")
    mutex = "m" in members
    if mutex or "Init" in program.parts:
        lines = ["  struct shared *s = shared;"] + (["  pthread_mutex_init(&s->m, NULL);"] if mutex else [])
        text += function("void init(void *shared)", lines + body(program.text("Init"), members))
        fields.append(".init = init")
    if mutex:
        text += function("void fini(void *shared)", ["  struct shared *s = shared;", "  pthread_mutex_destroy(&s->m);"])
        fields.append(".fini = fini")
    if "Weak" in program.parts:
        returns = f"  return {with_members(program.text('Weak'), members)};"
        text += function("int weak(const void *shared)", ["  const struct shared *s = shared;", returns])
        fields.append(".weak = weak")
    if "Flagged" in program.parts:
        fields.append(f'.flagged = "{program.text("Flagged")}"')
    return text + "const struct litmus litmus_program = {\n    " + ",\n    ".join(fields) + ",\n};\n"


def generate_find(programs):
    known = {program.name: "litmus_" + re.sub(r"\W", "_", program.name) for program in programs}
    lines = [f"extern const struct litmus {symbol};" for symbol in known.values()]
    lines += ["const struct litmus *litmus_find(const char *name);", ""]
    lines += ["const struct litmus *litmus_find(const char *name) {"]
    lines += [f'  if (strcmp(name, "{name}") == 0)\n    return &{symbol};' for name, symbol in known.items()]
    return '#include "litmus.h"\n\n#include <string.h>\n\n' + "\n".join([*lines, "  return NULL;", "}", ""])


def write(path, text):
    """Keeps the file's date where nothing has changed."""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main(folder, find, *tables):
    os.makedirs(folder, exist_ok=True)
    programs = [program for table in tables for program in read_table(table)]
    for program in programs:
        write(os.path.join(folder, program.name + ".c"), generate(program))
    write(find, generate_find(programs))
    for old in set(os.listdir(folder)) - {program.name + ".c" for program in programs}:
        os.remove(os.path.join(folder, old))
    print(";".join(program.name for program in programs))


if __name__ == "__main__":
    main(*sys.argv[1:])
