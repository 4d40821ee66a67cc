"""Row 35: secrets, what is deleted, and who waits while it is."""

import json
import os
import time
from pathlib import Path

from hermes.model.secrets import KINDS, find_secrets
from hermes.store import SessionDB
from tests.faults.children import ask, collect, start_asking
from tests.faults.rows import Outcome, Run, row
from tests.unit.test_secrets import ALONE, AROUND, NAMED, case

LONGEST_WAIT = 0.3


@row(35)
def secrets_and_traces(run: Run) -> Outcome:
    masked = ask(_masked, run.fresh("masked"))
    plain = ask(_plain, run.fresh("plain"))
    gone = ask(_gone, run.fresh("gone"), run.size(400, 60))
    pruned = _pruned_beside_a_writer(run)
    false = ask(_false_positives, run.size(4000, 400))
    found = masked["found"] + plain["exported"] + plain["left"] + gone["left"]
    return Outcome(
        f"{masked['secrets']} secrets of {masked['kinds']} kinds (of {len(KINDS)}) in contents, tool calls and "
        f"reasoning; {gone['words']} words of deleted sessions; {pruned['pruned']} sessions pruned beside a writer",
        f"found in files when masked at write {len(masked['found'])}, in default exports {len(plain['exported'])}, "
        f"after delete and vacuum {len(plain['left'])}, unnoticed by the scan {plain['unscanned']}; deleted words "
        f"found {len(gone['left'])}; vacuum beside a reader complete {gone['beside_reader']}; false positives "
        f"{false[0]} in {false[1]} ordinary messages; longest wait of a writer {pruned['longest'] * 1000:.0f} ms, "
        f"p99 {pruned['p99'] * 1000:.1f} ms of {pruned['appends']} appends"
        + (f" (first: {found[0][:100]})" if found else ""),
        not found
        and not plain["unscanned"]
        and not gone["beside_reader"]
        and masked["kinds"] >= 60
        and pruned["longest"] <= LONGEST_WAIT,
    )


def _secrets() -> list[tuple[str, str, str]]:
    """(kind, text, secret), one of each kind at least."""
    cases = [case(kind, template) for kind, template in (*ALONE, *AROUND)]
    cases += [case(kind, f"export {name}=«{template}»") for kind, name, template in NAMED]
    return [(one.kind, one.text, one.secret) for one in cases]


def _fill(db: SessionDB) -> list[tuple[str, str, str]]:
    """Each secret in a session of its own, in every place a message has."""
    cases = _secrets()
    for number, (_, text, _) in enumerate(cases):
        name = f"s{number}"
        db.create_session(name, "cli")
        db.append_message(name, "user", text)
        call = {"id": "c", "function": {"name": "terminal", "arguments": f'{{"command": {json.dumps(text)}}}'}}
        db.append_message(name, "assistant", "", tool_calls=[call], reasoning=text)
        db.append_message(name, "tool", f"{'padding ' * 3000}\n{text}\n", tool_name="terminal", tool_call_id="c")
        db.append_message(name, "user", [{"type": "text", "text": text}])
    db.optimize()
    return cases


def _raw(folder: Path) -> bytes:
    return b"\n".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def _within(raw: bytes, cases: list[tuple[str, str, str]]) -> list[str]:
    """Kinds whose secret, or the longest piece of it, is there."""
    return [kind for kind, _, secret in cases if _core(secret).encode() in raw or _core(secret).lower().encode() in raw]


def _core(secret: str) -> str:
    """The longest run without a border the index or JSON would change."""
    pieces = "".join(char if char.isalnum() else " " for char in secret).split()
    longest = max(pieces, key=len)
    return longest if len(longest) >= 8 else secret


def _masked(folder: Path) -> dict[str, object]:
    with SessionDB(folder / "state.db", redact_secrets=True) as db:
        cases = _fill(db)
        open_raw = _raw(folder)
        payloads = "".join(str(row["content"]) for n in range(len(cases)) for row in db.get_messages(f"s{n}"))
        db.export_file(folder / "export.jsonl", include_secrets=True)
    found = _within(open_raw + payloads.encode() + _raw(folder), cases)
    return {"found": found, "secrets": len(cases), "kinds": len({kind for kind, _, _ in cases})}


def _plain(folder: Path) -> dict[str, object]:
    (folder / "out").mkdir()
    with SessionDB(folder / "store" / "state.db") as db:
        cases = _fill(db)
        scanned = {row["session_id"] for row in db.scan_secrets()}
        db.export_file(folder / "out" / "export.jsonl")
        for number in range(len(cases)):
            db.delete_session(f"s{number}")
        complete = db.vacuum()["complete"]
        left = _within(_raw(folder / "store"), cases)
    left += _within(_raw(folder / "store"), cases)
    return {
        "exported": _within(_raw(folder / "out"), cases),
        "left": left if complete else ["vacuum was not complete"],
        "unscanned": len(cases) - len(scanned),
    }


def _gone(folder: Path, count: int) -> dict[str, object]:
    """Words that only deleted sessions held, in all three indexes, in tool calls, titles, tags and transcripts."""
    transcripts = folder / "sessions"
    transcripts.mkdir()
    store = folder / "state.db"
    words: list[str] = []
    with SessionDB(store) as db:
        for number in range(count):
            name, word = f"s{number}", f"zebrafish{number}quagga"
            db.create_session(name, "cli", system_prompt=f"prompt of {word}")
            db.set_session_title(name, f"title {word}")
            db.append_message(name, "user", f"said {word} 獨特詞彙 c++{word}")
            db.append_message(name, "assistant", "", tool_calls=[{"id": "c", "function": {"arguments": word}}])
            db.tag_session(name, [f"tag-{word}"])
            (transcripts / f"{name}.jsonl").write_text(word)
            if number % 2:
                words += [word]
        db.optimize()
        for number in range(1, count, 2):
            db.delete_session(f"s{number}", transcripts)
        with SessionDB(store) as other, other._engine.read(None, apart=True) as reader:
            reader.count_sessions()
            beside_reader = db.vacuum()["complete"]
        after = db.vacuum()
        left = [word for word in words if word.encode() in _raw(folder)]
        if not after["complete"]:
            left.append("vacuum was not complete")
        db.create_session("last", "cli")
        db.append_message("last", "user", "zebrafishlastquagga " * 50)
        db.delete_session("last")
    raw = _raw(folder)
    left += [word for word in [*words, "zebrafishlastquagga"] if word.encode() in raw]
    return {"left": left, "words": len(words) + 1, "beside_reader": beside_reader}


def _pruned_beside_a_writer(run: Run) -> dict[str, float]:
    store = run.fresh("prune") / "state.db"
    ask(_many, store, run.size(300, 60))
    child = start_asking(_append_until, store, store.with_name("stop"))
    pruned = ask(_prune, store)
    store.with_name("stop").touch()
    waits = sorted(collect(*child))
    return {"pruned": pruned, "longest": waits[-1], "p99": waits[int(len(waits) * 0.99)], "appends": len(waits)}


def _many(store: Path, sessions: int) -> None:
    with SessionDB(store) as db:
        db.create_session("writer", "cli")
        for number in range(sessions):
            db.create_session(f"s{number}", "cli")
            length = 1000 if number == 0 else 30
            db.append_messages(f"s{number}", [{"role": "user", "content": f"word{n} " * 60} for n in range(length)])
            if number % 2 == 0:
                db.end_session(f"s{number}", "done")


def _prune(store: Path) -> int:
    time.sleep(0.5)
    with SessionDB(store) as db:
        gone = db.prune_sessions(0)
        db.vacuum()
    return gone


def _append_until(store: Path, stop: Path) -> list[float]:
    waits = []
    with SessionDB(store) as db:
        deadline = time.monotonic() + 240
        while not os.path.exists(stop) and time.monotonic() < deadline:
            began = time.perf_counter()
            db.append_message("writer", "user", "one more message")
            waits.append(time.perf_counter() - began)
            time.sleep(0.002)
    return waits


def _false_positives(messages: int) -> tuple[int, int]:
    from bench.corpus import Corpus

    texts = [event["content"] for event in Corpus(40, messages, 3).events() if event["event"] == "message"]
    return sum(bool(find_secrets(text)) for text in texts), len(texts)
