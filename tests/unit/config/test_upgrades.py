"""Old config files: what an old key said is in force, and the file can be rewritten in today's form."""

from pathlib import Path

import pytest

from hermes.config import document, save
from hermes.config.upgrades import STEPS, upgrade

OLD = """\
# written long ago
model:
  model: small      # the cheap one
  provider: openrouter
compression:
  enabled: true
  summary_model: tiny
  summary_provider: auto
  summary_base_url: ''
display:
  tool_progress_overrides:
    telegram: off
    discord: verbose
  platforms:
    discord:
      tool_progress: new
fallback_model: {provider: openrouter, model: spare}
"""
NEW = {
    "model": {"provider": "openrouter", "default": "small"},
    "compression": {"enabled": True},
    "auxiliary": {"compression": {"model": "tiny", "provider": "auto"}},
    "display": {"platforms": {"discord": {"tool_progress": "new"}, "telegram": {"tool_progress": "off"}}},
    "fallback_providers": [{"provider": "openrouter", "model": "spare"}],
}


@pytest.mark.parametrize(
    ("step", "old", "new"),
    [
        ("model-as-text", {"model": "a"}, {"model": {"default": "a"}}),
        ("model-as-text", {"model": ""}, {}),
        ("model-default", {"model": {"model": "a"}}, {"model": {"default": "a"}}),
        ("model-default", {"model": {"model": "a", "default": "b"}}, {"model": {"default": "b"}}),
        ("fallback-list", {"fallback_model": {"model": "a"}}, {"fallback_providers": [{"model": "a"}]}),
        ("fallback-list", {"fallback_model": None}, {}),
        (
            "fallback-list",
            {"fallback_model": {"model": "a"}, "fallback_providers": [{"model": "b"}]},
            {"fallback_providers": [{"model": "b"}]},
        ),
        (
            "display-platforms",
            {"display": {"tool_progress_overrides": {"slack": "new"}}},
            {"display": {"platforms": {"slack": {"tool_progress": "new"}}}},
        ),
        ("display-platforms", {"display": {"tool_progress_overrides": {}}}, {}),
        (
            "compression-summary",
            {"compression": {"summary_model": "a", "summary_base_url": "u"}},
            {"auxiliary": {"compression": {"model": "a", "base_url": "u"}}},
        ),
        (
            "compression-summary",
            {"compression": {"summary_model": "a"}, "auxiliary": {"compression": {"model": "b"}}},
            {"auxiliary": {"compression": {"model": "b"}}},
        ),
    ],
)
def test_a_step_knows_one_old_form(step: str, old: dict, new: dict) -> None:
    upgraded = upgrade(old)
    assert (upgraded.tree, [done.name for done in upgraded.steps]) == (new, [step])


def test_every_step_is_tried_above() -> None:
    tried = {
        mark.args[1][at][0] for mark in test_a_step_knows_one_old_form.pytestmark for at in range(len(mark.args[1]))
    }
    assert tried == {step.name for step in STEPS}


def test_todays_form_passes_untouched() -> None:
    assert upgrade(NEW) == (NEW, [], [])


def test_what_old_keys_say_is_in_force(loading, tmp_path: Path) -> None:
    config = loading(OLD)
    assert config.warnings == []
    assert config.settings.model.default == "small"
    assert config.settings.auxiliary.compression.model == "tiny"
    assert config.settings.display.platforms["telegram"].tool_progress == "off"
    assert config.settings.fallback_providers[0].model == "spare"
    assert (tmp_path / "config.yaml").read_text() == OLD


def test_check_names_the_steps_that_wait(loading) -> None:
    told = "\n".join(problem.text for problem in loading(OLD).problems)
    assert [step.name in told for step in STEPS] == [False, True, True, True, True]


def test_the_file_is_rewritten_once_and_the_old_one_kept(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(OLD)
    saved = save.change(file, [])
    assert document.parse(file.read_text()).tree == NEW
    assert file.read_text().startswith("# written long ago\nmodel:\n")
    assert saved.kept is not None
    assert saved.kept.read_text() == OLD
    assert saved.kept.name.startswith("config.yaml.before-")
    assert saved.kept.stat().st_mode & 0o777 == 0o600
    assert save.change(file, []) == ([], None)
