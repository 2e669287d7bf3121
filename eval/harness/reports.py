# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads ThreadSanitizer's and RSan's reports, written with stack_trace_format="    #%n %S %f".

A report is reduced to its kind and two sites: for a data race those of the two accesses, in
alphabetic order; for a robustness violation the access, then the write that it may miss. A site is
`FILE:LINE FUNCTION`, the innermost frame in the library under test or in its driver: frames
elsewhere (the C++ library, the runtime), and those that match a wrapper, are passed over. FILE is
relative to its root, FUNCTION has no template or function arguments.
"""
import re

UNKNOWN = "?"
HEAD = re.compile(r"^WARNING: ThreadSanitizer: (.*?) \(pid=\d+\)")
FRAME = re.compile(r"^ +#\d+ (\S+) (.*)$")
STACK = re.compile(r"^  (?!\s)")  # the line above a stack
FOREIGN = re.compile(r"^  (Location|Thread|Mutex|Goroutine|As if synchronized)")
OPERATOR = re.compile(r"operator(<=>|<<=?|>>=?|->\*?|<=?|>=?|\(\))")


def plain_name(name):
    """A qualified name without the arguments of templates and of the function, and without its result's type."""
    name = OPERATOR.sub("operator", name).replace("(anonymous namespace)", "anonymous")
    kept, depth = [], 0
    for char in name:
        if char == "<":
            depth += 1
        elif char == ">":
            depth -= 1
        elif char == "(" and depth == 0:
            break
        elif depth == 0:
            kept.append(char)
    text = re.sub(r"\boperator .*", "operator", "".join(kept))
    # A lambda in a template: its name is as good as none, and too long for the demangler.
    return UNKNOWN if text.startswith("_Z") else text.split(" ")[-1] or UNKNOWN


class Sites:
    """Turns frames into sites; `roots` are folders whose files count, `wrappers` are expressions of sites passed over."""

    def __init__(self, roots, wrappers=()):
        self.roots = [str(root).rstrip("/") + "/" for root in roots]
        self.wrappers = [re.compile(wrapper) for wrapper in wrappers]

    def of_frame(self, place, function):
        match = re.match(r"(.*?)(?::(\d+))?(?::\d+)?$", place)
        path, line = match.group(1), match.group(2) or "0"
        for root in self.roots:
            if path.startswith(root):
                path = path[len(root):]
                site = f"{path}:{line} {plain_name(function)}"
                return None if any(wrapper.search(site) for wrapper in self.wrappers) else site
        return None

    def of_stack(self, frames):
        return next(filter(None, (self.of_frame(*frame) for frame in frames)), UNKNOWN)


def split(text):
    """Yields (kind, stacks) of each report; a stack is a list of (place, function)."""
    kind, stacks, current = None, [], None
    for line in text.splitlines():
        head = HEAD.match(line)
        if head:
            kind, stacks, current = head.group(1), [], None
        elif line.startswith("SUMMARY: ThreadSanitizer:") and kind:
            yield kind, stacks
            kind = None
        elif kind and FRAME.match(line):
            if current is not None:
                current.append(FRAME.match(line).groups())
        elif kind and STACK.match(line):
            current = None
            if line.endswith(":") and not FOREIGN.match(line):
                current = []
                stacks.append(current)
    if kind:
        yield kind, stacks  # cut off


def read(text, sites):
    """The distinct reports of a run: {"kind", "sites", "count"}."""
    found = {}
    for kind, stacks in split(text):
        both = [sites.of_stack(stack) for stack in stacks[:2]]
        both += [UNKNOWN] * (2 - len(both))
        if kind != "robustness violation":
            both.sort()
        found[kind, *both] = found.get((kind, *both), 0) + 1
    return [{"kind": key[0], "sites": list(key[1:]), "count": count} for key, count in sorted(found.items())]
