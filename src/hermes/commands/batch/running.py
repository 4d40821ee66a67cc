"""Asks the prompts of a batch, some at once, each once.

The session of a prompt has an id that follows from the run and the prompt. A run that goes on after a kill finds what
was answered before its result was written, and clears away what was only begun.
"""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

from hermes.agent.base import SessionOptions, TurnEnded
from hermes.agent.turn import text_of
from hermes.commands.batch.prompts import Prompt
from hermes.commands.batch.results import Record, Results
from hermes.commands.chat.chat import Chat, Wishes
from hermes.config import Config
from hermes.errors import HermesError, KeyRefused, NoProvider, QuotaSpent
from hermes.store import SessionDB

Draw = Callable[[int, int], None]
_LOOKS = 0.2  # seconds
_HOPELESS = (KeyRefused, QuotaSpent, NoProvider)  # the next prompt would fail in the same way


class Running:
    def __init__(self, db: SessionDB, config: Config, wishes: Wishes, results: Results) -> None:
        self._db = db
        self._config = config
        self._wishes = wishes
        self._results = results
        self._stopped = threading.Event()
        self._chats: set[Chat] = set()
        self.answered = 0
        self.failed: list[str] = []

    def run(self, prompts: Sequence[Prompt], workers: int, progress: Draw | None) -> None:
        """Until all are asked; an interrupt ends what is under way, and is raised again."""
        pool = ThreadPoolExecutor(min(workers, max(1, len(prompts))), thread_name_prefix="hermes-batch")
        waiting = {pool.submit(self._one, prompt) for prompt in prompts}
        try:
            while waiting:
                done, waiting = wait(waiting, timeout=_LOOKS, return_when=FIRST_COMPLETED)
                self._count(done)
                if progress is not None:
                    progress(len(prompts) - len(waiting), len(prompts))
        finally:
            self._stopped.set()
            for chat in list(self._chats):
                chat.agent.stop()
            pool.shutdown(wait=True, cancel_futures=True)

    def _count(self, done: set[Future[Record | None]]) -> None:
        for one in done:
            record = one.result()
            if record is not None and record["reason"] == "answered":
                self.answered += 1
            elif record is not None:
                self.failed.append(record.get("error") or record["reason"])

    # -- one prompt

    def _one(self, prompt: Prompt) -> Record | None:
        """Its result; None when it was not asked, or not to the end."""
        if self._stopped.is_set():
            return None
        began, session_id = time.monotonic(), f"batch_{self._results.run}_{prompt.key[:12]}"
        ended = self._known(session_id) or self._asked(prompt, session_id)
        if ended.reason == "interrupted":
            return None
        record = self._record(prompt, session_id, ended, time.monotonic() - began)
        self._results.add(record)
        if isinstance(ended.error, _HOPELESS):
            self._stopped.set()
        return record

    def _known(self, session_id: str) -> TurnEnded | None:
        """The answer, where a run that was killed had it already. What was only begun goes."""
        if self._db.get_session(session_id) is None:
            return None
        last = self._db.get_messages(self._db.resolve_resume_session_id(session_id), limit=1, newest=True)
        if last and last[0]["role"] == "assistant" and not last[0]["tool_calls"] and last[0]["finish_reason"] == "stop":
            return TurnEnded("answered", text_of(last[0]["content"]))
        for row in reversed(self._db.get_descendants(session_id)):
            self._db.delete_session(row["id"])
        return None

    def _asked(self, prompt: Prompt, session_id: str) -> TurnEnded:
        try:
            chat = Chat(self._db, self._config, self._wishes._replace(options=SessionOptions(new_id=session_id)))
        except HermesError as error:
            return TurnEnded("failed", "", error)
        self._chats.add(chat)
        try:
            if chat.answers_from_history:
                raise NoProvider("No model is set up yet: `hermes model choose` does that.")
            return self._turn(chat, prompt.text)
        except HermesError as error:
            return TurnEnded("failed", "", error)
        finally:
            self._chats.discard(chat)
            chat.close()

    def _turn(self, chat: Chat, text: str) -> TurnEnded:
        ended = TurnEnded("interrupted", "")
        for event in chat.ask(text):
            if isinstance(event, TurnEnded):
                ended = event
            if self._stopped.is_set():
                chat.agent.stop()
        return ended

    def _record(self, prompt: Prompt, session_id: str, ended: TurnEnded, seconds: float) -> Record:
        parts = self._db.get_lineage(session_id)
        record: dict[str, Any] = {"number": prompt.number, "key": prompt.key}
        if prompt.id is not None:
            record["id"] = prompt.id
        record |= {"prompt": prompt.text, "answer": ended.text, "reason": ended.reason}
        if ended.error is not None:
            record["error"] = str(ended.error)
        costs = [cost for part in parts for cost in (part["actual_cost_usd"], part["estimated_cost_usd"]) if cost]
        return record | {
            "session_id": parts[-1]["id"] if parts else None,
            "model": parts[-1]["model"] if parts else None,
            "input_tokens": sum(part["input_tokens"] or 0 for part in parts),
            "output_tokens": sum(part["output_tokens"] or 0 for part in parts),
            "cost_usd": sum(costs) if costs else None,
            "seconds": round(seconds, 2),
        }
