"""What a person said on Matrix, whatever was sent."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from hermes.gateway.adapters.matrix_events import Me, Said, read, without_name

ME = Me("@hermes:example.org", "Hermes")


def event(**content: Any) -> dict[str, Any]:
    given = {"msgtype": "m.text", "body": "hello", **content}
    return {"type": "m.room.message", "event_id": "$1", "sender": "@alice:example.org", "content": given}


@pytest.mark.parametrize(
    ("said", "meant", "named"),
    [
        ("hello", "hello", False),
        ("Hermes: hello", "hello", True),
        ("hermes, hello", "hello", True),
        ("@hermes hello", "hello", True),
        ("hello @hermes:example.org", "hello", True),
        ("tell @hermes:example.org: hello", "tell hello", True),
        ("Hermes was a god", "Hermes was a god", False),
        ("@hermesian hello", "@hermesian hello", False),
        ("@hermes:elsewhere.org hello", "@hermes:elsewhere.org hello", False),
        ("mail me@hermes now", "mail me@hermes now", False),
    ],
)
def test_a_name_calls_the_agent_and_is_left_out(said: str, meant: str, named: bool) -> None:
    assert without_name(said, ME) == (meant, named)


def test_a_mention_counts_without_a_name() -> None:
    assert without_name("Hermes hello", ME, named=True) == ("hello", True)
    found = read(event(**{"m.mentions": {"user_ids": [ME.user]}}), ME)
    assert found is not None and found.named and found.text == "hello"


def test_threads_answers_and_what_they_quote() -> None:
    thread = {"rel_type": "m.thread", "event_id": "$root", "is_falling_back": True, "m.in_reply_to": {"event_id": "$0"}}
    assert read(event(**{"m.relates_to": thread}), ME) == Said("$1", "@alice:example.org", "hello", thread="$root")
    reply = {"m.in_reply_to": {"event_id": "$0"}}
    found = read(event(body="> <@bob:b> one\n> two\n\nhello", **{"m.relates_to": reply}), ME)
    assert found is not None and (found.answers, found.text) == ("$0", "hello")


@pytest.mark.parametrize(
    "source",
    [
        event(msgtype="m.notice"),
        event(**{"m.relates_to": {"rel_type": "m.replace", "event_id": "$0"}}),
        event() | {"sender": ME.user},
        event() | {"type": "m.room.topic"},
        event() | {"event_id": None},
    ],
)
def test_notices_changes_and_its_own_words_are_nothing_that_was_said(source: dict[str, Any]) -> None:
    assert read(source, ME) is None


def test_a_file_has_a_name_and_sometimes_words() -> None:
    picture = event(msgtype="m.image", body="a.png", url="mxc://s/1", info={"size": 3, "mimetype": "image/png"})
    found = read(picture, ME)
    assert found is not None and found.media == ("m.image", "mxc://s/1", "a.png", 3, "image/png") and found.text == ""
    told = read(event(msgtype="m.file", body="look", filename="a.pdf", url="mxc://s/1"), ME)
    assert told is not None and told.media is not None and (told.text, told.media.name) == ("look", "a.pdf")
    encrypted = read(event(msgtype="m.image", body="a.png", file={"url": "mxc://s/1"}), ME)
    assert encrypted is not None and encrypted.media is None


JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.text(max_size=20),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = some.sampled_from(["msgtype", "body", "url", "info", "filename", "m.relates_to", "m.mentions", "format"])
KINDS = some.sampled_from(["m.text", "m.image", "m.file", "m.emote"])


@given(some.dictionaries(KEYS, JSON), KINDS, JSON, JSON)
def test_nothing_that_is_sent_is_too_much(content: dict[str, Any], kind: str, sender: Any, relation: Any) -> None:
    given = {"body": "x", **content, "msgtype": kind}
    for one in (given, given | {"m.relates_to": {"rel_type": "m.thread", "event_id": relation}}, sender):
        found = read(event() | {"sender": sender or "@a:b", "content": one}, ME)
        assert found is None or all(isinstance(part, str) for part in found[:5])
