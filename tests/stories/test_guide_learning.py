"""The pages on what the agent learns: every command runs and prints what it says."""

import re
from pathlib import Path
from shlex import split

from hermes.memory.base import MemoryProvider
from hermes.plugins import manifest
from hermes.plugins.base import CATEGORIES
from hermes.plugins.context import PluginContext
from hermes.plugins.hooks import HOOKS
from hermes.skills.library import BUNDLED, Library, Source
from hermes.tools.browser.base import Browser
from tests.stories.test_guide_sessions import GUIDES, examples
from tests.unit.cli.program import Hermes


def check(page: Path, hermes: Hermes, home: Path) -> int:
    """Runs every example of a page; how many there were."""
    found = list(examples(page))
    for example in found:
        program, *arguments = split(example.command)
        assert program == "hermes", example
        done = hermes(*arguments)
        if example.prints is None:
            assert done.code == 0, (example, done)
        else:
            shown = (done.out + done.err).replace(str(home), "~/.hermes").splitlines()
            assert shown == example.prints, example
    return len(found)


def test_the_page_on_memory_is_true(hermes: Hermes, hermes_home: Path) -> None:
    notes = hermes_home / "memories"
    notes.mkdir(parents=True)
    (notes / "MEMORY.md").write_text("The staging host is called blue; deploy with `make ship`.\n")
    (notes / "USER.md").write_text("Prefers short answers, in German.\n")
    assert check(GUIDES / "memory.md", hermes, hermes_home) == 5


def test_every_call_of_a_provider_is_on_the_page() -> None:
    named = set(re.findall(r"^\| `(\w+)\(", (GUIDES / "memory.md").read_text(), re.MULTILINE))
    calls = {name for name in vars(MemoryProvider) if not name.startswith("_")} - {"name", "missing"}
    assert named == calls


def test_the_page_on_skills_is_true(hermes: Hermes, hermes_home: Path) -> None:
    assert check(GUIDES / "skills.md", hermes, hermes_home) == 3


def test_every_bundled_skill_is_on_the_page_with_its_category() -> None:
    named = dict(re.findall(r"^\| ([\w-]+) \| `([\w-]+)` \|$", (GUIDES / "skills.md").read_text(), re.MULTILINE))
    skills = Library([Source(BUNDLED, "bundled")]).skills.values()
    assert named == {one.category: one.name for one in skills}


def test_the_page_on_plugins_is_true(hermes: Hermes, hermes_home: Path) -> None:
    assert check(GUIDES / "plugins.md", hermes, hermes_home) == 2


def test_every_hook_and_category_is_on_the_page() -> None:
    page = (GUIDES / "plugins.md").read_text()
    named = re.findall(r"^\| `(\w+)\(", page.split("### The 14 hooks")[1], re.MULTILINE)
    assert tuple(named) == tuple(HOOKS)
    assert all(f"| {name} | `plugins/{folder}/<name>/`" in page for folder, name in CATEGORIES.items())


def test_everything_a_plugin_can_register_and_say_is_on_the_page() -> None:
    page = (GUIDES / "plugins.md").read_text()
    methods = [name for name in vars(PluginContext) if name.startswith("register_")]
    assert len(methods) >= 10
    assert [name for name in methods if f"ctx.{name}(" not in page] == []
    assert [name for name in manifest._KNOWN if f"`{name}`" not in page and name not in ("license", "homepage")] == []
    steps = [name for name in vars(Browser) if not name.startswith("_")]
    assert [name for name in steps if f"`{name}`" not in page] == []
