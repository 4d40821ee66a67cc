"""Every memory provider that comes with the program keeps the contract, and a bad one does not get through."""

from pathlib import Path

import pytest

from hermes.memory.base import MemoryProvider
from hermes.memory.contract import MemoryContract
from hermes.memory.notes import Notes
from hermes.memory.sessions import Sessions
from hermes.store import SessionDB


class TestNotes(MemoryContract):
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path) -> None:
        self.notes = Notes(tmp_path, {"memory": 200, "user": 100})
        self.notes.add("user", "Likes tea.")

    def make(self) -> MemoryProvider:
        return self.notes


class TestSessions(MemoryContract):
    @pytest.fixture(autouse=True)
    def store(self, tmp_path: Path) -> None:
        from hermes.agent.remembering import recalling

        self.db = SessionDB(tmp_path / "state.db")
        self.db.create_session("20250304_091523_a1b2c3", "cli")
        self.db.append_message("20250304_091523_a1b2c3", "user", "We decided for a PostgreSQL database.")
        self.recall = recalling(self.db, "local")

    def make(self) -> MemoryProvider:
        return Sessions(self.recall)

    def test_what_was_said_elsewhere_comes_fenced(self) -> None:
        said = self.begun().on_turn_start("20250305_091523_a1b2c3", "What did we decide about the database?")
        assert said.startswith('<recalled session="20250304_091523_a1b2c3"')
        assert "PostgreSQL" in said

    def test_the_conversation_that_asks_is_not_recalled(self) -> None:
        provider = self.begun()
        assert provider.on_turn_start("20250304_091523_a1b2c3", "What did we decide about the database?") == ""

    def test_a_remark_recalls_nothing(self) -> None:
        assert self.begun().on_turn_start("20250305_091523_a1b2c3", "database!") == ""

    def test_other_peoples_conversations_are_not_recalled(self) -> None:
        self.db.create_session("20250304_091523_a1b2c3d4", "telegram", user_id="7")
        self.db.append_message("20250304_091523_a1b2c3d4", "user", "We decided to hide the treasure under the oak.")
        said = self.begun().on_turn_start("20250305_091523_a1b2c3", "Where did we decide to hide the treasure?")
        assert "treasure" not in said


@pytest.mark.parametrize("answer", [None, 7])
def test_a_provider_that_says_no_text_does_not_keep_it(answer: object) -> None:
    class Bad(MemoryProvider):
        name = "bad"

        def on_turn_start(self, session_id: str, text: str) -> str:
            return answer  # type: ignore[return-value]

    class Contract(MemoryContract):
        def make(self) -> MemoryProvider:
            return Bad()

    with pytest.raises(AssertionError):
        Contract().test_what_it_says_is_text_and_comes_soon()
