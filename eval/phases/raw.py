# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Raw results: one file a claim, one line of JSON a unit of work.

A line is written when its unit is done, so that an interrupted run goes on where it was. Each has
`key` (what was done), `made` (a digest of the program that was run), `machine` with the load
average at its beginning and end, and the unit's own fields. A unit is done if its key is there with
the same digest; a later line of a key replaces an earlier one. Nothing here is computed from
results; that is the tables' affair.
"""
import hashlib
import json
import os
import time

import run as harness


def load_average():
    return round(os.getloadavg()[0], 1)


def digest(*files):
    """A digest of the contents of the files."""
    sha = hashlib.sha256()
    for file in files:
        sha.update(file.read_bytes())
    return sha.hexdigest()[:12]


def machine():
    return {**harness.machine(), "time": time.strftime("%H:%M", time.gmtime())}


def read(path):
    """{key as text: record}"""
    found = {}
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            found[name(record["key"])] = record
    return found


def name(key):
    return json.dumps(key, sort_keys=True)


class File:
    def __init__(self, path):
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self.mend()
        self.done = read(path)

    def mend(self):
        """A line that a killed run has left half written goes."""
        if self.path.exists():
            text = self.path.read_text(encoding="utf-8")
            if text and not text.endswith("\n"):
                self.path.write_text(text[: text.rfind("\n") + 1], encoding="utf-8")

    def unit(self, key, made, work):
        """Does `work()`, which returns the unit's fields, unless it is done already."""
        old = self.done.get(name(key))
        if old and old["made"] == made:
            return
        print(f"{self.path.stem}: {' '.join(map(str, key.values()))}", flush=True)
        before = load_average()
        fields = work()
        described = {**machine(), "load": [before, load_average()]}
        record = {"key": key, "made": made, "machine": described, **fields}
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
        self.done[name(key)] = record
