"""No scope sees or touches what is not its own: a property over every public method."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hermes.errors import HermesError
from hermes_state import SessionDB
from tests.contract.backends import SqliteBackend
from tests.contract.calls import ALL, EXPORTS, FOUND, READS, SWEEPS, WRITES, public_methods

OWNERS = ("telegram:alice", "telegram:bob", "discord:chat:9", "local")
# A conversation that was handed over keeps the name of where it came from; nothing can be done with it.
NAMES_ONLY = {"parent_session_id", "lineage_id", "_lineage_root_id", "exclude_lineages"}

_sessions = st.lists(
    st.tuples(
        st.sampled_from(OWNERS),
        st.none() | st.integers(0, 5),  # parent, of whatever owner
        st.sampled_from([None, "compression", "branched", "user_exit"]),
        st.integers(0, 3),  # messages
    ),
    min_size=2,
    max_size=6,
)


def mark(owner: str) -> str:
    return f"¶{OWNERS.index(owner)}¶"


def session_id(owner: str, number: int) -> str:
    return f"s{number}{mark(owner)}"


def fill(db: SessionDB, plan: list[tuple[str, int | None, str | None, int]]) -> dict[str, str]:
    """Sessions in which every text carries its owner's mark; returns the owner of each id."""
    made: list[tuple[str, str]] = []
    for number, (owner, parent, end, messages) in enumerate(plan):
        own, of = session_id(owner, number), mark(owner)
        up = made[parent][0] if parent is not None and parent < len(made) else None
        db.create_session(
            own, f"platform{of}", owner=owner, parent_session_id=up, user_id=f"user{of}", model=f"model{of}",
            model_config={of: of}, system_prompt=f"prompt{of}" * 200, chat_id=f"chat{of}",
        )  # fmt: skip
        made.append((own, owner))
        db.set_free_title(own, f"title {own}")
        for n in range(messages):
            db.append_message(own, ("user", "tool")[n % 2], f"the secret of {of} " * (1 + 2000 * (n % 2)), tool_name=of)
        db.update_token_counts(own, 10, 1, estimated_cost_usd=1.0, billing_provider=f"provider{of}")
        db.request_handoff(own, f"to{of}")
        db.tag_session(own, [f"tag{of}"])
        mail = {"owner": owner, "key": f"key {own}", "content": f"mail of {of}", "session_id": own}
        db.set_route(
            f"key {own}",
            {"owner": owner, "session_id": own, "platform": f"platform{of}", "chat_type": "dm", "active_at": 1.0},
        )
        db.receive(f"platform{of}", own, mail)
        db.post(f"platform{of}", mail)
        if end is not None:
            db.end_session(own, end)
    db.set_meta("setting", mark("local"))
    return dict(made)


def texts(value: Any) -> list[str]:
    """Every text in an answer, except where a name alone may stand."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [t for key, item in value.items() if key not in NAMES_ONLY for t in (*texts(key), *texts(item))]
    if isinstance(value, list | tuple | set | frozenset):
        return [t for item in value for t in texts(item)]
    return []


def everything(db: SessionDB, ids: list[str]) -> dict[str, Any]:
    """All there is to know about these sessions, as the operator sees it; a parent may be deleted by its owner."""
    usage = {row["session"]: row for row in db.usage_by("session")}
    known = {row["id"]: {**row, "parent_session_id": None} for row in db.search_sessions(limit=1000)}
    mail = [row for row in (*db.arrivals(), *db.posts()) if row["session_id"] in ids]
    routes = [row for row in db.list_routes() if row["session_id"] in ids]
    rows = {
        one: (known.get(one), db.get_messages(one), usage.get(one), db.get_handoff_state(one), db.get_tags(one))
        for one in ids
    }
    return {**rows, "mail": mail, "routes": routes}


def test_every_public_method_is_known() -> None:
    assert public_methods() <= set(ALL)


@settings(max_examples=12)
@given(plan=_sessions)
def test_no_read_ever_shows_a_foreign_row(tmp_path_factory: pytest.TempPathFactory, plan: Any) -> None:
    with SqliteBackend(tmp_path_factory.mktemp("reads")).open() as db:
        owners = fill(db, plan)
        for owner in OWNERS:
            scope = db.scoped(owner)
            foreign = [mark(other) for other in OWNERS if other != owner]
            for name, arguments in (READS | FOUND | EXPORTS).items():
                for given_arguments in {arguments(one) for one in owners}:
                    answer = getattr(scope, name)(*given_arguments)
                    shown = [text for text in texts(answer) if text not in given_arguments]
                    leaked = [text for text in shown for other in foreign if other in text]
                    assert not leaked, (name, owner, given_arguments, leaked)
            own = [one for one, of in owners.items() if of == owner]
            assert scope.session_count() == len(own)
            assert sorted(row["id"] for row in scope.search_sessions(limit=100)) == sorted(own)
            assert scope.message_count() == sum(db.message_count(one) for one in own)


@settings(max_examples=8)
@given(plan=_sessions)
def test_no_write_ever_touches_a_foreign_row(tmp_path_factory: pytest.TempPathFactory, plan: Any) -> None:
    with SqliteBackend(tmp_path_factory.mktemp("writes")).open() as db:
        owners = fill(db, plan)
        for owner in OWNERS[:2]:
            scope = db.scoped(owner)
            foreign = [one for one, of in owners.items() if of != owner and db.get_session(one)]
            before = everything(db, foreign), db.get_meta("setting")
            for name, arguments in (WRITES | SWEEPS).items():
                for one in foreign:
                    try:
                        getattr(scope, name)(*arguments(one))
                    except HermesError as error:
                        assert not [m for m in map(mark, OWNERS) if m in str(error).replace(one, "")], (
                            name,
                            str(error),
                        )
                assert (everything(db, foreign), db.get_meta("setting")) == before, name


def test_the_scopes_own_writes_stay_within_it_in_a_shared_conversation(db: SessionDB) -> None:
    db.create_session("a", "telegram", owner="telegram:alice", started_at=1.0)
    db.append_message("a", "user", "before the handover")
    db.end_session("a", "compression")
    db.create_session("b", "discord", owner="discord:bob", parent_session_id="a")
    db.append_message("b", "user", "after it")
    before = everything(db, ["a"])
    bob = db.scoped("discord:bob")
    bob.trash_session("b")
    bob.restore_session("b")
    bob.archive_session("b")
    bob.pin_session("b")
    bob.tag_session("b", ["mine"])
    bob.update_token_counts("b", 5, 5)
    assert bob.get_tags("b") == ["mine"]
    assert everything(db, ["a"]) == before
    bob.delete_lineage("b")
    assert everything(db, ["a"]) == before
