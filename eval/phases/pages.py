# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables in a page: what stands between `<!-- begin NAME -->` and `<!-- end NAME -->` is made from
raw results, the rest is written by hand and left as it is."""
import re

BLOCK = re.compile(r"<!-- begin ([a-z-]+) -->\n(.*?)<!-- end \1 -->", re.S)


class BadPage(Exception):
    """The page does not have the blocks that it should have."""


def fill(text, blocks):
    """`blocks`: {name: lines}. Each block of the page has to have its lines; others may stay unused."""

    def replace(match):
        name = match.group(1)
        if name not in blocks:
            raise BadPage(f"nothing is known of a block '{name}'")
        body = "\n".join(blocks[name]).rstrip("\n") + "\n"
        return f"<!-- begin {name} -->\n{body}<!-- end {name} -->"

    names = [match.group(1) for match in BLOCK.finditer(text)]
    if text.count("<!-- begin ") != len(names) or text.count("<!-- end ") != len(names):
        raise BadPage("a block does not begin or does not end")
    return BLOCK.sub(replace, text)


def blocks_of(text):
    return {match.group(1): match.group(2) for match in BLOCK.finditer(text)}
