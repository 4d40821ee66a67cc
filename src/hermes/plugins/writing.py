"""A plugin to begin with: it works, and its test passes."""

import json
from pathlib import Path

from hermes import paths
from hermes.errors import BadInput
from hermes.plugins.base import FILE
from hermes.plugins.manifest import is_name

_MANIFEST = """name: {name}
version: 0.1.0
description: {description}
author: {author}
kind: standalone
requires_env: []
provides_tools: [{tool}]
provides_hooks: [post_tool_call]
"""

_CODE = '''"""{title}."""

from collections import Counter

calls = Counter()


def heard(tool_name, ok):
    """A hook: called after every tool. It takes the values it has parameters for."""
    calls[tool_name] += 1


def count(arguments):
    """A tool: the docstring is for you, the description below is for the model."""
    name = arguments.get("name")
    return {{name: calls[name]}} if name else dict(calls)


def shown(rest):
    """A slash command: /{command}"""
    return ", ".join(f"{{name}}: {{number}}" for name, number in calls.most_common()) or "No tool was called yet."


def register(ctx):
    ctx.register_hook("post_tool_call", heard)
    ctx.register_tool(
        "{tool}",
        count,
        "How often each tool was called since this chat began.",
        {{"name": {{"type": "string", "description": "One tool alone"}}}},
    )
    ctx.register_command("{command}", shown, "how often each tool was called")
'''

_TEST = '''"""pytest {folder}"""

from pathlib import Path

from hermes.plugins.trying import tried


def test_calls_are_counted():
    plugin = tried(Path(__file__).parent)
    plugin.emit("post_tool_call", tool_name="terminal", args="{{}}", call_id="1", session_id="s", result="", ok=True)
    assert plugin.warnings == []
    assert plugin.call("{tool}", {{"name": "terminal"}}) == {{"terminal": 1}}
    assert plugin.run_command("{command}", "") == "terminal: 1"
'''


def create(name: str, description: str, author: str) -> Path:
    """The folder of a new plugin in the person's own."""
    if not is_name(name):
        raise BadInput(f"'{name}' cannot be a plugin: small letters, digits, - and _, up to 64 of them.")
    folder = paths.plugins_dir() / name
    if folder.exists():
        raise BadInput(f"{folder} is there already.")
    paths.make_private_folder(folder)
    word = name.replace("-", "_")
    values = {
        "name": name,
        "description": json.dumps(description or "Counts how often each tool is called."),
        "author": json.dumps(author),
        "title": name.replace("-", " ").replace("_", " ").capitalize(),
        "tool": f"{word}_count",
        "command": name,
        "folder": folder,
    }
    for file, text in {FILE: _MANIFEST, "__init__.py": _CODE, f"test_{word}.py": _TEST}.items():
        paths.create_private_file(folder / file)
        (folder / file).write_text(text.format(**values), encoding="utf-8")
    return folder
