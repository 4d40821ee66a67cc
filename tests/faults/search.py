"""Row 21: every literal query finds its message, none raises or takes long. Row 23: SQL in the filters of a search."""

import json
import random
import time
from pathlib import Path
from typing import Any

import hypothesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hermes.errors import BadInput
from hermes.store import SessionDB
from hermes.store.matching import matches, snippet
from hermes.store.query import MAX_LEAVES, leaves, parse
from hermes.store.searchable import searchable
from hermes.store.words import fold
from tests.faults.children import ask
from tests.faults.rows import ROWS, Outcome, Run, row
from tests.search import generate, hostile
from tests.search.literals import LITERALS
from tests.search.measure import Tally, ask_all

SLOWEST_CPU_MS = 10_000  # of one query over megabytes of adversarial text
INJECTIONS = [
    "' OR 1=1 --",
    "x'; DROP TABLE messages; --",
    "%",
    "_",
    "*",
    '" OR ""="',
    "cli') OR (1",
    "\\",
    "[a-z]*",
    "?1",
    ":a",
]


@row(21)
def hostile_queries(run: Run) -> Outcome:
    seed, minutes = run.rng.randrange(10**6), run.minutes if run.minutes is not None else run.size(60, 6) / 60
    queries, messages, size = run.size(1000, 130), run.size(5000, 400), run.size(1_000_000, 30_000)
    literal = ask(_literals, run.fresh() / "state.db")
    asked = ask(_hostile, run.fresh() / "state.db", seed, queries, messages, size, patience=3600)
    fuzzed = ask(_fuzzed, run.fresh() / "state.db", seed, minutes, patience=minutes * 60 + 600)
    wrong = [*literal.missed, *literal.raised, *asked.raised, *fuzzed["wrong"]]
    return Outcome(
        f"{len(LITERALS)} literal queries, behind the index and in it; {queries} hostile ones on {messages} messages, "
        f"among them {len(hostile.texts(1))} adversarial texts of {size:,} characters; {fuzzed['queries']} queries "
        f"made up in {minutes:g} min and compared with the texts",
        f"{literal}; hostile: raised {len(asked.raised)}, slowest {asked.slowest_ms:.0f} ms "
        f"({asked.slowest_cpu_ms:.0f} ms of CPU); made up: raised or wrong {len(fuzzed['wrong'])}, "
        f"slowest {fuzzed['slowest_ms']:.0f} ms of CPU" + (f" (first: {wrong[0][:300]})" if wrong else ""),
        not wrong and asked.slowest_cpu_ms < SLOWEST_CPU_MS,
    )


def _literals(store: Path) -> Tally:
    tally = Tally()
    with SessionDB(store) as db:
        db.create_session("s", "cli")
        with db.transaction() as tx:  # nothing is indexed before it ends
            ids = tx.append_messages("s", [{"role": "user", "content": text} for _, text in LITERALS])
            for (query, _), wanted in zip(LITERALS, ids, strict=True):
                tally.ask(tx, query, wanted, limit=len(LITERALS))
        db.optimize()
        for (query, _), wanted in zip(LITERALS, ids, strict=True):
            tally.ask(db, query, wanted, limit=len(LITERALS))
    return tally


def _hostile(store: Path, seed: int, queries: int, messages: int, size: int) -> Tally:
    with SessionDB(store) as db:
        db.create_session("s", "cli")
        db.append_messages("s", hostile.messages(seed, messages, size))
        db.optimize()
        return ask_all(db, hostile.queries(seed, queries))


# -- fuzzing: the parser, the matcher, and that the indexes agree with them

_pieces = st.sampled_from([*generate.WORDS, *generate.SYMBOLS, " ", " ", " AND ", " OR ", " NOT ", "(", ")", '"', "*"])
_typed = (
    st.lists(_pieces, max_size=12).map("".join)
    | st.text(max_size=60)
    | st.integers(0, 2**32).map(lambda number: generate.query(random.Random(number)))
    | st.integers(0, 2**32).map(lambda number: next(hostile.queries(number, 1)))
)


def _fuzzed(store: Path, seed: int, minutes: float) -> dict[str, Any]:
    """Ask whatever comes to mind until the time is up; the first thing that is wrong ends it."""
    result: dict[str, Any] = {"queries": 0, "wrong": [], "slowest_ms": 0.0}
    rng = random.Random(seed)
    with SessionDB(store) as db:
        db.create_session("s", "cli")
        messages = [generate.message(rng) for _ in range(32)]
        ids = db.append_messages("s", messages[:24])
        db.optimize()
        ids += db.append_messages("s", messages[24:])
        texts = {number: fold(_text(db, number)) for number in ids}

        @settings(max_examples=200, database=None, deadline=None, suppress_health_check=list(HealthCheck))
        @given(_typed)
        def check(query: str) -> None:
            began = time.process_time()
            wanted = _matching(query, texts)
            found = {row["id"] for row in db.search_messages(query, limit=100)}
            assert found == wanted, f"{query!r} found {sorted(found ^ wanted)} wrongly"
            result["queries"] += 1
            result["slowest_ms"] = max(result["slowest_ms"], (time.process_time() - began) * 1000)

        end = time.monotonic() + minutes * 60
        while time.monotonic() < end and not result["wrong"]:
            try:
                hypothesis.seed(rng.randrange(2**32))(check)()
            except Exception as error:  # whatever it is, it is what this run looks for
                result["wrong"].append(f"{type(error).__name__}: {error}")
    return result


def _matching(query: str, texts: dict[int, str]) -> set[int]:
    node = parse(query)
    assert len(list(leaves(node))) <= MAX_LEAVES
    if node is None:
        return set()
    wanted = {number for number, text in texts.items() if matches(node, text)}
    for number in wanted:
        assert snippet(node, texts[number])
    return wanted


def _text(db: SessionDB, number: int) -> str:
    """What search sees, from the row as anybody reads it."""
    (row,) = db.get_messages("s", after=number - 1, limit=1)
    content = row["content"] if not isinstance(row["content"], list) else row["content"][0]["text"]
    calls = None if row["tool_calls"] is None else json.dumps(row["tool_calls"], ensure_ascii=False)
    return searchable(content, row["tool_name"], calls, None, None)


def sql_in_filters(run: Run) -> Outcome:
    tried, findings = ask(_injected, run.fresh() / "state.db")
    return Outcome(
        f"{tried} searches and recalls with SQL, quotes and wildcards in every filter, in the order and in the query",
        f"findings {len(findings)} {findings[:2] or ''}",
        not findings,
    )


def _injected(store: Path) -> tuple[int, list[str]]:
    findings: list[str] = []
    tried = 0
    with SessionDB(store) as db:
        db.create_session("s", "cli")
        db.append_message("s", "user", "plain words")
        db.optimize()
        for bad in INJECTIONS:
            for name in ("source_filter", "role_filter", "session_id", "lineage_id", "tag", "order"):
                tried += 1
                findings += _found(db.search_messages, "plain", name, bad)
            for name in ("sources", "roles", "tag"):
                tried += 1
                findings += _found(db.recall, "plain words", name, bad)
            tried += 1
            findings += [f"{bad!r} as a query"] if db.search_messages(bad) else []
        if db.message_count() != 1 or db.check():
            findings.append("the store was changed")
    return tried, findings


def _found(asked: Any, question: str, name: str, bad: str) -> list[str]:
    try:
        rows = asked(question, **{name: [bad] if name.endswith(("filter", "s")) else bad})
    except BadInput:
        return []
    return [f"{name}={bad!r} found {len(rows)}"] if rows else []


if 23 not in ROWS:  # where the inputs of the whole store are tried too, this one is among them
    row(23)(sql_in_filters)
