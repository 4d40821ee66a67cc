"""Scheduled jobs, run by the gateway when they are due, each in a thread of its own."""

import logging
import threading
import time
from typing import TYPE_CHECKING, Any

from hermes.commands import cron
from hermes.errors import HermesError

if TYPE_CHECKING:
    from hermes.gateway.core import Gateway

log = logging.getLogger("hermes.gateway")


class Scheduler:
    def __init__(self, gateway: "Gateway") -> None:
        self._gateway = gateway
        self._running: set[str] = set()
        self._lock = threading.Lock()

    def tick(self) -> None:
        """Begin what is due, as far as there is room; the rest is due the next time, too. Send what jobs that ran
        elsewhere left."""
        gateway = self._gateway
        for job in cron.due_jobs(gateway.db, time.time()):
            if gateway.stopping or not self._has_room(job["id"]):
                continue
            claimed = cron.claim(gateway.db, job, time.time())
            if claimed:
                threading.Thread(target=self._run, args=(job,), name=f"hermes-cron-{job['id']}", daemon=True).start()
            else:
                self._done(job["id"])
        self.send_posted()

    def _has_room(self, job_id: str) -> bool:
        most = self._gateway.settings.cron.max_parallel_jobs
        with self._lock:
            if job_id in self._running or (most is not None and len(self._running) >= most):
                return False
            self._running.add(job_id)
            return True

    def _done(self, job_id: str) -> None:
        with self._lock:
            self._running.discard(job_id)

    def _run(self, job: dict[str, Any]) -> None:
        gateway = self._gateway
        try:
            cron.perform(gateway.db, gateway.config, job)
            self.send_posted()
        except HermesError as error:
            log.warning("job %s: %s", job["id"], error)
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

    def stop(self) -> None:
        """Jobs under way go on until the process ends; what they did is in their sessions."""
