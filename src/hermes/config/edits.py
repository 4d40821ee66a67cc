"""A change to the settings as data: which key, and its new value or none. Steps and commands make them; they apply to
a tree in memory and (write.py) to the text of the file alike."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from hermes.config.document import KeyPath

MISSING: Any = object()


class Put(NamedTuple):
    path: KeyPath
    value: Any


class Drop(NamedTuple):
    path: KeyPath


Edit = Put | Drop


def at(tree: Any, path: KeyPath) -> Any:
    """What stands there, or MISSING."""
    for key in path:
        if not isinstance(tree, dict) or key not in tree:
            return MISSING
        tree = tree[key]
    return tree


def applied(tree: dict[str, Any], edits: Iterable[Edit]) -> dict[str, Any]:
    """A copy of the tree with the edits made. A section emptied by a Drop goes too."""
    changed: dict[str, Any] = copied(tree)
    for edit in edits:
        if isinstance(edit, Put):
            _put(changed, edit.path, copied(edit.value))
        else:
            _drop(changed, edit.path)
    return changed


def copied(part: Any) -> Any:
    if isinstance(part, dict):
        return {key: copied(item) for key, item in part.items()}
    return [copied(item) for item in part] if isinstance(part, list) else part


def _put(tree: dict[str, Any], path: KeyPath, value: Any) -> None:
    for key in path[:-1]:
        if not isinstance(tree.get(key), dict):
            tree[key] = {}
        tree = tree[key]
    tree[path[-1]] = value


def _drop(tree: dict[str, Any], path: KeyPath) -> None:
    parents = [tree]
    for key in path[:-1]:
        if not isinstance(parents[-1].get(key), dict):
            return
        parents.append(parents[-1][key])
    if parents[-1].pop(path[-1], MISSING) is MISSING:
        return
    for parent, key in zip(reversed(parents[:-1]), reversed(path[:-1]), strict=True):
        if not parent[key]:
            del parent[key]
