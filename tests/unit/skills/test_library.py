"""SKILL.md: every field checked with its line; bad skills never stop the others; which can be used where."""

from pathlib import Path

import pytest

from hermes.config import load
from hermes.errors import NotFound
from hermes.skills import frontmatter
from hermes.skills.activation import Here, missing, shown
from hermes.skills.base import CATEGORIES, Skill
from hermes.skills.library import BUNDLED, Library, Source, library
from tests.unit.skills.making import skill, text

EVERYTHING = """dependencies: [requests]
prerequisites:
  env_vars: [LINEAR_API_KEY]
  commands: [curl]
required_environment_variables:
  - name: PLANT_TOKEN
    prompt: The token of the sprinkler
    help: https://plants.example/token
  - OTHER_TOKEN
metadata:
  hermes:
    tags: [garden, water]
    related_skills: [buy-plants]
    requires_toolsets: [terminal]
    fallback_for_tools: [web_search]
"""


def parsed(content: str, folder: str = "water-plants") -> tuple[Skill | None, list[str]]:
    found, problems = frontmatter.parse(content, Path(folder), "home", "yours")
    return found, [f"{one.line}: {one.text}" for one in problems]


def test_every_documented_field_is_read() -> None:
    found, problems = parsed(text(more=EVERYTHING))
    assert problems == []
    assert found is not None
    assert (found.name, found.version, found.author, found.license) == ("water-plants", "1.0.0", "Flora", "MIT")
    assert found.description == "Water the plants. Use when they are dry."
    assert (found.dependencies, found.env_vars, found.commands) == (("requests",), ("LINEAR_API_KEY",), ("curl",))
    assert [one.name for one in found.variables] == ["PLANT_TOKEN", "OTHER_TOKEN"]
    assert found.variables[0].help == "https://plants.example/token"
    assert (found.tags, found.related) == (("garden", "water"), ("buy-plants",))
    assert found.conditions.requires_toolsets == ("terminal",)
    assert found.conditions.fallback_for_tools == ("web_search",)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("version: 1.0.0", "version: 1.0"), "4: version '1.0' has to be three numbers, such as 1.0.0"),
        (("author: Flora\n", ""), "1: author is missing"),
        (("license: MIT", "licence: MIT"), "6: licence is not a field; did you mean license?"),
        (("license: MIT", "license: MIT\ndependencies: curl"), "7: dependencies has to be a list"),
        (("license: MIT", "license: MIT\nmetadata:\n  hermes:\n    tags: [1]"), "9: metadata.hermes.tags has an entry"),
        (("license: MIT", "license: MIT\nmetadata:\n  hermes:\n    tagz: [a]"), "9: metadata.hermes.tagz is not a"),
        (("license: MIT", "license: MIT\nprerequisites: [curl]"), "7: prerequisites has to be a section"),
        (("license: MIT", "license: MIT\nprerequisites:\n  env_vars: [a b]"), "8: prerequisites.env_vars has an entry"),
        (
            ("license: MIT", "license: MIT\nrequired_environment_variables: [{}]"),
            "7: required_environment_variables has",
        ),
        (
            ("license: MIT", "license: MIT\nprerequisites:\n  commands: curl"),
            "8: prerequisites.commands has to be a list",
        ),
        (("license: MIT", "license: MIT\nprerequisites:\n  env: [A]"), "8: prerequisites.env is not a field"),
        (("license: MIT", "license: MIT\nmetadata:\n  hermes: [a]"), "8: metadata.hermes has to be a section"),
        (("license: MIT", "license: MIT\nplatforms: linux"), "7: platforms has to be a list"),
        (("license: MIT", "license: [MIT]"), "6: license has to be text"),
        *(
            (
                ("license: MIT", f"license: MIT\nmetadata:\n  hermes:\n    {name}: one"),
                f"9: metadata.hermes.{name} has to be",
            )
            for name in ("tags", "related_skills", "requires_toolsets", "requires_tools")
        ),
        *(
            (
                ("license: MIT", f"license: MIT\nmetadata:\n  hermes:\n    {name}: [7]"),
                f"9: metadata.hermes.{name} has an",
            )
            for name in ("fallback_for_toolsets", "fallback_for_tools")
        ),
        (("license: MIT", "license: MIT\nlicense: GPL"), "7: license stands there twice"),
        (
            ("name: water-plants", "name: other-name"),
            "2: name is 'other-name', and the folder is called 'water-plants'",
        ),
    ],
)
def test_what_is_wrong_comes_with_its_line_and_the_skill_still_works(change: tuple[str, str], told: str) -> None:
    found, problems = parsed(text().replace(*change))
    assert any(line.startswith(told) for line in problems), problems
    assert found is not None


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("# no fields", "1: has to begin with a line of `---`"),
        ("---\nname: x\n", "1: has to begin with a line of `---`"),
        (text().replace("name: water-plants", "name: Water_Plants"), "2: name 'Water_Plants' has to be small letters"),
        (text().replace("name: water-plants\n", ""), "1: name is missing"),
        (text().replace("description: Water", "description: [Water]\nx: Water"), "3: description has to be text"),
        (text().replace("description: Water", f"description: {'w' * 1100}"), "3: description is longer than 1024"),
        (text().replace("author: Flora", "author: [Flora"), "6:"),
        (text().replace("author: Flora", "author: !!python/object:os.system x"), "5:"),
        (text().split("# Water")[0], "8: has no text below the fields"),
    ],
)
def test_what_makes_a_skill_useless_keeps_it_out(content: str, told: str) -> None:
    found, problems = parsed(content)
    assert found is None
    assert any(line.startswith(told) for line in problems), problems


def test_a_bad_skill_never_stops_the_others(tmp_path: Path) -> None:
    skill(tmp_path, "good-one")
    skill(tmp_path, "bad-one").joinpath("SKILL.md").write_bytes(b"---\nname: \xff\n---\n")
    skill(tmp_path, "large-one").joinpath("SKILL.md").write_bytes(b"x" * 1_000_001)
    (tmp_path / "home" / "empty").mkdir()
    found = Library([Source(tmp_path, "yours"), Source(tmp_path / "nowhere", "external")])
    assert list(found.skills) == ["good-one"]
    assert [one.file.parent.name for one in found.problems] == ["bad-one", "large-one"]


def test_ones_own_skill_goes_before_a_bundled_one(hermes_home: Path) -> None:
    skill(hermes_home / "skills", "weekly-review", "mine")
    found = library(load().settings)
    assert (found.get("weekly-review").origin, found.get("announce").origin) == ("yours", "bundled")


def test_a_name_that_is_nearly_right_is_suggested(hermes_home: Path) -> None:
    with pytest.raises(NotFound, match="did you mean 'weekly-review'"):
        library(load().settings).get("weekly-reveiw")


def test_one_bundled_skill_for_each_category_and_nothing_wrong_with_any() -> None:
    found = Library([Source(BUNDLED, "bundled")])
    assert found.problems == []
    assert tuple(sorted(found.by_category())) == tuple(sorted(CATEGORIES))
    for one in found.skills.values():
        content = one.file.read_text()
        assert all(heading in content for heading in ("## When to Use", "## Workflow", "## Pitfalls")), one.name
        assert set(one.related) <= set(found.skills), one.name


HERE = Here({"terminal", "process"}, {"terminal"}, {"SET": "x"})


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("requires_toolsets: [terminal]", True),
        ("requires_toolsets: [web]", False),
        ("requires_tools: [terminal, process]", True),
        ("requires_tools: [terminal, web_search]", False),
        ("fallback_for_toolsets: [terminal]", False),
        ("fallback_for_toolsets: [web]", True),
        ("fallback_for_tools: [process]", False),
        ("fallback_for_tools: [web_search]", True),
    ],
)
def test_a_skill_is_shown_where_its_conditions_hold(condition: str, expected: bool) -> None:
    found, problems = parsed(text(more=f"metadata:\n  hermes:\n    {condition}\n"))
    assert problems == []
    assert found is not None
    assert shown(found, HERE) is expected


def test_a_skill_of_another_system_is_not_shown() -> None:
    found, _ = parsed(text(more="platforms: [windows]\n"))
    assert found is not None
    assert not shown(found, HERE)


def test_what_is_missing_is_said_with_what_to_do() -> None:
    more = "prerequisites:\n  env_vars: [SET, UNSET]\n  commands: [sh, no-such-command]\n"
    found, _ = parsed(text(more=more))
    assert found is not None
    assert missing(found, HERE.variables) == [
        "UNSET is not set: hermes config set UNSET …",
        "the command no-such-command is not installed",
    ]
