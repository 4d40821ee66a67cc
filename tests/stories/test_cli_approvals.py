"""`hermes approvals`: what was allowed for good is seen and taken back."""

import json

import pytest

from hermes.tools.approvals import record
from hermes.tools.approvals.record import Action, Decision
from tests.unit.cli.program import Hermes, refused


@pytest.fixture
def keys() -> list[str]:
    actions = [Action("command", f"rm -rf build{n}", "/p") for n in (1, 2)]
    for one in actions:
        record.allow_always(one, "s1")
        record.note(one, Decision(True, "always"), ("rm deletes",), "s1")
    record.note(Action("write", "/etc/x", ""), Decision(False, "nobody"), ("outside",), "s1")
    return [one.key for one in actions]


def test_nothing_yet_is_said(hermes: Hermes) -> None:
    assert hermes("approvals", "list").out == "Nothing was asked about yet.\n"
    assert hermes("approvals", "revoke", "--all").out == "Nothing is allowed for good.\n"


def test_the_list_shows_both(hermes: Hermes, keys: list[str]) -> None:
    shown = hermes("approvals", "list").out
    assert keys[0][:8] in shown
    assert "rm -rf build1" in shown
    assert "no: nobody" in shown
    rows = [json.loads(line) for line in hermes("approvals", "list", "--json").lines]
    assert [row["always"] for row in rows] == [True, True, False, False, False]
    assert len(hermes("approvals", "list", "--limit", "1", "--json").lines) == 3


def test_one_is_taken_back_by_its_id(hermes: Hermes, keys: list[str]) -> None:
    done = hermes("approvals", "revoke", keys[0][:8])
    assert done.out == f"Took back 1 approval:\n{keys[0][:8]}  rm -rf build1\n"
    assert [one["key"] for one in record.always()] == keys[1:]


def test_all_are_taken_back_after_a_yes(hermes: Hermes, keys: list[str]) -> None:
    assert "Cancelled." in hermes("approvals", "revoke", "--all", answer="\n").err
    assert len(record.always()) == 2
    assert hermes("approvals", "revoke", "--all", "--yes").code == 0
    assert record.always() == []


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("revoke",), 2, "by its id"),
        (("revoke", "abcd", "--all"), 2, "not both"),
        (("revoke", "ffffffffff"), 1, "Nothing with the id"),
        (("revoke", "a"), 1, "Nothing with the id"),
        (("list", "--limit", "0"), 2, "1 or more"),
    ],
)
def test_a_mistake_is_one_clear_line(
    hermes: Hermes, keys: list[str], arguments: tuple[str, ...], code: int, told: str
) -> None:
    assert told in refused(hermes("approvals", *arguments), code)
