"""Row 24: files made to harm whoever imports them. Row 27: JSON Lines with torn and bad lines, and two at once."""

import json
import resource
from pathlib import Path
from typing import Any

from hermes.store import SessionDB
from tests.faults.children import ask, collect, start_asking
from tests.faults.rows import Outcome, Run, row

MB = 1024 * 1024
LIMIT = 512 * MB


def session(name: str, **changes: Any) -> dict[str, Any]:
    good = {
        "id": name,
        "source": "cli",
        "started_at": 1_700_000_000.0,
        "messages": [{"id": 1, "role": "user", "content": f"hello from {name}", "timestamp": 1_700_000_001.0}],
    }
    return {**good, **changes}


def _message(**changes: Any) -> list[dict[str, Any]]:
    return [{"role": "user", "content": "x", **changes}]


def _bad_sessions() -> list[str]:
    """Lines of which none may be taken."""
    names = [
        "../../etc/passwd",
        "/etc/passwd",
        "..",
        ".hidden",
        "a/b",
        "a\\b",
        "a\0b",
        "a\nb",
        "*",
        "",
        "x" * 500,
        "-rf",
    ]
    wrong: list[Any] = [7, 1.5, True, [], {}, ["x"], {"x": 1}, None]
    lines = [json.dumps(session(name)) for name in names]
    lines += [json.dumps(session("bad", id=value)) for value in wrong]
    lines += [json.dumps(session("bad", source=value)) for value in wrong]
    lines += [json.dumps(session("bad", messages=value)) for value in (7, "text", {}, None, [1], [None], ["x"], [[]])]
    for name in ("started_at", "ended_at"):
        lines += [json.dumps(session("bad", **{name: value})) for value in ("now", [], {}, True, 1e300)]
    for name in ("model", "user_id", "chat_id", "system_prompt", "title"):
        lines += [json.dumps(session("bad", **{name: value})) for value in (7, [], {"x": 1})]
    lines += [json.dumps(session("bad", input_tokens=value)) for value in ("7", -1, 1.5, [], 2**70)]
    lines += [json.dumps(session("bad", estimated_cost_usd=value)) for value in ("7", [], -1)]
    lines += [json.dumps(session("bad", messages=_message(role=value))) for value in (*wrong, "", "system")]
    lines += [json.dumps(session("bad", messages=_message(content=value))) for value in (7, True, 1.5)]
    lines += [json.dumps(session("bad", messages=_message(timestamp=value))) for value in ("now", [], True, 1e300)]
    lines += [json.dumps(session("bad", messages=_message(tool_calls=value))) for value in ("{", "[1")]
    lines += [json.dumps(session("bad", messages=_message(token_count=value))) for value in ("7", 2**70, 1.5)]
    for word in ("NaN", "Infinity", "-Infinity"):
        lines.append(json.dumps(session("bad", started_at=0)).replace(": 0,", f": {word},"))
        lines.append(json.dumps(session("bad", messages=_message(content=["@"]))).replace('"@"', word))
        lines.append(json.dumps(session("bad", messages=_message(tool_calls=["@"]))).replace('"@"', word))
    lines += ["[" * 200_000, '{"a":' * 200_000, json.dumps(session("bad")).replace('"x"', "[" * 5000 + "]" * 5000)[:-9]]
    lines += ["null", "[]", "7", '"text"', "{}", "{", "not json at all", "\ufeff{}", "\x00\x00"]
    deep: Any = "x"
    for _ in range(900):
        deep = [deep]
    lines.append(json.dumps(session("bad", messages=_message(content=deep))))
    return lines


def _odd_sessions() -> list[dict[str, Any]]:
    """Sessions that are taken, with what must not be believed left out."""
    return [
        session("stranger", owner="telegram:999"),
        session("twin"),
        session("twin", messages=_message(content="another one of the same id")),
        session("loop-a", parent_session_id="loop-b"),
        session("loop-b", parent_session_id="loop-a"),
        session("own-parent", parent_session_id="own-parent"),
        session("elsewhere", parent_session_id="../../nowhere"),
        session("carrier", messages=[{"role": "user", "content": "mine", "carried_from": 1_000_000}]),
        session("keyed", messages=_message(idempotency_key="k", session_id="victim", id=1)),
    ]


@row(24)
def hostile_imports(run: Run) -> Outcome:
    folder = run.fresh()
    bad, odd = _bad_sessions(), _odd_sessions()
    file = folder / "hostile.jsonl"
    with file.open("w", encoding="utf-8") as out:
        for number, line in enumerate(bad):
            out.write(f"{line}\n{json.dumps(session(f'good{number}'))}\n")
        out.writelines(json.dumps(one) + "\n" for one in odd)
    huge = folder / "huge.jsonl"
    size = run.size(2048, 300) * MB
    with huge.open("wb") as out:
        out.write(json.dumps(session("before")).encode() + b"\n")
        out.seek(size)  # one line, a hole on the disk
        out.write(b"\n" + json.dumps(session("after")).encode() + b"\n")
    heavy = folder / "heavy.jsonl"
    with heavy.open("wb") as out:  # within the limit of a line, and too much for the memory
        out.write(b'{"id": "heavy", "source": "cli", "messages": [{"role": "user", "content": "')
        for _ in range(run.size(200, 200)):
            out.write(b"x" * MB)
        out.write(b'"}]}\n' + json.dumps(session("light")).encode() + b"\n")
    answer = ask(_import_limited, folder / "state.db", [file, huge, heavy], patience=600)
    expected = {f"good{number}" for number in range(len(bad))} | {one["id"] for one in odd}
    expected |= {"before", "after", "light", "victim"}
    accepted = sorted(set(answer["sessions"]) - expected)
    missed = sorted(expected - set(answer["sessions"]) - {"heavy"})
    wrong = [*accepted, *answer["wrong"], *missed]
    return Outcome(
        f"{len(bad)} bad lines, {len(odd)} odd sessions, a line of {size // MB} MB and one of 200 MB, "
        f"{LIMIT // MB} MB of memory",
        f"accepted-bad {len(accepted) + len(answer['wrong'])}; good ones missed {len(missed)}; refused and named "
        f"{answer['refused']}; peak RSS {answer['rss']:.0f} MB" + (f" (first: {wrong[0][:200]})" if wrong else ""),
        not wrong and answer["refused"] >= len(bad) + 2,
    )


def _import_limited(store: Path, files: list[Path]) -> dict[str, Any]:
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))
    refused = 0
    wrong: list[str] = []
    with SessionDB(store) as db:
        db.create_session("victim", "cli")
        for file in files:
            refused += len(db.import_file(file).refused)
        sessions = [row["id"] for row in db.search_sessions(limit=10**6)]
        wrong += [
            f"{name} belongs to {owner}" for name in sessions if (owner := db.get_session(name)["owner"]) != "local"
        ]
        for name in ("own-parent", "elsewhere", "loop-a"):
            if (db.get_session(name) or {}).get("parent_session_id") is not None:
                wrong.append(f"{name} has a parent")
        if [message["content"] for message in db.get_messages("twin")] != ["hello from twin"]:
            wrong.append("the second twin changed the first")
        if db.get_messages("victim"):
            wrong.append("a message went to another session")
        before = sorted(sessions)
        again = db.import_file(files[0])
        if again.imported or sorted(row["id"] for row in db.search_sessions(limit=10**6)) != before:
            wrong.append("importing again changed something")
        wrong += [str(problem["what"]) for problem in db.check()]
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"sessions": sessions, "refused": refused, "wrong": wrong, "rss": rss}


@row(27)
def torn_lines(run: Run) -> Outcome:
    """A file cut at any byte, with a bad line in it, imported by two processes at once."""
    lost, unsaid, changed, doubled = 0, 0, 0, 0
    cuts = run.size(40, 8)
    lines = [json.dumps(session(f"s{number}")).encode() for number in range(30)]
    for _ in range(cuts):
        folder = run.fresh("torn")
        bad = run.rng.randrange(len(lines) - 1)
        whole = b"\n".join([*lines[:bad], lines[bad][: run.rng.randrange(1, 60)], *lines[bad + 1 :]])
        data = whole[: len(whole) - run.rng.randrange(1, len(lines[-1]))]
        file = folder / "torn.jsonl"
        file.write_bytes(data)
        both = [start_asking(_import, folder / "state.db", file) for _ in range(2)]
        reports = [collect(*one) for one in both]
        stored, messages = ask(_count, folder / "state.db")
        lost += max(0, len(lines) - 2 - stored)
        unsaid += sum(len(report[1]) != 2 for report in reports)
        doubled += messages - stored
        changed += file.read_bytes() != data
        if sum(report[0] for report in reports) != stored:
            doubled += 1
    return Outcome(
        f"{cuts} files of {len(lines)} sessions, a bad line within and the last one torn, two importers at once",
        f"good sessions lost {lost}; imports that did not name both lines {unsaid}; taken twice {doubled}; "
        f"files changed {changed}",
        not (lost or unsaid or doubled or changed),
    )


def _import(store: Path, file: Path) -> tuple[int, list[str]]:
    with SessionDB(store) as db:
        report = db.import_file(file)
    return report.imported, report.refused


def _count(store: Path) -> tuple[int, int]:
    with SessionDB(store) as db:
        return db.session_count(), db.message_count()
