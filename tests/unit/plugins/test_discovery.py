"""plugin.yaml checked by the line; the four places plugins come from; which are on."""

import inspect
import sys
from pathlib import Path

import pytest

from hermes.agent import base
from hermes.config import Settings
from hermes.config.areas import state
from hermes.plugins import manifest
from hermes.plugins.base import CATEGORIES, Plugin
from hermes.plugins.discover import discover, is_on
from hermes.plugins.hooks import HOOKS
from tests.unit.plugins.making import MANIFEST, plugin

QUIET = "def register(ctx): pass\n"


def settings(**plugins: object) -> Settings:
    return Settings(plugins=state.Plugins(**plugins))


def parsed(text: str) -> tuple[Plugin | None, list[str]]:
    found, problems = manifest.parse(text, Path("x"), "user")
    return found, [f"{one.line}: {one.text}" for one in problems]


def test_the_hooks_are_the_14_the_agent_tells_of() -> None:
    assert tuple(HOOKS) == base.HOOKS
    assert len(HOOKS) == 14
    assert all(inspect.getdoc(one) for one in HOOKS.values())


def test_every_field_is_read() -> None:
    more = (
        "kind: backend\nrequires_env:\n  - A_KEY\n  - {name: B_KEY, description: the other}\n"
        "provides_tools: [dice]\nprovides_hooks: [pre_tool_call]\nprovides_web_providers: [mine]\n"
    )
    found, problems = parsed(MANIFEST.format(name="dice-box", more=more))
    assert problems == []
    assert found is not None
    assert (found.name, found.version, found.author, found.kind) == ("dice-box", "1.0.0", "Tester", "backend")
    assert [(one.name, one.description) for one in found.requires_env] == [("A_KEY", ""), ("B_KEY", "the other")]
    assert (found.provides_tools, found.provides_hooks) == (("dice",), ("pre_tool_call",))
    assert found.category == "web search provider"


@pytest.mark.parametrize(
    ("more", "told", "usable"),
    [
        ("kind: magic\n", "5: kind 'magic' has to be one of", False),
        ("provides_hooks: [on_fire]\n", "5: provides_hooks has an entry that is not one of the 14 hooks", True),
        ("provides_tools: dice\n", "5: provides_tools has to be a list", True),
        ("requires_env: [{}]\n", "5: requires_env has an entry without the name of a variable", True),
        ("provide_tools: []\n", "5: provide_tools is not a field; did you mean provides_tools?", True),
        ("guard: maybe\n", "5: guard has to be true or false", True),
        ("version: 2\n", "5: version stands there twice", True),
        ("kind: [\n", "6:", False),
    ],
)
def test_what_is_wrong_comes_with_its_line(more: str, told: str, usable: bool) -> None:
    found, problems = parsed(MANIFEST.format(name="x", more=more))
    assert any(line.startswith(told) for line in problems), problems
    assert (found is not None) is usable


def test_a_name_is_needed_and_has_a_form() -> None:
    assert parsed("version: 1.0.0\n")[0] is None
    assert parsed(MANIFEST.format(name="../evil", more=""))[0] is None


def test_plugins_come_from_four_places_and_the_first_of_a_name_counts(
    hermes_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plugin(hermes_home / "plugins", "mine", QUIET)
    plugin(hermes_home / "plugins", "otel", QUIET)
    plugin(tmp_path / "project" / ".hermes" / "plugins", "mine", QUIET)
    plugin(tmp_path / "project" / ".hermes" / "plugins", "theirs", QUIET)
    package = tmp_path / "packages"
    (package / "packaged-1.0.dist-info").mkdir(parents=True)
    (package / "packaged.py").write_text(QUIET)
    (package / "packaged-1.0.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: packaged\nVersion: 1.0\nSummary: In a package\n"
    )
    (package / "packaged-1.0.dist-info" / "entry_points.txt").write_text("[hermes.plugins]\npackaged = packaged\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(package)])
    found = discover(settings(project=True), tmp_path / "project")
    sources = {name: one.source for name, one in found.plugins.items()}
    assert sources == {
        "journal": "bundled",
        "outline": "bundled",
        "otel": "bundled",
        "mine": "user",
        "theirs": "project",
        "packaged": "entry point",
    }
    assert found.plugins["packaged"].description == "In a package"
    assert sorted(Path(one.where).parent.name for one in found.problems) == ["mine", "otel"]
    assert "theirs" not in discover(settings(), tmp_path / "project").plugins


def test_folders_tell_the_category(hermes_home: Path) -> None:
    for folder in CATEGORIES:
        plugin(hermes_home / "plugins" / folder, f"one-{folder.replace('_', '-')}", QUIET)
    found = discover(settings()).plugins
    mine = {one.category for one in found.values() if one.source == "user"}
    assert mine == set(CATEGORIES.values())


def test_a_category_has_its_kind(hermes_home: Path) -> None:
    plugin(hermes_home / "plugins" / "platforms", "letters", QUIET, "kind: backend\n")
    plugin(hermes_home / "plugins" / "web", "leaves", QUIET)
    plugin(hermes_home / "plugins" / "memory", "diary", QUIET)
    found = discover(settings())
    assert [str(one).rpartition("/")[2] for one in found.problems] == [
        "plugin.yaml:5: kind of a platform has to be platform",
        "plugin.yaml:1: kind of a web search provider has to be backend",
    ]
    assert {"letters", "leaves", "diary"} <= set(found.plugins)


def test_a_plugin_is_on_when_the_person_says_so() -> None:
    one = Plugin("one", "user")
    assert not is_on(one, settings())
    assert is_on(one, settings(enabled=["one"]))
    assert not is_on(one, settings(enabled=["one"], disabled=["one"]))
    memory = Plugin("journal", "bundled", category="memory provider")
    chosen = Settings(memory=state.Memory(provider="journal"))
    assert is_on(memory, chosen)
    assert not is_on(memory._replace(source="project"), chosen)
