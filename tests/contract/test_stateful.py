"""The store against a plain in-memory model, step by step: in one process, and in several on the same store."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.contract.backends import SqliteBackend
from tests.contract.model import Model, Said, Session
from tests.contract.worker import Local, Remote

OWNERS = {"local": "cli", "telegram:a": "telegram", "telegram:b": "telegram"}
NOW = 1_000_000.0  # long before the clock of this machine, so that what the store dates itself comes later
CALL = {"id": "c", "function": {"name": "t", "arguments": "{}"}}

owners = st.sampled_from(sorted(OWNERS))
titles = st.sampled_from(["plan", "plan #2", "notes", "計画"])
moments = st.integers(0, 50).map(lambda n: NOW + n)
reasons = st.sampled_from(["user_exit", "compression", "branched"])
TEXTS = {"short": "hello", "long": "word " * 30, "han": "漢字", "empty": "", "odd": "nul \0 and \ud800",
         "huge": "tool output " * 3000}  # fmt: skip
number = st.integers(0, 1000)
messages = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["user", "assistant", "tool"]),
        "content": st.none() | st.sampled_from(sorted(TEXTS)),
        "timestamp": moments,
        "tool_calls": st.sampled_from([None, [CALL], [CALL, CALL]]),
        "idempotency_key": st.none() | st.sampled_from(["k1", "k2"]),
    }
)


def spelled_out(said: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Steps name their texts, so that a failing run can be read."""
    return [one | {"content": None if one["content"] is None else TEXTS[one["content"]]} for one in said]


class StoreMachine(RuleBasedStateMachine):
    """Each rule does one thing to both and compares the answers; invariants compare what both show."""

    stores: ClassVar[list[Any]] = []  # more than one: processes that share the store

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        self.count = 0
        self.folder = Path(tempfile.mkdtemp(prefix="stateful-"))
        address = SqliteBackend(self.folder).address
        for store in self.stores:
            store.open(address)

    def teardown(self) -> None:
        for store in self.stores:
            store.close()
        shutil.rmtree(self.folder)

    # -- talking to the store

    def ask(self, name: str, *arguments: Any, scope: str | None = None, **options: Any) -> Any:
        """Through the next process in turn; the answer, or the name of the error as `Refused`."""
        self.count += 1
        outcome, value = self.stores[self.count % len(self.stores)].do(scope, name, *arguments, **options)
        return value if outcome == "ok" else Refused(value)

    def pick(self, choice: int) -> Session:
        return list(self.model.sessions.values())[choice % len(self.model.sessions)]

    def fresh_id(self) -> str:
        return f"s{len(self.model.sessions)}"

    def stored(self, session_id: str) -> dict[str, Any]:
        return self.ask("get_session", session_id)

    # -- sessions

    @initialize(owner=owners, at=moments)
    def begin(self, owner: str, at: float) -> None:
        self.create(owner, None, at, 0)

    @rule(owner=owners, parent=st.none() | number, at=moments, later=st.integers(0, 1))
    def create(self, owner: str, parent: int | None, at: float, later: int) -> None:
        if len(self.model.sessions) >= 12:
            return
        up = self.pick(parent) if parent is not None and self.model.sessions else None
        if up is not None and later and up.ended is not None:
            at = up.ended + 1
        session_id = self.fresh_id()
        made = self.ask(
            "create_session", session_id, OWNERS[owner], owner=owner, parent_session_id=up and up.id, started_at=at
        )
        assert made == session_id
        self.model.create(Session(session_id, OWNERS[owner], owner, up and up.id, at, order=len(self.model.sessions)))

    @rule(choice=number)
    def create_again(self, choice: int) -> None:
        before = self.stored(self.pick(choice).id)
        assert self.ask("create_session", before["id"], "slack", model="other") == before["id"]
        assert self.stored(before["id"]) == before

    @rule(choice=number, reason=reasons)
    def end(self, choice: int, reason: str) -> None:
        session = self.pick(choice)
        assert self.ask("end_session", session.id, reason) is None
        self.model.end(session.id, reason, self.stored(session.id)["ended_at"])

    @rule(choice=number)
    def reopen(self, choice: int) -> None:
        session = self.pick(choice)
        assert self.ask("reopen_session", session.id) is None
        self.model.reopen(session.id)

    # -- titles

    @rule(choice=number, title=titles | st.none())
    def set_title(self, choice: int, title: str | None) -> None:
        session = self.pick(choice)
        answer = self.ask("set_session_title", session.id, title)
        if title is not None and self.model.holder(title, session.owner) not in (None, session.id):
            assert answer == Refused("TitleInUse")
        else:
            assert answer is True
            session.title = title

    @rule(choice=number, title=titles)
    def set_free_title(self, choice: int, title: str) -> None:
        session = self.pick(choice)
        session.title = self.model.free_title(title, session.owner, session.id)
        assert self.ask("set_free_title", session.id, title) == session.title

    # -- messages

    @rule(choice=number, said=st.lists(messages, min_size=1, max_size=4))
    def append(self, choice: int, said: list[dict[str, Any]]) -> None:
        session, said = self.pick(choice), spelled_out(said)
        expected, problem = self._appended(session, said)
        answer = self.ask("append_messages", session.id, said)
        if problem:
            assert answer == Refused("KeyReused")
            return
        assert len(answer) == len(said)
        known = {message.id for message in session.said}
        for message_id, message in zip(answer, expected, strict=True):
            if message.id:
                assert message_id == message.id  # the key had stored it before
            elif message_id not in known:
                known.add(message_id)
                session.said.append(message)
                message.id = message_id

    def _appended(self, session: Session, said: list[dict[str, Any]]) -> tuple[list[Said], bool]:
        """The messages these make, those that a key names already included; and whether a key says something else."""
        by_key = {message.key: message for message in session.said if message.key}
        expected = []
        for one in said:
            message = self._message(one)
            earlier = by_key.get(message.key) if message.key else None
            if earlier is not None and (earlier.role, earlier.content, earlier.calls) != (
                message.role, message.content, message.calls,
            ):  # fmt: skip
                return expected, True
            if message.key and earlier is None:
                by_key[message.key] = message
            expected.append(earlier or message)
        return expected, False

    @staticmethod
    def _message(one: dict[str, Any]) -> Said:
        calls = len(one["tool_calls"] or [])
        return Said(0, one["role"], one["content"], one["timestamp"], calls, one["idempotency_key"])

    @rule(choice=number, said=st.lists(messages.map(lambda one: one | {"idempotency_key": None}), max_size=3))
    def replace(self, choice: int, said: list[dict[str, Any]]) -> None:
        session, said = self.pick(choice), spelled_out(said)
        assert self.ask("replace_messages", session.id, said) is None
        self.model.delete_from(session.id, 0)
        session.said = [self._message(one) for one in said]
        for message, row in zip(session.said, self.ask("get_messages", session.id), strict=True):
            message.id = row["id"]

    @rule(choice=number)
    def clear(self, choice: int) -> None:
        session = self.pick(choice)
        assert self.ask("clear_messages", session.id) is None
        self.model.delete_from(session.id, 0)

    @precondition(lambda self: any(session.said for session in self.model.sessions.values()))
    @rule(choice=number, place=number)
    def delete_from(self, choice: int, place: int) -> None:
        session = self.pick(choice)
        if not session.said:
            assert self.ask("delete_messages_from", session.id, 1) == Refused("MessageNotFound")
            return
        place %= len(session.said)
        message_id = session.said[place].id
        assert self.ask("delete_messages_from", session.id, message_id) == self.model.delete_from(session.id, place)

    # -- lineage

    @rule(choice=number, last=st.integers(0, 3), summary=st.booleans())
    def split(self, choice: int, last: int, summary: bool) -> None:
        if len(self.model.sessions) >= 12:
            return
        session, new_id = self.pick(choice), self.fresh_id()
        carried = session.said[-last:] if last else []
        begin = [{"role": "user", "content": "summary", "timestamp": NOW}] if summary else []
        answer = self.ask("split_session", session.id, new_id, begin, carried=[message.id for message in carried])
        if self.model.continuation(session.id) is not None:
            assert answer == Refused("AlreadyContinued")
            return
        assert answer == new_id
        session.reason, session.ended = "compression", self.stored(session.id)["ended_at"]
        new = Session(new_id, session.source, session.owner, session.id, session.ended, len(self.model.sessions))
        if session.title:
            new.title = self.model.next_title(session.title, session.owner)
        new.said = [Said(0, "user", "summary", NOW)] if summary else []
        new.said += [
            Said(0, one.role, one.content, one.at, one.calls, original=one.original or one.id) for one in carried
        ]
        self.model.create(new)
        self._learn_ids(new)

    @rule(choice=number, through=st.none() | number)
    def branch(self, choice: int, through: int | None) -> None:
        if len(self.model.sessions) >= 12:
            return
        session, new_id = self.pick(choice), self.fresh_id()
        copied = (
            session.said if through is None or not session.said else session.said[: through % len(session.said) + 1]
        )
        until = copied[-1].id if through is not None and session.said else None
        assert self.ask("branch_session", session.id, new_id, through=until) == new_id
        self.model.end(session.id, "branched", self.stored(session.id)["ended_at"])
        started = self.stored(new_id)["started_at"]
        new = Session(new_id, session.source, session.owner, session.id, started, len(self.model.sessions))
        new.said = [Said(0, one.role, one.content, one.at, one.calls) for one in copied]
        if session.title:
            new.title = self.model.free_title(session.title, session.owner, new_id)
        self.model.create(new, branch=True)
        self._learn_ids(new)

    def _learn_ids(self, session: Session) -> None:
        for message, row in zip(session.said, self.ask("get_messages", session.id), strict=True):
            message.id = row["id"]

    # -- usage

    @rule(choice=number, tokens=st.integers(0, 100), cost=st.none() | st.integers(0, 8), absolute=st.booleans())
    def spend(self, choice: int, tokens: int, cost: int | None, absolute: bool) -> None:
        session = self.pick(choice)
        dollars = None if cost is None else cost / 8  # eighths add up exactly
        self.ask("update_token_counts", session.id, tokens, estimated_cost_usd=dollars, absolute=absolute)
        session.tokens = tokens if absolute else session.tokens + tokens
        if dollars is not None:
            session.cost = dollars if absolute else (session.cost or 0.0) + dollars

    # -- what both show

    @invariant()
    def sessions_are_the_same(self) -> None:
        stored = {row["id"]: row for row in self.ask("search_sessions", limit=100)}
        assert set(stored) == set(self.model.sessions)
        for session_id, session in self.model.sessions.items():
            expected = self.model.row(session_id)
            assert {name: stored[session_id][name] for name in expected} == expected
            assert stored[session_id]["last_active"] == session.last_active

    @invariant()
    def lists_are_the_same(self) -> None:
        for owner in (None, "telegram:a"):
            shapes = ({}, {"order_by_last_active": True}, {"source": "telegram"}, {"include_children": True},
                      {"project_compression_tips": False})  # fmt: skip
            for shape in shapes:
                rows = self.ask("list_sessions_rich", limit=100, scope=owner, **shape)
                expected = self.model.listed(
                    owner,
                    active="order_by_last_active" in shape,
                    source=shape.get("source"),  # type: ignore[arg-type]
                    every="include_children" in shape,
                    roots="project_compression_tips" in shape,
                )
                assert [row["id"] for row in rows] == expected
                assert [row["preview"] for row in rows] == [self._preview(one) for one in expected]
            for row in self.ask("list_sessions_rich", limit=100, scope=owner):
                shown = row["started_at"], row["input_tokens"], row["estimated_cost_usd"]
                assert shown == self.model.chain(row["id"], owner)

    def _preview(self, session_id: str) -> str:
        return self.model.sessions[session_id].preview.replace("\0", "\ufffd").replace("\ud800", "\ufffd")

    @invariant()
    def counts_are_the_same(self) -> None:
        every = self.model.sessions.values()
        stats = self.ask("stats")
        assert (stats["sessions"], stats["messages"]) == (len(every), sum(len(one.own) for one in every))
        ledger = {row["session"]: row["input_tokens"] for row in self.ask("usage_by", "session")}
        assert all(ledger.get(one.id, 0) == one.tokens for one in every)

    @invariant()
    def messages_are_the_same(self) -> None:
        one = list(self.model.sessions.values())[self.count % len(self.model.sessions)] if self.model.sessions else None
        if one is not None:
            stored = self.ask("get_messages", one.id)
            assert [
                (row["id"], row["role"], row["content"], row["timestamp"], row["carried_from"]) for row in stored
            ] == [(said.id, said.role, said.content, said.at, said.original) for said in one.said]

    @rule(choice=number)
    def lineage_is_the_same(self, choice: int) -> None:
        session = self.pick(choice)
        assert self.ask("get_compression_tip", session.id) == self.model.tip(session.id)
        parts = sorted(
            (one for one in self.model.sessions.values() if one.lineage == session.lineage),
            key=lambda one: (one.started, one.order),
        )
        assert [row["id"] for row in self.ask("get_lineage", session.id)] == [one.id for one in parts]

    @rule(choice=number, owner=owners)
    def a_scope_knows_only_its_own(self, choice: int, owner: str) -> None:
        session = self.pick(choice)
        seen = self.ask("get_session", session.id, scope=owner)
        assert (seen is not None) is (session.owner == owner)
        assert self.ask("session_count", scope=owner) == len(self.model.visible(owner))
        if session.owner != owner:
            assert self.ask("get_messages", session.id, scope=owner) == []
            assert self.ask("append_message", session.id, "user", "x", scope=owner) == Refused("SessionNotFound")


class Refused(str):
    """The name of the error a call ended with."""


@pytest.fixture
def one_process() -> Iterator[None]:
    StoreMachine.stores = [Local()]
    yield
    StoreMachine.stores = []


@pytest.fixture
def several_processes() -> Iterator[None]:
    workers = [Remote() for _ in range(3)]
    StoreMachine.stores = [Local(), *workers]
    yield
    StoreMachine.stores = []
    for worker in workers:
        worker.stop()


QUICK = settings(max_examples=20, stateful_step_count=25, deadline=None, derandomize=True, database=None)
LONG = settings(max_examples=400, stateful_step_count=60, deadline=None, database=None, print_blob=True)


@pytest.mark.usefixtures("one_process")
def test_the_store_is_what_the_model_says() -> None:
    run_state_machine_as_test(StoreMachine, settings=QUICK)


@pytest.mark.usefixtures("several_processes")
def test_several_processes_on_one_store_are_what_the_model_says() -> None:
    run_state_machine_as_test(StoreMachine, settings=settings(QUICK, max_examples=10))


@pytest.mark.slow
@pytest.mark.usefixtures("one_process")
def test_the_store_is_what_the_model_says_for_long() -> None:
    run_state_machine_as_test(StoreMachine, settings=LONG)


@pytest.mark.slow
@pytest.mark.usefixtures("several_processes")
def test_several_processes_on_one_store_are_what_the_model_says_for_long() -> None:
    run_state_machine_as_test(StoreMachine, settings=settings(LONG, max_examples=150))
