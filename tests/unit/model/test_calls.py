"""Tool calls are read as a line each, whatever a model wrote into them."""

import json

import pytest

from hermes.model.calls import told


def call(name: str, arguments: object) -> dict[str, object]:
    return {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ('{"command": "ls -la"}', "calls terminal: ls -la"),
        ('{"command": "ls", "timeout": 5}', "calls terminal: command=ls timeout=5"),
        ({"paths": ["a", "b"]}, 'calls terminal: ["a", "b"]'),
        ("{}", "calls terminal"),
        ("", "calls terminal"),
        (None, "calls terminal: null"),
        ('{"command": "ls', 'calls terminal: {"command": "ls'),
    ],
)
def test_a_call_is_one_line(arguments: object, line: str) -> None:
    assert told([call("terminal", arguments)]) == line
    assert told(json.dumps([call("terminal", arguments)])) == line


def test_several_calls_are_several_lines() -> None:
    assert told([call("a", "{}"), call("b", "{}")]) == "calls a\ncalls b"


@pytest.mark.parametrize("odd", ["no JSON", '{"a": 1}', "[1]", '["x"]'])
def test_what_is_no_call_is_shown_and_raises_nothing(odd: str) -> None:
    assert told(odd)


def test_no_calls_are_no_text() -> None:
    assert told(None) == told([]) == ""
