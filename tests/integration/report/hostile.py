#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes records as an attacker would.

usage: hostile.py texts RECORD      each text of the record's, in turn, is each of PAYLOADS: a record a line
       hostile.py files RECORD NAME...   the record, whose source files are all called NAME: a record a line
       hostile.py names RECORD     the record, with members whose names are PAYLOADS, at its top and in an access
      hostile.py member RECORD PATH TEXT   the record, with that text at a path like schedule.repeat
"""
import copy
import json
import sys

PAYLOADS = (
    "f\nrace:*\nrobustness:*\n#",
    "f\r\nrobustness:*",
    "a\x1b[31mb\x1b]0;title\x07\x9b31m",
    "user\u202enimda\u2066\u061c\u200f",
    "a\u2028b\u2029c",
    "::error file=a::b",
    "x\n::error::b",
    "##vso[task.setvariable variable=PATH]/tmp ##[error]",
    "</script><script>alert(1)</script>",
    "'; touch pwned; '",
    "\"onmouseover=\"x",
    "x" * 100000,
    "%n%s%d",
    "",
)


def texts_of(item, path=()):
    """The paths of all texts below the item."""
    children = item.items() if isinstance(item, dict) else enumerate(item) if isinstance(item, list) else ()
    for key, child in children:
        if isinstance(child, str):
            yield (*path, key)
        yield from texts_of(child, (*path, key))


def put(record, path, text):
    made = copy.deepcopy(record)
    at = made
    for key in path[:-1]:
        at = at.setdefault(key, {}) if isinstance(at, dict) else at[key]
    at[path[-1]] = text
    return made


def with_files(record, name):
    made = copy.deepcopy(record)
    for path in texts_of(record):
        if path[-1] == "file":
            made = put(made, path, name)
    return made


def with_names(record):
    made = copy.deepcopy(record)
    for payload in PAYLOADS:
        made[payload] = made["accesses"][0][payload] = {payload: "text"}
    return made


def main():
    what, file, *rest = sys.argv[1:]
    with open(file, encoding="utf-8") as text:
        record = json.loads(text.readline())
    if what == "texts":
        made = [put(record, path, payload) for path in texts_of(record) for payload in PAYLOADS]
    elif what == "files":
        made = [with_files(record, name) for name in rest]
    elif what == "names":
        made = [with_names(record)]
    else:
        made = [put(record, rest[0].split("."), rest[1])]
    for one in made:
        print(json.dumps(one, separators=(",", ":")))


main()
