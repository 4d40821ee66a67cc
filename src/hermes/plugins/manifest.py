"""plugin.yaml → a plugin. Every field is checked; what is wrong comes with its line."""

import re
from pathlib import Path

from hermes.config.fields import Fields
from hermes.plugins.base import CATEGORIES, DASHBOARD, FILE, GENERAL, KINDS, TAB, Plugin, Problem, Variable
from hermes.plugins.hooks import HOOKS

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_VERSION = re.compile(r"\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TOOL = re.compile(r"[A-Za-z0-9_-]{1,64}")
_REQUIRED = ("name", "version", "description", "author")
_LISTS = ("provides_tools", "provides_hooks", "provides_web_providers", "provides_browser_providers")
_KNOWN = (*_REQUIRED, "requires_env", *_LISTS, "kind", "guard", "license", "homepage")
_LARGEST = 100_000
_BY_KIND = {"model-provider": CATEGORIES["model-providers"], "platform": CATEGORIES["platforms"]}


def is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None


def read(folder: Path, source: str, category: str = "") -> tuple[Plugin | None, list[Problem]]:
    """The plugin in a folder, if its description can be used, and everything that is wrong with it."""
    file = folder / FILE
    try:
        if file.stat().st_size > _LARGEST:
            return None, [Problem(str(file), 1, f"is larger than {_LARGEST // 1000} kB", True)]
        text = file.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return None, [Problem(str(file), 1, "is not UTF-8 text", True)]
    except OSError as error:
        return None, [Problem(str(file), 1, f"cannot be read: {error.strerror}", True)]
    return parse(text, folder, source, category)


def parse(text: str, folder: Path, source: str, category: str = "") -> tuple[Plugin | None, list[Problem]]:
    fields = Fields(text, required=_REQUIRED)
    plugin = None if fields.broken else _plugin(fields, folder, source, category)
    problems = [Problem(str(folder / FILE), *one) for one in fields.wrong]
    problems = sorted(set(problems), key=lambda one: (one.line, one.text))
    return (None if any(one.serious for one in problems) else plugin), problems


def _plugin(fields: Fields, folder: Path, source: str, category: str) -> Plugin:
    fields.strangers(_KNOWN)
    name = fields.text(("name",), serious=True)
    if name and not is_name(name):
        fields.note(("name",), f"'{name}' has to be small letters, digits, - and _, up to 64", serious=True)
    version = fields.text(("version",))
    if version and not _VERSION.fullmatch(version):
        fields.note(("version",), f"'{version}' has to be three numbers, such as 1.0.0")
    kind = fields.text(("kind",)) or "standalone"
    if kind not in KINDS:
        fields.note(("kind",), f"'{kind}' has to be one of {', '.join(KINDS)}", serious=True)
    needs = fields.named(("requires_env",), _VARIABLE.fullmatch, "the name of a variable")
    lists = {name: fields.texts((name,), *_FITS.get(name, (_TOOL.fullmatch, "a name"))) for name in _LISTS}
    category = category or _category(kind, lists, folder)
    fits = _KIND_OF.get(category, kind)
    if kind in KINDS and kind != fits:
        fields.note(("kind",), f"of a {category} has to be {fits}")
    return Plugin(
        name,
        source,
        category,
        folder,
        None,
        version,
        fields.text(("description",)),
        fields.text(("author",)),
        kind,
        tuple(Variable(*(str(one.get(key) or "") for key in Variable._fields)) for one in needs),
        **lists,
        guard=fields.flag(("guard",)),
    )


def _category(kind: str, lists: dict[str, tuple[str, ...]], folder: Path) -> str:
    """By what it says of itself, where its folder does not tell."""
    if lists["provides_web_providers"]:
        return CATEGORIES["web"]
    if lists["provides_browser_providers"]:
        return CATEGORIES["browser"]
    return _BY_KIND.get(kind) or (DASHBOARD if (folder / TAB).is_file() else GENERAL)


# What a category says of itself; the others are free.
_KIND_OF = {
    CATEGORIES["model-providers"]: "model-provider",
    CATEGORIES["web"]: "backend",
    CATEGORIES["browser"]: "backend",
    CATEGORIES["platforms"]: "platform",
}
_FITS = {"provides_hooks": (HOOKS.__contains__, f"one of the {len(HOOKS)} hooks")}
