"""Scheduled jobs: a thread looks what is due, and each job runs in a thread of its own."""

import logging
import threading
import time
from typing import TYPE_CHECKING, Any

from hermes.commands import cron
from hermes.errors import HermesError

if TYPE_CHECKING:
    from hermes.gateway.core import Gateway

log = logging.getLogger("hermes.gateway")
_TICK = 5.0  # seconds between two looks


class Scheduler:
    def __init__(self, gateway: "Gateway") -> None:
        self._gateway = gateway
        self._running: dict[str, threading.Thread | None] = {}
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._ticker = threading.Thread(target=self._watch, name="hermes-cron", daemon=True)

    def start(self) -> None:
        cron.mark_lost(self._gateway.db)
        self._ticker.start()

    def _watch(self) -> None:
        while not self._over.wait(_TICK):
            try:
                self.tick()
            except Exception:  # the edge of a thread that must not end
                log.exception("jobs could not be looked at")

    def tick(self) -> None:
        """Begin what is due, as far as there is room; the rest is due the next time, too. Send what jobs that ran
        elsewhere left."""
        gateway = self._gateway
        for job in cron.due_jobs(gateway.db, time.time()):
            if not gateway.stopping and self._has_room(job["id"]):
                self._take(job)
        self.send_posted()

    def _take(self, job: dict[str, Any]) -> None:
        """Begin it, unless somebody else does. One that cannot be claimed keeps neither its room nor the others."""
        claimed = False
        try:
            claimed = cron.claim(self._gateway.db, job, time.time())
            if claimed:
                self._begin(job)
        except Exception:  # a row that somebody wrote by hand, a store that is busy: it is due the next time, too
            log.exception("job %s could not begin", job["id"])
            claimed = False
        if not claimed:
            self._done(job["id"])

    def _begin(self, job: dict[str, Any]) -> None:
        thread = threading.Thread(target=self._run, args=(job,), name=f"hermes-cron-{job['id']}", daemon=True)
        with self._lock:
            self._running[job["id"]] = thread
        thread.start()

    def _has_room(self, job_id: str) -> bool:
        most = self._gateway.settings.cron.max_parallel_jobs
        with self._lock:
            if job_id in self._running or (most is not None and len(self._running) >= most):
                return False
            self._running[job_id] = None
            return True

    def _done(self, job_id: str) -> None:
        with self._lock:
            self._running.pop(job_id, None)

    def _run(self, job: dict[str, Any]) -> None:
        gateway = self._gateway
        try:
            cron.perform(gateway.db, gateway.config, job)
            self.send_posted()
        except HermesError as error:
            log.warning("job %s: %s", job["id"], error)
            cron.failed(gateway.db, gateway.config, job, error)
            self.send_posted()
        except Exception:  # the edge of a thread: one job's trouble is not the others'
            log.exception("job %s failed", job["id"])
        finally:
            self._done(job["id"])

    def send_posted(self) -> None:
        """What jobs have to deliver, through the platforms this gateway serves."""
        delivery = self._gateway.delivery
        for row in self._gateway.db.posts("pending"):
            if row["key"].startswith(cron.KEY) and row["platform"] in self._gateway.adapters:
                delivery.send(row["id"], row["content"])

    def stop(self, grace: float = 5.0) -> None:
        """Nothing new begins; jobs under way get a moment. What they did is in their sessions."""
        self._over.set()
        ends = time.monotonic() + grace
        with self._lock:
            threads = [thread for thread in self._running.values() if thread is not None]
        for thread in threads:
            thread.join(max(0.0, ends - time.monotonic()))
