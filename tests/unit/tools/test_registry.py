"""The registry: tools by name, checked, bounded, and never raising."""

import asyncio
import json
import stat
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from hermes.config import Settings
from hermes.config.areas.execution import ToolOutput
from hermes.errors import BadInput, ToolError
from hermes.tools.base import ToolResult
from hermes.tools.registry import Registry, Tool, function, text, tool
from hermes.tools.work import Work, Workplace
from tests.unit.tools.working import work_in


def tools_with(handler: Any, **known: Any) -> Registry:
    registry = Registry({})
    parameters = {"text": text("What to say"), "times": {"type": "integer", "default": 1, "minimum": 1, "maximum": 9}}
    tool("say", toolset="talk", parameters=parameters, required=("text",), into=registry, **known)(handler)
    return registry


def say(arguments: dict[str, Any], work: Work) -> str:
    """Say something
    again and again."""
    return " ".join([arguments["text"]] * arguments["times"])


def test_a_definition_has_the_documented_form(tmp_path: Path) -> None:
    assert tools_with(say).get_definitions(["say"], work_in(tmp_path).place) == [
        {
            "type": "function",
            "function": {
                "name": "say",
                "description": "Say something again and again.",
                "parameters": {
                    "type": "object",
                    "properties": {
                        "text": {"type": "string", "description": "What to say"},
                        "times": {"type": "integer", "default": 1, "minimum": 1, "maximum": 9},
                    },
                    "required": ["text"],
                },
            },
        }
    ]


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        ('{"text": "a"}', "a"),
        ('{"text": "a", "times": "2"}', "a a"),
        ('{"text": "a", "times": 2.0}', "a a"),
        ('{"text": "a", "times": null}', "a"),
        ('{"text": "a", "times": 99}', "a a a a a a a a a"),
        ({"text": "a", "times": 0}, "a"),
    ],
)
def test_arguments_are_what_they_plainly_mean(tmp_path: Path, arguments: Any, answer: str) -> None:
    assert tools_with(say).dispatch("say", arguments, work_in(tmp_path)) == ToolResult(answer)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("{", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ("[1]", "one JSON object"),
        ("", "Missing argument: text"),
        ('{"text": 5}', "text has to be a string"),
        ('{"text": "a", "times": "many"}', "times has to be an integer"),
        ('{"text": "a", "times": true}', "times has to be an integer"),
        ('{"text": "a", "loud": true}', "There is no argument 'loud'. It takes text, [times]."),
    ],
)
def test_arguments_that_cannot_be_meant_are_explained(tmp_path: Path, arguments: str, told: str) -> None:
    result = tools_with(say).dispatch("say", arguments, work_in(tmp_path))
    assert not result.ok
    assert told in result.content


def test_an_async_tool_is_awaited(tmp_path: Path) -> None:
    async def later(arguments: dict[str, Any], work: Work) -> Any:
        await asyncio.sleep(0)
        return {"said": arguments["text"]}

    result = tools_with(later).dispatch("say", {"text": "é"}, work_in(tmp_path))
    assert json.loads(result.content) == {"said": "é"}
    assert "é" in result.content


@pytest.mark.parametrize("failure", [ToolError("No."), ValueError("odd"), SystemExit(3), RecursionError("deep")])
def test_dispatch_never_raises(tmp_path: Path, failure: BaseException) -> None:
    def fail(arguments: dict[str, Any], work: Work) -> str:
        raise failure

    result = tools_with(fail).dispatch("say", {"text": "a"}, work_in(tmp_path))
    assert result == ToolResult(
        "No." if isinstance(failure, ToolError) else f"say failed: {type(failure).__name__}: {failure}", ok=False
    )


def test_an_unknown_tool_is_told_with_the_nearest_name(tmp_path: Path) -> None:
    result = tools_with(say).dispatch("sya", {}, work_in(tmp_path))
    assert result == ToolResult("There is no tool 'sya'; did you mean 'say'?", ok=False)


def test_a_tool_that_hangs_is_left_alone(tmp_path: Path) -> None:
    began = time.monotonic()
    hanging = tools_with(lambda arguments, work: time.sleep(90), seconds=0.05)
    assert "did not answer" in hanging.dispatch("say", {"text": "a"}, work_in(tmp_path)).content
    assert time.monotonic() - began < 30


def test_no_tool_takes_the_place_of_another_without_a_word() -> None:
    registry = tools_with(say)
    with pytest.raises(BadInput, match="There is a tool 'say' already"):
        registry.register(Tool("say", "other", function("say", "Mine.", {}, ()), lambda arguments, work: "mine"))
    assert registry.get("say").handler is say


def test_registering_the_same_tool_again_is_fine() -> None:
    registry = tools_with(say)
    registry.register(registry.get("say"))
    assert registry.names() == ["say"]


def test_a_missing_variable_takes_the_tool_out_and_says_so(tmp_path: Path) -> None:
    registry = tools_with(say, requires_env=("SAY_KEY",))
    without, having = work_in(tmp_path), work_in(tmp_path, variables={"SAY_KEY": "k"})
    assert registry.get_definitions(["say"], without.place) == []
    assert registry.missing("say", without.place) == "needs SAY_KEY: hermes config set SAY_KEY …"
    assert "SAY_KEY" in registry.dispatch("say", {"text": "a"}, without).content
    assert registry.dispatch("say", {"text": "a"}, having) == ToolResult("a")


def test_a_check_is_asked_once_for_a_while(tmp_path: Path) -> None:
    asked = []

    def check(place: Workplace) -> str | None:
        asked.append(place)
        return "no loudspeaker"

    registry = tools_with(say, check=check)
    place = work_in(tmp_path).place
    assert [registry.missing("say", place) for _ in range(3)] == ["no loudspeaker"] * 3
    assert len(asked) == 1
    registry.forget_checks()
    registry.missing("say", place)
    assert len(asked) == 2


def test_a_check_that_fails_is_a_reason_and_no_accident(tmp_path: Path) -> None:
    def check(place: Workplace) -> str | None:
        raise RuntimeError("odd")

    assert (
        tools_with(say, check=check).missing("say", work_in(tmp_path).place) == "its check failed (RuntimeError: odd)"
    )


def test_a_long_result_is_cut_and_the_whole_is_in_a_private_file(tmp_path: Path, hermes_home: Path) -> None:
    whole = "\n".join(f"line {n}" for n in range(1, 5001))
    small = work_in(tmp_path, settings=Settings(tool_output=ToolOutput(max_bytes=2000)))
    result = tools_with(lambda arguments, work: whole).dispatch("say", {"text": "a"}, small)
    (file,) = (hermes_home / "tool-results").glob("*.txt")
    assert file.read_text() == whole
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert result.content.startswith("line 1\nline 2\n")
    assert "line 5000\n[cut: " in result.content
    assert str(file) in result.content
    assert len(result.content) < 2300


def test_a_very_long_line_is_cut(tmp_path: Path) -> None:
    result = tools_with(lambda arguments, work: "x" * 10_000).dispatch("say", {"text": "a"}, work_in(tmp_path))
    assert result.content.startswith("x" * 2000 + " [… 8,000 more]")


def test_secrets_in_a_result_are_masked(tmp_path: Path) -> None:
    key = "ghp_" + "a1B2c3D4e5F6" * 3
    result = tools_with(lambda arguments, work: f"token {key}").dispatch("say", {"text": "a"}, work_in(tmp_path))
    assert key not in result.content


def test_a_module_is_loaded_when_one_of_its_tools_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import hermes.tools

    source = "from hermes.tools.registry import tool\nLOADED = True\n"
    (tmp_path / "sample_module.py").write_text(source)
    monkeypatch.setattr(hermes.tools, "__path__", [*hermes.tools.__path__, str(tmp_path)])
    registry = Registry({"sample_module": ("sampled",)})
    assert registry.names() == ["sampled"]
    assert "hermes.tools.sample_module" not in sys.modules
    assert registry.get("sampled") is None
    assert sys.modules.pop("hermes.tools.sample_module").LOADED
