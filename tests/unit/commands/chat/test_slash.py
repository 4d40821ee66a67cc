"""Slash commands, each once: what it does and what it says. The same handlers serve every front end."""

from importlib import import_module
from pathlib import Path

import pytest

from hermes.commands.chat.slash import COMMANDS, is_command, offered
from hermes.errors import BadInput, ConfigError, NotFound, TitleInUse
from hermes.store import SessionDB
from tests.servers.scripted import Scripted
from tests.unit.commands.chat.conftest import Person, settings_for

EVERY = (
    "help new title resume sessions search recall branch undo retry rewind compress model fast usage insights save "
    "handoff history image steer queue busy skills status statusbar footer redraw debug stop exit"
)


def test_every_command_has_one_handler_and_a_line_of_help(person: Person) -> None:
    assert sorted(COMMANDS) == sorted(EVERY.split())
    for name, command in COMMANDS.items():
        assert callable(getattr(import_module(f"hermes.commands.chat.{command.module}"), name))
        assert command.where in ("terminal", "gateway", "both")
        assert f"/{name}" in person.type("/help")
        assert command.about in person.type("/help")


def test_an_unknown_command_suggests_the_nearest(person: Person) -> None:
    with pytest.raises(NotFound, match="No command /titel; did you mean /title"):
        person.type("/titel")
    with pytest.raises(NotFound, match="/help shows"):
        person.type("/xyzzy")


@pytest.mark.parametrize(
    ("typed", "command"),
    [("/help", True), ("/title x\ny", True), ("/home/me/x", False), ("/ x", False), ("/", False), ("a /b", False)],
)
def test_a_path_is_a_message(typed: str, command: bool, person: Person) -> None:
    assert is_command(person.chat, typed) is command


def test_a_command_of_the_terminal_is_refused_in_a_chat_app(person: Person) -> None:
    with pytest.raises(BadInput, match="works in the terminal only"):
        person.type("/statusbar", where="gateway")
    assert "statusbar" not in [name for name, _ in offered(person.chat, "gateway")]
    assert person.type("/title", where="gateway")


# -- names


def test_a_title_before_the_first_message_waits_for_it(person: Person) -> None:
    assert person.type("/title") == "No title yet; `/title my project` sets one."
    assert "queued" in person.type("/title my research project")
    assert person.db.search_sessions() == []
    person.type("hello")
    assert person.db.get_session_title(person.chat.agent.session_id) == "my research project"
    assert person.type("/title") == "Title: my research project"


def test_a_title_is_set_at_once_and_a_taken_one_is_refused(person: Person) -> None:
    person.db.create_session("other", "cli")
    person.db.set_session_title("other", "taken")
    person.type("hello")
    assert person.type("/title better name") == "Title set: better name"
    assert person.db.get_session_title(person.chat.agent.session_id) == "better name"
    with pytest.raises(TitleInUse, match="other"):
        person.type("/title taken")


# -- from one conversation to another


def test_new_leaves_the_old_one_where_it_is(person: Person) -> None:
    person.type("hello")
    old = person.chat.agent.session_id
    assert f"/resume {old}" in person.type("/new")
    person.type("another")
    assert person.chat.agent.session_id != old
    assert person.db.get_session(old)["end_reason"] == "new_session"  # type: ignore[index]
    assert person.said() == ["another", "You said: another"]


def test_resume_by_title_id_and_number(person: Person) -> None:
    person.type("hello")
    first = person.chat.agent.session_id
    person.type("/title the first one")
    person.type("/new")
    person.type("other")
    assert "↻ Resumed session" in person.type("/resume the first one")
    assert person.chat.agent.session_id == first
    assert person.type(f"/resume {first}") == "This is that conversation already."
    assert "other" in person.type("/resume 2") or "other" in person.type("/resume 1")
    assert person.chat.agent.session_id != first
    for wrong in ("/resume 9", "/resume nothing such"):
        with pytest.raises(NotFound):
            person.type(wrong)
    assert "the first one" in person.type("/sessions")
    assert "the first one" in person.type("/resume")


def test_a_branch_goes_on_in_a_copy(person: Person) -> None:
    with pytest.raises(BadInput):
        person.type("/branch")
    person.type("hello")
    old = person.chat.agent.session_id
    person.type("/branch another way")
    person.type("only here")
    assert person.said() == ["hello", "You said: hello", "only here", "You said: only here"]
    assert [row["content"] for row in person.db.get_messages(old)] == ["hello", "You said: hello"]
    assert person.type("/title") == "Title: another way"


def test_exit_leaves(person: Person) -> None:
    person.type("/exit")
    assert person.chat.leaving


# -- going back


def test_undo_takes_back_exchanges(person: Person) -> None:
    with pytest.raises(BadInput):
        person.type("/undo")
    for text in ("one", "two", "three"):
        person.type(text)
    assert person.type("/undo") == "Took back 2 messages, from “three” on."
    assert person.said()[-2:] == ["two", "You said: two"]
    person.type("/undo 2")
    assert person.said() == []
    person.type("anew")
    assert person.said() == ["anew", "You said: anew"]


def test_what_deletes_something_asks_first(person: Person) -> None:
    person.type("one")
    person.type("two")
    person.says_yes = False
    for typed in ("/undo", "/rewind 1", "/rewind", "/retry", "/new"):
        person.type(typed)
    assert person.asked == [f"Delete everything from “{first}” on, for good?" for first in ("two", "one")]
    [old] = person.db.search_sessions()
    assert [row["content"] for row in person.db.get_messages(old["id"])][::2] == ["one", "two"]


def test_it_does_not_where_the_settings_say_so(model: Scripted, person: Person, hermes_home: Path) -> None:
    hasty = Person(person.db, hermes_home, settings_for(model, "approvals: {destructive_slash_confirm: false}"))
    hasty.type("one")
    assert hasty.type("/undo") == "Took back 2 messages, from “one” on." and hasty.asked == []
    hasty.chat.close()


def test_retry_asks_again_without_the_first_answer(person: Person, model: Scripted) -> None:
    person.type("one")
    person.type("two")
    assert person.type("/retry") == "Asking again: two"
    assert person.said() == ["one", "You said: one", "two", "You said: two"]
    assert [message["content"] for message in model.sent[-1].messages[1:]] == ["one", "You said: one", "two"]


def test_rewind_shows_what_was_said_and_goes_back_to_it(person: Person) -> None:
    for text in ("one", "two", "three"):
        person.type(text)
    assert person.type("/rewind").split() == ["1", "one", "2", "two", "3", "three"]
    person.type("/rewind 2")
    assert person.said() == ["one", "You said: one"]
    with pytest.raises(NotFound, match="the 1 there are"):
        person.type("/rewind 7")
    with pytest.raises(BadInput, match="no number"):
        person.type("/rewind x")


# -- keeping


def test_history_and_save(person: Person, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="Nothing was said yet"):
        person.type("/save")
    person.type("hello")
    assert "You said: hello" in person.type("/history")
    person.type("/save talk.md")
    assert "You said: hello" in (tmp_path / "talk.md").read_text()
    person.type("/save")
    assert (tmp_path / f"{person.chat.agent.session_id}.md").exists()
    assert (tmp_path / "talk.md").stat().st_mode & 0o777 == 0o600


def test_compress_goes_on_in_a_continuation(person: Person) -> None:
    assert "too short" in person.type("/compress")
    person.type("/title long talk")
    for number in range(14):
        person.type(f"message {number}")
    old = person.chat.agent.session_id
    assert '"long talk #2"' in person.type("/compress the messages")
    assert person.chat.agent.session_id != old
    person.type("go on")
    assert person.said()[-1] == "You said: go on"


def test_a_picture_waits_for_the_next_message(person: Person, model: Scripted, tmp_path: Path) -> None:
    (tmp_path / "a.gif").write_bytes(b"GIF89a" + bytes(20))
    assert "No picture" in person.type("/image")
    assert person.type("/image a.gif") == "1 picture for your next message."
    person.type("what is this?")
    assert [part["type"] for part in model.sent[-1].messages[-1]["content"]] == ["text", "image_url"]
    person.type("and now without")
    assert model.sent[-1].messages[-1]["content"] == "and now without"
    person.type("/undo")
    person.type("/retry")
    assert [part["type"] for part in model.sent[-1].messages[-1]["content"]] == ["text", "image_url"]


# -- who answers, and figures


def test_another_model_answers_from_the_next_turn_on(person: Person, model: Scripted) -> None:
    assert person.type("/model").startswith("scripted at custom")
    person.type("/model other-model")
    person.type("hello")
    assert model.sent[-1].body["model"] == "other-model"
    with pytest.raises(ConfigError, match="No provider 'nobody'"):
        person.type("/model x nobody")
    assert "other-model" in person.type("/status")


def test_fast_asks_for_the_faster_tier(person: Person, model: Scripted) -> None:
    person.type("/fast")
    person.type("hello")
    assert model.sent[-1].body["service_tier"] == "priority"
    person.type("/fast off")
    person.type("hello")
    assert "service_tier" not in model.sent[-1].body
    with pytest.raises(BadInput, match="neither on nor off"):
        person.type("/fast maybe")


def test_usage_counts_what_was_used_and_makes_up_no_cost(person: Person) -> None:
    person.type("hello")
    used = person.type("/usage")
    assert "Input: 100 tokens" in used
    assert "Cost: unknown" in used
    assert str(person.db.db_path) in person.type("/status")
    assert person.chat.agent.session_id in person.type("/debug")
    assert "Insights: the last 7 days" in person.type("/insights 7")


def test_search_and_recall_look_everywhere(person: Person) -> None:
    person.db.create_session("older", "telegram")
    person.db.append_message("older", "user", "we chose the zebra database")
    assert "older" in person.type("/search zebra")
    assert "older" in person.type("/recall which database did we choose?")
    with pytest.raises(BadInput):
        person.type("/recall")


# -- while it works


def test_queue_busy_steer_and_stop_without_a_turn(person: Person) -> None:
    assert person.type("/stop") == "Nothing is under way."
    assert person.type("/queue") == "Nothing is waiting."
    person.type("/q later")
    person.type("/steer now")
    assert person.said() == ["later", "You said: later", "now", "You said: now"]
    assert person.type("/busy") == "Typing while the agent works: interrupt."
    assert person.type("/busy steer") == "Typing while the agent works: steer."
    with pytest.raises(BadInput, match="none of interrupt, queue, steer"):
        person.type("/busy never")


def test_while_a_turn_runs_the_conversation_stays_as_it_is(person: Person) -> None:
    turn = person.chat.ask("hello")
    next(turn)
    for typed in ("/undo", "/new", "/resume x", "/compress", "/model x"):
        with pytest.raises(BadInput, match="/stop ends it"):
            person.type(typed)
    assert "Working: yes" in person.type("/status")
    turn.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize(("name", "attribute"), [("statusbar", "statusbar"), ("footer", "footer")])
def test_what_is_around_a_conversation_can_be_switched(name: str, attribute: str, person: Person) -> None:
    before = getattr(person.chat, attribute)
    person.type(f"/{name}")
    assert getattr(person.chat, attribute) is not before
    person.type(f"/{name} on")
    assert getattr(person.chat, attribute)
    person.type("/redraw")
    assert person.chat.redraw


# -- commands of one's own

QUICK = """quick_commands:
  disk: {type: exec, command: "echo lots of room; exit 3"}
  go: {type: alias, target: /title}
  again: /go
  circle: /circle
  review: Look at the last commit.
  broken: {type: exec}
"""


def test_quick_commands_run_rename_and_ask(model: Scripted, hermes_home: Path) -> None:
    hermes_home.mkdir(parents=True)
    with SessionDB() as db:
        person = Person(db, hermes_home, settings_for(model, QUICK))
        assert person.type("/disk") == "lots of room\n[exit code 3]"
        person.type("/review and be short")
        assert person.said()[0] == "Look at the last commit. and be short"
        person.type("/go a good name")
        assert person.type("/again") == "Title: a good name"
        assert "/disk" in person.type("/help")
        for typed, told in (("/circle", "circle"), ("/broken", "needs a type"), ("/disc", "did you mean /disk")):
            with pytest.raises((ConfigError, NotFound), match=told):
                person.type(typed)
        person.chat.close()


def test_the_owner_of_a_platform_chat_sees_only_their_own(model: Scripted, hermes_home: Path) -> None:
    hermes_home.mkdir(parents=True)
    with SessionDB() as db:
        db.create_session("mine-alone", "cli")
        db.append_message("mine-alone", "user", "a secret of the operator")
        person = Person(db.scoped("telegram:42"), hermes_home, settings_for(model), source="telegram")  # type: ignore[arg-type]
        with pytest.raises(NotFound):
            person.type("/resume mine-alone", where="gateway")
        assert "mine-alone" not in person.type("/search secret", where="gateway")
        assert "Store" not in person.type("/status", where="gateway")
        assert person.type("/sessions", where="gateway") == "No sessions yet."
