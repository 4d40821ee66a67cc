"""A page of the guide, read as what a person does."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_BLOCK = re.compile(r"^```(yaml|console)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


class Example(NamedTuple):
    """A block of YAML is the file from then on; a command prints what follows it, `? ` is before what is typed."""

    yaml: str = ""
    command: str = ""
    typed: str = ""
    prints: tuple[str, ...] = ()


def examples(page: str) -> Iterator[Example]:
    for kind, text in _BLOCK.findall(page):
        if kind == "yaml":
            yield Example(yaml=text)
            continue
        for piece in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, *lines = piece.splitlines()
            typed = "".join(line[2:] + "\n" for line in lines if line.startswith("? "))
            yield Example("", command, typed, tuple(line for line in lines if not line.startswith("? ")))
