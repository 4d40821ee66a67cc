"""Bad input to any public method: a typed error that says what is wrong, and nothing changed."""

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hermes.errors import HermesError
from hermes_state import SessionDB
from tests.contract.backends import SqliteBackend
from tests.contract.calls import ALL

NESTED: list[Any] = []
for _ in range(5000):
    NESTED = [NESTED]
ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)

BAD: dict[str, Any] = {
    "none": None,
    "object": object(),
    "bytes": b"bytes",
    "true": True,
    "nan": float("nan"),
    "inf": float("inf"),
    "huge": 10**400,
    "negative": -5,
    "empty": "",
    "nul": "a\0b",
    "surrogate": "\ud800",
    "path": "../../etc/passwd",
    "long": "x" * 100_000,
    "list": ["x", 5, None, "\ud800"],
    "dict": {1: 2},
    "set": {1},
    "nested": NESTED,
    "endless": ENDLESS,
    "deep json": "[" * 100_000,
    "sql": "x' OR 1=1; DROP TABLE sessions; --",
}


def methods() -> list[str]:
    return sorted(ALL)


def parameters(name: str) -> list[str]:
    found = inspect.signature(getattr(SessionDB, name)).parameters
    return [one for one, kind in found.items() if one != "self" and kind.kind is not inspect.Parameter.VAR_KEYWORD]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SessionDB]:
    with SqliteBackend(tmp_path_factory.mktemp("bad")).open() as db:
        yield db


@pytest.mark.parametrize("name", methods())
def test_a_bad_argument_is_a_typed_error_or_an_ordinary_answer(store: SessionDB, name: str) -> None:
    valid = ALL[name]
    for parameter in parameters(name):
        for kind, bad in BAD.items():
            signature = inspect.signature(getattr(store, name))
            with_one_bad = signature.bind(*valid("s"))
            several = signature.parameters[parameter].kind is inspect.Parameter.VAR_POSITIONAL
            with_one_bad.arguments[parameter] = (bad,) if several else bad
            store.ensure_session("s", "cli")
            before = store.search_sessions(limit=1000), store.get_messages("s"), store.usage_by("session")
            try:
                getattr(store, name)(*with_one_bad.args, **with_one_bad.kwargs)
            except HermesError as error:
                assert str(error), (name, parameter, kind)
                assert "\n" not in str(error), (name, parameter, kind)
                after = store.search_sessions(limit=1000), store.get_messages("s"), store.usage_by("session")
                assert after == before, (name, parameter, kind)
            except Exception as error:
                raise AssertionError(f"{name}({parameter}={kind}) raised {error!r}"[:500]) from error


@pytest.mark.parametrize(
    "message",
    [None, 5, "text", [], {}, {"content": "no role"}, {"role": ""}, {"role": 5}, {"role": "x" * 101},
     {"role": "user", "content": 5}, {"role": "user", "content": b"x"}, {"role": "user", "content": [{1: 2}]},
     {"role": "user", "content": NESTED}, {"role": "user", "content": ENDLESS}, {"role": "user", "content": [object()]},
     {"role": "user", "tool_calls": "not json"}, {"role": "user", "tool_calls": "[" * 100_000},
     {"role": "user", "tool_calls": object()}, {"role": "user", "tool_name": 5}, {"role": "user", "token_count": "5"},
     {"role": "user", "token_count": 2**63}, {"role": "user", "timestamp": "now"}, {"role": "user", "timestamp": True},
     {"role": "user", "timestamp": float("nan")}, {"role": "user", "idempotency_key": ""},
     {"role": "user", "idempotency_key": "x" * 201}, {"role": "user", "idempotency_key": 5}],
)  # fmt: skip
def test_one_bad_message_stores_none_of_them(db: SessionDB, message: Any) -> None:
    db.create_session("s", "cli")
    good = {"role": "user", "content": "good"}
    for store in (db.append_messages, db.replace_messages):
        with pytest.raises(HermesError):
            store("s", [good, message])
    with pytest.raises(HermesError):
        db.split_session("s", "t", [good, message])
    assert (db.message_count(), db.session_count()) == (0, 1)


@pytest.mark.parametrize("messages", [None, 5, "text", {"role": "user"}])
def test_messages_come_as_a_list(db: SessionDB, messages: Any) -> None:
    db.create_session("s", "cli")
    with pytest.raises(HermesError, match="list of dicts"):
        db.append_messages("s", messages)


def test_ids_are_never_paths_globs_or_sql(db: SessionDB, tmp_path: Path) -> None:
    outside = tmp_path / "config.jsonl"
    outside.write_text("mine")
    folder = tmp_path / "sessions"
    folder.mkdir()
    db.create_session("s", "cli")
    for hostile in ("../config", "*", "s' OR '1'='1", "[a-z]"):
        assert db.delete_session(hostile, folder) is False
        assert db.resolve_session_id(hostile) is None
    assert outside.read_text() == "mine"
    assert db.session_count() == 1
