"""Scheduled jobs: what the agent does by itself, when, and whom it tells.

Jobs lie in the store, so that every process sees the same ones. Whoever runs one claims it first: of several
gateways, one does.
"""

import json
import secrets
import time
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from hermes.agent.base import SessionOptions, TurnEnded
from hermes.commands.chat.chat import Chat, Wishes
from hermes.commands.reply import Column, Reply, Table, said
from hermes.config import Config
from hermes.errors import BadInput, NotFound
from hermes.model import schedules
from hermes.model.ids import new_cron_id
from hermes.model.text import clip
from hermes.store import SessionDB

KEY = "cron:"  # how the keys of what jobs deliver begin
_JOBS = "cron.jobs"
_COLUMNS = (
    Column("Job", 10), Column("When", 18, least=10), Column("Next", 17), Column("Last", 10),
    Column("Tells", 18, least=6), Column("Prompt", 40, least=10),
)  # fmt: skip

Job = dict[str, Any]


def jobs(db: Any) -> list[Job]:
    try:
        found = json.loads(db.get_meta(_JOBS) or "[]")
    except ValueError:
        return []
    return found if isinstance(found, list) else []


def _zone(config: Config) -> ZoneInfo | None:
    return ZoneInfo(config.settings.timezone) if config.settings.timezone else None


def add(db: SessionDB, config: Config, schedule: str, prompt: str, *, deliver: str = "", name: str = "") -> Reply:
    """A new job; it is run by the gateway, or by `hermes cron run`."""
    if not prompt.strip():
        raise BadInput("Say what is to be done: hermes cron add 'daily at 9' 'Summarise the news.'")
    if deliver and not all(deliver.partition(":")[::2]):
        raise BadInput("--deliver takes a platform and a chat, such as telegram:12345.")
    normal = schedules.normal(schedule)
    first = schedules.next_after(normal, time.time(), _zone(config))
    job = {
        "id": secrets.token_hex(3), "name": name, "schedule": schedule, "normal": normal, "prompt": prompt,
        "deliver": deliver, "paused": False, "last": None, "next": first,
        "zone": config.settings.timezone,
    }  # fmt: skip
    with db.transaction() as tx:
        tx.set_meta(_JOBS, json.dumps([*jobs(tx), job]))
    when = _next(job)
    return said(f"Job {job['id']} runs {schedule}, the next time on {when}, while `hermes gateway` runs.", data=job)


def listed(db: SessionDB) -> Reply:
    found = jobs(db)
    if not found:
        return said("No jobs yet; `hermes cron add SCHEDULE PROMPT` makes one.", data=[])
    rows = tuple(
        (
            job["id"],
            job["schedule"],
            "paused" if job["paused"] else _next(job),
            job.get("status") or "never",
            job["deliver"] or "nobody",
            clip(job["prompt"], 60, "…"),
        )
        for job in found
    )
    return Reply((Table(_COLUMNS, rows, 100),), data=found)


def _next(job: Job) -> str:
    """The date and the hour: what lies ahead is not said as "5m ago" is."""
    return datetime.fromtimestamp(job["next"], _zone_of(job)).strftime("%Y-%m-%d %H:%M")


def find(db: Any, wanted: str) -> Job:
    """By id, a beginning of one, or name."""
    found = [job for job in jobs(db) if job["id"].startswith(wanted) or (job["name"] and job["name"] == wanted)]
    if len(found) != 1:
        raise NotFound(f"{'No' if not found else 'More than one'} job '{wanted}'; `hermes cron list` shows them.")
    return found[0]


def _change(db: SessionDB, job_id: str, **changes: Any) -> bool:
    """Change a job where it is, if it is still there."""
    with db.transaction() as tx:
        known = jobs(tx)
        if not any(job["id"] == job_id for job in known):
            return False
        tx.set_meta(_JOBS, json.dumps([job | changes if job["id"] == job_id else job for job in known]))
    return True


def remove(db: SessionDB, wanted: str) -> Reply:
    with db.transaction() as tx:
        job = find(tx, wanted)
        tx.set_meta(_JOBS, json.dumps([one for one in jobs(tx) if one["id"] != job["id"]]))
    return said(f"Removed job {job['id']}; its sessions stay.", data=job)


def pause(db: SessionDB, wanted: str, *, paused: bool) -> Reply:
    job = find(db, wanted)
    changes: Job = {"paused": paused}
    if not paused:
        changes["next"] = schedules.next_after(job["normal"], time.time(), _zone_of(job))
    _change(db, job["id"], **changes)
    return said(f"Job {job['id']} {'is paused' if paused else 'runs again'}.")


def _zone_of(job: Job) -> ZoneInfo | None:
    return ZoneInfo(job["zone"]) if job.get("zone") else None


def due_jobs(db: SessionDB, now: float) -> list[Job]:
    return [job for job in jobs(db) if not job["paused"] and job["next"] <= now]


def claim(db: SessionDB, job: Job, now: float) -> bool:
    """Take this run. However many were missed while nobody was there, it runs once; exactly one claimer gets True."""
    with db.transaction() as tx:
        known = next((one for one in jobs(tx) if one["id"] == job["id"]), None)
        if known is None or known["paused"] or known["next"] != job["next"]:
            return False
        known["next"], known["last"] = schedules.next_after(known["normal"], now, _zone_of(known)), now
        tx.set_meta(_JOBS, json.dumps([known if one["id"] == job["id"] else one for one in jobs(tx)]))
    return True


def run(db: SessionDB, config: Config, wanted: str) -> Reply:
    """Run a job now, here; its schedule stays as it is."""
    job = find(db, wanted)
    text = perform(db, config, job)
    told = (f"A running gateway delivers this to {job['deliver']}.",) if job["deliver"] else ()
    return said(*text.splitlines(), notices=told, data={"job": job["id"], "text": text})


def perform(db: SessionDB, config: Config, job: Job) -> str:
    """One run: a session of its own, and the answer to whoever is to be told. Returns the answer."""
    folder = Path(config.settings.terminal.cwd).expanduser().resolve()
    options = SessionOptions(new_id=new_cron_id(job["id"], datetime.now()))
    chat = Chat(db, config, Wishes(cwd=folder, source="cron", titles_by_model=False, options=options))
    ended = None
    try:
        for event in chat.ask(job["prompt"]):
            ended = event if isinstance(event, TurnEnded) else ended
    finally:
        chat.close()
    assert ended is not None, "a turn ends with TurnEnded"
    _change(db, job["id"], status=ended.reason, session=chat.agent.session_id)
    text = ended.text.strip() or (str(ended.error) if ended.error is not None else "")
    if job["deliver"] and text:
        _post(db, config, job, text, chat.agent.session_id)
    return text


def _post(db: SessionDB, config: Config, job: Job, text: str, session_id: str) -> None:
    """Into the outbox; the gateway that serves the platform sends it."""
    platform, _, chat = job["deliver"].partition(":")
    chat, _, thread = chat.partition(":")
    if config.settings.cron.wrap_response:
        text = f"⏰ {job['name'] or job['schedule']}\n\n{text}"
    content = json.dumps({"place": [platform, "dm", chat, thread, chat], "text": text}, ensure_ascii=False)
    owner = f"{platform}:{chat}"
    db.post(platform, {"owner": owner, "key": f"{KEY}{job['id']}", "content": content, "session_id": session_id})
