"""One question from a script: `-q`, `-z`, pipes, pictures."""

from pathlib import Path

import pytest

from tests.servers.scripted import Fail, Say, Scripted
from tests.stories.test_chat_terminal import model, said, sessions  # noqa: F401  # a fixture
from tests.unit.cli.program import refused, spawn

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c626001000000050001"
    "0d0a2db40000000049454e44ae426082"
)


@pytest.mark.parametrize("option", ["-z", "--oneshot"])
def test_oneshot_prints_the_answer_and_nothing_else(option: str, model: Scripted) -> None:  # noqa: F811
    done = spawn(option, "what is a monad")
    assert (done.code, done.out, done.err) == (0, "Answer number 1 to *what is a monad*.\n", "")
    assert len(model.sent) == 1  # a title is no reason for a second call
    [session] = sessions()
    assert (session["title"], session["end_reason"]) == ("What is a monad", "user_exit")


@pytest.mark.parametrize("typed", [["-q", "hi"], ["chat", "--query", "hi"]])
def test_a_query_is_answered_and_says_how_to_go_on(typed: list[str], model: Scripted) -> None:  # noqa: F811
    done = spawn(*typed)
    [session] = sessions()
    assert (done.code, done.out) == (0, "Answer number 1 to *hi*.\n")
    assert done.err == f"hermes: hermes --resume {session['id']} goes on with this.\n"


def test_a_pipe_is_a_question_or_what_a_question_is_about(model: Scripted) -> None:  # noqa: F811
    assert spawn(answer="from a pipe\n").out == "Answer number 1 to *from a pipe*.\n"
    spawn("-z", "summarise", answer="a long text\n")
    assert model.sent[-1].messages[-1]["content"] == "summarise\n\na long text"


def test_nothing_to_answer_is_said_in_one_line(model: Scripted) -> None:  # noqa: F811
    assert "nothing to answer" in refused(spawn(), 2)
    assert "nothing to answer" in refused(spawn("-z", "  "), 2)


def test_model_and_provider_of_the_command_line_go_first(model: Scripted) -> None:  # noqa: F811
    spawn("-m", "other-model", "-z", "hi")
    assert model.sent[0].body["model"] == "other-model"
    assert [row["model"] for row in sessions()] == ["other-model"]
    told = refused(spawn("--provider", "nobody", "-z", "hi"), 2)
    assert "No provider 'nobody'" in told


def test_a_picture_goes_with_the_question(model: Scripted, tmp_path: Path) -> None:  # noqa: F811
    (tmp_path / "a.png").write_bytes(PNG)
    assert spawn("--image", "a.png", "-z", "what is this?").code == 0
    text, picture = model.sent[0].messages[-1]["content"]
    assert text["text"] == "what is this?"
    assert picture["image_url"]["url"].startswith("data:image/png;base64,iVBOR")


@pytest.mark.parametrize(("name", "code"), [("missing.png", 1), ("text.png", 2)])
def test_what_is_no_picture_is_refused_before_anything_is_sent(
    name: str,
    code: int,
    model: Scripted,  # noqa: F811
    tmp_path: Path,
) -> None:
    (tmp_path / "text.png").write_text("not a picture")
    assert name in refused(spawn("--image", name, "-z", "what is this?"), code)
    assert model.sent == []
    assert sessions() == []


def test_a_provider_that_fails_is_one_line_and_the_message_is_kept(model: Scripted) -> None:  # noqa: F811
    model.script += [Fail(400, "the model is unwell")]
    assert "the model is unwell" in refused(spawn("-z", "hello?"), 3)
    [session] = sessions()
    assert said(str(session["id"])) == [("user", "hello?")]


def test_an_answer_is_resumed_by_one_question_after_the_other(model: Scripted) -> None:  # noqa: F811
    spawn("-z", "one")
    assert spawn("-c", "-z", "two").out == "Answer number 2 to *two*.\n"
    assert len(sessions()) == 1


def test_the_answer_keeps_every_character(model: Scripted) -> None:  # noqa: F811
    model.script += [Say("tab\there, 日本語, \x1b[31mred")]
    assert spawn("-z", "hi").out == "tab\there, 日本語, \x1b[31mred\n"
