# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records of violations for the pages that check-browser looks at."""

import json

# Each is a name as a program could have it, through a debugger's symbols or a file's name.
HOSTILE = [
    "<script>hostile()</script>",
    '"><img src="x" onerror="hostile()">',
    "' onmouseover='hostile()",
    "</script></pre></code><h1>big</h1>",
    "]]>*/ //--> <!-- &lt;b&gt; &amp;",
    "${hostile()} `hostile()` \\u003cb\\u003e",
]
TURNING = "user\u202enimda\u2066"


def frame(function, file, line):
    return {"pc": "0x1", "function": function, "file": file, "line": line}


def access(kind, thread, name, place):
    return {
        "kind": kind,
        "order": "relaxed",
        "atomic": True,
        "size": 4,
        "address": "0x1000",
        "thread": thread,
        "name": name,
        "place": place,
        "stack": [place],
    }


def violation(function, file, line, steps=4, threads=2, name="flag", targets=None, cause=None):
    """A record with a cycle of that length. `cause` is the function that lacks a fence."""
    made = []
    for i in range(steps):
        place = frame(f"{function}" if i == 0 else f"{function}.{i}", file, line + 10 * i)
        made.append((access("read" if i % 2 else "write", i % threads, name, place), place))
    record = {
        "rsan_report": 1,
        "type": "robustness violation",
        "pid": 1,
        "program": "/p",
        "accesses": [made[-1][0], made[0][0]],
        "stale": "0x0",
        "seen": "0x1",
        "location": {"kind": "global", "name": name, "address": "0x1000", "size": 4},
        "threads": [{"id": i, "name": name} for i in range(threads)],
        "cycle": {
            "complete": True,
            "steps": [
                {"thread": i % threads, "access": one, "frame": place, "place": place, "stack": [place],
                 "to_next": "from-read" if i % 2 else "program order"}
                for i, (one, place) in enumerate(made)
            ],
        },
    }  # fmt: skip
    if targets:
        record["targets"] = targets
    if cause:
        place = frame(cause, file, line + 1)
        record["repairs"] = [{"kind": "fence", "position": "after", "order": "seq_cst", "step": 0, "frame": place,
                              "place": place, "stack": [place]}]  # fmt: skip
    return record


def write(path, records):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(record, separators=(",", ":")) + "\n" for record in records)


def ordinary(source):
    """Two files, five functions and more, three machines, two groups; and a cycle that is long and wide."""
    yield violation("push", source, 10, targets={"c11": "yes", "x86": "no", "armv8": "may"}, cause="push")
    yield violation("pop", source, 210, targets={"c11": "yes", "x86": "yes", "armv8": "yes"}, cause="pop")
    yield violation("pop", "elsewhere.c", 10, targets={"c11": "yes", "x86": "yes"}, cause="pop")
    yield violation("reclaim", "elsewhere.c", 310)
    yield violation("long", source, 1000, steps=120, threads=9)


def hostile(source):
    for i, name in enumerate(HOSTILE + [TURNING]):
        targets = {"c11": "yes"} if i > 0 else None
        yield violation(name, source if i == 0 else name, 1, name=name, targets=targets, cause=name)


def many(source, count):
    for i in range(count):
        yield violation(f"function{i}", source, 1 + 20 * i, steps=6, threads=3, cause=f"function{i}",
                        targets={"c11": "yes", "x86": "no"})  # fmt: skip
