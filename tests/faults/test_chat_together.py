"""Several processes talk in one conversation, which is compressed again and again under all of them."""

import random
from collections import Counter
from pathlib import Path

from hermes.store import SessionDB
from tests.faults.chat_kills import _agent, _answers, _refused, _stored
from tests.faults.children import ask, collect, start_asking
from tests.faults.verify import check_stock
from tests.servers.scripted import Scripted

WRITERS, TURNS = 3, 6


def test_nothing_is_lost_between_them_and_they_stay_in_one_conversation(tmp_path: Path) -> None:
    store = tmp_path / "state.db"
    with Scripted(otherwise=_answers(random.Random(7))) as server:
        session = ask(_begin, store, server.url)
        talking = [start_asking(_talk, store, server.url, session, writer) for writer in range(WRITERS)]
        tips = [collect(*one) for one in talking]
        refused = [wrong for sent in server.sent if (wrong := _refused(sent.messages))]
    texts, notices, parts, _ = ask(_stored, store)
    expected = {f"message {writer}-{turn}" for writer in range(WRITERS) for turn in range(TURNS)}
    assert texts == Counter(expected)
    assert (refused, notices) == ([], [])
    assert parts > 1
    assert ask(check_stock, store).good()
    assert ask(_tip, store, session) in tips


def _begin(store: Path, url: str) -> str:
    with SessionDB(store) as db:
        agent = _agent(db, url, None)
        list(agent.run("let us begin"))
        return agent.session_id


def _talk(store: Path, url: str, session: str, writer: int) -> str:
    with SessionDB(store) as db:
        agent = _agent(db, url, session)
        for turn in range(TURNS):
            last = list(agent.run(f"message {writer}-{turn}"))[-1]
            assert last.reason == "answered", last
        return agent.session_id


def _tip(store: Path, session: str) -> str:
    with SessionDB(store) as db:
        return db.get_compression_tip(session) or ""
