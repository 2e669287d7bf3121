# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What came of calls, kept from one run to the next: who is interrupted goes on where it was."""

import base64
import hashlib
import json
import os
import pathlib
import urllib.parse

KILLED = 128 + 9


class Outcome:
    def __init__(self, status, seconds, out, err):
        self.status, self.seconds, self.out, self.err = status, seconds, out, err


def write(path, text):
    """In one step: whoever is interrupted leaves no half of it."""
    other = path.with_suffix(".new")
    other.write_text(text, encoding="utf-8")
    os.replace(other, path)


class Kept:
    """A file for each call, in `folder`, of one machine: `processor`, `system` (a file that says what its file system is
    made of) and `files`. An outcome is valid for the same call of the same program on the same machine."""

    def __init__(self, folder, processor, system, files):
        self.folder, self.programs = folder, {}
        folder.mkdir(parents=True, exist_ok=True)
        machine = hashlib.sha256(f"{processor}\n".encode() + system.read_bytes())
        for file in sorted(map(str, files)):
            machine.update(f"{file}\n{self.checksum(file)}\n".encode())
        self.machine = machine.hexdigest()

    def checksum(self, file):
        status = os.stat(file)
        identity = status.st_dev, status.st_ino
        if identity not in self.programs:
            self.programs[identity] = hashlib.sha256(pathlib.Path(file).read_bytes()).hexdigest()
        return self.programs[identity]

    def path(self, key):
        return self.folder / (urllib.parse.quote(key, safe="") + ".json")

    def identity(self, call, script):
        parts = f"{self.machine}\n{self.checksum(call.program)}\n{call.seconds} {call.cpus}\n{script(call, 'PROGRAM')}"
        return hashlib.sha256(parts.encode()).hexdigest()

    def read(self, path):
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}

    def find(self, call, script):
        """The outcome of the call in an earlier run, or None."""
        known = self.read(self.path(call.key))
        if known.get("identity") != self.identity(call, script):
            return None
        return Outcome(known["status"], known["seconds"], base64.b64decode(known["out"]), base64.b64decode(known["err"]))

    def keep(self, call, script, outcome):
        """Not what was ended for taking too long: that may be another program's fault."""
        if outcome.status == KILLED:
            return
        known = {"identity": self.identity(call, script), "status": outcome.status, "seconds": outcome.seconds}
        known |= {"out": base64.b64encode(outcome.out).decode(), "err": base64.b64encode(outcome.err).decode()}
        write(self.path(call.key), json.dumps(known))

    def seconds(self):
        """{file of a call: seconds}, of this processor or, where there is none, another one; of whichever programs."""
        known = {}
        for file in [*self.folder.parent.glob("*/*.json"), *self.folder.glob("*.json")]:
            known[file.name] = self.read(file).get("seconds")
        return lambda key: known.get(self.path(key).name)

    def keep_features(self, features):
        write(self.folder / "features", features)

    def features(self):
        """'' if no machine has said so yet."""
        file = self.folder / "features"
        return file.read_text(encoding="utf-8") if file.exists() else ""
