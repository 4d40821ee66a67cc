"""session_search: the words of earlier sessions, the right ones, fenced, and nobody else's."""

import re
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from hermes.agent.own_tools.summaries import summaries
from hermes.config import Settings
from hermes.config.areas.auxiliary import Auxiliary, AuxiliaryTask
from hermes.store import SessionDB
from tests.servers.scripted import Fail, Say, Scripted
from tests.stories.chatting import endpoint
from tests.unit.agent.own_tools.calling import Caller

DAY = 86400.0
FENCE = re.compile(
    r'^<recalled-session id="([^"]*)" title="([^"]*)" source="([^"]*)" owner="([^"]*)".*?>$', re.MULTILINE
)


@pytest.fixture
def caller(db: SessionDB, tmp_path: Path) -> Caller:
    return Caller(db, tmp_path, "session_search")


def talk(db: SessionDB, session: str, *texts: str, source: str = "cli", ago: float = DAY, **more: Any) -> list[int]:
    at = time.time() - ago
    db.create_session(session, source, started_at=at, **more)
    roles = ("user", "assistant")
    return db.append_messages(
        session, [{"role": roles[n % 2], "content": one, "timestamp": at + n} for n, one in enumerate(texts)]
    )


def sessions(answer: str) -> list[str]:
    return [found[0] for found in FENCE.findall(answer)]


def test_without_a_query_the_recent_sessions_are_told_people_first(db: SessionDB, caller: Caller) -> None:
    talk(db, "old", "plan the garden", ago=3 * DAY)
    talk(db, "new", "paint the fence", source="telegram", ago=DAY)
    talk(db, "job", "nightly report", source="cron", ago=10)
    answer = caller.said("session_search")
    assert sessions(answer) == ["new", "old", "job"]
    assert "paint the fence" in answer
    assert sessions(caller.said("session_search", limit=1)) == ["new"]
    assert sessions(caller.said("session_search", source="cron")) == ["job"]
    assert sessions(caller.said("session_search", after="2d")) == ["new", "job"]


def test_a_hit_comes_with_its_exact_text_and_what_stands_around_it(db: SessionDB, caller: Caller) -> None:
    talk(db, "s", "Where do we deploy?", "To Frankfurt, on port 8443.", "And the key?", "In the blue vault.")
    answer = caller.said("session_search", query="frankfurt")
    assert sessions(answer) == ["s"]
    for said in ("Where do we deploy?", "To Frankfurt, on port 8443.", "In the blue vault."):
        assert said in answer


def test_the_current_conversation_is_left_out(db: SessionDB, tmp_path: Path) -> None:
    talk(db, "now", "the harbour budget")
    talk(db, "then", "the harbour budget of last year")
    db.split_session("now", "now-2", [{"role": "user", "content": "harbour budget, in short"}])
    caller = Caller(db, tmp_path, "session_search", session_id="now")
    assert caller.agent.session_id == "now-2"
    assert sessions(caller.said("session_search", query="harbour budget")) == ["then"]
    assert sessions(caller.said("session_search")) == ["then"]
    assert "the harbour budget" in caller.said("session_search", session_id="now")


def test_hits_in_every_part_of_a_compressed_conversation_are_one_session(db: SessionDB, caller: Caller) -> None:
    [first, *_] = talk(db, "root", "the password of the boat is kestrel", "Noted.")
    db.split_session("root", "child", [{"role": "user", "content": "Summary: a boat"}], carried=[first])
    db.append_message("child", "assistant", "the kestrel flies again")
    answer = caller.said("session_search", query="kestrel")
    assert sessions(answer) == ["child"]
    assert "the password of the boat is kestrel" in answer
    assert "the kestrel flies again" in answer
    assert answer.count("the password of the boat is kestrel") == 1


def test_the_best_few_conversations_and_each_once(db: SessionDB, caller: Caller) -> None:
    for number in range(6):
        talk(db, f"s{number}", *["lighthouse"] * (number + 1))
    assert len(set(sessions(caller.said("session_search", query="lighthouse")))) == 3
    assert len(set(sessions(caller.said("session_search", query="lighthouse", limit=5)))) == 5


def test_automation_comes_after_people(db: SessionDB, caller: Caller) -> None:
    talk(db, "job", "backup failed backup failed backup failed", source="cron", ago=10)
    talk(db, "me", "why has the backup failed, among so many other things that I wonder about today?", ago=9 * DAY)
    assert sessions(caller.said("session_search", query="backup failed")) == ["me", "job"]


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"role_filter": "assistant"}, {"b"}),
        ({"role_filter": "user, assistant"}, {"a", "b"}),
        ({"source": "telegram"}, {"b"}),
        ({"after": "3d"}, {"b"}),
        ({"before": "3d"}, {"a"}),
        ({"exclude_sessions": ["b"]}, {"a"}),
        ({"session_id": "a"}, {"a"}),
    ],
)
def test_filters_narrow_what_is_found(db: SessionDB, caller: Caller, filters: dict[str, Any], found: set[str]) -> None:
    talk(db, "a", "the walnut table", "Nice.", ago=5 * DAY)
    talk(db, "b", "a chair", "of walnut", source="telegram", ago=DAY)
    assert set(sessions(caller.said("session_search", query="walnut", **filters))) == found


def test_when_no_message_holds_all_words_the_nearest_sessions_are_told(db: SessionDB, caller: Caller) -> None:
    talk(db, "s", "We deployed the billing service to Frankfurt.")
    answer = caller.said("session_search", query="where did we deploy billing services?")
    assert answer.startswith("No message holds all of these words")
    assert "We deployed the billing service to Frankfurt." in answer
    assert caller.said("session_search", query="zzyzx").startswith("Nothing in earlier sessions")


def test_a_window_is_centred_on_what_was_found_and_as_large_as_wished(db: SessionDB, caller: Caller) -> None:
    [*_, long] = talk(
        db, "s", *[f"line {n} " + "x" * 300 for n in range(60)], "y" * 80_000 + " kestrel " + "z" * 80_000
    )
    small = caller.said("session_search", query="kestrel")
    assert " kestrel " in small
    assert len(small) < 5_000
    large = caller.said("session_search", query="kestrel", characters=100_000)
    assert " kestrel " in large
    assert 60_000 < len(large) < 110_000
    around = caller.said("session_search", session_id="s", around=long - 30, characters=2_000)
    assert f"[#{long - 30} " in around
    assert f"[#{long - 31} " in around
    assert f"[#{long - 29} " in around


def test_what_is_left_out_between_two_hits_is_marked(db: SessionDB, caller: Caller) -> None:
    talk(db, "s", "kestrel one", *["w" * 900] * 40, "kestrel two")
    answer = caller.said("session_search", query="kestrel", characters=2_000)
    assert re.search(r"kestrel one\n(?s:.*)^\[…\]\n(?s:.*)kestrel two", answer, re.MULTILINE)


def test_a_session_is_read_from_its_beginning_and_says_where_it_goes_on(db: SessionDB, caller: Caller) -> None:
    talk(db, "s", *[f"message {n} " + "x" * 500 for n in range(60)])
    db.set_session_title("s", "my boat")
    answer = caller.said("session_search", session_id="my boat", characters=3_000)
    assert "message 0 " in answer
    assert "message 4 " in answer
    [following] = re.findall(r"around=(\d+)", answer.splitlines()[-1])
    assert "message 5 " in caller.said("session_search", session_id="s", around=int(following))


@pytest.mark.parametrize("arguments", [{"session_id": "nobody"}, {"session_id": "s", "around": 999}, {"after": "soon"}])
def test_what_makes_no_sense_is_told_to_the_model(db: SessionDB, caller: Caller, arguments: dict[str, Any]) -> None:
    talk(db, "s", "hello")
    assert not caller.call("session_search", **arguments).ok


def test_what_is_in_the_trash_is_gone(db: SessionDB, caller: Caller) -> None:
    talk(db, "s", "kestrel")
    db.trash_session("s")
    assert not caller.call("session_search", session_id="s").ok
    assert sessions(caller.said("session_search", query="kestrel")) == []
    assert sessions(caller.said("session_search")) == []


def test_another_owner_sees_only_their_own(db: SessionDB, tmp_path: Path) -> None:
    talk(db, "mine", "the secret of the boat", source="telegram", user_id="1")
    talk(db, "theirs", "the secret of the mill", source="telegram", user_id="2")
    talk(db, "local", "the secret of the house")
    guest = Caller(db, tmp_path, "session_search", source="telegram", owner="telegram:2")
    assert sessions(guest.said("session_search", query="secret")) == ["theirs"]
    assert sessions(guest.said("session_search")) == ["theirs"]
    for hidden in ("mine", "local"):
        assert not guest.call("session_search", session_id=hidden).ok
    operator = Caller(db, tmp_path, "session_search")
    assert set(sessions(operator.said("session_search", query="secret"))) == {"mine", "theirs", "local"}


def test_each_session_says_its_source_and_owner(db: SessionDB, caller: Caller) -> None:
    talk(db, "s", "kestrel", source="telegram", user_id="7")
    db.set_session_title("s", "The bird")
    assert FENCE.findall(caller.said("session_search", query="kestrel")) == [
        ("s", "The bird", "telegram", "telegram:7")
    ]


def test_calls_are_shown_as_lines(db: SessionDB, caller: Caller) -> None:
    talk(db, "s", "look around")
    function = {"name": "terminal", "arguments": '{"command": "ls kestrel"}'}
    db.append_message("s", "assistant", None, tool_calls=[{"id": "c", "type": "function", "function": function}])
    assert "calls terminal: ls kestrel" in caller.said("session_search", query="kestrel")


def summing_up(**task: Any) -> Settings:
    return Settings(auxiliary=Auxiliary(compression=AuxiliaryTask(**task)))


def test_a_summary_is_offered_only_where_a_model_for_it_is_set_up(db: SessionDB, tmp_path: Path) -> None:
    for settings, offered in ((Settings(), False), (summing_up(model="small"), True)):
        [known] = Caller(db, tmp_path, "session_search", settings=settings).box.definitions()
        assert ("summary" in known["function"]["parameters"]["properties"]) is offered


def test_a_summary_stands_before_the_exact_words(db: SessionDB, tmp_path: Path) -> None:
    talk(db, "s", "The kestrel nests in the old mill.")
    small = summing_up(model="small")
    with Scripted(Say("A bird and a mill.")) as server:
        caller = Caller(db, tmp_path, "session_search", settings=small, auxiliary=lambda task: endpoint(server))
        answer = caller.said("session_search", query="kestrel", summary=True)
        assert "The kestrel nests in the old mill." in str(server.sent[0].messages)
    assert "Summary: A bird and a mill.\n\n" in answer
    assert "The kestrel nests in the old mill." in answer


def test_where_the_model_fails_the_exact_words_come_all_the_same(db: SessionDB, tmp_path: Path) -> None:
    talk(db, "s", "The kestrel nests in the old mill.")
    small = summing_up(model="small")
    with Scripted(Fail(500)) as server:
        caller = Caller(db, tmp_path, "session_search", settings=small, auxiliary=lambda task: endpoint(server))
        answer = caller.said("session_search", query="kestrel", summary=True)
    assert "Summary" not in answer
    assert "The kestrel nests in the old mill." in answer


def test_a_summary_that_takes_too_long_is_not_waited_for() -> None:
    released = threading.Event()

    def slow(task: str, prompt: str, *, most_tokens: int) -> str:
        if "slow" in prompt:
            released.wait(90)
        return "done"

    began = time.monotonic()
    assert summaries(slow, "what?", ["quick", "slow", "quick"], seconds=0.5) == ["done", "", "done"]
    assert time.monotonic() - began < 30
    released.set()
