"""A file of prompts: a line each, or one JSON object a line with `prompt` and, if wanted, `id`."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from hermes.errors import BadInput, NotFound

_LARGEST = 200_000_000  # bytes


class Prompt(NamedTuple):
    """`key` stays the same when other lines come and go: it is made of the text, and of how often it came before."""

    number: int
    text: str
    key: str
    id: Any = None


def read_prompts(file: Path) -> list[Prompt]:
    """Every prompt; BadInput names the line that is none."""
    seen: Counter[str] = Counter()
    prompts = []
    for number, line in _lines(file):
        text, name = _object(file, number, line) if line.startswith("{") or file.suffix == ".jsonl" else (line, None)
        seen[text] += 1
        digest = hashlib.sha256(f"{seen[text]}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()
        prompts.append(Prompt(number, text, digest[:16], name))
    if not prompts:
        raise BadInput(f"{file} holds no prompt: write one a line, or JSON objects with a `prompt`.")
    return prompts


def _lines(file: Path) -> Iterator[tuple[int, str]]:
    try:
        if file.stat().st_size > _LARGEST:
            raise BadInput(f"{file} is larger than {_LARGEST // 1_000_000} MB; split it.")
        content = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise NotFound(f"{file} does not exist; name a file with a prompt on every line.") from None
    except OSError as error:
        raise BadInput(f"{file} cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise BadInput(f"{file} is no text in UTF-8.") from None
    for number, line in enumerate(content.split("\n"), 1):
        if line.strip():
            yield number, line.strip()


def _object(file: Path, number: int, line: str) -> tuple[str, Any]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    text = found if isinstance(found, str) else found.get("prompt") if isinstance(found, dict) else None
    if not isinstance(text, str) or not text.strip():
        raise BadInput(f'{file}, line {number}: this is no JSON object with a prompt, such as {{"prompt": "…"}}.')
    return text, found.get("id") if isinstance(found, dict) else None
