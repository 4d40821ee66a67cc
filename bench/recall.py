"""Recall: does a question asked in plain words find the right session? `python -m bench recall --data FILE`.

The file has the layout {conversations: [{id, sessions: [{id, messages: [{speaker, text, caption?}]}], questions:
[{question, category, evidence_sessions}]}]}. Each conversation gets a store of its own, each message is stored as
`speaker: text`, and the question is asked exactly as it stands.
"""

import argparse
import json
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from hermes_state import SessionDB

ABOUT = "hit@1 and hit@5 of recall on questions with known answers, overall and per category"
CATEGORIES = {1: "multi-hop", 2: "time", 3: "open", 4: "single-hop"}
_FLOOR = (69.0, 91.0)


class Hits:
    def __init__(self) -> None:
        self.first = self.five = self.asked = 0

    def count(self, found: list[str], evidence: set[str]) -> None:
        self.asked += 1
        self.first += bool(found) and found[0] in evidence
        self.five += any(session in evidence for session in found[:5])

    def rates(self) -> tuple[float, float]:
        return 100 * self.first / self.asked, 100 * self.five / self.asked

    def __str__(self) -> str:
        first, five = self.rates()
        return f"hit@1 {first:5.1f}   hit@5 {five:5.1f}   ({self.asked} questions)"


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data", type=Path, required=True, metavar="FILE", help="conversations with questions, as JSON"
    )


def run(options: argparse.Namespace) -> int:
    data = json.loads(options.data.read_text(encoding="utf-8"))
    whole, by_category, by_conversation = Hits(), defaultdict(Hits), defaultdict(Hits)
    for conversation in data["conversations"]:
        with tempfile.TemporaryDirectory() as folder, SessionDB(Path(folder) / "state.db") as db:
            fill(db, conversation)
            for question in conversation["questions"]:
                found = [row["session_id"] for row in db.recall(question["question"], limit=5)]
                for hits in (whole, by_category[question["category"]], by_conversation[conversation["id"]]):
                    hits.count(found, set(question["evidence_sessions"]))
    print(f"all                  {whole}")
    for category in sorted(by_category):
        print(f"  {CATEGORIES.get(category, str(category)):18} {by_category[category]}")
    for name, hits in by_conversation.items():
        print(f"  conversation {name!s:5} {hits}")
    held = all(rate >= floor for rate, floor in zip(whole.rates(), _FLOOR, strict=True))
    print(f"floor {_FLOOR[0]:g} / {_FLOOR[1]:g}: {'held' if held else 'FLOOR MISSED'}")
    return int(not held)


def fill(db: SessionDB, conversation: dict[str, Any]) -> None:
    for session in conversation["sessions"]:
        db.create_session(session["id"], "cli")
        db.append_messages(
            session["id"], [{"role": "user", "content": said(message)} for message in session["messages"]]
        )


def said(message: dict[str, Any]) -> str:
    caption = f" [shared {message['caption']}]" if message.get("caption") else ""
    return f"{message['speaker']}: {message['text']}{caption}"
