"""Toolsets: every documented name, leaf, composite and platform; resolved once each, whatever contains what."""

import pytest

from hermes.errors import BadInput
from hermes.tools.registry import Registry, Tool, function
from hermes.tools.toolsets import COMPOSITES, LEAVES, PLATFORMS, Toolset, leaves, platform_toolset, resolve

LEAF_NAMES = """web search x_search vision video image_gen video_gen computer_use terminal moa skills browser cronjob
messaging file tts todo memory session_search clarify code_execution delegation homeassistant kanban discord
discord_admin yuanbao feishu_doc feishu_drive spotify"""
PLATFORM_NAMES = """cli cron gateway acp api-server webhook telegram discord slack whatsapp signal bluebubbles matrix
mattermost email sms homeassistant dingtalk feishu weixin qqbot wecom wecom-callback yuanbao"""


def test_every_documented_toolset_is_there_and_no_other() -> None:
    assert set(LEAVES) == set(LEAF_NAMES.split())
    assert set(COMPOSITES) == {"debugging", "safe"}
    assert set(PLATFORMS) == {f"hermes-{name}" for name in PLATFORM_NAMES.split()}
    assert len({*LEAVES, *COMPOSITES, *PLATFORMS}) == 56


def test_the_composites_are_the_documented_ones() -> None:
    assert COMPOSITES["debugging"].includes == ("terminal", "process", "web", "file")
    assert COMPOSITES["safe"].includes == ("moa", "web", "vision", "image_gen")
    assert resolve(["debugging"]) == ["terminal", "process", "web_search", "web_extract", "read_file", "write_file",
                                      "patch", "search_files"]  # fmt: skip
    assert resolve(["safe"]) == ["mixture_of_agents", "web_search", "web_extract", "vision_analyze", "image_generate"]


@pytest.mark.parametrize("name", sorted({*LEAVES, *COMPOSITES, *PLATFORMS}))
def test_every_set_resolves_to_tools_named_once(name: str) -> None:
    tools = resolve([name])
    assert len(tools) == len(set(tools))


def test_a_webhook_cannot_touch_the_machine() -> None:
    assert set(resolve(["hermes-webhook"])) & {"terminal", "process", "write_file", "patch", "execute_code"} == set()


def test_sets_that_contain_each_other_are_resolved_once() -> None:
    sets = {"a": Toolset("", ("one",), ("b",)), "b": Toolset("", ("two",), ("a", "b"))}
    assert resolve(["a"], known=Registry({}), sets=sets) == ["one", "two"]
    assert leaves(["a"], sets) == []


def test_a_minus_takes_out_a_set_or_a_tool() -> None:
    assert resolve(["debugging", "-web", "-patch"]) == ["terminal", "process", "read_file", "write_file",
                                                        "search_files"]  # fmt: skip


def test_everything_is_everything() -> None:
    assert set(resolve(["*"])) == {tool for one in LEAVES.values() for tool in one.tools}


def test_the_set_of_an_mcp_server_is_what_it_registered() -> None:
    registry = Registry({})
    registry.register(Tool("mcp_notes_add", "mcp-notes", function("mcp_notes_add", "", {}, ()), lambda a, w: ""))
    assert resolve(["mcp-notes"], known=registry) == ["mcp_notes_add"]


def test_an_unknown_name_gets_the_nearest_one() -> None:
    with pytest.raises(BadInput, match="no toolset 'termnal'; did you mean 'terminal'"):
        resolve(["termnal"])


def test_a_platform_without_a_set_of_its_own_gets_the_terminals() -> None:
    assert platform_toolset("telegram") == "hermes-telegram"
    assert platform_toolset("batch") == "hermes-cli"
