"""Changes to the text of a YAML file that leave every other character where it was: comments, order, quotes, spacing.

The parser says where each value stands; the change is made there. What comes out is read again by the caller and
compared with what was meant, so that a file written in an unusual way is refused rather than spoilt.
"""

import json
from collections.abc import Iterable
from typing import Any, NamedTuple

from hermes.config import document
from hermes.config.document import Broken, KeyPath
from hermes.config.edits import Edit, Put

_STEP = 2


class Unwritable(Exception):
    """The text has a form in which the change cannot be made safely."""


def changed(text: str, edits: Iterable[Edit]) -> str:
    for edit in edits:
        text = _put(text, edit.path, edit.value) if isinstance(edit, Put) else _drop(text, edit.path)
    return text


def rendered(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{rendered(key)}: {rendered(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(rendered, value)) + "]"
    return _quoted(value) if isinstance(value, str) else json.dumps(value)


class _Entry(NamedTuple):
    """A key with its value inside a mapping."""

    mapping: Any
    key: Any
    value: Any


def _put(text: str, path: KeyPath, value: Any) -> str:
    root = _compose(text)
    if root is None:
        return _appended(text, _block(path, value, 0))
    entries = _entries(root, path)
    rest = path[len(entries) :]
    if rest and (not entries or _has_entries(entries[-1].value)):
        return _inserted(text, entries[-1].value if entries else root, rest, value)
    return _replaced(text, entries[-1], rest, value)


def _replaced(text: str, entry: _Entry, rest: KeyPath, value: Any) -> str:
    """What stood behind the key goes, a remark on its line stays. With a `rest` the value becomes a section."""
    start, remark = _opening(text, entry)
    end = _end(text, entry.value, entry.key)
    if rest and not entry.mapping.flow_style:
        lines = _block(rest, value, entry.key.start_mark.column + _STEP)
        newline = _line_end(text, end)
        return _appended(text[:start].rstrip(" ") + remark + text[end:newline], lines) + text[newline:]
    space = "" if text[start - 1].isspace() else " "
    return f"{text[:start]}{space}{rendered(_nested(rest, value))}{remark}{text[end:]}"


def _opening(text: str, entry: _Entry) -> tuple[int, str]:
    """Where a value begins, and what stands between its key and it when it begins on a later line."""
    colon = text.index(":", entry.key.end_mark.index) + 1
    start = int(entry.value.start_mark.index)
    between = text[colon:start]
    if "\n" in between or start == entry.value.end_mark.index:
        return colon, between.rstrip()
    return start, ""


def _drop(text: str, path: KeyPath) -> str:
    root = _compose(text)
    entries = _entries(root, path) if root is not None else []
    if len(entries) < len(path):
        return text
    while len(entries) > 1 and len(entries[-1].mapping.value) == 1:
        entries.pop()
    entry = entries[-1]
    if entry.mapping.flow_style:
        if "\n" in _source(text, entry.mapping):
            raise Unwritable(f"{'.'.join(path)} stands in braces over several lines, which may hold remarks")
        kept = [(key, value) for key, value in entry.mapping.value if key is not entry.key]
        inside = ", ".join(f"{_source(text, key)}: {_source(text, value)}" for key, value in kept)
        return text[: entry.mapping.start_mark.index] + "{" + inside + "}" + text[entry.mapping.end_mark.index :]
    start = text.rfind("\n", 0, entry.key.start_mark.index) + 1
    if text[start : entry.key.start_mark.index].strip("\ufeff "):
        raise Unwritable(f"{'.'.join(path)} does not begin its line")
    return text[:start] + text[_line_end(text, _end(text, entry.value, entry.key)) :]


def _inserted(text: str, mapping: Any, rest: KeyPath, value: Any) -> str:
    if mapping.flow_style:
        at = mapping.end_mark.index - 1
        comma = ", " if mapping.value else ""
        return f"{text[:at].rstrip()}{comma}{rendered(rest[0])}: {rendered(_nested(rest[1:], value))}{text[at:]}"
    key, last = mapping.value[-1]
    at = _line_end(text, _end(text, last, key))
    lines = _block(rest, value, mapping.value[0][0].start_mark.column)
    return _appended(text[:at], lines) + text[at:]


def _appended(text: str, lines: list[str]) -> str:
    return text + ("" if not text or text.endswith("\n") else "\n") + "".join(line + "\n" for line in lines)


def _block(path: KeyPath, value: Any, column: int) -> list[str]:
    """`a:` / `  b: value`, a line each."""
    if isinstance(value, dict) and value and len(path) == 1:
        inside = [line for key, item in value.items() for line in _block((key,), item, column + _STEP)]
        return [f"{' ' * column}{rendered(path[0])}:", *inside]
    if len(path) == 1:
        return [f"{' ' * column}{rendered(path[0])}: {rendered(value)}"]
    return [f"{' ' * column}{rendered(path[0])}:", *_block(path[1:], value, column + _STEP)]


def _nested(path: KeyPath, value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _compose(text: str) -> Any:
    import yaml

    try:
        return yaml.compose(text, Loader=document.loader())
    except yaml.YAMLError as error:
        raise Unwritable(str(error)) from None


def _entries(root: Any, path: KeyPath) -> list[_Entry]:
    """The entries along the path, as far as they are there."""
    found: list[_Entry] = []
    mapping = root
    for name in path:
        if getattr(mapping, "id", "") != "mapping":
            break
        pair = next(((key, value) for key, value in mapping.value if key.value == name), None)
        if pair is None:
            break
        found.append(_Entry(mapping, *pair))
        mapping = pair[1]
    return found


def _has_entries(node: Any) -> bool:
    return node.id == "mapping" and bool(node.value)


def _end(text: str, node: Any, key: Any) -> int:
    """Where what is written ends; the parser's own end of a block lies behind the comments that follow it."""
    if node.id == "mapping" and not node.flow_style and node.value:
        inner_key, inner = node.value[-1]
        return _end(text, inner, inner_key)
    if node.id == "sequence" and not node.flow_style and node.value:
        return _end(text, node.value[-1], node.value[-1])
    if node.id == "scalar" and node.style in ("|", ">"):
        return len(text[: node.end_mark.index].rstrip())
    return max(int(node.end_mark.index), int(key.end_mark.index) + (1 if node is not key else 0))


def _line_end(text: str, at: int) -> int:
    """Behind the end of the line."""
    newline = text.find("\n", at)
    return len(text) if newline < 0 else newline + 1


def _source(text: str, node: Any) -> str:
    return text[node.start_mark.index : node.end_mark.index] or "null"


def _quoted(text: str) -> str:
    """Plain where it reads as the same text wherever it stands, in quotes otherwise."""
    simple = text and text.isprintable() and text == text.strip() and not set(text) & set("\"'#\\")
    if simple and all(_reads_as(*pair) for pair in _places(text)):
        return text
    return json.dumps(text, ensure_ascii=not all(char.isprintable() for char in text))


def _places(text: str) -> list[tuple[str, Any]]:
    return [(f"k: {text}", {"k": text}), (f"k: [{text}]", {"k": [text]}), (f"{text}: k", {text: "k"})]


def _reads_as(line: str, meant: Any) -> bool:
    try:
        return bool(document.parse(line).tree == meant)
    except Broken:
        return False
