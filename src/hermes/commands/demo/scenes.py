"""The written conversations (`scenes.txt`) as plain data.

A scene is a block of lines:

    # title | sources | tags          `$service`, `$city` … are filled in anew each time it is played
    U what the person says
    A what the assistant says
    > tool {"its": "arguments"}       `<` is what the tool answered
    == a summary                      the conversation was compressed here and goes on in a new part
    // title                          a branch starts here
"""

import json
import random
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

Message = dict[str, Any]

_WORDS = {
    "service": ("billing", "checkout", "search", "notify", "gateway", "reports", "identity", "inventory"),
    "table": ("orders", "invoices", "customers", "shipments", "tickets"),
    "region": ("frankfurt", "dublin", "oregon", "singapore", "são paulo"),
    "person": ("Amara", "Jonas", "Mei", "Priya", "Tomás", "Lena", "Yusuf", "Ingrid"),
    "city": ("Kyoto", "Lisbon", "Ghent", "Bergen", "Bologna", "Tallinn", "Porto", "Gdańsk"),
    "dish": ("moussaka", "ramen", "shakshuka", "pierogi", "bibimbap", "risotto"),
    "book": ("The Master and Margarita", "Stoner", "The Left Hand of Darkness", "Austerlitz", "Kokoro"),
    "n": ("12", "17", "23", "28", "34", "41", "46", "58"),
    "d": ("2", "4", "7", "8"),
    "port": ("5432", "5433", "6543", "31882"),
}


@dataclass(slots=True)
class Turn:
    """Messages in order, up to the next compression or branch."""

    kind: str  # "start", "compressed" or "branch"
    opening: str  # the title, or the summary
    messages: list[Message]


@dataclass(frozen=True, slots=True)
class Scene:
    title: str
    sources: tuple[str, ...]
    tags: tuple[str, ...]
    lines: tuple[str, ...]

    def play(self, rng: random.Random) -> list[Turn]:
        """The scene with its words chosen."""
        words = {name: rng.choice(choices) for name, choices in _WORDS.items()}
        turns = [Turn("start", Template(self.title).safe_substitute(words), [])]
        for line in self.lines:
            mark, _, rest = Template(line).safe_substitute(words).partition(" ")
            if mark in ("==", "//"):
                turns.append(Turn("compressed" if mark == "==" else "branch", rest, []))
            else:
                _add(turns[-1].messages, mark, rest.replace("\\n", "\n"))
        return turns


def _add(messages: list[Message], mark: str, text: str) -> None:
    if mark == ">":
        _call(messages, text)
    elif mark == "<":
        call = messages[-1]["tool_calls"][-1]
        name, number = call["function"]["name"], call["id"]
        messages.append({"role": "tool", "content": text, "tool_name": name, "tool_call_id": number})
    else:
        messages.append({"role": "user" if mark == "U" else "assistant", "content": text})


def _call(messages: list[Message], text: str) -> None:
    """The assistant that spoke last calls the tool; after a person's words it does so without a word."""
    name, _, arguments = text.partition(" ")
    json.loads(arguments)
    if not messages or messages[-1]["role"] != "assistant":
        messages.append({"role": "assistant", "content": None})
    call = {"id": f"call_{len(messages)}", "type": "function", "function": {"name": name, "arguments": arguments}}
    messages[-1].setdefault("tool_calls", []).append(call)


def scenes() -> list[Scene]:
    blocks = (Path(__file__).parent / "scenes.txt").read_text(encoding="utf-8").strip().split("\n\n")
    return [_scene(block.splitlines()) for block in blocks]


def _scene(lines: list[str]) -> Scene:
    title, sources, tags = (part.strip() for part in lines[0].removeprefix("# ").split("|"))
    return Scene(title, tuple(sources.split()), tuple(tags.split()), tuple(lines[1:]))
