"""Secrets in text: how they are known, and how they are masked.

A key is known by its own shape (`ghp_…`, `AKIA…`), by a mark close to it (`://user:…@`, a PEM
header), or by the name it is given (`DB_PASSWORD=…`, `"api_key": "…"`); a name alone is not enough,
the value has to look random too. What a mask leaves is the kind and at most the prefix that every
such key has: `ghp_…[redacted github-personal-token]`, `[redacted: password]`.

Ordinary text is cheap: shapes are tried only where a long run of key characters begins, everything
else only where a literal was found. No pattern can backtrack over more than a bounded stretch.

shapes   a prefix, and what follows it          marks    what stands close to a secret
names    what it is called, and its value       values   whether a value looks like one
masks    what is put in its place               base     a secret that was found
"""

from functools import lru_cache
from typing import Any

from hermes.model.secrets.base import Secret
from hermes.model.secrets.marks import MARKS, SPOKEN, marked
from hermes.model.secrets.masks import mask_all, merged
from hermes.model.secrets.names import PROVIDERS, kind_named, named, noun_of
from hermes.model.secrets.shapes import SHAPES, shaped

_WORD = 40  # characters
_MOST_PASSES = 8
_HEADERS = ("authorization", "proxy-authorization", "cookie", "set-cookie")
KINDS = frozenset(
    [kind for kind, *_ in (*SHAPES, *MARKS, *SPOKEN, *PROVIDERS)]
    + ["jwt", "supabase-service-key", "home-assistant-token", "password", "token", "secret", "api-key", "private-key"]
)


def find_secrets(text: str) -> list[Secret]:
    """Every secret in the text, in order; where several readings overlap, one that covers them all."""
    lowered = text.replace("\u0130", "i").lower()  # character for character: İ alone becomes two
    return merged([*shaped(text), *marked(text, lowered), *named(text, lowered)])


def redact(text: str) -> tuple[str, int]:
    """The text with its secrets masked, and how many there were. A second call changes nothing."""
    return _redact_word(text) if len(text) <= _WORD else _redact(text)


@lru_cache(maxsize=2048)
def _redact_word(text: str) -> tuple[str, int]:
    """Names of columns, roles, models: the same ones again and again."""
    return _redact(text)


def _redact(text: str) -> tuple[str, int]:
    count = 0
    for _ in range(_MOST_PASSES):  # a mask can bare what was too close to another secret to be seen
        secrets = find_secrets(text)
        if not secrets:
            break
        text = mask_all(text, secrets)
        count += len(secrets)
    return text, count


def redact_value(value: Any) -> tuple[Any, int]:
    """A copy of JSON-like data with the secrets masked, and how many there were.

    What stands under a key such as `password`, `api_key` or `Authorization` needs to look less random than in
    running text. Tuples come back as lists; what is neither text nor a container comes back as it is.
    """
    root: list[Any] = [value]
    todo: list[list[Any] | dict[Any, Any]] = [root]
    count = 0
    while todo:  # not recursive: nesting has no limit
        container = todo.pop()
        for key, item in list(container.items() if isinstance(container, dict) else enumerate(container)):
            if isinstance(item, str):
                container[key], found = _redact_item(container, key, item)
                count += found
            elif isinstance(item, dict):
                container[key], found = _redact_keys(item)
                count += found
                todo.append(container[key])
            elif isinstance(item, list | tuple):
                container[key] = list(item)
                todo.append(container[key])
    return root[0], count


def _redact_item(container: list[Any] | dict[Any, Any], key: Any, item: str) -> tuple[str, int]:
    if isinstance(container, dict) and key == "value":
        key = container.get("name")
    text, count = redact(item)
    if count or not isinstance(container, dict) or not isinstance(key, str) or "[redacted" in key:
        return text, count
    if key.lower() in _HEADERS:
        text, count = redact(f"{key}: {item}")
        return text.removeprefix(f"{key}: "), count
    noun, words = noun_of(key)
    kind = kind_named(noun, words, item, quoted=True, loose=True) if noun else None
    return (f"[redacted: {kind}]", 1) if kind else (item, 0)


def _redact_keys(item: dict[Any, Any]) -> tuple[dict[Any, Any], int]:
    """A shallow copy whose keys hold no secrets either; none of them is lost."""
    copy: dict[Any, Any] = {}
    count = 0
    for key, value in item.items():
        found = 0
        if isinstance(key, str):
            key, found = redact(key)
        while found and (key in item or key in copy):
            key += "'"
        copy[key] = value
        count += found
    return copy, count
