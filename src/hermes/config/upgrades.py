"""Old config files. Each step knows one old spelling and says what stands in its place today.

A step looks at the keys, not at a version number: it fits any file, in any order of Hermes versions, and a file without
old keys passes untouched. Reading applies the steps in memory; the file itself changes when Hermes writes it anyway, or
by `hermes config upgrade`, and then the old one is kept beside it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from hermes.config.document import KeyPath
from hermes.config.edits import MISSING, Drop, Edit, Put, applied, at

Tree = dict[str, Any]


class Step(NamedTuple):
    name: str
    about: str
    edits: Callable[[Tree], list[Edit]]


class Upgraded(NamedTuple):
    tree: Tree
    steps: list[Step]
    edits: list[Edit]


def upgrade(tree: Tree) -> Upgraded:
    """The tree in today's spelling, the steps that had something to do, and what they did. `tree` stays as it is."""
    steps, done = [], []
    for step in STEPS:
        edits = step.edits(tree)
        if edits:
            tree = applied(tree, edits)
            steps.append(step)
            done += edits
    return Upgraded(tree, steps, done)


def _moved(tree: Tree, old: KeyPath, new: KeyPath) -> list[Edit]:
    """`old` becomes `new`; where both are there, the new one stays."""
    value = at(tree, old)
    if value is MISSING:
        return []
    return [Drop(old), Put(new, value)] if at(tree, new) is MISSING and value not in (None, "") else [Drop(old)]


def _model_as_text(tree: Tree) -> list[Edit]:
    model = tree.get("model")
    if not isinstance(model, str):
        return []
    return [Drop(("model",)), Put(("model", "default"), model)] if model else [Drop(("model",))]


def _model_default(tree: Tree) -> list[Edit]:
    return _moved(tree, ("model", "model"), ("model", "default"))


def _fallback_list(tree: Tree) -> list[Edit]:
    old = tree.get("fallback_model", MISSING)
    if old is MISSING:
        return []
    put = isinstance(old, dict) and old and not tree.get("fallback_providers")
    return [Drop(("fallback_model",)), *([Put(("fallback_providers",), [old])] if put else [])]


def _display_platforms(tree: Tree) -> list[Edit]:
    old = at(tree, ("display", "tool_progress_overrides"))
    if old is MISSING:
        return []
    edits: list[Edit] = [Drop(("display", "tool_progress_overrides"))]
    for platform, progress in old.items() if isinstance(old, dict) else ():
        new = ("display", "platforms", platform, "tool_progress")
        if at(tree, new) is MISSING:
            edits.append(Put(new, progress))
    return edits


def _compression_summary(tree: Tree) -> list[Edit]:
    edits: list[Edit] = []
    for name in ("model", "provider", "base_url"):
        edits += _moved(tree, ("compression", f"summary_{name}"), ("auxiliary", "compression", name))
    return edits


STEPS = (
    Step("model-as-text", "`model: NAME` is `model.default`", _model_as_text),
    Step("model-default", "`model.model` is `model.default`", _model_default),
    Step("fallback-list", "`fallback_model` is the first of `fallback_providers`", _fallback_list),
    Step(
        "display-platforms",
        "`display.tool_progress_overrides` is `display.platforms.NAME.tool_progress`",
        _display_platforms,
    ),
    Step(
        "compression-summary",
        "`compression.summary_model`, `_provider` and `_base_url` are `auxiliary.compression.*`",
        _compression_summary,
    ),
)
