# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Do the files of the core (rsan/) depend on each other in one direction? One line for each breach.

usage: check_core.py [DOCUMENT] FOLDER   checks the core in FOLDER; exit status 1 where there is a breach
       check_core.py --list FOLDER       prints the exceptions that it needs, as in EXCEPTIONS
       check_core.py --calls FOLDER      checks that there is no circle of calls in FOLDER, which is not the core

1. There is no circle of includes between files, and none of calls. A source and the header of the
   same name are one file here; a call is the name of another file's function in a function's body.
2. Includes and calls go down the LAYERS or stay in one, where no two folders need each other.
3. The DOCUMENT's list of an access's way through the files (lines `1. `file`: ...`) has each once, and
   each is called or included by one before it.
4. `explicit` is in names of EXPLICIT alone: the room of the explicit clocks, and the door to it.
5. What a fast answer rests on, the members of the structs of FAST, is named there and in fast/ alone: others
   say by its functions what they do.

What breaks this today stands in EXCEPTIONS. That list may only shrink: an exception that is not
needed any more is a breach, too.
"""

import collections
import fnmatch
import os
import re
import sys

from sources import COMMENT_OR_STRING, INCLUDE, blank, calls, read_sources

# From above to below, with patterns of files (without .c and .h). A file is in the last layer that
# has a pattern for it; PUBLIC headers are in the lowest one.
LAYERS = (
    ("schedules", ("schedule/*",)),
    ("the order of steps", ("engine/*",)),
    ("departures", ("weak/*",)),
    ("short cuts", ("fast/*",)),
    ("steps", ("steps/*",)),
    ("rooms", ("seqcst/*", "machines/*", "explain/*")),
    ("memory", ("memory/*",)),
    ("execution graphs", ("graph/*",)),
    ("clocks", ("race/*", "lc/*")),
    ("base", ("base/*",)),
    ("the processor", ("processor/*",)),
)
PUBLIC = ("engine.h", "event.h", "options.h", "violation.h", "stats.h", "host.h", "limits.h",
          "condition.h", "memorder.h", "explanation.h")
FAST = "base/fast.h"  # and the folder fast/
EXPLICIT = ("lc/explicit", "seqcst/explicit", "steps/reference")
NOT_EXPLICIT = re.compile(r"atomic_\w+_explicit|RSAN_CLOCKS_EXPLICIT")  # C's own, and the option's value

# In lines of --list: what is wrong, the file, and those that it needs (or how often it says explicit).
EXCEPTIONS = """
"""


def node(path):
    return path if path in PUBLIC else os.path.splitext(path)[0]


def includes(texts):
    edges = collections.defaultdict(set)
    for path, text in texts.items():
        for name in INCLUDE.findall(text):
            beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
            edges[node(path)].add(node(beside if beside in texts else name))
        edges[node(path)].discard(node(path))
    return edges


def call_edges(root, texts):
    edges = collections.defaultdict(set)
    for path, target, _ in calls(root, texts):
        if node(path) != node(target):
            edges[node(path)].add(node(target))
    return edges


def way(edges, start, end):
    """The shortest way from one file to another, or []."""
    came, left = {start: None}, [start]
    for here in left:
        for to in sorted(edges.get(here, set()) - came.keys()):
            came[to] = here
            left.append(to)
    steps = [end] if end in came else []
    while steps and steps[0] != start:
        steps.insert(0, came[steps[0]])
    return steps


def in_circles(edges):
    """The edges that are part of a circle."""
    return [(a, b) for a in edges for b in edges[a] if way(edges, b, a)]


def layer(name):
    """From 0, the highest; None: no layer has the file."""
    fitting = [i for i, (_, patterns) in enumerate(LAYERS) if any(fnmatch.fnmatch(name, p) for p in patterns)]
    return len(LAYERS) - 1 if name in PUBLIC else max(fitting, default=None)


def breaches(root):
    """What is wrong, by kind and file."""
    texts = read_sources(root, (".c", ".h"))
    found = collections.defaultdict(set)
    folders = collections.defaultdict(set)
    homeless = {node(path) for path in texts if layer(node(path)) is None}
    for name in homeless:
        found["no layer", name].add("LAYERS")
    for what, edges in (("include", includes(texts)), ("call", call_edges(root, texts))):
        for a, b in in_circles(edges):
            found["circle of " + what + "s", a].add(b)
        for a, b in ((a, b) for a in edges for b in edges[a] if not homeless & {a, b}):
            if layer(a) > layer(b):
                found[what + " upwards", a].add(b)
            elif layer(a) == layer(b) and os.path.dirname(a) != os.path.dirname(b) and not {a, b} & set(PUBLIC):
                folders[os.path.dirname(a)].add(os.path.dirname(b))
    for a, b in in_circles(folders):
        found["circle of folders", a or "."].add(b or ".")
    for path, text in texts.items():
        code = "\n".join([COMMENT_OR_STRING.sub(blank, text), *INCLUDE.findall(text)])
        words = re.findall(r"\w*explicit\w*", code, re.I)
        count = sum(not NOT_EXPLICIT.fullmatch(word) for word in words)
        if count and node(path) not in EXPLICIT:
            found["explicit", path].add(str(count))
    members = fast_members(texts)
    for path, text in texts.items():
        named = members & set(re.findall(r"(?:->|\.)\s*(\w+)", COMMENT_OR_STRING.sub(blank, text)))
        if named and path != FAST and os.path.dirname(path) != "fast":
            found["fast", path] |= named
    return found


def fast_members(texts):
    structs = re.findall(r"\bstruct rsan_fast_\w+ \{(.*?)\}", COMMENT_OR_STRING.sub(blank, texts.get(FAST, "")), re.S)
    return {name for struct in structs for name in re.findall(r"(\w+)\s*(?:\[\w+\])?\s*[,;]", struct)}


def way_breaches(root, text):
    """What is wrong with the list of files in a document."""
    texts = read_sources(root, (".c", ".h"))
    edges = [includes(texts), call_edges(root, texts)]
    listed = re.findall(r"^\d+\. `([\w/]+\.[ch])`", text, re.M)
    if not listed:
        yield "no list of files"
    for i, path in enumerate(listed):
        before = {node(name) for name in listed[:i]}
        if path not in texts:
            yield f"the way: there is no {path}"
        elif node(path) in before:
            yield f"the way: {path} is there twice"
        elif i and not any(node(path) in edge[name] for edge in edges for name in before):
            yield f"the way: no file before {path} needs it"


def read_exceptions(text):
    """The same form as breaches()."""
    exceptions = collections.defaultdict(set)
    for line in text.strip().splitlines():
        kind, rest = line.split(": ")
        name, needs = rest.split(" -> ")
        exceptions[kind, name] |= set(needs.split())
    return exceptions


def compare(found, exceptions):
    circles = collections.defaultdict(lambda: collections.defaultdict(set))
    for kind, name in sorted(found.keys() | exceptions.keys()):
        here, excepted = found.get((kind, name), set()), exceptions.get((kind, name), set())
        if kind.startswith("circle"):
            circles[kind][name] |= here
        elif here - excepted:
            yield f"{kind}: {name} -> {' '.join(sorted(here - excepted))}"
        if excepted - here:
            yield f"an exception that is not needed: {kind}: {name} -> {' '.join(sorted(excepted - here))}"
    for kind, edges in circles.items():  # the shortest one
        new = [(a, b) for a in edges for b in edges[a] - exceptions.get((kind, a), set())]
        if new:
            _, shortest = min((len(steps), steps) for steps in ([a, *way(edges, b, a)] for a, b in new))
            yield f"{kind}: {' -> '.join(shortest)}"


def circles_of_calls(root):
    """A line for each call in a circle of files, with the shortest way back."""
    edges = call_edges(root, read_sources(root, (".c", ".h")))
    return [f"circle of calls: {' -> '.join([a, *way(edges, b, a)])}" for a, b in sorted(in_circles(edges))]


def list_all(found):
    return [f"{kind}: {name} -> {' '.join(sorted(needs))}" for (kind, name), needs in sorted(found.items())]


def main(arguments):
    if not arguments or not os.path.isdir(arguments[-1]):
        print(__doc__, file=sys.stderr)
        return 2
    if "--calls" in arguments:
        return tell(circles_of_calls(arguments[-1]))
    found = breaches(arguments[-1])
    if "--list" in arguments:
        print(*list_all(found), sep="\n")
        return 0
    wrong = list(compare(found, read_exceptions(EXCEPTIONS)))
    if len(arguments) > 1:
        with open(arguments[0], encoding="utf-8") as document:
            wrong += way_breaches(arguments[-1], document.read())
    return tell(wrong)


def tell(wrong):
    """The exit status."""
    for line in wrong:
        print(line)
    print(f"{len(wrong)} breaches" + (": see the head of check_core.py" if wrong else ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
