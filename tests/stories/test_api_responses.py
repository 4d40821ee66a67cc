"""`/v1/responses`, asked by the real client."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest

from hermes.config import load
from hermes.gateway.adapters.api_responses import forget_old
from hermes.gateway.adapters.api_server import ApiServer
from hermes.gateway.core import Gateway
from hermes.store import SessionDB
from tests.servers.platform import running, until
from tests.servers.scripted import Cut, Fail, Hang, Say, Scripted
from tests.stories.api import api_configured, client, echo, get, post

TOOL: Any = {"type": "function", "name": "weather", "parameters": {"type": "object", "properties": {}}}


@pytest.fixture
def model() -> Iterator[Scripted]:
    with Scripted(otherwise=echo) as server:
        yield server


@pytest.fixture
def gateway(hermes_home: Path, model: Scripted, db: SessionDB) -> Iterator[Gateway]:
    api_configured(hermes_home, model, ("todo",))
    with running(db, ApiServer(load())) as gateway:
        yield gateway


def said(db: SessionDB) -> list[list[str]]:
    """What is in each session."""
    return [[row["content"] for row in db.get_messages(one["id"])] for one in reversed(db.search_sessions())]


def test_a_response_goes_on_by_its_id_and_is_read_and_deleted(gateway: Gateway, db: SessionDB, model: Scripted) -> None:
    with client(gateway) as api, client(gateway, "bob") as bobs:
        first = api.responses.create(model="hermes", input="one", instructions="Be brief.", metadata={"a": "b"})
        assert (first.output_text, first.status, first.model) == ("You said: one", "completed", "hermes")
        assert first.usage and first.usage.total_tokens == 120
        second = api.responses.create(model="hermes", input="two", previous_response_id=first.id)
        assert second.output_text == "You said: two" and second.previous_response_id == first.id
        assert said(db) == [["one", "You said: one", "two", "You said: two"]]
        assert model.sent[0].messages[0] == {"role": "system", "content": "Be brief."}
        read = api.responses.retrieve(first.id)
        assert read.output == first.output and read.usage == first.usage and read.metadata == {"a": "b"}
        for theirs in (bobs.responses.retrieve, bobs.responses.delete):
            with pytest.raises(openai.NotFoundError):
                theirs(first.id)
        with pytest.raises(openai.NotFoundError):
            bobs.responses.create(model="hermes", input="x", previous_response_id=first.id)
        api.responses.delete(first.id)
        with pytest.raises(openai.NotFoundError):
            api.responses.retrieve(first.id)
        assert api.responses.retrieve(second.id).output_text == "You said: two"
    assert len(said(db)) == 1


def test_an_earlier_response_is_gone_on_from_in_a_copy(gateway: Gateway, db: SessionDB, model: Scripted) -> None:
    with client(gateway) as api:
        first = api.responses.create(model="hermes", input="one")
        api.responses.create(model="hermes", input="two", previous_response_id=first.id)
        other = api.responses.create(model="hermes", input="or three", previous_response_id=first.id)
        assert other.output_text == "You said: or three"
    assert sorted(said(db)) == [
        ["one", "You said: one", "or three", "You said: or three"],
        ["one", "You said: one", "two", "You said: two"],
    ]


def test_a_conversation_has_the_name_the_caller_gives_it(gateway: Gateway, db: SessionDB) -> None:
    with client(gateway) as api:
        first = api.responses.create(model="hermes", input="one", conversation="work")
        api.responses.create(model="hermes", input="two", conversation={"id": "work"})
        api.chat.completions.create(
            model="hermes", messages=[{"role": "user", "content": "3"}], extra_headers={"X-Hermes-Conversation": "work"}
        )
        assert first.conversation and first.conversation.id == "work"
        with pytest.raises(openai.BadRequestError, match="not both"):
            api.responses.create(model="hermes", input="x", conversation="work", previous_response_id=first.id)
    assert said(db) == [["one", "You said: one", "two", "You said: two", "3", "You said: 3"]]


def test_who_sends_everything_back_is_in_one_session(gateway: Gateway, db: SessionDB, model: Scripted) -> None:
    model.add(Say("Let me think.", calls=[("todo", {})]), Say("Done."))
    with client(gateway) as api:
        items: list[Any] = [{"role": "user", "content": [{"type": "input_text", "text": "one"}]}]
        first = api.responses.create(model="hermes", input=items)
        assert [one.type for one in first.output] == ["message", "message"] and first.output_text.endswith("Done.")
        items += [*(one.to_dict() for one in first.output), {"role": "user", "content": "two"}]
        assert api.responses.create(model="hermes", input=items).output_text == "You said: two"
    [words] = said(db)
    assert [words[0], words[1], *words[3:]] == ["one", "Let me think.", "Done.", "two", "You said: two"]


def test_a_picture_comes_along(gateway: Gateway, model: Scripted) -> None:
    picture = "data:image/png;base64,iVBORw0KGgo="
    model.add(Say("A picture."))
    parts: Any = [{"type": "input_text", "text": "what is it?"}, {"type": "input_image", "image_url": picture}]
    with client(gateway) as api:
        api.responses.create(model="hermes", input=[{"role": "user", "content": parts}])
    assert model.sent[0].messages[-1]["content"][1]["image_url"]["url"] == picture


def test_the_answer_comes_in_typed_events(gateway: Gateway, model: Scripted) -> None:
    model.add(Say("Let me see.", calls=[("todo", {})]), Say("a b c", calls=[("weather", {"city": "Oslo"}, "c1")]))
    with client(gateway) as api, api.responses.stream(model="hermes", input="go", tools=[TOOL]) as stream:
        events = list(stream)
        final = stream.get_final_response()
    kinds = [event.type for event in events]
    assert kinds[:2] == ["response.created", "response.in_progress"] and kinds[-1] == "response.completed"
    assert [event.sequence_number for event in events] == list(range(len(events)))
    texts = [event.text for event in events if event.type == "response.output_text.done"]
    deltas = [event.delta for event in events if event.type == "response.output_text.delta"]
    assert texts == ["Let me see.", "a b c"] and "".join(deltas) == "Let me see.a b c" and len(deltas) == 6
    assert [one.type for one in final.output] == ["message", "message", "function_call"]
    call = final.output[2]
    assert call.type == "function_call" and (call.name, call.call_id) == ("weather", "c1")
    assert call.arguments == '{"city": "Oslo"}' and final.usage and final.usage.output_tokens == 40


def test_an_answer_that_breaks_off_is_begun_anew_and_one_that_fails_is_told(gateway: Gateway, model: Scripted) -> None:
    model.add(Cut(Say("one two three"), 3), Say("one two three"))
    with client(gateway) as api:
        with api.responses.stream(model="hermes", input="go") as stream:
            final = list(stream)[-1].response  # type: ignore[union-attr]
        assert [(one.status, one.content[0].text) for one in final.output][-1] == ("completed", "one two three")
        assert [one.status for one in final.output] == ["incomplete", "completed"]
        model.add(Fail(401))
        with api.responses.stream(model="hermes", input="go") as stream:
            last = list(stream)[-1]
        assert last.type == "response.failed" and last.response.error and "key" in last.response.error.message
        model.add(Fail(401))
        with pytest.raises(openai.InternalServerError, match="key"):
            api.responses.create(model="hermes", input="go")


def test_a_tool_of_the_caller_ends_the_response_and_its_result_goes_on(
    gateway: Gateway, db: SessionDB, model: Scripted
) -> None:
    model.add(Say(calls=[("weather", {"city": "Oslo"}, "c1"), ("todo", {}, "t1")]), Say("It rains."))
    with client(gateway) as api:
        first = api.responses.create(model="hermes", input="weather?", tools=[TOOL])
        [call] = first.output
        assert call.type == "function_call" and call.status == "completed" and call.call_id == "c1"
        assert api.responses.retrieve(first.id).output == first.output
        result: Any = {"type": "function_call_output", "call_id": "c1", "output": "rain"}
        with pytest.raises(openai.BadRequestError, match="waits for a result"):
            api.responses.create(
                model="hermes", input=[result | {"call_id": "c2"}], previous_response_id=first.id, tools=[TOOL]
            )
        second = api.responses.create(model="hermes", input=[result], previous_response_id=first.id, tools=[TOOL])
        assert second.output_text == "It rains."
    [session] = db.search_sessions()
    rows = db.get_messages(session["id"])
    assert [row["role"] for row in rows] == ["user", "assistant", "tool", "tool", "assistant"]
    assert (rows[3]["tool_call_id"], rows[3]["tool_name"], rows[3]["content"]) == ("c1", "weather", "rain")
    assert {tool["function"]["name"] for tool in model.sent[0].body["tools"]} == {"todo", "weather"}


def test_what_is_not_understood_is_said(gateway: Gateway) -> None:
    user = {"role": "user", "content": "x"}
    for body, problem in (
        ({}, "input"),
        ({"input": []}, "input"),
        ({"input": " "}, "last message"),
        ({"input": [7]}, "object"),
        ({"input": [{"type": "item_reference", "id": "x"}]}, "not understood"),
        ({"input": [{"type": "function_call", "call_id": "c", "name": 7, "arguments": ""}, user]}, "arguments"),
        ({"input": [{"role": "user", "content": [{"type": "input_file"}]}]}, "input_image"),
        ({"input": "x", "tools": [{"type": "web_search"}]}, "function tools"),
        ({"input": "x", "tools": [TOOL, TOOL]}, "different names"),
        ({"input": "x", "tools": [TOOL], "tool_choice": "required"}, "tool_choice"),
        ({"input": "x", "background": True}, "background"),
        ({"input": "x", "text": {"format": {"type": "json_object"}}}, "text"),
        ({"input": "x", "metadata": {"a": 1}}, "metadata"),
        ({"input": "x", "conversation": 7}, "names"),
        ({"input": [{"role": "assistant", "content": "y"}, user], "conversation": "c"}, "only what is new"),
    ):
        answer = post(gateway, "/v1/responses", body)
        assert answer.status_code == 400 and problem in answer.json()["error"]["message"], body
    assert post(gateway, "/v1/responses", {"input": "x", "previous_response_id": "resp_1"}).status_code == 404
    assert get(gateway, "/v1/responses/resp_1").status_code == 404


def test_a_record_goes_with_its_session_or_after_thirty_days(gateway: Gateway, db: SessionDB) -> None:
    with client(gateway) as api:
        one, two, three = (api.responses.create(model="hermes", input=text) for text in ("a", "b", "c"))
        unkept = api.responses.create(model="hermes", input="d", store=False)
        first = next(row for row in db.search_sessions() if db.get_messages(row["id"])[0]["content"] == "a")
        db.delete_session(first["id"])
        for gone in (one, unkept):
            with pytest.raises(openai.NotFoundError):
                api.responses.retrieve(gone.id)
        forget_old(db, time.time())
        assert sorted(db.meta_keys("api.response.")) == sorted(f"api.response.{kept.id}" for kept in (two, three))
        forget_old(db, time.time() + 31 * 86400)
    assert db.meta_keys("api.response.") == []


def test_whoever_leaves_stops_the_response(gateway: Gateway, model: Scripted) -> None:
    model.add(Hang())
    with client(gateway) as api:
        stream = api.responses.create(model="hermes", input="x", stream=True)
        assert next(iter(stream)).type == "response.created"
        until(lambda: len(model.sent) == 1)
        stream.close()
        until(lambda: model.left)
