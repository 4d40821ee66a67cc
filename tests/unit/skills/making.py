"""Skills for tests."""

from pathlib import Path

GOOD = """---
name: {name}
description: Water the plants. Use when they are dry.
version: 1.0.0
author: Flora
license: MIT
{more}---

# Water

Take ${{HERMES_SKILL_DIR}}/scripts/pour.sh and pour.
"""


def text(name: str = "water-plants", more: str = "") -> str:
    return GOOD.format(name=name, more=more)


def skill(top: Path, name: str = "water-plants", category: str = "home", more: str = "", **files: str) -> Path:
    """A skill on disk; `files` are paths with `__` for a slash and `_` for a dot."""
    folder = top / category / name
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(text(name, more))
    for path, content in files.items():
        file = folder / path.replace("__", "/").replace("_", ".")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    return folder
