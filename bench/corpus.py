"""A generated store's worth of conversations, the same bytes for the same seed and size.

The corpus is a JSON Lines file of events, in the order a program would perform them:

    {"event": "session", "id", "source", "model", "user_id", "system_prompt", "parent", "title", "at"}
    {"event": "message", "session_id", "at", "role", "content", "tool_name", "tool_calls", "tool_call_id", ...}
    {"event": "end", "id", "reason", "at"}

Its shape is that of a heavily used store: sizes are heavy-tailed, the large texts are tool outputs, most sessions
share one system prompt, a few sessions are much longer than the rest, some continue another one after a compression.
"""

import hashlib
import itertools
import json
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.reference import cache_folder
from bench.text import Writer
from bench.vocabulary import Vocabulary

LONGEST = 2000  # messages in the longest session, when there are enough
SOURCES = {"cli": 60, "telegram": 15, "cron": 10, "discord": 7, "slack": 4, "whatsapp": 2, "email": 1, "acp": 1}
TOOLS = ("terminal", "read_file", "search_files", "write_file", "web_extract", "execute_code")
MODELS = ("anthropic/claude-sonnet-4.6", "openai/gpt-5.2", "qwen/qwen3-coder")
_CJK_EVERY = 14  # one session in so many, most of its messages: 4 % of all
_CJK_SHARE = 0.8
_DAYS = 200
_LAST_DAY = 1_780_000_000.0
_PROMPT = 12_600

Event = dict[str, Any]


@dataclass(frozen=True)
class Corpus:
    sessions: int = 1000
    messages: int = 68_000
    seed: int = 1

    @property
    def name(self) -> str:
        return f"{self.sessions}-{self.messages}-{self.seed}-{_version()}"

    def file(self) -> Path:
        """The events as a file in the cache, written on first use."""
        path = cache_folder() / f"corpus-{self.name}.jsonl"
        if not path.exists():
            unfinished = path.with_suffix(f".{os.getpid()}")
            with unfinished.open("w", encoding="utf-8") as out:
                out.writelines(json.dumps(event, ensure_ascii=False) + "\n" for event in self.events())
            unfinished.rename(path)
        return path

    def events(self) -> Iterator[Event]:
        rng = random.Random(f"hermes corpus {self.seed}")
        writer = Writer(rng, Vocabulary.build())
        author = _Author(rng, writer, f"s{self.seed}")
        started = sorted(_LAST_DAY - rng.random() * _DAYS * 86_400 for _ in range(self.sessions))
        for number, (length, at) in enumerate(zip(self._lengths(rng), started, strict=True)):
            yield from author.session(number, length, at)

    def longest(self) -> str:
        """The id of the longest session."""
        counts: dict[str, int] = {}
        with self.file().open(encoding="utf-8") as lines:
            for event in map(json.loads, lines):
                if event["event"] == "message":
                    counts[event["session_id"]] = counts.get(event["session_id"], 0) + 1
        return max(counts, key=lambda session: counts[session])

    def _lengths(self, rng: random.Random) -> list[int]:
        """Messages per session: a few long ones, many short ones, exactly as many as wanted in all."""
        longest = min(LONGEST, self.messages // 2)
        rest = [rng.lognormvariate(0, 1.1) for _ in range(self.sessions - 1)]
        scale = (self.messages - longest) / sum(rest) if rest else 0
        lengths = [min(longest, max(2, round(weight * scale))) for weight in rest]
        lengths.insert(len(lengths) // 2, longest)
        spare = self.messages - sum(lengths)
        step = 1 if spare > 0 else -1
        for at in itertools.islice(itertools.cycle(range(self.sessions)), 100 * self.sessions):
            if spare == 0:
                break
            if 2 < lengths[at] < longest - 1:
                lengths[at] += step
                spare -= step
        return lengths


class _Author:
    """Turns lengths and start times into the events of sessions."""

    def __init__(self, rng: random.Random, writer: Writer, prefix: str) -> None:
        self._rng = rng
        self._writer = writer
        self._prefix = prefix
        self._prompts = [writer.prose(_PROMPT) for _ in range(3)]
        self._ended: tuple[str, str, float] | None = None  # by compression: id, source, when

    def session(self, number: int, length: int, at: float) -> Iterator[Event]:
        rng = self._rng
        session_id = f"{self._prefix}_{number:06}_{rng.getrandbits(24):06x}"
        parent, source = None, rng.choices([*SOURCES], weights=[*SOURCES.values()])[0]
        if self._ended is not None:
            parent, source, ended = self._ended
            at = max(at, ended + 1)
        yield {
            "event": "session",
            "id": session_id,
            "source": source,
            "model": rng.choice(MODELS),
            "user_id": None if source in ("cli", "cron", "acp") else f"user_{rng.randrange(5)}",
            "system_prompt": self._prompt(number),
            "parent": parent,
            "title": f"{self._writer.prose(rng.randint(12, 40)).strip()} {number}" if rng.random() < 0.3 else None,
            "at": at,
        }
        script = ("zh", "ja", "ko")[number // _CJK_EVERY % 3] if number % _CJK_EVERY == 7 else None
        for message in itertools.islice(self._messages(script), length):
            at += rng.expovariate(1 / 20)
            yield {"event": "message", "session_id": session_id, "at": at, **message}
        compressed = length > 40 and rng.random() < 0.1
        self._ended = (session_id, source, at) if compressed else None
        if compressed or rng.random() < 0.9:
            yield {"event": "end", "id": session_id, "reason": "compression" if compressed else "user_exit", "at": at}

    def _prompt(self, number: int) -> str:
        """One prompt nearly always; now and then another, or the same with a line changed."""
        if self._rng.random() < 0.9:
            return self._prompts[0]
        return f"{self._rng.choice(self._prompts)}\nSession {number}."

    def _messages(self, script: str | None) -> Iterator[Event]:
        """Turns without end: a question, some tool calls with their results, an answer."""
        while True:
            yield {"role": "user", "content": self._text(120, 1.2, script)}
            for _ in range(int(self._rng.expovariate(1 / 3.5))):
                yield from self._tool_call(script)
            yield {
                "role": "assistant",
                "content": self._text(700, 0.9, script),
                "token_count": self._rng.randrange(20, 2000),
                "finish_reason": "stop",
            }

    def _tool_call(self, script: str | None) -> Iterator[Event]:
        tool = self._rng.choice(TOOLS)
        call = f"call_{self._rng.getrandbits(64):016x}"
        arguments = {"path": self._writer.path(), "command": self._writer.prose(self._length(88, 1.0, 20_000))}
        function = {"name": tool, "arguments": json.dumps(arguments)}
        yield {
            "role": "assistant",
            "content": self._text(190, 0.8, script) if self._rng.random() < 0.85 else "",
            "tool_calls": [{"id": call, "type": "function", "function": function}],
            "finish_reason": "tool_calls",
        }
        length = self._length(750, 1.6, 400_000)
        chinese = script and self._rng.random() < _CJK_SHARE and length < 4000
        content = self._writer.cjk(length // 3, script or "zh") if chinese else self._writer.output(length)
        yield {"role": "tool", "content": content, "tool_name": tool, "tool_call_id": call}

    def _text(self, median: float, spread: float, script: str | None) -> str:
        length = self._length(median, spread, 60_000)
        if script and self._rng.random() < _CJK_SHARE:
            return self._writer.cjk(length // 2, script)
        return self._writer.prose(length)

    def _length(self, median: float, spread: float, most: int) -> int:
        return min(most, 2 + int(median * self._rng.lognormvariate(0, spread)))


def _version() -> str:
    """Changes with every change of the generator, so that an old file is never taken for a new one."""
    here = Path(__file__).parent
    sources = (here / name for name in ("corpus.py", "text.py", "vocabulary.py"))
    return hashlib.sha256(b"".join(source.read_bytes() for source in sources)).hexdigest()[:8]
