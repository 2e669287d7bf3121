# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far calls are, and an estimate of how long the others will take."""

import time

EVERY = 60  # seconds between two lines of progress


class Progress:
    """`calls`: to be made, beside one another on `cpus` processors. `known`: a function, the seconds that the call of a key
    took once, or None."""

    def __init__(self, calls, known, cpus):
        self.known = {call.key: known(call.key) for call in calls}
        self.left = {call.key: call for call in calls}
        self.cpus, self.begin, self.told = cpus, time.monotonic(), 0.0
        self.took, self.foreseen = 0.0, 0.0  # of the calls that have ended

    def expected(self, call):
        """Seconds, or another measure of the same for all calls."""
        known = self.known[call.key]
        return call.weight if known is None else known

    def ended(self, call, seconds):
        del self.left[call.key]
        self.took += seconds
        self.foreseen += self.expected(call)

    def seconds_left(self):
        """None while there is nothing to estimate from."""
        if not self.foreseen:
            return None
        left = sum(self.expected(call) / max(self.cpus // call.cpus, 1) for call in self.left.values())
        return left * self.took / self.foreseen

    def line(self):
        """What to print now, or None: once in EVERY seconds, and at the end."""
        passed = time.monotonic() - self.begin
        if self.left and passed < self.told + EVERY:
            return None
        self.told = passed
        left = self.seconds_left() if self.left else None
        return f"{passed:.0f} s" + (f", about {left:.0f} s left" if left is not None else "")
