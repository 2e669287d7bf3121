# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Debian's Chromium without a window, over its debugging protocol on a pair of pipes: one tab, one page at a time."""

import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

OPTIONS = (
    "--headless --remote-debugging-pipe --disable-gpu --disable-dev-shm-usage --no-first-run --mute-audio"
    " --disable-background-networking --disable-component-update --disable-sync --disable-extensions"
    " --window-size=1200,900"
).split()
# Not even a page that asks for it gets anything from a network.
OPTIONS.append("--host-resolver-rules=MAP * ~NOTFOUND")


class Browser:
    def __init__(self, folder):
        program = shutil.which("chromium")
        if not program:
            sys.exit("check-browser: there is no chromium; install Debian's package of that name")
        options = OPTIONS + ["--user-data-dir=" + os.path.join(folder, "profile")]
        if os.getuid() == 0:  # its sandbox refuses to work for root
            options.append("--no-sandbox")
        self.temporary = tempfile.TemporaryDirectory()  # a path of a socket is short
        read_commands, self.commands = os.pipe()
        self.answers, write_answers = os.pipe()
        # The browser reads from descriptor 3 and writes to 4, which these may be themselves.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (read_commands, write_answers)]
        self.said = open(os.path.join(folder, "chromium.log"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [program, *options, "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=self.said,
            stderr=self.said,
            env={**os.environ, "HOME": folder, "TMPDIR": self.temporary.name},
            pass_fds=(3, 4),
            preexec_fn=lambda: [os.dup2(ends[0], 3), os.dup2(ends[1], 4)],
        )
        for end in (read_commands, write_answers, *ends):
            os.close(end)
        self.number, self.rest, self.errors, self.events = 0, b"", [], []
        self.tab = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.tab = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    def close(self):
        """The browser ends when its pipe does."""
        os.close(self.commands)
        self.process.wait()
        os.close(self.answers)
        self.said.close()
        self.temporary.cleanup()

    def receive(self):
        while b"\0" not in self.rest:
            more = os.read(self.answers, 1 << 20)
            if not more:
                self.said.seek(0)
                sys.exit("check-browser: chromium has ended:\n" + self.said.read())
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def note(self, message):
        """An event: what goes to the console as an error or a warning is kept."""
        kind, what = message["method"], message["params"]
        self.events.append(kind)
        if kind == "Runtime.exceptionThrown":
            details = what["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif kind == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning", "assert"):
            self.errors.append(json.dumps(what["args"]))
        elif kind == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
            self.errors.append(what["entry"]["text"])

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.tab:
            message["sessionId"] = self.tab
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                assert "error" not in answer, (method, answer)
                return answer["result"]
            if "method" in answer:
                self.note(answer)

    def wait_for(self, event):
        while event not in self.events:
            message = self.receive()
            if "method" in message:
                self.note(message)

    def open(self, path):
        """Loads the page and forgets the errors of the one before."""
        for url in ("about:blank", pathlib.Path(path).resolve().as_uri()):
            self.errors, self.events = [], []
            self.call("Page.navigate", url=url)
            self.wait_for("Page.loadEventFired")

    def scheme(self, name):
        """What the page is told of the reader's system: "light" or "dark"."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def width(self, pixels):
        """The width of the screen; 0: as before."""
        if pixels:
            self.call("Emulation.setDeviceMetricsOverride", width=pixels, height=900, deviceScaleFactor=1, mobile=False)
        else:
            self.call("Emulation.clearDeviceMetricsOverride")

    def run(self, script):
        """The value of the body of a function, which may await something."""
        answer = self.call(
            "Runtime.evaluate",
            expression="(async()=>{" + script + "})()",
            awaitPromise=True,
            returnByValue=True,
            userGesture=True,
        )
        assert "exceptionDetails" not in answer, (script, answer)
        return answer["result"].get("value")
