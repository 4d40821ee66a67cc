"""config.yaml as text: what it says, and on which line.

YAML 1.2 meanings: `no` and `off` are words, not false, and a date is text. The C parser reads it; it is
imported only when there is a file.
"""

import re
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

KeyPath = tuple[str, ...]
_DEEPEST = 40
_MOST_VALUES = 50_000  # a few aliases can stand for billions
_BYTES = 1_000_000


class Broken(Exception):
    """The file cannot be used. `where` is line and column, from 1, where they are known."""

    def __init__(self, reason: str, where: tuple[int, int] | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.where = where


class Document(NamedTuple):
    text: str
    tree: dict[str, Any]
    repeated: list[tuple[str, int]]  # keys that stand twice in one section, with the line of the later one


EMPTY = Document("", {}, [])


def read(path: Path) -> Document:
    """The file's content; EMPTY when it is not there. Raises Broken."""
    try:
        with path.open("rb") as file:
            data = file.read(_BYTES + 1)
    except FileNotFoundError:
        return EMPTY
    except OSError as error:
        raise Broken(f"it cannot be read: {error.strerror}") from None
    if len(data) > _BYTES:
        raise Broken("it is larger than 1 MB")
    try:
        return parse(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise Broken("it is not UTF-8 text", _position(data, error.start)) from None


def parse(text: str) -> Document:
    """Raises Broken with line and column."""
    if not text.strip():
        return Document(text, {}, [])
    import yaml

    reader = loader()(text)
    try:
        value = _plain(reader.get_single_data())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise Broken(error.problem or str(error.context), (mark.line + 1, mark.column + 1)) from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise Broken(_one_line(error)) from None
    finally:
        reader.dispose()
    if value is not None and not isinstance(value, dict):
        raise Broken("it has to be a list of `key: value` lines", (1, 1))
    return Document(text, value or {}, reader.repeated)


def scalar(text: str) -> Any:
    """One value as typed on a command line. Raises Broken."""
    return parse("value:\n" + "".join(f"  {line}\n" for line in text.splitlines())).tree["value"]


def lines(text: str) -> dict[KeyPath, int]:
    """The line of every key, from 1. For messages: it reads the text once more."""
    import yaml

    found: dict[KeyPath, int] = {}

    def walk(node: Any, path: KeyPath) -> None:
        if isinstance(node, yaml.MappingNode) and len(path) < _DEEPEST:
            for key, item in node.value:
                found[(*path, str(key.value))] = key.start_mark.line + 1
                walk(item, (*path, str(key.value)))

    walk(yaml.compose(text, Loader=loader()), ())
    return found


@cache
def loader() -> Any:
    """PyYAML's loader with the meanings above, and an eye on keys that stand twice."""
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc]  # chosen at run time
        yaml_implicit_resolvers: ClassVar[dict[str, list[Any]]] = {}

        def __init__(self, text: str) -> None:
            super().__init__(text)
            self.repeated: list[tuple[str, int]] = []

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            seen: set[str] = set()
            for key, _ in node.value:
                if isinstance(key.value, str):
                    if key.value in seen:
                        self.repeated.append((key.value, key.start_mark.line + 1))
                    seen.add(key.value)
            return super().construct_mapping(node, deep)

    for tag, pattern, first in _MEANINGS:
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(rf"(?:{pattern})\Z"), first)
    return Loader


_MEANINGS = (
    ("bool", "true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("null", "~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("int", "-?(?:0|[1-9][0-9]*)|0x[0-9a-fA-F]+", list("-0123456789")),
    ("float", r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?", list("-0123456789")),
    ("merge", "<<", ["<"]),
)


def _plain(value: Any) -> Any:
    """Keys as text; nothing in it but sections, lists, texts, numbers, true, false and nothing."""
    count = 0

    def walk(part: Any, depth: int) -> Any:
        nonlocal count
        count += 1
        if depth > _DEEPEST or count > _MOST_VALUES:
            raise ValueError("its sections go too deep, or contain themselves")
        if isinstance(part, dict):
            return {_key(key): walk(item, depth + 1) for key, item in part.items()}
        if isinstance(part, list):
            return [walk(item, depth + 1) for item in part]
        if part is None or isinstance(part, str | int | float):
            return part
        raise ValueError(f"it holds a value of a kind that is not used here ({type(part).__name__})")

    return walk(value, 0)


def _key(key: Any) -> str:
    if isinstance(key, bool) or key is None:
        return {True: "true", False: "false", None: "null"}[key]
    return str(key)


def _position(data: bytes, offset: int) -> tuple[int, int]:
    before = data[:offset]
    return before.count(b"\n") + 1, len(before) - before.rfind(b"\n")


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
