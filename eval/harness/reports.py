# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads ThreadSanitizer's and RSan's reports, written with stack_trace_format="    #%n %S %f".

A report is reduced to its kind and two sites: for a data race those of the two accesses, in
alphabetic order; for a robustness violation the access, then the write that it may miss. A site is
`FILE:LINE FUNCTION`, the innermost frame in the library under test or in its driver: frames
elsewhere (the C++ library, the runtime), and those that match a wrapper, are passed over. FILE is
relative to its root, FUNCTION has no template or function arguments. With targets (RSAN_OPTIONS=target=) a report
says which can show it; one that is printed again with a stronger answer counts with that.
"""
import re

UNKNOWN = "?"
HEAD = re.compile(r"^WARNING: ThreadSanitizer: (.*?) \(pid=\d+\)")
FRAME = re.compile(r"^ +#\d+ (\S+) (.*)$")
STACK = re.compile(r"^  (?!\s)")  # the line above a stack
FOREIGN = re.compile(r"^  (Location|Thread|Mutex|Goroutine|As if synchronized)")
OBSERVABLE = re.compile(r"^  Observable on: (.*)")
ANSWER = re.compile(r"([^\s,]+) (yes|may|no)\b")
ANSWERS = ("no", "may", "yes")  # the stronger ones last
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

    def of_record(self, stack):
        """The site of a stack in a record, which is JSON (docs/guide/FORMATS.md)."""
        return self.of_stack((f"{one.get('file', '')}:{one.get('line', 0)}", one.get("function", UNKNOWN)) for one in stack)


def stronger(answers, others):
    """Merges two {target: answer}: the stronger answer for each target."""
    both = [*answers.items(), *others.items()]
    return {name: max((answer for target, answer in both if target == name), key=ANSWERS.index) for name, _ in both}


def split(text):
    """Yields (kind, stacks, targets) of each report; a stack is a list of (place, function), targets {target: answer}."""
    kind, stacks, current, targets = None, [], None, {}
    for line in text.splitlines():
        head = HEAD.match(line)
        if head:
            kind, stacks, current, targets = head.group(1), [], None, {}
        elif line.startswith("SUMMARY: ThreadSanitizer:") and kind:
            yield kind, stacks, targets
            kind = None
        elif kind and FRAME.match(line):
            if current is not None:
                current.append(FRAME.match(line).groups())
        elif kind and OBSERVABLE.match(line):
            targets = dict(ANSWER.findall(OBSERVABLE.match(line).group(1)))
        elif kind and STACK.match(line):
            current = None
            if line.endswith(":") and not FOREIGN.match(line):
                current = []
                stacks.append(current)
    if kind:
        yield kind, stacks, targets  # cut off


def read(text, sites):
    """The distinct reports of a run: {"kind", "sites", "count"}, and "targets" if they were asked."""
    found, answers = {}, {}
    for kind, stacks, targets in split(text):
        both = [sites.of_stack(stack) for stack in stacks[:2]]
        both += [UNKNOWN] * (2 - len(both))
        if kind != "robustness violation":
            both.sort()
        key = (kind, *both)
        found[key] = found.get(key, 0) + 1
        if targets:
            answers[key] = stronger(answers.get(key, {}), targets)
    return [
        {"kind": key[0], "sites": list(key[1:]), "count": count, **({"targets": answers[key]} if key in answers else {})}
        for key, count in sorted(found.items())
    ]
