"""Rows 20, 22, 23 and 26: what people and programs hand to the store, at its worst."""

import resource
import sqlite3
import unicodedata
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from hermes.errors import BadInput, HermesError, StoreCorrupt
from hermes.model.titles import sanitize_title
from hermes.store import SessionDB
from hermes.store.base import ListQuery
from tests.faults.children import ask
from tests.faults.rows import Outcome, Run, row

MB = 1024 * 1024
TEXTS = {
    "lone surrogates": "a\ud800b\udfffc \udc80",
    "NUL": "\0 in \0 between \0",
    "NUL + json:": '\0json:["not a list"]',
    "backslashes": "\\u0000 \\ \\\\ \\ud800",
    "ANSI": "\x1b[31mred\x1b[0m \x1b]0;title\x07",
    "every control": "".join(map(chr, range(32))),
    "placeholder": "@payload:0",
    "bidi": "\u202eright to left\u202c",
    "combining": "e" + "\u0301" * 5000,
    "non-characters": "\ufffe\uffff\U0010ffff",
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈",
    "empty": "",
    "one character": "x",
}
FIELDS = ("content", "tool_name", "tool_call_id", "finish_reason", "reasoning", "reasoning_content")


@row(20)
def hostile_texts(run: Run) -> Outcome:
    megabytes = run.size(200, 4)
    good, tried, refused, peak = ask(_round_trips, run.fresh() / "state.db", megabytes)
    kept, damaged = _damaged_rows(run)
    return Outcome(
        f"{tried} texts (surrogates, NUL, ANSI, bytes, 1 character to {megabytes} MB) in every field and role; "
        f"{damaged} rows whose bytes a foreign hand made no text",
        f"round trip {good}/{tried - refused}, refused with a typed error {refused}; others readable and bytes kept "
        f"{kept}/{damaged}; peak memory {peak} MB",
        good == tried - refused and kept == damaged,
    )


BAD_BYTES = (b"\xff\xfe", b"caf\xe9", b"a\x00b\xc3", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80")


def _damaged_rows(run: Run) -> tuple[int, int]:
    store = run.fresh() / "state.db"
    ask(_say_some, store)
    ask(_damage, store)
    return int(ask(_kept_bytes, store)), len(BAD_BYTES)


def _say_some(store: Path) -> None:
    with SessionDB(store) as db:
        db.create_session("s", "cli")
        db.append_messages("s", [{"role": "user", "content": f"word{number}"} for number in range(50)])


def _damage(store: Path) -> None:
    with closing(sqlite3.connect(store)) as stock:
        for place, data in enumerate(BAD_BYTES):
            stock.execute("UPDATE messages SET content = CAST(? AS TEXT) WHERE id = ?", (data, 10 * place + 1))
        stock.commit()


def _kept_bytes(store: Path) -> int:
    with SessionDB(store) as db:
        try:
            db.get_messages("s")
        except StoreCorrupt:
            pass  # told once; what was damaged can be read from then on
        rows = [row["content"] for row in db.get_messages("s")]
        others = [text for number, text in enumerate(rows) if number % 10]
        if others != [f"word{number}" for number in range(50) if number % 10] or not db.search_messages("word7"):
            return 0
        kept = [text.encode("utf-8", "surrogateescape") for text in rows[::10]]
        return sum(one == other for one, other in zip(kept, BAD_BYTES, strict=True))


def _round_trips(store: Path, megabytes: int) -> tuple[int, int, int, int]:
    good = tried = refused = 0
    with SessionDB(store) as db:
        db.create_session("s", "cli")
        for role in ("user", "assistant", "tool"):
            for text in TEXTS.values():
                for field in FIELDS:
                    tried += 1
                    message = {"role": role, field: text, **({} if field == "content" else {"content": "beside"})}
                    [stored] = db.append_messages("s", [message])
                    good += _read(db, stored)[field] == text
        for value in _values():
            tried += 1
            try:
                stored = db.append_message("s", "user", value)
            except BadInput:
                refused += 1
            else:
                good += _read(db, stored)["content"] == value
        for role in ("user", "tool"):
            tried += 1
            large = "wide 世界 " * (megabytes * MB // 12)
            good += _read(db, db.append_message("s", role, large))["content"] == large
        good += len(db.get_messages("s", limit=10)) == 10
        tried += 1
    return good, tried, refused, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def _values() -> list[Any]:
    nested: list[Any] = []
    for _ in range(200):
        nested = [nested]
    texts = [{"type": "text", "text": text} for text in TEXTS.values()]
    return [
        texts,
        {"a": {"b": ["\ud800", None, 1.5, True]}},
        nested,
        b"\xff\xfe",
        5,
        1.5,
        object(),
        {"x": {1, 2}},
        ["\0"],
    ]


def _read(db: SessionDB, message_id: int) -> dict[str, Any]:
    return db.get_messages("s", after=message_id - 1, limit=1)[0]


BAD_TITLES = [
    "a\u202eb\u202cc",
    "\u200bzero\u200c\u200d\u2060\ufeff",
    "tab\tand\nline\r",
    "\x00\x07\x1b[31m",
    "\u2066\u2067\u2068\u2069x",
    "\U000e0041\U000e0042tags",
    "\u115f\u3164\uffa0 blank",
    "e\u0301 nfc",
    "\u00ad soft",
    "\u034f\u061c\u180e",
    "x\ufe0e\ufe0f",
    "half \ud83d pair",
    "  outer   spaces  ",
    "\u2028line\u2029",
    "\u0600arabic sign",
    "🏳\U000e0067\U000e0062\U000e007f",
]
GOOD_TITLES = [
    *("👩‍👩‍👧‍👦 family", "🏳️‍🌈 pride", "🤷🏽‍♀️", "1️⃣ first", "#2 of #3"),
    *("日本語のタイトル", "Ünïcödé", "ไทย", "हिन्दी"),
]


@row(22)
def hostile_titles(run: Run) -> Outcome:
    kept, survivors, lost = ask(_titles, run.fresh() / "state.db")
    return Outcome(
        f"{len(BAD_TITLES)} hostile titles and {len(GOOD_TITLES)} good ones, stored, found again and refused past 100",
        f"hidden characters surviving {survivors}; good titles unchanged {kept}/{len(GOOD_TITLES)}; not found {lost}",
        survivors == 0 and kept == len(GOOD_TITLES) and lost == 0,
    )


def _titles(store: Path) -> tuple[int, int, int]:
    kept = survivors = lost = 0
    with SessionDB(store) as db:
        for number, plain in enumerate(BAD_TITLES + GOOD_TITLES):
            title = f"{plain} no {number}"  # some differ in what is stripped alone
            db.create_session(f"t{number}", "cli")
            db.set_session_title(f"t{number}", title)
            stored = db.get_session_title(f"t{number}")
            survivors += sum(_is_hidden(stored or "", place) for place in range(len(stored or "")))
            kept += plain in GOOD_TITLES and stored == title
            lost += stored is not None and db.resolve_session_by_title(title) != f"t{number}"
        for length, fine in ((100, True), (101, False), (100_000, False)):
            try:
                lost += (sanitize_title("x" * length) is not None) != fine
            except ValueError:
                lost += fine
    return kept, survivors, lost


def _is_hidden(title: str, place: int) -> bool:
    char = title[place]
    joins = char in "\u200d\ufe0f" and place > 0
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Cn") and not joins


INJECTIONS = [
    "' OR '1'='1",
    "x'; DROP TABLE messages; --",
    '" OR 1=1 --',
    "cli' UNION SELECT 1 --",
    *("%", "_", "*", "\\", "s_", "s%"),
]


@row(23)
def sql_in_values(run: Run) -> Outcome:
    tried, findings = ask(_injected, run.fresh() / "state.db")
    return Outcome(
        f"{tried} calls with SQL, quotes and wildcards as source, owner, tag, role, order, prefix, title and key",
        f"findings {len(findings)} {findings[:2] or ''}",
        not findings,
    )


def _injected(store: Path) -> tuple[int, list[str]]:
    findings: list[str] = []
    with SessionDB(store) as db:
        for name in ("s1", "sx1"):
            db.create_session(name, "cli", user_id="u")
            db.append_message(name, "user", "plain words")
        db.set_session_title("s1", "A title")
        calls: list[Callable[[str], Any]] = [
            lambda bad: db.list_sessions_rich(source=bad),
            lambda bad: db.list_conversations(ListQuery(sources=[bad])),
            lambda bad: db.list_conversations(ListQuery(tag=bad)),
            lambda bad: db.search_sessions(source=bad),
            lambda bad: db.search_messages("plain", source_filter=[bad]),
            lambda bad: db.search_messages("plain", role_filter=[bad]),
            lambda bad: db.search_messages("plain", session_id=bad),
            lambda bad: db.search_messages("plain", lineage_id=bad),
            lambda bad: db.search_messages("plain", tag=bad),
            lambda bad: db.search_messages("plain", order=bad),  # type: ignore[arg-type]
            lambda bad: db.recall("plain words", sources=[bad]),
            lambda bad: db.get_messages(bad),
            lambda bad: db.matching_session_ids(bad),
            lambda bad: db.resolve_session_id(bad),
            lambda bad: db.resolve_session_by_title(bad),
            lambda bad: db.get_session_by_title(bad),
            lambda bad: db.scoped(bad).list_sessions_rich(),
            lambda bad: db.scoped(bad).search_messages("plain"),
            lambda bad: db.usage_by(bad),  # type: ignore[arg-type]
            lambda bad: db.get_meta(bad),
            lambda bad: db.prunable_sessions(0, bad),
            lambda bad: db.get_session(bad),
        ]
        for number, call in enumerate(calls):
            for bad in INJECTIONS:
                try:
                    found = call(bad)
                except HermesError:
                    found = None
                if found:
                    findings.append(f"call {number} with {bad!r} found {found!r}"[:120])
        if db.message_count() != 2 or db.check():
            findings.append("the store was changed")
    return len(calls) * len(INJECTIONS), findings


BAD_IDS = [
    *("../config", "..", ".", "/etc/passwd", "a/b", "a\\b", "*", "?", "[a]", "a\0b", "a\nb", "-rf", "", " x "),
    *("x" * 300, "\ud800", "con/../x", "~/x/..", ".hidden", "a*", "\u2028"),
]


@row(26)
def ids_as_paths(run: Run) -> Outcome:
    folder = run.fresh()
    escapes, refusals = ask(_as_paths, folder)
    return Outcome(
        f"{len(BAD_IDS)} ids that are paths, globs or lines: create, delete with transcripts, split, branch",
        f"escapes {escapes}; refused {refusals}/{len(BAD_IDS)}",
        escapes == 0 and refusals == len(BAD_IDS),
    )


def _as_paths(folder: Path) -> tuple[int, int]:
    sessions = folder / "sessions"
    sessions.mkdir()
    victims = [folder / "config.jsonl", folder / "config.yaml", sessions / "other.jsonl", sessions / "aa.jsonl"]
    for victim in victims:
        victim.write_text("precious")
    refusals = 0
    with SessionDB(folder / "state.db") as db:
        db.create_session("s", "cli")
        for bad in BAD_IDS:
            refused = 0
            for act in (
                lambda bad=bad: db.create_session(bad, "cli"),
                lambda bad=bad: db.split_session("s", bad),
                lambda bad=bad: db.branch_session("s", bad),
            ):
                try:
                    act()
                except BadInput:
                    refused += 1
            refusals += refused == 3
            try:
                db.delete_session(bad, sessions_dir=sessions)
            except HermesError:
                pass
        db.delete_session("s", sessions_dir=sessions)
    escapes = sum(not victim.exists() for victim in victims)
    strangers = {path.name for path in folder.rglob("*")} - {victim.name for victim in victims}
    return escapes + len(strangers - {"sessions", "state.db", "state.db.lock", "state.db.reserve"}), refusals
