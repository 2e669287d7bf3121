# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_histories.py: reads what `histories` has printed, and decides each history from the definition.

A history is explained if some permutation of its calls agrees with the order and gives the results. The exit status is 1 if
`histories` gives another answer for some history, or if one of the two answers is rare.
"""
import itertools
import sys


def call_queue(elements, name, value):
    if name == "add":
        elements.append(value)
        return None
    return elements.pop(0) if elements else None


def call_stack(elements, name, value):
    if name == "add":
        elements.append(value)
        return None
    return elements.pop() if elements else None


def call_register(elements, name, value):
    if name == "set":
        elements[:] = [value]
        return None
    return elements[0] if elements else 0


def call_set(elements, name, value):
    is_there = value in elements
    if name == "insert" and not is_there:
        elements.append(value)
    if name == "erase" and is_there:
        elements.remove(value)
    return int(is_there == (name == "erase"))


KINDS = {"queue": call_queue, "stack": call_stack, "register": call_register, "set": call_set, "failing_queue": call_queue}


def gives_results(calls, permutation, call):
    elements = []
    return all(call(elements, *calls[i][:2]) == calls[i][2] for i in permutation)


def list_made(kind, calls):
    """The sets of calls that have an effect: all, or without some that have failed."""
    failed = [i for i, call in enumerate(calls) if kind == "failing_queue" and call[0] == "take" and call[2] is None]
    for count in range(len(failed) + 1):
        for without in itertools.combinations(failed, count):
            yield set(range(len(calls))) - set(without)


def is_explained(kind, calls, order):
    for permutation in itertools.permutations(range(len(calls))):
        place = {call: i for i, call in enumerate(permutation)}
        if all(place[a] < place[b] for a, b in order) and any(
            gives_results(calls, [i for i in permutation if i in made], KINDS[kind]) for made in list_made(kind, calls)
        ):
            return True
    return False


def read(line):
    text, order, answer = line.split("|")
    kind, *texts = text.split()
    calls = []
    for each in texts:
        _, name, value, result = each.split(":")
        calls.append((name, int(value), None if result == "-" else int(result)))
    return kind, calls, [tuple(map(int, pair.split("<"))) for pair in order.split()], answer.strip() == "1"


def main():
    count = {True: 0, False: 0}
    for line in sys.stdin:
        if "|" not in line:
            sys.exit(line)
        kind, calls, order, answer = read(line)
        if is_explained(kind, calls, order) != answer:
            sys.exit(f"differs: {line}")
        count[answer] += 1
    print(f"{count[True]} histories are explained, {count[False]} are not")
    if min(count.values()) * 10 < sum(count.values()):
        sys.exit("too few of one answer")


main()
