"""A real model in the loop: a small one, on this machine, in llama.cpp."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.servers.local_model import serving
from tests.unit.providers.asking import ask, endpoint

from hermes.providers.base import Finished, Request, TextDelta
from hermes.providers.connection import Patience
from hermes.providers.endpoint import Endpoint
from hermes_state import SessionDB

pytestmark = pytest.mark.peers


@pytest.fixture(scope="module")
def provider() -> Iterator[Endpoint]:
    with serving(Path(os.environ["HERMES_PEERS"]) / "model") as address:
        yield endpoint(address, patience=Patience(), retries=2)


def question(text: str, **options: object) -> Request:
    return Request([{"role": "user", "content": text}], **{"max_tokens": 24, **options})  # type: ignore[arg-type]


def test_it_answers_word_by_word_and_counts_its_tokens(provider: Endpoint) -> None:
    events = ask(provider, question("Say hello."))
    pieces = [event.text for event in events if isinstance(event, TextDelta)]
    assert len(pieces) > 3
    assert "".join(pieces) == events[-1].message["content"]
    usage = events[-1].usage
    assert usage.input_tokens + usage.cache_read_tokens > 5
    assert 0 < usage.output_tokens <= 24
    assert usage.cost_status == "unknown"


def test_a_beginning_that_it_knows_comes_from_its_cache(provider: Endpoint) -> None:
    long = "Tell me about the following words. " + "fox " * 300
    first, second = (ask(provider, question(long, max_tokens=4))[-1].usage for _ in range(2))
    assert first.input_tokens > 250
    assert second.cache_read_tokens > 250
    assert second.input_tokens + second.cache_read_tokens == first.input_tokens + first.cache_read_tokens


def test_a_schema_holds(provider: Endpoint) -> None:
    schema = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}
    message = ask(provider, question("How many legs has a dog?", schema=schema, max_tokens=60))[-1].message
    assert isinstance(json.loads(message["content"])["count"], int)


def test_an_answer_that_is_too_long_is_stopped(provider: Endpoint) -> None:
    message = ask(provider, question("Tell a very long story about a fox.", max_tokens=5))[-1].message
    assert message["finish_reason"] == "length"


def test_closing_stops_it(provider: Endpoint) -> None:
    stream = provider.stream(question("Tell a very long story about a fox.", max_tokens=2000))
    next(stream)
    stream.close()
    began = time.monotonic()
    assert isinstance(ask(provider, question("Hello?", max_tokens=4))[-1], Finished)
    assert time.monotonic() - began < 30  # it has one place, and does not go on with the story first


def test_a_whole_chat_with_it_is_stored_with_its_tokens(provider: Endpoint, hermes_home: Path) -> None:
    asked = [sys.executable, "-c", "from hermes.cli.main import entry; entry()"]
    choose = ["model", "choose", "local", "smollm2", "--base-url", provider.base_url]
    subprocess.run([*asked, *choose], check=True, timeout=60, capture_output=True)
    answer = subprocess.run(
        [*asked, "-z", "Say hello in one short sentence."], check=True, timeout=300, capture_output=True, text=True
    )
    with SessionDB() as db:
        (session,) = db.list_sessions_rich()
        messages = db.get_messages(session["id"])
    assert [row["role"] for row in messages] == ["user", "assistant"]
    assert messages[1]["content"].strip() == answer.stdout.strip() != ""
    assert session["output_tokens"] > 0
