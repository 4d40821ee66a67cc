"""`hermes` on a real terminal, with a scripted model over real HTTP."""

import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes.cli.width import width
from hermes.store import SessionDB
from tests.servers.scripted import Fail, Say, Scripted, Sent
from tests.stories.terminal import ALT_ENTER, CTRL_C, CTRL_D, ENTER, TAB, UP, Terminal
from tests.unit.cli.program import fill_guide, refused, spawn


def answer(sent: Sent) -> Say:
    """A title when one is asked for, else an answer that says how much was sent."""
    asked = str(sent.messages[-1]["content"])
    if "Give this conversation a title" in asked:
        return Say("A scripted talk about things")
    number = sum(message["role"] == "user" for message in sent.messages)
    if "slowly" in asked:
        return Say(" ".join(f"word{place}" for place in range(400)), pause=0.05)
    return Say(f"Answer number {number} to *{asked[:20]}*.", reasoning="hidden thoughts", cost=0.001)


@pytest.fixture
def model(hermes_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    monkeypatch.chdir(tmp_path)
    with Scripted(otherwise=answer) as server:
        hermes_home.mkdir(parents=True, exist_ok=True)
        settings = f"model:\n  default: scripted\n  provider: custom\n  base_url: {server.url}\n"
        (hermes_home / "config.yaml").write_text(settings)
        yield server


def sessions() -> list[dict[str, object]]:
    with SessionDB() as db:
        return db.search_sessions(limit=50)


def said(session_id: str) -> list[tuple[str, str]]:
    with SessionDB() as db:
        return [(row["role"], row["content"]) for row in db.get_messages(session_id)]


def test_a_first_chat_is_answered_titled_and_can_be_resumed(model: Scripted) -> None:
    with Terminal() as terminal:
        terminal.say("hello there")
        terminal.wait_for("Answer number 1 to hello there.")
        terminal.wait_for("A scripted talk about things")  # in the status bar, once it is made
        assert "scripted" in terminal.text.splitlines()[-1]
        terminal.say("/exit")
        assert terminal.leave() == 0
    [session] = sessions()
    assert (session["source"], session["end_reason"]) == ("cli", "user_exit")
    assert re.fullmatch(r"\d{8}_\d{6}_[0-9a-f]{6}", str(session["id"]))
    ending = terminal.text[terminal.text.index("Resume this session with:") :]
    assert re.sub(r"Duration:  \d+s", "Duration:  1s", ending) == (
        f"Resume this session with:\n  hermes --resume {session['id']}\n"
        f'  hermes -c "A scripted talk about things"\n\nSession:   {session["id"]}\n'
        "Title:     A scripted talk about things\nDuration:  1s\nMessages:  2 (1 user, 0 tool calls)"
    )


def test_a_chat_in_which_nothing_was_said_leaves_no_trace(model: Scripted) -> None:
    with Terminal() as terminal:
        terminal.wait_for("scripted · ")
        terminal.type(CTRL_D)
        assert terminal.leave() == 0
    assert sessions() == []
    assert "Resume" not in terminal.text


def test_a_resumed_session_shows_the_recap_and_goes_on(model: Scripted) -> None:
    assert spawn("-z", "what is a monad").code == 0
    [session] = sessions()
    with Terminal("--resume", str(session["id"])) as terminal:
        terminal.wait_for("Previous Conversation")
        terminal.wait_for("● You: what is a monad")
        terminal.wait_for("◆ Hermes: Answer number 1")
        title = '"What is a monad"'
        assert f"↻ Resumed session {session['id']} {title} (1 user message, 2 total messages)" in terminal.text
        terminal.say("and a functor?")
        terminal.wait_for("Answer number 2 to and a functor?.")
        terminal.type(CTRL_D)
        assert terminal.leave() == 0
    assert [role for role, _ in said(str(session["id"]))] == ["user", "assistant"] * 2
    assert len(sessions()) == 1


def test_the_recap_can_be_one_line(model: Scripted, hermes_home: Path) -> None:
    spawn("-z", "hello")
    with (hermes_home / "config.yaml").open("a") as file:
        file.write("display:\n  resume_display: minimal\n")
    with Terminal("-c") as terminal:
        terminal.wait_for("↻ Resumed session")
        terminal.wait_for("scripted · ")
        assert "Previous Conversation" not in terminal.text
        terminal.type(CTRL_D)
        assert terminal.leave() == 0


@pytest.mark.parametrize("typed", [["-c", "my project"], ["chat", "-c", "my", "project"], ["--resume", "my project"]])
def test_a_name_resumes_the_newest_of_its_numbered_family(typed: list[str], model: Scripted) -> None:
    with SessionDB() as db:
        fill_guide(db)
    with Terminal(*typed) as terminal:
        terminal.wait_for('"my project #3" (1 user message, 1 total message)')
        terminal.wait_for("scripted · ")
        terminal.type(CTRL_D)
        assert terminal.leave() == 0


def test_continue_without_a_name_takes_the_newest_of_the_terminal(model: Scripted) -> None:
    with SessionDB() as db:
        fill_guide(db)
        db.create_session("on-telegram", "telegram")
        db.append_message("on-telegram", "user", "newer, but elsewhere")
    done = spawn("-c", "-q", "go on")
    assert done.code == 0
    assert "Help me refactor the auth module" in str(model.sent[0].messages)


@pytest.mark.parametrize("option", ["-c", "-r"])
def test_a_name_that_nothing_has_exits_1_and_says_how_to_list(option: str, model: Scripted) -> None:
    told = refused(spawn(option, "no", "such", "thing", "-q", "x"), 1)
    assert told == "hermes: No session 'no such thing'; `hermes sessions list` shows what there is."
    with Terminal(option, "no such thing") as terminal:
        assert terminal.leave() == 1
    assert "hermes sessions list" in terminal.text


def test_continue_with_nothing_to_continue_exits_1(model: Scripted) -> None:
    assert "no session to continue yet" in refused(spawn("-c", "-q", "x"), 1)


def test_ctrl_c_stops_the_turn_and_keeps_what_was_said(model: Scripted) -> None:
    with Terminal() as terminal:
        terminal.say("slowly please")
        terminal.wait_for("word3 ")
        terminal.type(CTRL_C)
        terminal.wait_for("stopped; what was said is kept")
        time.sleep(2.1)  # two in a row would leave
        terminal.say("and now?")
        terminal.wait_for("Answer number 2")
        terminal.type(CTRL_D)
        assert terminal.leave() == 0
    [session] = sessions()
    roles_and_text = said(str(session["id"]))
    assert [role for role, _ in roles_and_text] == ["user", "assistant", "user", "assistant"]
    assert roles_and_text[1][1].startswith("word0 word1 word2 word3")
    assert len(roles_and_text[1][1].split()) < 400


def test_ctrl_c_twice_leaves_and_keeps_what_was_said(model: Scripted) -> None:
    with Terminal() as terminal:
        terminal.say("slowly please")
        terminal.wait_for("word3 ")
        terminal.type(CTRL_C + CTRL_C)
        assert terminal.leave() == 130
    [session] = sessions()
    assert said(str(session["id"]))[1][1].startswith("word0 word1 word2 word3")
    assert f"hermes --resume {session['id']}" in terminal.text


def test_a_crash_in_mid_turn_loses_no_message_and_the_chat_goes_on(model: Scripted) -> None:
    with Terminal() as terminal:
        terminal.say("first question")
        terminal.wait_for("Answer number 1")
        terminal.say("slowly please")
        terminal.wait_for("word3 ")
        terminal.kill()
    with Terminal("-c") as terminal:
        terminal.wait_for("● You: slowly please")
        terminal.say("third question")
        terminal.wait_for("Answer number 3")
        terminal.type(CTRL_D)
        assert terminal.leave() == 0
    [session] = sessions()
    asked = [text for role, text in said(str(session["id"])) if role == "user"]
    assert asked == ["first question", "slowly please", "third question"]


def test_two_terminals_on_one_conversation_both_write(model: Scripted) -> None:
    spawn("-z", "begin")
    with Terminal("-c") as left, Terminal("-c") as right:
        for terminal in (left, right):
            terminal.wait_for("scripted · ")
        left.say("from the left")
        left.wait_for("Answer number 2 to from the left")
        right.say("from the right")
        right.wait_for("Answer number 3 to from the right")  # it knows what was said in the other one
        assert any("open elsewhere too" in terminal.text for terminal in (left, right))  # whoever came second is told
        for terminal in (left, right):
            terminal.type(CTRL_D)
            assert terminal.leave() == 0
    [session] = sessions()
    asked = [text for role, text in said(str(session["id"])) if role == "user"]
    assert asked == ["begin", "from the left", "from the right"]


def test_a_message_can_have_several_lines(model: Scripted) -> None:
    with Terminal() as terminal:
        terminal.until(lambda: "❯" in terminal.seen)
        terminal.type("line one" + ALT_ENTER + "line two\\" + ENTER + "line three" + ENTER)
        terminal.wait_for("Answer number 1")
        terminal.type(CTRL_D)
        assert terminal.leave() == 0
    [session] = sessions()
    assert said(str(session["id"]))[0] == ("user", "line one\nline two\nline three")


def test_what_is_typed_before_the_prompt_is_loaded_is_not_lost(model: Scripted) -> None:
    with Terminal() as terminal:
        terminal.until(lambda: "❯" in terminal.seen)
        terminal.type("typed early" + ENTER)
        terminal.wait_for("Answer number 1 to typed early")
        terminal.type(CTRL_D)
        assert terminal.leave() == 0


def test_without_a_model_the_own_history_answers_and_the_message_is_saved(hermes_home: Path) -> None:
    with SessionDB() as db:
        fill_guide(db)
    done = spawn("-z", "what about the auth module?")
    assert done.code == 0
    assert done.lines[0].startswith("No model is set up yet")
    assert "refactoring auth" in done.out
    assert any(row["end_reason"] == "user_exit" and row["title"] == "What about the auth module" for row in sessions())


@pytest.mark.parametrize("kind", ["xterm-256color", "dumb"])
def test_without_a_model_the_first_line_says_how_to_set_one_up(kind: str, hermes_home: Path) -> None:
    with Terminal(TERM=kind) as terminal:
        terminal.wait_for("No model is set up yet: `hermes setup` does that.")
        terminal.say("hello") if kind != "dumb" else terminal.type("hello\r")
        terminal.wait_for("Nothing in earlier sessions is about this.")
        terminal.type(CTRL_D)
        assert terminal.leave() == 0
    assert len(sessions()) == 1


def test_a_dumb_terminal_gets_a_conversation_line_by_line(model: Scripted) -> None:
    with Terminal(TERM="dumb") as terminal:
        terminal.wait_for("❯")
        terminal.type("hello\r")
        terminal.wait_for("Answer number 1 to *hello*.")
        terminal.type("/exit\r")
        assert terminal.leave() == 0
    assert "\x1b" not in terminal.seen
    assert "hermes --resume" in terminal.text


# -- commands and typing while it works


def test_commands_are_answered_above_the_prompt(model: Scripted) -> None:
    with Terminal() as terminal:
        terminal.say("/title queued name")
        terminal.wait_for("Title queued: queued name.")
        terminal.say("hello")
        terminal.wait_for("Answer number 1")
        terminal.wait_for("queued name", times=3)  # in the status bar
        terminal.say("/titel")
        terminal.wait_for("hermes: No command /titel; did you mean /title?")
        terminal.say("/status")
        terminal.wait_for("Answers: scripted at custom")
        terminal.say("/exit")
        assert terminal.leave() == 0
    assert [row["title"] for row in sessions()] == ["queued name"]


def test_typing_while_it_works_interrupts_and_is_answered_next(model: Scripted) -> None:
    with Terminal() as terminal:
        terminal.say("slowly please")
        terminal.wait_for("word3 ")
        terminal.say("something else")
        terminal.wait_for("Answer number 2 to something else")
        terminal.type(CTRL_D)
        assert terminal.leave() == 0
    [session] = sessions()
    texts = [text for _, text in said(str(session["id"]))]
    assert texts[0] == "slowly please"
    assert texts[1].startswith("word0 word1")
    assert texts[2:] == ["something else", "Answer number 2 to *something else*."]


def test_what_is_queued_is_asked_when_the_turn_is_done(model: Scripted) -> None:
    model.script += [Say("first " * 30, pause=0.05)]
    with Terminal() as terminal:
        terminal.say("/busy queue")
        terminal.wait_for("works: queue")
        terminal.say("one")
        terminal.wait_for("first first")
        terminal.say("two")
        terminal.say("/q three")
        terminal.wait_for("2 messages waiting")
        terminal.wait_for("to two.")
        terminal.wait_for("to three.")
        terminal.type(CTRL_D)
        assert terminal.leave() == 0
    [session] = sessions()
    assert [text for role, text in said(str(session["id"])) if role == "user"] == ["one", "two", "three"]


def test_leaving_in_mid_turn_keeps_what_was_said(model: Scripted) -> None:
    with Terminal() as terminal:
        terminal.say("slowly please")
        terminal.wait_for("word3 ")
        terminal.type(CTRL_D)
        assert terminal.leave() == 0
    [session] = sessions()
    assert said(str(session["id"]))[1][1].startswith("word0 word1 word2")


def test_a_key_reaches_the_prompt_whatever_is_printed_above_it(model: Scripted) -> None:
    model.script += [Say("\n\n".join(f"line {number}" for number in range(200)), pause=0.002)]
    with Terminal() as terminal:
        terminal.wait_for("scripted · ")
        terminal.say("many lines")
        modes: list[bool] = []
        terminal.until(lambda: modes.append(terminal.obeys_keys) or "line 199" in terminal.text, "the last line")
        assert len(modes) > 10 and not any(modes)
        terminal.type(CTRL_D)
        assert terminal.leave() == 0


def test_an_editor_gets_the_terminal_as_it_was_and_its_text_comes_back(model: Scripted, tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text(f"#!/bin/sh\nstty -a > {tmp_path}/modes\necho written elsewhere > $1\n")
    editor.chmod(0o700)
    with Terminal(EDITOR=str(editor), VISUAL=str(editor)) as terminal:
        terminal.wait_for("scripted · ")
        terminal.type("\x18\x05")  # Ctrl-X Ctrl-E
        terminal.wait_for("❯ written elsewhere")
        assert not terminal.obeys_keys
        terminal.type(ENTER)
        terminal.wait_for("to written elsewhere.")
        terminal.type(CTRL_D)
        assert terminal.leave() == 0
    assert " icanon" in (tmp_path / "modes").read_text()


def test_a_provider_that_fails_leaves_the_prompt_and_the_message(model: Scripted) -> None:
    model.script += [Fail(400, "the model is unwell")]
    with Terminal() as terminal:
        terminal.say("are you well?")
        terminal.wait_for("the model is unwell")
        terminal.say("/retry")
        terminal.wait_for("Answer number 1 to are you well?")
        terminal.type(CTRL_D)
        assert terminal.leave() == 0
    assert "Traceback" not in terminal.text


def test_tab_completes_commands_and_titles(model: Scripted) -> None:
    with SessionDB() as db:
        fill_guide(db)
    with Terminal() as terminal:
        terminal.wait_for("scripted · ")
        terminal.type("/resu" + TAB)
        terminal.wait_for("❯ /resume")
        terminal.type(" refac" + TAB)
        terminal.wait_for("❯ /resume refactoring auth")
        terminal.type(ENTER)
        terminal.wait_for('"refactoring auth" (1 user message, 1 total message)')
        terminal.type(CTRL_D)
        assert terminal.leave() == 0


def test_the_arrow_brings_back_what_was_typed_and_the_file_is_private(model: Scripted, hermes_home: Path) -> None:
    for _ in range(2):
        with Terminal() as terminal:
            terminal.wait_for("scripted · ")
            if sessions():
                terminal.type(UP)
                terminal.wait_for("❯ remember me")
                terminal.type(ENTER)
            else:
                terminal.say("remember me")
            terminal.wait_for("Answer number 1 to remember me")
            terminal.type(CTRL_D)
            assert terminal.leave() == 0
    assert len(sessions()) == 2
    assert (hermes_home / "chat_history").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("wanted", [False, True])
def test_reasoning_and_cost_are_shown_when_they_are_asked_for(wanted: bool, model: Scripted, hermes_home: Path) -> None:
    if wanted:
        with (hermes_home / "config.yaml").open("a") as file:
            file.write("display:\n  show_reasoning: true\n  show_cost: true\n")
    with Terminal() as terminal:
        terminal.say("hello")
        terminal.wait_for("Answer number 1")
        terminal.wait_for("A scripted talk")  # the bar has the figures by then
        assert ("$0.00" in terminal.text) is wanted
        assert ("hidden thoughts" in terminal.text) is wanted
        terminal.type(CTRL_D)
        assert terminal.leave() == 0


def test_an_answer_cannot_drive_the_terminal(model: Scripted) -> None:
    model.script += [Say("look: \x1b]0;owned\x07 and \x1b[2J gone")]
    with Terminal() as terminal:
        terminal.say("hello")
        terminal.wait_for(r"look: \x1b]0;owned\x07 and \x1b[2J gone")
        terminal.type(CTRL_D)
        assert terminal.leave() == 0
    assert "\x1b]0;owned" not in terminal.seen


@pytest.mark.parametrize("columns", [40, 200])
def test_it_works_on_a_narrow_and_on_a_wide_terminal(columns: int, model: Scripted) -> None:
    spawn("-z", "日本語の質問です " * 20)
    with Terminal("-c", columns=columns) as terminal:
        terminal.wait_for("Previous Conversation")
        terminal.say("hello")
        terminal.wait_for("Answer number 2")
        terminal.type(CTRL_D)
        assert terminal.leave() == 0
    lines = terminal.text.splitlines()
    assert {width(line) for line in lines if line.startswith("│")} == {min(columns, 100)}


def test_a_store_that_cannot_be_opened_is_one_line(model: Scripted, hermes_home: Path) -> None:
    (hermes_home / "state.db").write_bytes(b"this is no database" * 1000)
    with Terminal() as terminal:
        terminal.until(lambda: "❯" in terminal.seen)
        assert terminal.leave() == 3
    assert "Traceback" not in terminal.seen
    assert "hermes: " in terminal.text


def test_one_who_is_alone_is_not_told_of_others(model: Scripted, hermes_home: Path) -> None:
    spawn("-z", "begin")
    for _ in range(2):
        with Terminal("-c") as terminal:
            terminal.wait_for("scripted · ")
            assert "elsewhere" not in terminal.text
            terminal.type(CTRL_D)
            assert terminal.leave() == 0
    assert list((hermes_home / "live").iterdir()) == []


def test_a_window_that_is_closed_keeps_what_was_said(model: Scripted) -> None:
    with Terminal() as terminal:
        terminal.say("slowly please")
        terminal.wait_for("word3 ")
        terminal.program.send_signal(signal.SIGHUP)
        assert terminal.leave() == 128 + signal.SIGHUP
    [session] = sessions()
    assert said(str(session["id"]))[1][1].startswith("word0 word1 word2")
    assert session["end_reason"] == "user_exit"


@pytest.mark.parametrize(("choice", "stays"), [("deny", True), ("1", False)])
def test_a_dangerous_command_is_asked_about_and_the_answer_counts(
    choice: str, stays: bool, model: Scripted, tmp_path: Path
) -> None:
    (tmp_path / "precious").mkdir()
    model.script += [Say(calls=[("terminal", {"command": "rm -rf ./precious"})]), Say("As you wish.")]
    with Terminal() as terminal:
        terminal.say("clean up")
        terminal.wait_for("Run this command?")
        terminal.say(choice)
        terminal.wait_for("As you wish.")
        terminal.wait_for("┊ terminal rm -rf ./precious")
        terminal.type(CTRL_D)
        assert terminal.leave() == 0
    assert (tmp_path / "precious").exists() is stays


def test_a_turn_that_is_stopped_takes_its_question_along(model: Scripted, tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    model.script += [Say(calls=[("terminal", {"command": "rm -rf ./precious"})])]
    with Terminal() as terminal:
        terminal.say("clean up")
        terminal.wait_for("Run this command?")
        terminal.type(CTRL_C)
        terminal.wait_for("stopped; what was said is kept")
        terminal.say("hello")
        terminal.wait_for("to hello.")
        terminal.type(CTRL_D)
        assert terminal.leave() == 0
    assert (tmp_path / "precious").exists()


def test_without_colour_no_colour_is_sent(model: Scripted) -> None:
    with Terminal(NO_COLOR="1") as terminal:
        terminal.say("hello")
        terminal.wait_for("Answer number 1 to hello.")
        terminal.until(lambda: "working" not in terminal.text.splitlines()[-1], "the end of the turn")
        terminal.type(CTRL_C)
        terminal.wait_for("Ctrl-C once more leaves")
        terminal.type(CTRL_D)
        assert terminal.leave() == 0
    codes = {code for sent in re.findall(r"\x1b\[([0-9;]*)m", terminal.seen) for code in sent.split(";")}
    assert not {code for code in codes if re.fullmatch(r"2|[34][0-9]|9[0-7]", code)}
