"""Row 10: a damaged file. What is read, what is salvaged, and what is said about the rest."""

import hashlib
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

from hermes.errors import HermesError
from hermes.store import SessionDB
from tests.faults.children import ask
from tests.faults.rows import Outcome, Run, row

PAGE = 4096
Truth = dict[str, list[dict[str, Any]]]  # the messages of each session
Page = tuple[int, str]  # number, kind


@dataclass(slots=True)
class Tally:
    damaged: Counter[str] = field(default_factory=Counter)
    rows: int = 0
    salvaged: int = 0
    refused: int = 0  # reads that ended in a typed error
    unnoticed: list[str] = field(default_factory=list)  # a wrong answer, and no check that says so
    silent: list[str] = field(default_factory=list)  # salvage says it has everything, and has not
    altered: int = 0  # rows whose bytes changed inside a text: no file format without checksums can tell
    untyped: list[str] = field(default_factory=list)
    touched: list[str] = field(default_factory=list)
    mended: int = 0
    unmended: list[str] = field(default_factory=list)


@row(10)
def damaged(run: Run) -> Outcome:
    store = run.fresh() / "state.db"
    truth = ask(build, store, run.size(30, 12), run.size(50, 30))
    pages = pages_by_kind(store)
    tally = Tally()
    for part in range(4):  # a process each, so that one that dies takes little with it
        jobs = choose(pages, run.rng, run.size(50, 8), part)
        _add(tally, ask(attack, store, truth, jobs, run.fresh("damaged"), run.rng.random()))
    _add(tally, ask(ruin, store, truth, run.fresh("ruined")))
    _add(tally, ask(mend, store, truth, pages, run.fresh("index"), run.size(30, 6), run.rng.random()))
    wrong = [*tally.silent, *tally.unnoticed, *tally.untyped, *tally.touched, *tally.unmended]
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(tally.damaged.items()))
    return Outcome(
        f"damaged {sum(tally.damaged.values())} times ({kinds})",
        f"rows salvaged {100 * tally.salvaged / tally.rows:.2f} %; silent short reads {len(tally.silent)}; wrong "
        f"answers no check names {len(tally.unnoticed)}; reads refused {tally.refused}; untyped errors "
        f"{len(tally.untyped)}; damaged files touched {len(tally.touched)}; texts altered within "
        f"{tally.altered}; index-only damage mended {tally.mended} of {tally.mended + len(tally.unmended)}"
        + (f" (first: {wrong[0][:300]})" if wrong else ""),
        not wrong,
    )


def _add(tally: Tally, more: Tally) -> None:
    for name in Tally.__slots__:
        setattr(tally, name, getattr(tally, name) + getattr(more, name))


def build(store: Path, sessions: int, messages: int) -> Truth:
    """A store of everything there is: payloads, prompts, chains, carried messages, tags, usage, CJK."""
    rng = random.Random(10)
    with SessionDB(store) as db:
        for s in range(sessions):
            db.create_session(f"s{s:03}", "cli", system_prompt=f"prompt {s % 3} " * 200)
            for m in range(messages):
                text = f"marker{s}x{m} " + " ".join(f"word{rng.randrange(3000)}" for _ in range(rng.randint(1, 150)))
                if m % 20 == 7:
                    db.append_message(f"s{s:03}", "tool", text * 40, tool_name="terminal")
                elif m % 25 == 9:
                    db.append_message(f"s{s:03}", "assistant", text * 10)  # more than a page
                else:
                    db.append_message(f"s{s:03}", "user" if m % 2 else "assistant", f"{text} 服务端{m}")
            db.update_token_counts(f"s{s:03}", 10, 20)
            db.tag_session(f"s{s:03}", [f"tag{s % 4}"])
        db.set_session_title("s001", "A chain")
        carried = [message["id"] for message in db.get_messages("s001")][-5:]
        db.split_session("s001", "s001b", [{"role": "user", "content": "summary"}], carried=carried)
    with SessionDB(store) as db:
        return _everything(db)


def _everything(db: SessionDB) -> Truth:
    return {row["id"]: db.get_messages(row["id"]) for row in db.search_sessions(limit=10**6)}


def pages_by_kind(store: Path) -> dict[str, list[int]]:
    """Page numbers by what they hold: table or index, leaf, interior or overflow, ours or the full-text index'."""
    connection = apsw.Connection(str(store), flags=apsw.SQLITE_OPEN_READONLY)
    kinds: dict[str, list[int]] = {}
    indexes = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'index'")}
    known = set()
    for name, number, kind in connection.execute("SELECT name, pageno, pagetype FROM dbstat"):
        what = "full-text" if name.startswith("messages_fts") else "index" if name in indexes else "table"
        kinds.setdefault("schema" if name == "sqlite_schema" else f"{what} {kind}", []).append(number)
        known.add(number)
    connection.close()
    kinds["map or free"] = [number for number in range(1, store.stat().st_size // PAGE + 1) if number not in known]
    return {kind: numbers for kind, numbers in sorted(kinds.items()) if numbers}


def choose(pages: dict[str, list[int]], rng: random.Random, count: int, offset: int) -> list[Page]:
    kinds = list(pages)
    return [(rng.choice(pages[kind]), kind) for kind in (kinds[(offset + i) % len(kinds)] for i in range(count))]


DAMAGES: tuple[Callable[[random.Random, bytearray], None], ...] = (
    lambda rng, page: page.__setitem__(slice(0, PAGE), rng.randbytes(PAGE)),
    lambda rng, page: page.__setitem__(slice(0, PAGE), bytes(PAGE)),
    lambda rng, page: [page.__setitem__(rng.randrange(PAGE), rng.randrange(256)) for _ in range(8)] and None,
    lambda rng, page: page.__setitem__(slice(PAGE // 2, PAGE), rng.randbytes(PAGE // 2)),
)


def attack(store: Path, truth: Truth, jobs: list[Page], folder: Path, seed: float) -> Tally:
    tally, rng = Tally(), random.Random(seed)
    good = store.read_bytes()
    for number, (page, kind) in enumerate(jobs):
        data = bytearray(good)
        body = data[(page - 1) * PAGE : page * PAGE]
        DAMAGES[number % len(DAMAGES)](rng, body)
        data[(page - 1) * PAGE : page * PAGE] = body
        tally.damaged[kind] += 1
        one(bytes(data), truth, folder / f"{number}", f"{kind} page {page}", tally)
    return tally


def ruin(store: Path, truth: Truth, folder: Path) -> Tally:
    """Files whose very beginning or end is gone."""
    tally, good = Tally(), store.read_bytes()
    for name, data in (
        ("header", random.Random(1).randbytes(100) + good[100:]),
        ("header zeroed", bytes(100) + good[100:]),
        ("first page", random.Random(2).randbytes(PAGE) + good[PAGE:]),
        ("file cut short", good[: len(good) * 2 // 3 // PAGE * PAGE]),
        ("file cut within a page", good[: len(good) // 2 + 777]),
        ("garbage", random.Random(3).randbytes(len(good) // 4)),
        ("empty file", b""),
    ):
        tally.damaged[name] += 1
        counted = Tally()
        one(data, truth, folder / name.replace(" ", "-"), name, counted)
        if name in ("garbage", "empty file"):
            counted.rows = counted.salvaged = 0  # there is nothing to salvage
        _add(tally, counted)
    return tally


def one(data: bytes, truth: Truth, folder: Path, name: str, tally: Tally) -> None:
    folder.mkdir()
    read = folder / "read.db"
    read.write_bytes(data)
    if data:
        look(read, truth, name, tally)
    damaged = folder / "damaged.db"
    damaged.write_bytes(data)
    rescue(damaged, truth, name, tally)
    if hashlib.sha256(damaged.read_bytes()).digest() != hashlib.sha256(data).digest() or list(
        folder.glob("damaged.db-*")
    ):
        tally.touched.append(name)


def look(path: Path, truth: Truth, name: str, tally: Tally) -> None:
    """Everything is read as users read it: a typed error, the truth, or a wrong answer that `check` names."""
    try:
        with SessionDB(path) as db:
            try:
                wrong = _missing(truth, _everything(db))
                found = {row["id"] for row in db.search_messages("summary", limit=10)}
                problems = db.check()
            except HermesError:
                tally.refused += 1
                return
            if (wrong or len(found) != 1) and not problems:
                tally.unnoticed.append(f"{name}: {len(wrong)} messages missing")
    except HermesError:
        tally.refused += 1
    except Exception as error:  # what is counted here
        tally.untyped.append(f"{name}: reading: {type(error).__name__}: {error}")


def rescue(damaged: Path, truth: Truth, name: str, tally: Tally) -> None:
    everything = sum(map(len, truth.values()))
    tally.rows += everything
    target = damaged.with_name("salvaged.db")
    try:
        report = SessionDB.salvage(damaged, target)
        with SessionDB(target) as db:
            now, left = _everything(db), db.check()
    except HermesError:
        return
    except Exception as error:  # what is counted here
        tally.untyped.append(f"{name}: salvage: {type(error).__name__}: {error}")
        return
    missing = _missing(truth, now)
    tally.salvaged += everything - len(missing)
    tally.altered += _altered(truth, now)
    if missing and report.complete:
        tally.silent.append(f"{name}: {len(missing)} messages are missing, and the report says nothing")
    if left and report.complete:
        tally.silent.append(f"{name}: {left[0]['what']}")


def _missing(truth: Truth, now: Truth) -> set[int]:
    there = {message["id"] for messages in now.values() for message in messages}
    return {message["id"] for messages in truth.values() for message in messages} - there


def _altered(truth: Truth, now: Truth) -> int:
    true = {message["id"]: message for messages in truth.values() for message in messages}
    return sum(
        message["id"] in true and true[message["id"]] != message for messages in now.values() for message in messages
    )


def mend(store: Path, truth: Truth, pages: dict[str, list[int]], folder: Path, count: int, seed: float) -> Tally:
    """Damage of the full-text index alone: `repair` makes it anew, and every message is found again."""
    tally, rng, good = Tally(), random.Random(seed), store.read_bytes()
    index = [number for kind, numbers in pages.items() if kind.startswith("full-text") for number in numbers]
    for number in range(count):
        page = rng.choice(index)
        data = bytearray(good)
        body = data[(page - 1) * PAGE : page * PAGE]
        DAMAGES[number % len(DAMAGES)](rng, body)
        data[(page - 1) * PAGE : page * PAGE] = body
        path = folder / f"{number}.db"
        path.write_bytes(data)
        tally.damaged["index alone"] += 1
        trouble = _repaired(path, truth)
        tally.mended += not trouble
        tally.unmended += [f"index page {page}: {trouble}"] * bool(trouble)
    return tally


def _repaired(path: Path, truth: Truth) -> str:
    try:
        with SessionDB(path) as db:
            left = db.repair()
            found = {row["id"] for row in db.search_messages("marker3x2 OR summary", limit=10)}
            now = _everything(db)
    except Exception as error:  # what is reported
        return f"{type(error).__name__}: {error}"
    if left:
        return f"left: {left[0]['what']}"
    return "" if len(found) == 2 and now == truth else f"{len(found)} of 2 found, {len(_missing(truth, now))} missing"
