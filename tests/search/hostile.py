"""Queries and texts made to break a search: reproducible from a seed."""

import json
import string
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from tests.search import generate
from tests.search.literals import LITERALS

_FTS5 = [
    "NEAR(",
    "NEAR(a b, 5)",
    "content:",
    "content : foo",
    "^foo",
    "{content} : x",
    "-content:x",
    "a + b",
    "rank:",
    "rowid:1",
    "*",
    '""',
]
_SQL = [
    "'; DROP TABLE messages; --",
    "1 OR 1=1",
    "') OR ('1'='1",
    "%",
    "_",
    "x' UNION SELECT * FROM sessions --",
    "?1",
    ":x",
    "@x",
    "\\'",
]
_REGEX = ["(a+)+$", "(.*)*", "[", "\\", "(?<=x)", "^$", "a{1000000}", "\\p{L}", "[^\\W_]+", "(?!)"]
_STRANGE = [
    "\0",
    "\ud800",
    "\udfff",
    "\ufffe",
    "\u202e",
    "\u0301",
    "\u200b",
    "\x1b[31m",
    "\x7f",
    "\U0010ffff",
    "\u0600",
    "\ufdfa",
]
_CHARACTERS = string.printable + "äßжλअ漢かｶﾞ한ก་🤖👩‍👩‍👧₿\u0301\u200d\u3000“”„«"


def queries(seed: int, count: int) -> Iterator[str]:
    rng = Random(seed)
    makers = list(_MAKERS)
    for number in range(count):
        yield makers[number % len(makers)](rng)


def _brackets(rng: Random) -> str:
    depth = rng.choice([1, 5, 50, 500, 1000])
    return "(" * depth + generate.query(rng, 1) + ")" * rng.choice([depth, depth - 1, 0, depth + 3])


def _nested(rng: Random) -> str:
    words = [rng.choice(generate.WORDS) for _ in range(rng.choice([3, 30, 300]))]
    return " ".join(f"({word} {rng.choice(['AND', 'OR', 'NOT', ''])}" for word in words) + ")" * len(words)


def _operators(rng: Random) -> str:
    return " ".join(
        rng.choice(["AND", "OR", "NOT", "(", ")", '"', "*", "foo"]) for _ in range(rng.choice([3, 30, 3000]))
    )


def _exclusions(rng: Random) -> str:
    return "a" + "".join(f" NOT {rng.choice(generate.WORDS + generate.SYMBOLS)}" for _ in range(rng.randint(1, 200)))


def _quotes(rng: Random) -> str:
    return "".join(
        rng.choice(['"', '"', "'", "“", "”", "„", " ", "a", "*", generate.text(rng, 1)])
        for _ in range(rng.randint(1, 300))
    )


def _syntax(rng: Random) -> str:
    return " ".join(rng.choice(_FTS5 + _SQL + _REGEX) for _ in range(rng.randint(1, 6)))


def _strange(rng: Random) -> str:
    return "".join(rng.choice([*_STRANGE, "a", " ", "foo", '"']) for _ in range(rng.randint(1, 60)))


def _long(rng: Random) -> str:
    piece = rng.choice(
        [
            "a",
            "a ",
            "=",
            "= ",
            "漢",
            "漢 ",
            "foo ",
            '"a" ',
            "(",
            "x OR ",
            "\u0301",
            "a\u0301",
            "👩‍💻",
            "(a ",
            '" ',
            "\\ ",
        ]
    )
    return (piece * 100_000)[: rng.choice([1000, 2000, 2001, 100_000])]


def _phrase(rng: Random) -> str:
    piece = rng.choice(["a", "=", "!", "foo", "漢", "a=", "=a", "b"])
    return (
        '"'
        + " ".join([piece] * rng.choice([2, 20, 200]))
        + rng.choice(["", " b", " ?", " zzz"])
        + '"'
        + rng.choice(["", "*"])
    )


def _common(rng: Random) -> str:
    """What stands in every adversarial text, in pieces that nearly match."""
    pieces = [
        "a" * rng.randint(1, 60),
        "=" * rng.randint(1, 60),
        "a=",
        "漢" * rng.randint(1, 9),
        "=" * 20 + "x",
        "a*",
        "(" * 9,
        "\\" * 5,
    ]
    return rng.choice([" ", " OR ", " AND ", " NOT "]).join(rng.sample(pieces, rng.randint(1, len(pieces))))


def _alternatives(rng: Random) -> str:
    return " OR ".join(rng.choice(["a" * (n + 1), f"a{n}", f"{chr(97 + n % 26)}*", "=" * n + "?"]) for n in range(64))


def _noise(rng: Random) -> str:
    return "".join(rng.choice(_CHARACTERS) for _ in range(rng.choice([1, 2, 3, 10, 100, 2000])))


def _mixed(rng: Random) -> str:
    return " ".join(rng.choice([generate.query(rng, 2), rng.choice(LITERALS)[0], rng.choice(_SQL)]) for _ in range(3))


_MAKERS: tuple[Callable[[Random], str], ...] = (
    _brackets, _nested, _operators, _exclusions, _quotes, _syntax, _strange, _long, _phrase, _common, _alternatives,
    _noise, _mixed,
)  # fmt: skip


def texts(size: int) -> list[str]:
    """So many characters of each kind of trouble."""
    pieces = [
        "=", "a", "a ", "= ", "a=", "漢", "漢 ", "(", '"', "\\", "\u0301\u0316", "a\u0301", "\u200b", "👩‍💻", "─",
        "ab-", "banana ", "_", "a\u0e31", "ｶﾞ", "ß", "x\n", "\ue000", "(a ", "AND ",
    ]  # fmt: skip
    return [(piece * (size // len(piece))) + " b" for piece in pieces]


def messages(seed: int, count: int, size: int) -> Iterator[dict[str, Any]]:
    """A store to ask: mostly ordinary, with every adversarial text in it once, as a tool's output or as a call."""
    rng = Random(seed)
    hard = texts(size)
    for number in range(count):
        if number % (count // len(hard)) == 0 and hard:
            yield {"role": "tool", "content": hard.pop()}
        elif number % 500 == 499:
            yield {"role": "assistant", "tool_calls": [{"arguments": json.dumps({"x": '\\"' * 5000 + "{[" * 500})}]}
        else:
            yield generate.message(rng)
