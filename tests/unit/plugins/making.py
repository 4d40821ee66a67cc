"""Plugins for tests."""

from pathlib import Path

MANIFEST = "name: {name}\nversion: 1.0.0\ndescription: A plugin for tests\nauthor: Tester\n{more}"


def plugin(top: Path, name: str, code: str, more: str = "") -> Path:
    folder = top / name
    folder.mkdir(parents=True)
    (folder / "plugin.yaml").write_text(MANIFEST.format(name=name.rpartition("/")[2], more=more))
    (folder / "__init__.py").write_text(code)
    return folder
