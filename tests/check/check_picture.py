# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_picture.py SVG OUTPUT: is the picture of an execution graph the one that the output has as a table?

Each line of the last table is a box with the same thread, object and value; each read of another thread's write has an arrow;
all is inside of the picture; and there is a circle, whose arrows lead from box to box and back.
"""
import re
import sys
import xml.etree.ElementTree as xml

SVG = "{" + "http://www.w3.org/2000/svg" + "}"
LINE = re.compile(r"^  (T\d+) +((?:failed )?\w+(?: to lock)?) +(\S.*?)?  +")


def read_table(path):
    text = open(path, encoding="utf-8").read().split("; C++20 allows it:\n")[-1]
    return [match.groups() for match in map(LINE.match, text.split("\n  to repeat it")[0].split("\n")) if match]


def ends_of(path):
    numbers = [tuple(map(int, pair.split(","))) for pair in re.findall(r"-?\d+,-?\d+", path.get("d"))]
    return numbers[0], numbers[-1]


def box_at(boxes, point):
    """The box at whose edge the point lies."""
    x, y = point
    found = [i for i, (left, top, width, height) in enumerate(boxes) if left <= x <= left + width and top <= y <= top + height]
    if len(found) != 1:
        sys.exit(f"an arrow ends at {point}, which belongs to {len(found)} boxes")
    return found[0]


def check_circle(arrows):
    after = {first: last for first, last, classes in arrows if "circle" in classes}
    if not after:
        sys.exit("no circle")
    start = place = next(iter(after))
    while after:
        place = after.pop(place, None)
        if place is None:
            sys.exit("the circle is open")
    if place != start:
        sys.exit("the circle is open")


def main():
    root = xml.parse(sys.argv[1]).getroot()
    table = read_table(sys.argv[2])
    boxes = [tuple(int(rect.get(name)) for name in ("x", "y", "width", "height")) for rect in root.iter(SVG + "rect")]
    events = [text.text for text in root.iter(SVG + "text") if text.get("class") == "event"]
    if not table or len(boxes) != len(table) or len(events) != len(table):
        sys.exit(f"{len(table)} lines, {len(boxes)} boxes, {len(events)} texts")
    for (_, kind, rest), event in zip(table, events):
        if not event.startswith(kind + " ") or (kind != "fence" and rest.split(" ")[0] not in event):
            sys.exit(f"{event} is not {kind} {rest}")
    width, height = map(int, root.get("viewBox").split()[2:])
    if any(x < 0 or y < 0 or x + w > width or y + h > height for x, y, w, h in boxes):
        sys.exit("a box is outside of the picture")
    arrows = [(*(box_at(boxes, point) for point in ends_of(path)), path.get("class").split())
              for path in root.findall(SVG + "path")]  # fmt: skip
    check_circle(arrows)
    print(f"{len(boxes)} events, {len(arrows)} arrows")


main()
