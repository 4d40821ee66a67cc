"""An afternoon with an MCP server: the model calls its tools, it dies, it is switched off."""

import json
import sys
from pathlib import Path

import pytest

from hermes.agent.base import Notice
from hermes.agent.toolbox import chosen, toolbox
from hermes.config import load
from hermes.store import SessionDB
from hermes.tools.registry import registry
from hermes.tools.toolsets import resolve
from tests.servers.scripted import Say, Scripted, Sent
from tests.stories.chatting import agent_of, ended, stored, talk
from tests.unit.cli.program import Hermes, refused

SHOP = Path(__file__).parents[1] / "unit" / "tools" / "mcp" / "shop.py"


@pytest.fixture
def hermes(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, hermes_home: Path) -> Hermes:
    for name in registry.in_toolset("mcp-shop"):
        registry.remove(name)
    hermes_home.mkdir()
    (hermes_home / "config.yaml").write_text(
        json.dumps({"mcp_servers": {"shop": {"command": sys.executable, "args": [str(SHOP)]}}, "toolsets": ["todo"]})
    )
    return Hermes(capsys, monkeypatch)


def test_the_model_calls_a_tool_of_a_server_that_dies_and_comes_back(hermes: Hermes, tmp_path: Path) -> None:
    def offered(sent: Sent) -> Say:
        names = [tool["function"]["name"] for tool in sent.body["tools"]]
        assert {"mcp_shop_price", "mcp_shop_die"} <= set(names)
        return Say(calls=[("mcp_shop_price", {"item": "tea", "count": 2}, "c1")])

    script = [
        offered,
        Say(calls=[("mcp_shop_die", {}, "c2")]),
        Say(calls=[("mcp_shop_price", {"item": "cups"}, "c3")]),
        Say("Two teas are 6 €, a cup is 3 €."),
    ]
    assert hermes("mcp", "test", "shop").code == 0
    with Scripted(*script) as server, SessionDB() as db:
        agent = agent_of(db, server, tools=toolbox(load(), tmp_path))
        end = ended(talk(agent, "What do two teas and a cup cost?"))
        agent.close()
        answers = [content for role, content in stored(db, agent.session_id) if role == "tool"]
    assert (end.reason, end.text) == ("answered", "Two teas are 6 €, a cup is 3 €.")
    first, second, third = answers
    assert (first, third) == ("2 × tea: 6 €", "1 × cups: 3 €")
    assert "went away during the call; the next starts it anew" in second


def test_a_server_is_a_toolset_that_can_be_taken_away_and_asked_for(hermes: Hermes) -> None:
    assert hermes("mcp", "test", "shop").code == 0
    assert "mcp_shop_price" in resolve(chosen(load()))
    assert "mcp_shop_price" in resolve(chosen(load(), "telegram"))
    assert "mcp_shop_price" not in resolve(chosen(load(), "webhook"))
    hermes("tools", "disable", "mcp-shop")
    assert "mcp_shop_price" not in resolve(chosen(load()))
    assert resolve(chosen(load({"toolsets": ["mcp-shop"]}))) == registry.in_toolset("mcp-shop")
    hermes("tools", "enable", "mcp-shop")
    hermes("tools", "disable", "mcp_shop_die")
    names = resolve(chosen(load()))
    assert ("mcp_shop_price" in names, "mcp_shop_die" in names) == (True, False)


def test_what_was_chosen_of_a_server_that_is_gone_holds_nothing_up(hermes: Hermes, hermes_home: Path) -> None:
    settings = {
        "platform_toolsets": {"cli": ["todo", "mcp-gone", "-mcp_gone_x"]},
        "agent": {"disabled_toolsets": ["mcp-old"]},
    }
    (hermes_home / "config.yaml").write_text(json.dumps(settings))
    assert resolve(chosen(load())) == ["todo"]


def test_a_person_is_told_once_of_a_server_that_does_not_answer(
    hermes: Hermes, tmp_path: Path, hermes_home: Path
) -> None:
    (hermes_home / "config.yaml").write_text(json.dumps({"mcp_servers": {"bad": {"command": "no-such-program"}}}))
    with Scripted(Say("Hello."), Say("Again.")) as server, SessionDB() as db:
        agent = agent_of(db, server, tools=toolbox(load(), tmp_path))
        first, second = talk(agent, "Hello"), talk(agent, "And?")
        agent.close()
    [notice] = [event.text for event in [*first, *second] if isinstance(event, Notice)]
    assert notice.startswith(
        "The MCP server 'bad' did not answer, so its tools are missing here; `hermes mcp test bad`"
    )
    assert (first[-1].text, second[-1].text) == ("Hello.", "Again.")


def test_a_server_that_does_not_answer_is_one_line_and_an_exit_code(hermes: Hermes) -> None:
    hermes("config", "set", "mcp_servers.bad.command", "no-such-program")
    done = hermes("mcp", "test", "bad")
    assert (done.code, done.out) == (
        1,
        "✗ bad: The MCP server 'bad' cannot be used: there is no program 'no-such-program'.\n",
    )
    assert "No MCP server 'nope' in mcp_servers (there: shop, bad)" in refused(hermes("mcp", "test", "nope"), 1)
    hermes("config", "set", "mcp_servers.bad.enabled", "false")
    assert "hermes config set mcp_servers.bad.enabled true" in refused(hermes("mcp", "test", "bad"), 1)


def test_secrets_in_an_address_are_masked_in_the_list(hermes: Hermes) -> None:
    key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"
    hermes("config", "set", "mcp_servers.web.url", f"https://example.com/mcp?key={key}")
    done = hermes("mcp", "list", "--json")
    assert "example.com" in done.out
    assert key not in done.out
