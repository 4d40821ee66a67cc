"""Random texts and queries in every script, reproducible from a seed, small enough that they meet."""

import json
from random import Random
from typing import Any

WORDS = [
    "foo", "Foo", "food", "bar", "füó", "x", "é", "straße", "STRASSE", "ﬁle", "file", "ǆ", "coop", "co\u00adop",
    "don't", "don’t", "123", "１２", "𝐱", "мой", "мои", "за\u0301мок", "замок", "λόγος", "שלום", "שָׁלוֹם", "مرحبا",
    "مَرْحَبًا", "ქართ", "հայ", "ሀገ", "数据", "数", "据库", "東京", "カ", "ｶﾞ", "ガ", "สวัส", "ดี", "हि", "न्दी", "한국",
    "국어", "中文foo", "foo中",
]  # fmt: skip
SYMBOLS = [
    "::",
    "->",
    "!",
    "_",
    "-",
    "'",
    '"',
    "🤖",
    "👩‍💻",
    "❤️",
    "❤",
    "₿",
    "(",
    ")",
    "*",
    "/",
    "\\",
    ".",
    "…",
    "\ue0b0",
    "─",
]
GLUE = ["", "", " ", " ", " ", ", ", "\n", "-", "_", "::", ".", "\u3000", "\u200b"]


def text(rng: Random, most: int = 7) -> str:
    """A message: words and symbols with something or nothing between."""
    pieces = [
        rng.choice(WORDS if rng.random() < 0.8 else SYMBOLS) + rng.choice(GLUE) for _ in range(rng.randint(1, most))
    ]
    return "".join(pieces)


def message(rng: Random) -> dict[str, Any]:
    """A message with the text in one of the places where search looks."""
    said, place = text(rng), rng.random()
    if place < 0.7:
        return {"role": rng.choice(["user", "assistant"]), "content": said}
    if place < 0.8:
        return {"role": "assistant", "content": text(rng, 2), "tool_calls": [{"arguments": json.dumps({"c": said})}]}
    if place < 0.9:
        return {"role": "tool", "tool_name": text(rng, 1), "content": said + "\n" + "=" * 17_000}
    return {
        "role": "user",
        "content": [{"type": "text", "text": said}, {"type": "image_url", "image_url": {"url": "data:x"}}],
    }


def query(rng: Random, depth: int = 2) -> str:
    """A query with operators, phrases, prefixes and brackets."""
    if depth == 0 or rng.random() < 0.3:
        return _term(rng)
    operator = rng.choice([" ", " AND ", " OR ", " NOT "])
    parts = [query(rng, depth - 1) for _ in range(rng.randint(2, 3))]
    joined = operator.join(parts)
    return f"({joined})" if rng.random() < 0.5 else joined


def _term(rng: Random) -> str:
    kind = rng.random()
    if kind < 0.15:
        return f'"{text(rng, 3)}"'.replace('""', '"')
    if kind < 0.3:
        return rng.choice(WORDS)[: rng.randint(1, 3)] + "*"
    if kind < 0.5:
        return text(rng, 2).strip() or "foo"
    return rng.choice(WORDS if rng.random() < 0.8 else SYMBOLS)
