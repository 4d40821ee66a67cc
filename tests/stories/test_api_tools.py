"""Tools of the caller's own, in chat completions, with the real client."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest

from hermes.config import load
from hermes.gateway.adapters.api_server import ApiServer
from hermes.gateway.core import Gateway
from hermes.store import SessionDB
from tests.servers.platform import running
from tests.servers.scripted import Say, Scripted
from tests.stories.api import api_configured, client, echo, post


def tool(name: str, about: str = "") -> Any:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}}
    return {"type": "function", "function": {"name": name, "description": about, "parameters": schema}}


WEATHER = tool("weather", "What it is like outside")


@pytest.fixture
def model() -> Iterator[Scripted]:
    with Scripted(otherwise=echo) as server:
        yield server


@pytest.fixture
def gateway(hermes_home: Path, model: Scripted, db: SessionDB) -> Iterator[Gateway]:
    api_configured(hermes_home, model, ("todo",))
    with running(db, ApiServer(load())) as gateway:
        yield gateway


def asked(api: openai.OpenAI, messages: list[Any], **more: Any) -> Any:
    return api.chat.completions.create(model="hermes", messages=messages, tools=[WEATHER], **more)


def test_the_model_calls_a_tool_of_the_caller_and_the_turn_goes_on_with_its_result(
    gateway: Gateway, db: SessionDB, model: Scripted
) -> None:
    model.add(
        Say("Let me look.", calls=[("todo", {}, "t1"), ("weather", {"city": "Oslo"}, "c1")]),
        Say(calls=[("weather", {"city": "Rome"}, "c2")]),
        Say("Rain there, sun here."),
    )
    said: list[Any] = [{"role": "user", "content": "weather?"}]
    with client(gateway) as api:
        for result in ("rain", "sun"):
            choice = asked(api, said).choices[0]
            assert choice.finish_reason == "tool_calls"
            [call] = choice.message.tool_calls
            said += [choice.message.to_dict(), {"role": "tool", "tool_call_id": call.id, "content": result}]
        assert asked(api, said).choices[0].message.content == "Rain there, sun here."
    [session] = db.search_sessions()
    rows = db.get_messages(session["id"])
    assert [row["role"] for row in rows] == ["user", "assistant", "tool", "tool", "assistant", "tool", "assistant"]
    assert [row["content"] for row in rows if row["tool_name"] == "weather"] == ["rain", "sun"]
    assert [one["function"]["name"] for one in model.sent[0].body["tools"]] == ["todo", "weather"]
    sent = [one["role"] for one in model.sent[1].messages]
    assert sent == ["system", "user", "assistant", "tool", "tool"]


def test_the_call_is_streamed(gateway: Gateway, model: Scripted) -> None:
    model.add(Say("Let me look.", calls=[("weather", {"city": "Oslo"}, "c1")]))
    with client(gateway) as api:
        chunks = list(asked(api, [{"role": "user", "content": "weather?"}], stream=True))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    [call] = [call for chunk in chunks for call in chunk.choices[0].delta.tool_calls or ()]
    assert text == "Let me look." and chunks[-1].choices[0].finish_reason == "tool_calls"
    assert (call.index, call.id, call.function.name) == (0, "c1", "weather")
    assert call.function.arguments == '{"city": "Oslo"}'


def test_a_result_comes_to_a_gateway_that_was_started_anew(hermes_home: Path, model: Scripted, db: SessionDB) -> None:
    api_configured(hermes_home, model)
    model.add(Say(calls=[("weather", {}, "c1")]), Say(calls=[("weather", {}, "c2")]), Say("It rains."))
    said: list[Any] = [{"role": "user", "content": "weather?"}]
    work = {"extra_headers": {"X-Hermes-Conversation": "work"}}
    with running(db, ApiServer(load())) as gateway, client(gateway) as api:
        asked(api, said, **work)
        said.append(asked(api, said).choices[0].message.to_dict())
    result = {"role": "tool", "tool_call_id": "c1", "content": "rain"}
    with running(db, ApiServer(load())) as gateway, client(gateway) as api:
        assert asked(api, [result], **work).choices[0].message.content == "It rains."
        second = asked(api, [*said, result | {"tool_call_id": "c2"}])
        assert second.choices[0].message.content == "You said: rain"
    held = sorted([row["role"] for row in db.get_messages(one["id"])] for one in db.search_sessions())
    assert held == [["user", "assistant"], *[["user", "assistant", "tool", "assistant"]] * 2]


def test_who_says_something_else_instead_of_a_result_goes_on(gateway: Gateway, db: SessionDB, model: Scripted) -> None:
    model.add(Say(calls=[("weather", {}, "c1"), ("weather", {}, "c2")]))
    said: list[Any] = [{"role": "user", "content": "weather?"}]
    with client(gateway) as api:
        message = asked(api, said).choices[0].message.to_dict()
        said += [message, {"role": "tool", "tool_call_id": "c1", "content": "rain"}, {"role": "user", "content": "so?"}]
        assert asked(api, said).choices[0].message.content == "You said: so?"
    rows = db.get_messages(db.search_sessions()[0]["id"])
    assert [row["role"] for row in rows] == ["user", "assistant", "tool", "tool", "user", "assistant"]
    assert {row["tool_call_id"]: "interrupted" in row["content"] for row in rows if row["role"] == "tool"} == {
        "c1": False,
        "c2": True,
    }


def test_a_tool_of_the_same_name_is_the_callers_and_none_means_none(gateway: Gateway, model: Scripted) -> None:
    model.add(Say(calls=[("todo", {}, "c1")]))
    messages: list[Any] = [{"role": "user", "content": "x"}]
    with client(gateway) as api:
        mine = api.chat.completions.create(model="hermes", messages=messages, tools=[tool("todo", "mine")])
        assert mine.choices[0].finish_reason == "tool_calls"
        asked(api, messages, tool_choice="none")
    [offered] = model.sent[0].body["tools"]
    assert offered["function"]["description"] == "mine"
    assert [one["function"]["name"] for one in model.sent[1].body["tools"]] == ["todo"]


def test_tools_that_are_none_and_results_nobody_waits_for_are_refused(gateway: Gateway) -> None:
    user = {"role": "user", "content": "x"}
    result = {"role": "tool", "tool_call_id": "c9", "content": "x"}
    for body, problem in (
        ({"tools": 7}, "list"),
        ({"tools": [7]}, "function tools"),
        ({"tools": [{"type": "function"}]}, "function tools"),
        ({"tools": [tool("a b")]}, "name"),
        ({"tools": [{"type": "function", "function": {"name": "a", "parameters": 7}}]}, "schema"),
        ({"tools": [WEATHER, WEATHER]}, "different names"),
        ({"tools": [WEATHER], "tool_choice": {"type": "function"}}, "tool_choice"),
        ({"functions": [{}]}, "tools"),
        ({"response_format": {"type": "json_object"}}, "text"),
        ({"messages": [user, result]}, "waits for a result"),
        ({"messages": [user, {"role": "tool", "content": "x"}]}, "id"),
        ({"messages": [user, {"role": "assistant", "tool_calls": [{}]}, result]}, "function"),
    ):
        answer = post(gateway, "/v1/chat/completions", {"messages": [user], **body})
        assert answer.status_code == 400 and problem in answer.json()["error"]["message"], (body, answer.json())
        streamed = post(gateway, "/v1/chat/completions", {"messages": [user], **body, "stream": True})
        assert streamed.status_code == 400, body


def test_a_streamed_answer_with_remarks_is_recognised_when_it_comes_back(
    gateway: Gateway, db: SessionDB, model: Scripted
) -> None:
    model.add(Say("Let me look.", calls=[("todo", {})]), Say("Done."))
    said: list[Any] = [{"role": "user", "content": "one"}]
    with client(gateway) as api:
        chunks = list(api.chat.completions.create(model="hermes", messages=said, stream=True))
        text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
        assert text == "Let me look.\n\nDone."
        said += [{"role": "assistant", "content": text}, {"role": "user", "content": "two"}]
        api.chat.completions.create(model="hermes", messages=said)
    [session] = db.search_sessions()
    assert [row["content"] for row in db.get_messages(session["id"])][-2:] == ["two", "You said: two"]
