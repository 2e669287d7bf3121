#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""generate.py --seed S [--number N] [--ways WAY,...]: a random program that is robust by construction, to stdout.

Its rounds are described in rounds.h. What the acts of a round do is random, too: relaxed accesses in the shapes of
message passing and store buffering, so that each missing edge of happens-before is a violation, and plain accesses.
Program N of a seed has the N-th handful of ways from a shuffled pack of all, so that each way comes before any comes
again.
"""

import argparse
import random
import re

ROUNDS = 9
CELLS = 4
PHASES = 3
LOCK, ONE_TO_ALL, MEETING = "lock", "one to all", "meeting"

# Name, header, kind, type. A lock's acts come in any order or in that of their places.
WAYS = [(name, "locks.h", LOCK, name) for name in """
    mutex mutex_tried recursive<std::recursive_mutex> recursive<std::recursive_timed_mutex> timed<std::timed_mutex>
    timed<std::recursive_timed_mutex> timed<std::shared_timed_mutex> shared<std::shared_mutex>
    shared<std::shared_timed_mutex> two_mutexes thrown_through once static_variable<{round}> semaphore spin_flag
    spin_exchange tickets waiting_lock unseen_unlock""".split()]
SLOTS = {
    "slots.h": ("""release_acquire acquire_relaxed release_sequence fences sc_fences atomic_wait atomic_wait_proxy
        atomic_flag_wait atomic_shared_ptr atomic_weak_ptr unseen_flag unseen_flag_fence""", "exchanges"),
    "library.h": ("latch latch_tried condition_any<std::mutex> condition_shared stop_requested stop_callback stop_wait",
                  "binary_semaphore timed_semaphore posix_semaphore queue condition_any<std::recursive_mutex>"),
    "futures.h": ("shared_future", "promise promise_throws packaged_task"),
    "processes.h": ("", "described<by_pipe> described<by_socket> described<by_event>"),
}
for header, (many, single) in SLOTS.items():
    WAYS += [(slot, header, LOCK, f"chain<{slot}>") for slot in (many + " " + single).split()]
    WAYS += [(slot + " to all", header, ONE_TO_ALL, f"publication<{slot}>") for slot in many.split()]
ENDS = ["promise_at_exit", "task_at_exit", "notify_at_exit", "promise"]
WAYS += [(slot + " of ends", "futures.h", LOCK, f"chain_of_ends<{slot}>") for slot in ENDS]
WAYS += [(slot + " of late ends", "futures.h", LOCK, f"chain_of_ends<{slot}, true>") for slot in ENDS]
WAYS += [(f"{thread} joined{late and ' late'}", "futures.h", LOCK, f"joined<{thread}, {late or 'false'}>")
         for thread in ("std::thread", "std::jthread") for late in ("", "true")]
WAYS += [("asynchronous", "futures.h", LOCK, "asynchronous"), ("deferred", "futures.h", ONE_TO_ALL, "deferred")]
WAYS += [(name, "meets.h", MEETING, f"meeting<{name}>")
         for name in "barrier barrier_in_two latches posix_barrier condition_barrier counter".split()]
PROCESSES = ["asked<by_memory, by_memory>", "asked<by_pipe, by_pipe>", "asked<by_socket, by_socket>",
             "asked<by_pipe, by_memory>", "asked<by_semaphore, by_memory>", "asked<by_pipe, by_end>",
             "asked<by_memory, by_pipe>", "asked<by_memory, by_end>", "asked<by_semaphore, by_semaphore>",
             "asked<by_memory, by_semaphore>", "asked<by_named_semaphore, by_named_semaphore>",
             "asked<by_named_semaphore, by_pipe>", "asked<by_condition, by_condition>", "asked<by_barrier, by_barrier>",
             "asked<by_shutdown, by_shutdown>", "asked<by_stream<LINES>, by_stream<FORMATS>>",
             "asked<by_stream<FORMATS>, by_stream<LINES>>", "asked<by_stream<BLOCKS>, by_stream<CHARACTERS>>",
             "asked<by_stream<CHARACTERS>, by_stream<BLOCKS>>", "asked<by_signal, by_signal>",
             "asked<by_pipe, by_signal>", "asked<by_signal, by_end>"]
WAYS += [(name, "processes.h", LOCK, name) for name in PROCESSES]


def piece_of(shape, cell, place, reads):
    """One shape's part for a place: statements that stay in their order."""
    x, y = f"x[{cell}]", f"y[{cell}]"
    if shape == "plain":
        return [f"if (sums[{cell}] < 0) wrong(\"sum\");"] if reads else [f"sums[{cell}] += {place + 1};"]
    if reads:
        return [f"see({y});", f"see({x});"]
    if shape == "message passing":
        change = ["put", "add", "swap"]
        first, second = (change[(cell + place + i) % 3] for i in range(2))
        return [f"see({y});", f"see({x});", f"{first}({x});", f"{second}({y});"]
    first, second = (x, y) if place % 2 == 0 else (y, x)
    return [f"put({first});", f"see({second});"]


def shuffle_together(chance, pieces):
    pieces = [list(piece) for piece in pieces]
    statements = []
    while any(pieces):
        # By length, so that a long piece does not come last.
        piece = chance.choices(pieces, [len(piece) for piece in pieces])[0]
        statements.append(piece.pop(0))
    return statements


def pieces_of_round(chance):
    """Shape and cell; message passing is always among them."""
    cells = chance.sample(range(CELLS), chance.randint(1, CELLS))
    shapes = ["message passing"] + [chance.choice(["message passing", "store buffering"]) for _ in cells[1:]]
    plain = [("plain", cell) for cell in chance.sample(range(CELLS), chance.randint(0, 2))]
    return list(zip(shapes, cells)) + plain


def acts_of_meeting(chance, threads):
    """In even phases each place changes cells of its own, in odd ones it reads all."""
    acts = {}
    for phase in range(PHASES):
        for place in range(threads):
            own = (place + phase) % threads
            if phase % 2 == 0:
                pieces = [[f"put(x[{own}]);", f"put(y[{own}]);"], [f"sums[{own}]++;"]]
            else:
                pieces = [[f"see(y[{cell}]);", f"see(x[{cell}]);"] for cell in range(threads)]
            acts[phase, place] = shuffle_together(chance, pieces)
    return acts


def without_plain(statement):
    return re.sub(r"^(see|put|add|swap)\(", r"\1<false>(", statement)


def acts_of(chance, way, threads, reads):
    _, header, kind, _ = way
    if kind == MEETING:
        return acts_of_meeting(chance, threads)
    pieces = pieces_of_round(chance)
    plain = header != "processes.h"
    if not plain:
        pieces = [(shape, cell) for shape, cell in pieces if shape != "plain"]
    acts = {
        (0, place): shuffle_together(chance, [piece_of(shape, cell, place, reads[place]) for shape, cell in pieces])
        for place in range(threads)
    }
    return acts if plain else {key: list(map(without_plain, act)) for key, act in acts.items()}


def write_round(number, way, threads, chance):
    name, _, kind, kind_of = way
    reads = [kind == ONE_TO_ALL and place > 0 for place in range(threads)]
    if name.startswith("shared<"):
        reads = [place > 0 and chance.random() < 0.5 for place in range(threads)]
    acts = acts_of(chance, way, threads, reads)
    lines = [f"// {name}"]
    for (phase, place), statements in acts.items():
        lines.append(f"void round_{number}_act_{phase}_{place}() {{")
        lines += ["  " + statement for statement in statements] + ["}"]
    table = ", ".join(
        "{" + ", ".join(f"round_{number}_act_{phase}_{place}" for place in range(threads)) + "}"
        for phase in range(PHASES if kind == MEETING else 1))
    flags = ", ".join("true" if one else "false" for one in reads)
    lines.append(f"const work work_{number} = {{{threads}, {{{flags}}}, {{{table}}}}};")
    return lines, f"make_round<{kind_of.format(round=number)}>(work_{number})"


def select_ways(seed, number):
    """The pack is dealt out; what is missing in the last handful comes from the next pack."""
    ways = []
    for at in range(number * ROUNDS, (number + 1) * ROUNDS):
        pack = list(WAYS)
        random.Random(f"{seed} pack {at // len(WAYS)}").shuffle(pack)
        ways.append(pack[at % len(WAYS)])
    return ways


def program(seed, number, ways=None):
    """The source, and the names of the ways, in the order of the rounds."""
    ways = ways or select_ways(seed, number)
    chance = random.Random(f"{seed} program {number}")
    threads = chance.randint(2, 4)
    run = chance.choice(["run_with_staying", "run_with_fresh"])
    rounds = [write_round(i, way, threads, chance) for i, way in enumerate(ways)]
    lines = [f"// seed {seed}, program {number}"]
    lines += [f'#include "{header}"' for header in sorted({way[1] for way in ways})] + ["namespace {"]
    for text, _ in rounds:
        lines += text
    lines += ["} // namespace", "int main(int argc, char **) {", "  apart = argc > 1;"]
    lines += [f"  {way[3]}::start({threads});" for way in ways if way[3].startswith("asked<")]
    lines += [f"  {run}({{{', '.join(entry for _, entry in rounds)}}}, {threads});"]
    lines += ['  std::fputs("end\\n", stderr);', "}"]
    return "\n".join(lines) + "\n", [way[0] for way in ways]


def ways_named(names):
    known = {way[0]: way for way in WAYS}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SystemExit(f"no way is called '{unknown[0]}'; there are: {'; '.join(known)}")
    return [known[name] for name in names]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--number", type=int, default=0)
    parser.add_argument("--ways", help="these and no others, divided by semicolons")
    args = parser.parse_args()
    ways = ways_named(args.ways.split(";")) if args.ways else None
    print(program(args.seed, args.number, ways)[0], end="")


if __name__ == "__main__":
    main()
