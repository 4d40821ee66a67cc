"""Recall: a question in plain words finds the session, in its language, at its time, within its scope."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.errors import BadInput
from hermes.store.questions import time_meant, understand
from hermes_state import SessionDB
from tests.search import generate
from tests.stories import stock

NOW = datetime(2026, 11, 3, 15, 0).timestamp()  # a Tuesday


@pytest.fixture
def db(tmp_path: Path) -> Iterator[SessionDB]:
    with SessionDB(tmp_path / "state.db") as store:
        yield store


def talk(db: SessionDB, session: str, *texts: str, source: str = "cli", at: float = NOW, **details: Any) -> None:
    db.create_session(session, source, started_at=at, **details)
    db.append_messages(
        session, [{"role": "user", "content": text, "timestamp": at + n} for n, text in enumerate(texts)]
    )


def sessions(db: Any, question: str, **options: Any) -> list[str]:
    return [row["session_id"] for row in db.recall(question, **options)]


QUESTIONS = [
    ("Where did we deploy the service?", "We deployed it to Frankfurt.", "The cat sat on a mat."),
    ("What are her hobbies?", "Her hobby is pottery.", "He likes to swim in the sea."),
    (
        "Who was happiest about the running events?",
        "She was happy after the run, a great event.",
        "Nothing much to say.",
    ),
    ("Wo haben wir die Häuser gekauft?", "Wir haben das Haus in Köln gekauft.", "Das Wetter war gut."),
    ("Quand avons-nous réparé les voitures ?", "La voiture a été réparée lundi.", "Il fait beau."),
    ("¿Dónde están los libros que compramos?", "El libro está en la mesa.", "Hace calor."),
    ("Onde estão os livros que comprei?", "O livro está na mesa.", "Faz calor."),
    ("Dove sono i libri che ho comprato?", "Il libro è sul tavolo.", "Fa caldo."),
    ("Waar zijn de boeken die ik gekocht heb?", "Het boek ligt op tafel.", "Het is warm."),
    ("Где книги, которые мы купили?", "Книга лежит на столе.", "Сегодня тепло."),
    ("Var är böckerna som jag köpte?", "Boken ligger på bordet, men böcker finns.", "Det är varmt."),
    ("数据库备份在哪里？", "我们把数据库的备份放在东京。", "今天天气很好。"),
    ("データベースはどこですか", "データベースは東京にあります。", "今日はいい天気です。"),
    ("서버를 어디에 설치했나요?", "서버는 도쿄에 설치했습니다.", "오늘은 날씨가 좋아요."),
    ("เซิร์ฟเวอร์อยู่ที่ไหน", "เซิร์ฟเวอร์อยู่ที่กรุงเทพ", "วันนี้อากาศดี"),
    ("किताब कहाँ है?", "किताब मेज़ पर है।", "मौसम अच्छा था"),
]


@pytest.mark.parametrize(("question", "answer", "other"), QUESTIONS, ids=[q[0][:12] for q in QUESTIONS])
@pytest.mark.parametrize("indexed", [False, True])
def test_a_question_finds_its_answer(db: SessionDB, question: str, answer: str, other: str, indexed: bool) -> None:
    talk(db, "other", other)
    talk(db, "answer", "Hm.", answer)
    if indexed:
        db.optimize()
    assert sessions(db, question)[0] == "answer"


@pytest.mark.parametrize(
    ("question", "language", "telling"),
    [
        ("What did we say about the deployment?", "english", {"say", "deploy"}),
        ("Was haben wir über die Miete gesagt?", "german", {"miet", "gesagt"}),
        ("Qu'est-ce que nous avons dit sur le jardin ?", "french", {"dit", "jardin"}),
        ("¿Qué hemos dicho sobre el alquiler?", "spanish", {"dich", "alquil"}),
        ("Что мы сказали про аренду?", "russian", {"сказа", "про", "аренд"}),
    ],
)
def test_little_words_are_left_out(question: str, language: str, telling: set[str]) -> None:
    asked = understand(question, NOW)
    assert asked.language == language
    assert {term.text for term in asked.terms} == telling


def test_a_question_of_little_words_alone_is_still_asked(db: SessionDB) -> None:
    talk(db, "a", "who is who")
    assert sessions(db, "who is it?") == ["a"]


# -- time


def span(*bounds: tuple[int, int, int]) -> tuple[float, float]:
    first, last = (datetime(*day).timestamp() for day in bounds)
    return first, last


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("what happened yesterday?", span((2026, 11, 2), (2026, 11, 3))),
        ("what happened today", span((2026, 11, 3), (2026, 11, 4))),
        ("what about the day before yesterday", span((2026, 11, 1), (2026, 11, 2))),
        ("what did we do last march?", span((2026, 3, 1), (2026, 4, 1))),
        ("what did we do last december?", span((2025, 12, 1), (2026, 1, 1))),
        ("in march 2024", span((2024, 3, 1), (2024, 4, 1))),
        ("december of 2023", span((2023, 12, 1), (2024, 1, 1))),
        ("on 2024-02-29 please", span((2024, 2, 29), (2024, 3, 1))),
        ("during 2025", span((2025, 1, 1), (2026, 1, 1))),
        ("last monday", span((2026, 11, 2), (2026, 11, 3))),
        ("last tuesday", span((2026, 10, 27), (2026, 10, 28))),
        ("this tuesday", span((2026, 11, 3), (2026, 11, 4))),
        ("last month", span((2026, 10, 1), (2026, 11, 1))),
        ("last year", span((2025, 1, 1), (2026, 1, 1))),
        ("three days ago", span((2026, 10, 31), (2026, 11, 1))),
    ],
)
def test_a_time_that_is_named_is_understood(question: str, meant: tuple[float, float]) -> None:
    assert time_meant(question, NOW) == meant


@pytest.mark.parametrize(
    "question", ["2024-13-45", "in 99999", "it may rain", "the march of time", "agoago", "lasting"]
)
def test_no_time_is_made_up(question: str) -> None:
    assert time_meant(question, NOW) == (None, None)


def test_a_time_in_the_question_narrows_softly(db: SessionDB) -> None:
    talk(db, "then", "the harbour budget", at=datetime(2024, 5, 1, 12).timestamp())
    talk(db, "later", "the harbour budget", at=datetime(2025, 7, 1, 12).timestamp())
    talk(db, "else", "a garden", at=datetime(2024, 5, 1, 13).timestamp())
    assert sessions(db, "harbour budget on 2024-05-01") == ["then", "later"]
    assert sessions(db, "harbour budget in july 2025")[0] == "later"
    assert set(sessions(db, "harbour budget in june 2020")) == {"then", "later"}  # softly: nothing is hidden


# -- options


def test_filters(db: SessionDB) -> None:
    talk(db, "a", "the harbour budget", at=NOW - 1000)
    talk(db, "b", "the harbour budget", source="telegram", user_id="7", at=NOW - 500)
    db.create_session("c", "cli")
    db.append_message("c", "tool", "the harbour budget", timestamp=NOW)
    db.tag_session("a", add=["money"])
    db.archive_session("b")
    for options, wanted in [
        ({}, {"a", "b", "c"}), ({"sources": ["telegram"]}, {"b"}), ({"exclude_sources": ["telegram"]}, {"a", "c"}),
        ({"roles": ["tool"]}, {"c"}), ({"after": NOW - 700}, {"b", "c"}), ({"before": NOW - 700}, {"a"}),
        ({"tag": "money"}, {"a"}), ({"exclude_lineages": ["a", "c"]}, {"b"}), ({"archived": True}, {"b"}),
        ({"archived": False}, {"a", "c"}), ({"limit": 0}, set()), ({"sources": []}, set()),
    ]:  # fmt: skip
        assert set(sessions(db, "what was the harbour budget?", **options)) == wanted, options
    assert len(sessions(db, "harbour budget", limit=2)) == 2


def test_filters_reach_past_a_thousand_better_hits(db: SessionDB) -> None:
    db.create_session("loud", "cli")
    loud = {"role": "user", "content": "harbour harbour budget budget"}
    db.append_messages("loud", [loud] * 1500)
    talk(db, "quiet", "we spoke about the harbour once, among many other things", source="telegram", user_id="7")
    db.optimize()
    assert sessions(db, "harbour budget", sources=["telegram"]) == ["quiet"]
    assert sessions(db.scoped("telegram:7"), "harbour budget") == ["quiet"]


def test_many_sessions_come_when_many_are_asked_for(db: SessionDB) -> None:
    for number in range(60):
        talk(db, f"s{number}", "harbour budget")
    assert len(sessions(db, "harbour", limit=55)) == 55


def test_recency_and_roles_are_neutral_unless_asked_for(db: SessionDB) -> None:
    talk(db, "old", "harbour budget", at=NOW - 3 * 365 * 86400)
    talk(db, "new", "harbour budget", at=NOW - 86400)
    plain = {row["session_id"]: row["score"] for row in db.recall("harbour budget")}
    assert plain["old"] == plain["new"]
    recent = {row["session_id"]: row["score"] for row in db.recall("harbour budget", recency=1.0)}
    assert recent["new"] > recent["old"]
    db.create_session("tool", "cli")
    db.append_message("tool", "tool", "harbour budget")
    weighed = {row["session_id"]: row["score"] for row in db.recall("harbour budget", role_weights={"tool": 0.1})}
    assert weighed["tool"] < weighed["old"]


def test_machines_count_less_than_people(db: SessionDB) -> None:
    talk(db, "job", "harbour budget", source="cron")
    talk(db, "person", "harbour budget")
    assert sessions(db, "harbour budget") == ["person", "job"]


def test_an_answer_has_excerpts_around_the_hits(db: SessionDB) -> None:
    talk(db, "a", "hay " * 400 + "the needle lies in Kraków " + "hay " * 400, "nothing", "more needles")
    (answer,) = db.recall("Where are the needles?")
    assert set(answer) >= {"session_id", "title", "source", "score", "last_active", "excerpts"}
    shown = {excerpt["message_id"]: excerpt for excerpt in answer["excerpts"]}
    assert set(shown) == {1, 3}
    assert "needle lies in Kraków" in shown[1]["text"]
    assert len(shown[1]["text"]) < 350
    assert shown[3] == {"message_id": 3, "role": "user", "text": "more needles"}


def test_explain_says_why(db: SessionDB) -> None:
    talk(db, "a", "we deployed it", "deploying again")
    talk(db, "b", "nothing")
    (answer,) = db.recall("when did we deploy yesterday?", explain=True)
    why = answer["why"]
    assert why["language"] == "english"
    assert set(why["rankings"]) == {"messages", "windows", "sessions"}
    assert answer["score"] == pytest.approx(sum(why["rankings"].values()) * why["circumstances"], abs=0.001)
    (term,) = why["terms"]
    assert (term["term"], set(term["forms"]), term["messages"]) == ("deploy", {"deployed", "deploying"}, 2)
    assert why["time"][0] < why["time"][1]
    assert "why" not in db.recall("deploy")[0]


# -- scope


def test_a_foreign_session_never_shows_and_never_counts(db: SessionDB) -> None:
    talk(db, "mine", "the harbour budget", source="telegram", user_id="7")
    alone = db.scoped("telegram:7").recall("harbour budget pelican", explain=True)
    for number in range(30):
        talk(db, f"theirs{number}", "harbour budget pelicans", source="telegram", user_id="8")
    for _ in range(2):
        among_others = db.scoped("telegram:7").recall("harbour budget pelican", explain=True)
        assert among_others == alone
        assert db.scoped("telegram:9").recall("harbour budget pelican") == []
        db.optimize()


# -- the index


def test_what_was_just_said_is_found_at_once(db: SessionDB) -> None:
    talk(db, "a", "something else")
    db.optimize()
    db.append_message("a", "user", "the harbour is closed")
    assert db.index_lag() == 1
    (found,) = db.recall("harbours")
    assert found["excerpts"][0]["text"] == "the harbour is closed"


def test_what_was_changed_counts_as_it_is_now(db: SessionDB) -> None:
    talk(db, "a", "the harbour is closed")
    talk(db, "b", "the garden is open")
    db.optimize()
    stock.run(db.db_path, ("UPDATE messages SET content = 'the garden is closed' WHERE id = 1", []))
    assert sessions(db, "harbour") == []
    assert set(sessions(db, "garden")) == {"a", "b"}
    db.delete_session("b")
    assert sessions(db, "garden") == ["a"]
    db.optimize()
    assert sessions(db, "harbour") == []


# -- anything typed


@given(st.text(max_size=300))
def test_any_question_can_be_asked(db: SessionDB, question: str) -> None:
    db.ensure_session("s", "cli")
    assert isinstance(db.recall(question), list)


def test_hostile_questions_are_answered(db: SessionDB) -> None:
    rng = Random(3)
    talk(db, "a", *[generate.text(rng) for _ in range(50)])
    for question in [
        "", " ", "\0", "\ud800", "?" * 5000, "word " * 5000, "数" * 5000, "x" * 100_000, '"; DROP TABLE messages; --',
        "NEAR(a b)", "a* OR b", "999 years ago", "a " * 300, "\u0301" * 3000, "in 2099", "last may",
    ]:  # fmt: skip
        assert isinstance(db.recall(question, explain=True), list)
    assert db.check() == []


@pytest.mark.parametrize(
    "options",
    [{"limit": -1}, {"limit": None}, {"sources": [1]}, {"after": "x"}, {"tag": 5}, {"recency": "x"},
     {"recency": float("nan")}, {"recency": -1}, {"role_weights": {"tool": "x"}}, {"role_weights": 5},
     {"archived": "yes"}],
    ids=str,
)  # fmt: skip
def test_a_wrong_option_is_the_callers_mistake(db: SessionDB, options: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        db.recall("x", **options)
    with pytest.raises(BadInput):
        db.recall(None)  # type: ignore[arg-type]


def test_an_excerpt_of_a_call_is_a_line_people_read(db: SessionDB) -> None:
    db.create_session("s", "cli")
    function = {"name": "terminal", "arguments": '{"command": "kubectl get pods\\n--namespace harbour"}'}
    db.append_message("s", "assistant", None, tool_calls=[{"id": "call_1", "type": "function", "function": function}])
    [found] = db.recall("what did kubectl say about the harbour namespace?")
    [excerpt] = found["excerpts"]
    assert excerpt["text"] == "calls terminal: kubectl get pods\n--namespace harbour"
