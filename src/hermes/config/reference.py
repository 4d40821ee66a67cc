"""The reference of settings, made from the live ones: `python -m hermes.config.reference` prints it."""

from collections.abc import Iterator

from hermes.config import kinds
from hermes.config.area import Area, Setting
from hermes.config.keys import inner_area
from hermes.config.rewrite import rendered
from hermes.config.settings import GROUPS, Settings
from hermes.config.upgrades import STEPS

_TOP = """# Settings

Made from the program itself (`python -m hermes.config.reference`); a test fails when this page is stale.

These are the keys of `config.yaml`. NAME stands for a name of your own. *No effect yet* means that the key is known and
checked, and that nothing reads it so far. The [guide](../guide/configuration.md) tells how the layers work together.
"""
_HEAD = ["| key | default | what it is |", "|---|---|---|"]


def text() -> str:
    lines: list[str] = []
    for name, known in Settings.settings.items():
        if name in GROUPS:
            lines += ["", f"## {GROUPS[name]}"]
        lines += ["", f"### {name}", *(["", known.about] if inner_area(known) else [])]
        lines += ["", *_HEAD, *(f"| {' | '.join(row)} |" for row in _rows(known, name))]
    return _TOP + "\n".join([*lines, "", *_old_names()]) + "\n"


def _rows(known: Setting, key: str, default: object = None) -> Iterator[tuple[str, str, str]]:
    default = known.default if default is None else default
    section = inner_area(known)
    if section is None:
        yield f"`{key}`", _cell(default), _what(known, key)
        return
    if "." in key:
        yield f"`{key}`", "", known.about
    if not isinstance(default, Area):
        yield f"`{key}`", _cell(default), _what(known, key)
        key, default = f"{key}.NAME" if isinstance(default, dict) else f"{key}[]", section()
    for name, inner in section.settings.items():
        yield from _rows(inner, f"{key}.{name}", getattr(default, name))


def _cell(default: object) -> str:
    return "" if default is None or default == "" else f"`{rendered(default)}`"


def _what(known: Setting, key: str) -> str:
    what = f"{known.about} {kinds.expected(known).capitalize().replace('|', ' or ')}."
    if known.env:
        what += f" `{known.env.format(key.split('.')[-2].upper())}` overrides it."
    return what if known.works else f"{what} *No effect yet.*"


def _old_names() -> list[str]:
    rows = [f"| {step.name} | {step.about} |" for step in STEPS]
    return ["## Old names", "", "| step | what it knows |", "|---|---|", *rows]


if __name__ == "__main__":
    print(text(), end="")
