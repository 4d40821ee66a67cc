"""References in a message, in a conversation with a scripted model: what is sent, what is stored, what is shown."""

from pathlib import Path

import pytest

from hermes.agent.base import Notice
from hermes.commands.chat.chat import Chat, Wishes
from hermes.config import load
from hermes.store import SessionDB
from tests.servers.scripted import Say, Scripted
from tests.unit.cli.program import Hermes


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "tea.md").write_text("Boil the water.\nWait.\n")
    (folder / ".env").write_text("PASSWORD=hunter2\n")
    return folder


def configure(home: Path, server: Scripted) -> None:
    home.mkdir(exist_ok=True)
    (home / "config.yaml").write_text(
        f"model: {{provider: custom, default: scripted, base_url: '{server.url}'}}\n"
        "toolsets: [todo]\nauxiliary: {title_generation: {provider: none-such}}\n"
    )


def test_the_words_are_stored_and_the_file_is_sent_for_as_long_as_the_conversation_goes_on(
    project: Path, hermes_home: Path
) -> None:
    with Scripted(Say("Tea."), Say("Still tea."), Say("From memory.")) as server, SessionDB() as db:
        configure(hermes_home, server)
        chat = Chat(db, load(), Wishes(cwd=project, titles_by_model=False))
        told = list(chat.ask("What is @file:tea.md:1 about, and @file:.env?"))
        list(chat.ask("And now?"))
        words = [row["content"] for row in db.get_messages(chat.agent.session_id) if row["role"] == "user"]
        assert [row["session_id"] for row in db.search_messages("boil")] == []
        session_id = chat.agent.session_id
        chat.close()
        again = Chat(db, load(), Wishes(cwd=project, titles_by_model=False), session_id=session_id)
        list(again.ask("And after a night?"))
        again.close()
    assert words == ["What is @file:tea.md:1 about, and @file:.env?", "And now?"]
    [notice] = [event.text for event in told if isinstance(event, Notice)]
    assert notice.startswith("@file:.env: not attached: .env may hold keys")
    first, second, third = ([one for one in sent.messages if one["role"] == "user"] for sent in server.sent)
    assert "1|Boil the water.\n</attached>" in first[0]["content"]
    assert "hunter2" not in str(server.sent)
    assert second[0] == first[0]  # the same beginning, so that prompt caches hold
    assert second[1]["content"] == "And now?"
    assert third[0]["content"] == words[0]


def test_a_question_from_the_command_line_can_refer_to_a_file(
    project: Path, hermes_home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    with Scripted(Say("Tea.")) as server:
        configure(hermes_home, server)
        done = Hermes(capsys, monkeypatch)("-z", "Summarise @file:tea.md and @file:gone.md")
    assert (done.code, done.out) == (0, "Tea.\n")
    assert "@file:gone.md: not attached: There is no file" in done.err
    assert "Boil the water.\nWait." in server.sent[0].messages[-1]["content"]


def test_a_picture_and_a_reference_go_together(project: Path, hermes_home: Path) -> None:
    (project / "dot.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    with Scripted(Say("A dot.")) as server, SessionDB() as db:
        configure(hermes_home, server)
        chat = Chat(db, load(), Wishes(cwd=project, titles_by_model=False))
        chat.images.append(project / "dot.png")
        list(chat.ask("Compare with @file:tea.md"))
        chat.close()
    kinds = [part["type"] for part in server.sent[0].messages[-1]["content"]]
    assert kinds == ["text", "image_url", "text"]


@pytest.mark.parametrize("source", ["telegram", "webhook", "api_server"])
def test_somebody_far_away_gets_no_file_of_this_machine(source: str, project: Path, hermes_home: Path) -> None:
    with Scripted(Say("No.")) as server, SessionDB() as db:
        configure(hermes_home, server)
        chat = Chat(db, load(), Wishes(cwd=project, source=source, titles_by_model=False))
        list(chat.ask("@file:tea.md @folder:. @diff @git:1"))
        chat.close()
    [message] = [one for one in server.sent[0].messages if one["role"] == "user"]
    assert message["content"] == "@file:tea.md @folder:. @diff @git:1"
