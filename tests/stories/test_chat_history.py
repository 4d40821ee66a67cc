"""With no provider set up, Hermes still works: it says so, answers from the person's own history, and saves all."""

from hermes.agent.agent import Agent
from hermes.agent.base import Compressed
from hermes.agent.history import History, no_model
from hermes.config import Settings
from hermes.store import SessionDB
from tests.stories.chatting import ended, stored, talk


def remembered(db: SessionDB, owner: str = "local", session_id: str = "20250304_143022_e5f6a7") -> None:
    db.create_session(session_id, "cli", owner=owner)
    db.set_session_title(session_id, "the kitchen")
    db.append_message(session_id, "user", "Which flour for the sourdough?")
    db.append_message(session_id, "assistant", "Rye flour from the mill in Uelzen.")


def test_it_says_so_in_one_line_and_answers_with_excerpts_and_their_sessions(db: SessionDB) -> None:
    remembered(db)
    agent = Agent(db, Settings(), provider=History(db))
    answer = ended(talk(agent, "what was the flour for the sourdough?")).text
    first, *rest = answer.splitlines()
    assert first == no_model()
    assert "hermes setup" in first
    assert "hermes model choose" in first
    assert "the kitchen (" in rest[1]
    assert "hermes --resume 20250304_143022_e5f6a7" in rest[1]
    assert any("Rye flour from the mill in Uelzen." in line for line in rest)
    assert stored(db, agent.session_id) == [("user", "what was the flour for the sourdough?"), ("assistant", answer)]
    agent.close()
    assert db.get_session_title(agent.session_id) == "What was the flour for the sourdough"


def test_it_does_not_quote_the_conversation_itself_nor_other_people(db: SessionDB) -> None:
    remembered(db, owner="telegram:7")
    mine = db.scoped("telegram:8")
    agent = Agent(mine, Settings(), provider=History(mine), source="telegram", owner="telegram:8")
    for _ in range(2):
        answer = ended(talk(agent, "the flour for the sourdough?")).text
        assert answer.endswith("Nothing in earlier sessions is about this.")


def test_it_does_not_quote_what_it_quoted_before(db: SessionDB) -> None:
    remembered(db)
    for _ in range(6):
        agent = Agent(db, Settings(), provider=History(db))
        answer = ended(talk(agent, "the flour for the sourdough?")).text
        agent.close()
    assert answer.count("No model is set up yet") == 1
    assert answer.count("Rye flour from the mill in Uelzen.") == 1


def test_nothing_is_asked_of_a_model_that_is_not_there(db: SessionDB) -> None:
    agent = Agent(db, Settings(), provider=History(db))
    for number in range(16):
        talk(agent, f"question {number}")
    assert isinstance(agent.compress(), Compressed)
    assert agent.usage().usage.api_call_count == 0
    assert db.usage_by("model") == []
