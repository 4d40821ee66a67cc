"""Long conversations: compressed by themselves and by command, found again by name, never half."""

import threading
from collections.abc import Sequence
from typing import Any

import pytest

from hermes.agent.agent import Agent
from hermes.agent.base import Compressed, Entry, Plan, SessionOptions
from hermes.agent.compression import is_summary
from hermes.errors import PromptTooLong
from hermes.store import SessionDB
from tests.servers.scripted import Fail, Hang, Say, Scripted, Sent
from tests.stories.chatting import Toolbox, agent_of, ended, endpoint, settings, stored, talk

TOO_LONG = Fail(400, "This model's maximum context length is 8192 tokens.", code="context_length_exceeded")


def long_talk(agent: Agent, turns: int, name: str = "question") -> None:
    for number in range(turns):
        assert ended(talk(agent, f"{name} {number}")).reason == "answered"


def parts(db: SessionDB, session_id: str) -> list[dict[str, Any]]:
    return db.get_lineage(session_id)


def test_compress_twice_and_resume_by_name(db: SessionDB) -> None:
    with Scripted(otherwise=Say("answer")) as server, Scripted(Say("Notes one."), Say("Notes two.")) as side:
        agent = agent_of(db, server, auxiliary=lambda task: endpoint(side))
        agent.set_title("my project")
        long_talk(agent, 20)
        first = agent.session_id
        done = agent.compress("the kitchen")
        assert done == Compressed(agent.session_id, "my project #2", done.tokens_before, done.tokens_after)  # type: ignore[union-attr]
        assert done.tokens_after < done.tokens_before  # type: ignore[union-attr]
        assert "the kitchen" in side.sent[0].messages[-1]["content"]
        contents = [content for _, content in stored(db, agent.session_id)]
        assert contents[:4] == ["question 0", "answer", "question 1", "answer"]
        assert contents[4].endswith("Notes one.")
        assert contents[5:] == [word for n in range(10, 20) for word in (f"question {n}", "answer")]
        long_talk(agent, 10, "later question")
        assert agent.compress().title == "my project #3"  # type: ignore[union-attr]
        assert "Notes one." in side.sent[1].messages[-1]["content"]
        agent.close()

        found = db.resolve_session_by_title("my project")
        assert found == agent.session_id
        resumed = agent_of(db, server, session_id=first)
        assert resumed.session_id == agent.session_id
        [summary] = [message["content"] for message in resumed.messages if is_summary(message)]
        assert (": 21 messages," in summary, summary.endswith("\n\nNotes two.")) == (True, True)
        talk(resumed, "the last one")
        assert server.sent[-1].messages[-1]["content"] == "the last one"

    assert [part["title"] for part in parts(db, first)] == ["my project", "my project #2", "my project #3"]
    everything = db.get_messages_as_conversation(agent.session_id, include_ancestors=True)
    said = [message["content"] for message in everything if message["role"] == "user"]
    assert said == [f"question {n}" for n in range(20)] + [f"later question {n}" for n in range(10)] + ["the last one"]
    assert len(db.search_messages('"question 7"', role_filter=["user"])) == 2  # each once: the first and the later one


def test_a_short_conversation_is_left_alone(db: SessionDB) -> None:
    with Scripted(otherwise=Say("ok")) as server:
        agent = agent_of(db, server)
        assert agent.compress() is None
        talk(agent, "hi")
        assert agent.compress() is None
        assert len(parts(db, agent.session_id)) == 1


def test_at_the_threshold_it_happens_by_itself_and_the_turn_goes_on(db: SessionDB) -> None:
    def answer(sent: Sent) -> Say:
        return Say("word " * 150, input_tokens=len(str(sent.messages)) // 4)

    with Scripted(otherwise=answer) as server, Scripted(otherwise=Say("Notes.")) as side:
        agent = agent_of(
            db,
            server,
            provider=endpoint(server, window=4000),
            auxiliary=lambda task: endpoint(side),
            settings=settings(compression={"protect_last_n": 4, "protect_first_n": 1}),
        )
        agent.set_title("long")
        events = [event for number in range(15) for event in talk(agent, f"question {number} " * 20)]
        compressed = [event for event in events if isinstance(event, Compressed)]
        assert len(compressed) >= 2
        assert all(event.tokens_after < event.tokens_before for event in compressed)
        assert [part["title"] for part in parts(db, agent.session_id)] == [
            "long", *(f"long #{n}" for n in range(2, len(compressed) + 2))
        ]  # fmt: skip
        sizes = [len(str(sent.messages)) for sent in server.sent]
        assert max(sizes) < 4 * 2600  # about the half of the window, in characters, and the message that comes on top


def test_the_providers_own_count_decides_when(db: SessionDB) -> None:
    """The rule of thumb sees a tenth of the window; the provider says that it is most of it."""
    with Scripted(otherwise=Say("word " * 100, input_tokens=6000)) as server:
        agent = agent_of(
            db, server, provider=endpoint(server, window=8192), settings=settings(compression={"protect_last_n": 2})
        )
        events = [event for number in range(12) for event in talk(agent, f"question {number} " * 30)]
        assert any(isinstance(event, Compressed) for event in events)


def test_what_fills_the_window_without_the_conversation_does_not_split_it_in_every_turn(db: SessionDB) -> None:
    with Scripted(otherwise=Say("answer", input_tokens=2000)) as server:
        options = SessionOptions(system_prompt="You are tested. " * 500)
        chosen = settings(compression={"protect_first_n": 2, "protect_last_n": 4})
        agent = agent_of(db, server, provider=endpoint(server, window=3000), settings=chosen, options=options)
        long_talk(agent, 30)
        assert len(parts(db, agent.session_id)) <= 3


def test_it_can_be_switched_off(db: SessionDB) -> None:
    with Scripted(otherwise=Say("word " * 150)) as server:
        chosen = settings(compression={"enabled": False, "protect_last_n": 4})
        agent = agent_of(db, server, provider=endpoint(server, window=2000), settings=chosen)
        long_talk(agent, 12)
        assert len(parts(db, agent.session_id)) == 1


@pytest.mark.parametrize("side_answer", [None, Fail(500), Say(""), Hang(20)], ids=["none", "fails", "silent", "hangs"])
def test_without_a_summary_by_a_model_the_conversation_goes_on(db: SessionDB, side_answer: Any) -> None:
    chosen = settings()
    chosen.auxiliary.compression.__dict__["timeout"] = 0.3
    with Scripted(otherwise=Say("answer")) as server, Scripted(otherwise=side_answer) as side:
        provider = endpoint(side) if side_answer else None
        agent = agent_of(db, server, settings=chosen, auxiliary=lambda task: provider)
        agent.set_title("plain")
        long_talk(agent, 16)
        assert agent.compress() is not None
        [summary] = [message["content"] for message in agent.messages if is_summary(message)]
        assert "- The person: question 3" in summary
        assert ended(talk(agent, "and now?")).reason == "answered"


def test_a_prompt_that_is_too_long_is_compressed_and_asked_again(db: SessionDB) -> None:
    with Scripted(otherwise=Say("answer")) as server:
        agent = agent_of(db, server)
        long_talk(agent, 5)
        server.script = [TOO_LONG, Say("there you are")]
        events = talk(agent, "one more")
        assert ended(events).text == "there you are"
        assert len([event for event in events if isinstance(event, Compressed)]) == 1
        assert server.sent[-1].messages[-1]["content"] == "one more"


def test_a_single_message_that_is_too_long_fails_and_is_kept(db: SessionDB) -> None:
    with Scripted(otherwise=TOO_LONG) as server:
        agent = agent_of(db, server)
        last = ended(talk(agent, "much too long"))
        assert isinstance(last.error, PromptTooLong)
        assert stored(db, agent.session_id) == [("user", "much too long")]


def test_results_of_tools_are_sent_in_short_after_a_compression_and_stay_whole_in_the_store(db: SessionDB) -> None:
    text = "result " * 1000
    with Scripted(otherwise=Say("answer")) as server:
        agent = agent_of(db, server, tools=Toolbox(), provider=endpoint(server, window=10**6))
        long_talk(agent, 6)
        server.script = [Say(calls=[("echo", {"text": text})]), Say("long, that")]
        talk(agent, "say it")
        long_talk(agent, 6)
        assert agent.compress() is not None
        talk(agent, "go on")
        [sent] = [message for message in server.sent[-1].messages if message["role"] == "tool"]
        assert len(sent["content"]) < 1_100
        [kept] = [content for role, content in stored(db, agent.session_id) if role == "tool"]
        assert kept == text


def test_another_compressor_can_be_plugged_in(db: SessionDB) -> None:
    class LastOne:
        def plan(self, entries: Sequence[Entry], *, room: int, harder: int) -> Plan | None:
            return Plan([], entries[:-1], entries[-1:])

        def write(self, plan: Plan, focus: str | None) -> str:
            return f"{len(plan.middle)} about {focus}"

    with Scripted(otherwise=Say("answer")) as server:
        agent = agent_of(db, server, compressor=LastOne())
        long_talk(agent, 2)
        assert agent.compress("tea") is not None
        assert [message["content"].rpartition("\n")[2] for message in agent.messages] == ["3 about tea", "answer"]


def test_a_compressor_that_breaks_holds_nothing_up(db: SessionDB) -> None:
    class Broken:
        def plan(self, entries: Sequence[Entry], *, room: int, harder: int) -> Plan | None:
            return Plan([], entries[:-1], entries[-1:])

        def write(self, plan: Plan, focus: str | None) -> str:
            raise RuntimeError("a bug")

    with Scripted(Say("one"), TOO_LONG, Say("two")) as server:
        agent = agent_of(db, server, compressor=Broken())
        talk(agent, "first")
        assert ended(talk(agent, "second")).text == "two"


# -- two at once


def test_two_agents_on_one_session_hear_each_other(db: SessionDB) -> None:
    with Scripted(otherwise=Say("ok")) as server:
        one = agent_of(db, server)
        talk(one, "first")
        with SessionDB() as other:
            two = agent_of(other, server, session_id=one.session_id)
            talk(two, "second")
            talk(one, "third")
            assert [m["content"] for m in server.sent[-1].messages[1:]] == ["first", "ok", "second", "ok", "third"]
            assert other.delete_messages_from(one.session_id, other.get_messages(one.session_id)[2]["id"]) == 4
            talk(one, "after an undo elsewhere")
            assert [m["content"] for m in server.sent[-1].messages[1:]] == ["first", "ok", "after an undo elsewhere"]


def test_whoever_compresses_second_goes_on_in_the_first_ones_continuation(db: SessionDB) -> None:
    with Scripted(otherwise=Say("ok")) as server:
        one = agent_of(db, server)
        one.set_title("shared")
        long_talk(one, 16)
        two = agent_of(db, server, session_id=one.session_id)
        assert one.compress() is not None
        talk(two, "from the other side")
        assert two.session_id == one.session_id
        assert [part["title"] for part in parts(db, one.session_id)] == ["shared", "shared #2"]
        talk(one, "back")
        said = [message["content"] for message in server.sent[-1].messages if message["role"] == "user"]
        assert said[-2:] == ["from the other side", "back"]


def test_a_turn_under_way_moves_along_when_somebody_else_compresses(db: SessionDB) -> None:
    with Scripted(otherwise=Say("ok")) as server:
        tools = Toolbox()
        one = agent_of(db, server, tools=tools)
        one.set_title("shared")
        long_talk(one, 16)
        server.script = [Say(calls=[("slow", {})]), Say("done")]
        events: list[Any] = []
        turn = threading.Thread(target=lambda: events.extend(one.run("take your time")))
        turn.start()
        assert tools.started.wait(60)
        with SessionDB() as other:
            two = agent_of(other, server, session_id=one.session_id)
            done = two._shrinking.compress()
            assert done is not None
        tools.released.set()
        turn.join(60)
        assert ended(events).text == "done"
        assert one.session_id == done.session_id
        assert [role for role, _ in stored(db, one.session_id)][-4:] == ["user", "assistant", "tool", "assistant"]
        assert len(parts(db, one.session_id)) == 2
