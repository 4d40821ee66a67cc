"""Export formats: how sessions are written to a file. Each takes sessions one at a time, so memory stays small."""

import csv
import html
import io
import json
import time
from collections.abc import Callable, Iterable, Iterator

from hermes.commands.reply import Entry
from hermes.commands.transcript import entries
from hermes.store.base import Row

Writer = Callable[[Iterable[Row]], Iterator[str]]


def jsonl(sessions: Iterable[Row]) -> Iterator[str]:
    """One session a line, with everything: what `hermes sessions import` reads."""
    for session in sessions:
        yield json.dumps(session, ensure_ascii=False) + "\n"


def as_json(sessions: Iterable[Row]) -> Iterator[str]:
    """One array of the same objects."""
    between = "[\n"
    for session in sessions:
        yield between + json.dumps(session, ensure_ascii=False)
        between = ",\n"
    yield "[]\n" if between == "[\n" else "\n]\n"


CSV_COLUMNS = (
    *("id", "title", "source", "owner", "model", "started", "ended", "end_reason", "message_count", "tool_call_count"),
    *("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens", "api_call_count"),
    *("estimated_cost_usd", "actual_cost_usd", "parent_session_id", "lineage_id"),
)


def as_csv(sessions: Iterable[Row]) -> Iterator[str]:
    """The table of sessions, without messages; times as ISO 8601 in local time."""
    yield _csv_line(CSV_COLUMNS)
    for session in sessions:
        times = {"started": _iso(session["started_at"]), "ended": _iso(session["ended_at"])}
        yield _csv_line([_cell({**session, **times}[name]) for name in CSV_COLUMNS])


def _csv_line(values: Iterable[object]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(values)
    return line.getvalue()


def _cell(value: object) -> object:
    """Text that a spreadsheet would take for a formula stays text."""
    return f"'{value}" if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def _iso(at: float | None) -> str:
    return "" if at is None else time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(at))


def _day(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))


def markdown(sessions: Iterable[Row]) -> Iterator[str]:
    """To read, and to paste elsewhere."""
    for number, session in enumerate(sessions):
        yield ("\n---\n\n" if number else "") + f"# {_one_line(session['title'] or session['id'])}\n\n"
        yield f"*{_about(session)}*\n"
        for entry in entries(session["messages"], full=True):
            yield f"\n## {_speaker(entry)} · {_day(entry.at)}\n\n"
            yield _markdown_text(entry)


def _markdown_text(entry: Entry) -> str:
    fenced = entry.role == "tool"
    text = _fenced(entry.text) if fenced else entry.text + "\n" if entry.text else ""
    return text + "".join(f"\n> {line}\n" for note in entry.notes for line in note.splitlines())


def _fenced(text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}\n"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _about(session: Row) -> str:
    masked = session.get("_redacted")
    words = [session["id"], session["source"], session["model"], _day(session["started_at"])]
    words.append(f"{session['message_count'] or 0} messages")
    words.append(f"{masked} secrets masked" if masked else None)
    return " · ".join(word for word in words if word)


def _speaker(entry: Entry) -> str:
    return f"{entry.role} {entry.name}".strip()


_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>Hermes sessions</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }
details { border-top: 1px solid #8884; padding: .5rem 0; }
summary { cursor: pointer; font-weight: 600; }
.about, time { color: #777; font-size: .85rem; font-weight: 400; }
article { margin: 1rem 0; padding-left: .8rem; border-left: 3px solid #8884; }
article.user { border-color: #c90; } article.assistant { border-color: #393; }
h3 { font-size: .9rem; margin: 0; }
pre { font: inherit; white-space: pre-wrap; overflow-wrap: anywhere; margin: .3rem 0; }
article.tool pre, pre.note { font: .85rem/1.4 ui-monospace, monospace; color: #777; }
img { max-width: 100%; }
@media print { details { break-inside: avoid-page; } }
</style>
</head>
<body>
<h1>Hermes sessions</h1>
"""


def as_html(sessions: Iterable[Row]) -> Iterator[str]:
    """One page that needs nothing else: no scripts, no links, nothing is loaded from anywhere."""
    yield _HEAD
    opened = " open"
    for session in sessions:
        yield f"<details{opened}><summary>{html.escape(session['title'] or '(no title)')} "
        yield f'<span class="about">{html.escape(_about(session))}</span></summary>\n'
        for entry in entries(session["messages"], full=True):
            yield _article(entry)
        yield "</details>\n"
        opened = ""
    yield "</body>\n</html>\n"


def _article(entry: Entry) -> str:
    role = entry.role if entry.role in ("user", "assistant", "tool", "system") else "other"
    text = f"<pre>{html.escape(entry.text)}</pre>" if entry.text else ""
    notes = "".join(f'<pre class="note">{html.escape(note)}</pre>' for note in entry.notes)
    pictures = "".join(f'<img alt="picture" src="{html.escape(image)}">' for image in entry.images)
    head = f"<h3>{html.escape(_speaker(entry))} <time>{_day(entry.at)}</time></h3>"
    return f'<article class="{role}">{head}{text}{pictures}{notes}</article>\n'


FORMATS: dict[str, Writer] = {"jsonl": jsonl, "json": as_json, "md": markdown, "html": as_html, "csv": as_csv}
SUFFIXES = {".json": "json", ".md": "md", ".markdown": "md", ".html": "html", ".htm": "html", ".csv": "csv"}
