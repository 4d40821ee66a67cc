"""Servers of the settings as toolsets: what is registered, under which names, and what is remembered."""

import json
import logging
import time
from pathlib import Path
from typing import Any

import pytest

from hermes import paths
from hermes.config import Settings
from hermes.config.areas.execution import McpServer
from hermes.tools.mcp.known import remember, remembered
from hermes.tools.mcp.results import as_result
from hermes.tools.mcp.servers import prepare, register, register_known
from hermes.tools.registry import Registry
from tests.unit.tools.mcp.conftest import stdio
from tests.unit.tools.working import work_in

SERVERS = {"shop": McpServer(command="shop"), "shop_b": McpServer(url="http://127.0.0.1:1/mcp")}


def offers(*names: str) -> list[dict[str, Any]]:
    return [
        {"name": name, "description": f"{name} it", "schema": {"type": "object", "properties": {}}} for name in names
    ]


def test_tools_are_named_after_their_server_and_are_one_toolset() -> None:
    into = Registry({})
    register("shop", offers("price", "stock"), into)
    assert sorted(into.in_toolset("mcp-shop")) == ["mcp_shop_price", "mcp_shop_stock"]
    register("shop", offers("price"), into)
    assert into.in_toolset("mcp-shop") == ["mcp_shop_price"]


def test_names_that_no_provider_takes_are_made_into_ones_that_stay_apart() -> None:
    into = Registry({})
    register("shop", offers("a/b", "a.b", "x" * 100, "x" * 99), into)
    names = into.in_toolset("mcp-shop")
    assert len(names) == 4
    assert all(len(name) <= 64 and name.replace("-", "").replace("_", "").isalnum() for name in names)


def test_a_server_never_takes_the_place_of_another_ones_tool(caplog: pytest.LogCaptureFixture) -> None:
    into = Registry({})
    register("shop", offers("b_price"), into)
    with caplog.at_level(logging.WARNING):
        register("shop_b", offers("price"), into)
    found = into.get("mcp_shop_b_price")
    assert found is not None
    assert found.toolset == "mcp-shop"
    assert "a name that mcp-shop has already" in caplog.text


def test_what_a_server_says_about_itself_is_kept_short_and_whole() -> None:
    into = Registry({})
    register("shop", [{"name": "a", "description": "word\n" * 5000, "schema": None}], into)
    found = into.get("mcp_shop_a")
    assert found is not None
    assert len(found.schema["description"]) <= 1000
    assert found.schema["parameters"] == {"type": "object", "properties": {}}


def test_what_is_known_is_remembered_until_the_settings_change() -> None:
    remember(SERVERS, {"shop": offers("price")})
    remember(SERVERS, {"shop_b": offers("stock")})
    assert {name: [tool["name"] for tool in tools] for name, tools in remembered(SERVERS).items()} == {
        "shop": ["price"],
        "shop_b": ["stock"],
    }
    changed = {**SERVERS, "shop": McpServer(command="another")}
    assert list(remembered(changed)) == ["shop_b"]
    assert paths.mcp_tools_file().stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", ["", "[]", '{"shop": 1}', '{"shop": {"settings": 1}}', "\0"])
def test_a_damaged_memory_is_as_none(content: str) -> None:
    remember(SERVERS, {"shop": offers("price")})
    paths.mcp_tools_file().write_text(content)
    assert remembered(SERVERS) == {}


def test_secrets_of_the_settings_are_not_remembered() -> None:
    servers = {"shop": McpServer(command="shop", env={"KEY": "sk-very-secret"}, headers={"A": "tok-secret"})}
    remember(servers, {"shop": offers("price")})
    assert "secret" not in paths.mcp_tools_file().read_text()


def test_known_tools_are_there_without_a_connection_and_unknown_ones_are_asked_for(tmp_path: Path) -> None:
    settings = Settings(mcp_servers={"shop": stdio(), "gone": McpServer(command="no-such-program")})
    into = Registry({})
    register_known(settings, into)
    assert into.names() == []
    work = work_in(tmp_path, settings=settings)
    try:
        prepare(work.place, into)
        assert "mcp_shop_price" in into.in_toolset("mcp-shop")
        assert into.in_toolset("mcp-gone") == []
        beside = [name for name in into.names() if (one := into.get(name)) is not None and one.beside]
        assert beside == ["mcp_shop_price"]  # the one that says it changes nothing
        result = into.dispatch("mcp_shop_price", '{"item": "tea", "count": "2"}', work)
        assert (result.ok, result.content) == (True, "2 × tea: 6 €")
        large = into.dispatch("mcp_shop_flood", {"size": 1_000_000}, work)
        assert len(large.content) < 60_000
        assert str(paths.tool_results_dir()) in large.content
    finally:
        work.place.close()
    again = Registry({})
    register_known(settings, again)
    assert "mcp_shop_price" in again.names()


def test_a_conversation_does_not_wait_long_for_a_server_that_hangs(tmp_path: Path) -> None:
    settings = Settings(mcp_servers={"slow": McpServer(command="sleep", args=["90"])})
    work = work_in(tmp_path, settings=settings)
    began = time.monotonic()
    assert prepare(work.place, Registry({}), patience=0.2) == ["slow"]
    assert time.monotonic() - began < 30
    work.place.close()  # and it ends at once, though the server never came up
    assert time.monotonic() - began < 60


def test_a_server_that_is_switched_off_has_no_tools(tmp_path: Path) -> None:
    into = Registry({})
    register("shop", offers("price"), into)
    settings = Settings(mcp_servers={"shop": McpServer(command="shop", enabled=False)})
    result = into.dispatch("mcp_shop_price", "{}", work_in(tmp_path, settings=settings))
    assert (result.ok, "'shop' is not in mcp_servers" in result.content) == (False, True)


def test_every_kind_of_answer_is_readable(tmp_path: Path) -> None:
    work = work_in(tmp_path)
    answer = {
        "content": [
            {"type": "text", "text": "the front"},
            {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"},
            {"type": "image", "data": "%%", "mimeType": "image/png"},
            {"type": "resource_link", "name": "list", "uri": "shop://list"},
            {"type": "resource", "resource": {"uri": "shop://a", "text": "inside"}},
            {"type": "riddle"},
        ]
    }
    text = as_result(answer, work).content
    assert isinstance(text, str)
    first, picture, damaged, link, inner, riddle = text.split("\n\n")
    assert (first, damaged) == ("the front", "[image image/png: damaged]")
    assert picture.startswith("[image image/png, 8 bytes, in ")
    file = Path(picture.removeprefix("[image image/png, 8 bytes, in ").partition(";")[0])
    assert file.read_bytes() == b"\x89PNG\r\n\x1a\n"
    assert (link, inner, riddle) == ("[list: shop://list]", "[shop://a]\ninside", "[riddle: cannot be shown]")


def test_an_answer_with_structure_alone_is_its_json(tmp_path: Path) -> None:
    result = as_result({"content": [], "structuredContent": {"tea": 4}, "isError": True}, work_in(tmp_path))
    assert (result.ok, json.loads(str(result.content))) == (False, {"tea": 4})
