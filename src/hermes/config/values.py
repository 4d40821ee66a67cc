"""A value as somebody typed it on a command line."""

from typing import Any

from hermes.config import document, kinds
from hermes.config.area import Setting, is_area
from hermes.config.document import Broken, KeyPath
from hermes.config.edits import MISSING
from hermes.config.environment import Environment
from hermes.config.keys import inner_area
from hermes.config.references import is_reference
from hermes.config.resolve import Resolver
from hermes.errors import BadInput

_TEXT = (str, str | None)


def typed(known: Setting, path: KeyPath, text: str) -> Any:
    """The value as its setting wants it. Raises BadInput with what was expected."""
    key = ".".join(path)
    if is_area(known.kind):
        example = f"{key}.{next(iter(known.kind.settings))}"
        raise BadInput(f"{key} is a section; set one of its keys, such as {example}.")
    if is_reference(text):
        return text
    try:
        value = text if known.kind in (*_TEXT, list[str]) and not text.startswith("[") else document.scalar(text)
        fitted = _entries(known, path, value) if inner_area(known) else kinds.fit(known, value)
    except kinds.Misfit as misfit:
        raise BadInput(f"{key} has to be {misfit}.") from None
    except Broken:
        raise BadInput(f"{key} has to be {kinds.expected(known)}.") from None
    if kinds.is_no_address(known, fitted):
        raise BadInput(f"{key} has to be {kinds.expected(known)}.")
    return fitted


def _entries(known: Setting, path: KeyPath, value: Any) -> Any:
    """A list of sections, or sections by name: as they are, if everything in them fits."""
    resolver = Resolver(Environment({}, {}, []))
    resolver.setting(known, known.default, path, value, MISSING)
    wrong = [problem.text for problem in resolver.problems if problem.serious]
    wrong += [f"{'.'.join(stranger)} is not a setting." for stranger in resolver.unknown]
    if wrong:
        raise BadInput(wrong[0])
    return value
