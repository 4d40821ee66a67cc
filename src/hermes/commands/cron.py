"""Scheduled jobs: what the agent does by itself, when, and whom it tells.

Jobs lie in the store, so that every process sees the same ones. Whoever runs one claims it first: of several
gateways, one does.
"""

import json
import os
import secrets
import time
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from hermes.agent.base import SessionOptions, TurnEnded
from hermes.commands import scripts
from hermes.commands.chat.chat import Chat, Wishes
from hermes.commands.reply import Column, Reply, Table, said
from hermes.config import Config
from hermes.config.platforms import PLATFORMS, is_on
from hermes.errors import BadInput, HermesError, NotFound
from hermes.model import schedules
from hermes.model.fences import fenced
from hermes.model.ids import new_cron_id
from hermes.model.targets import is_known, target
from hermes.model.text import clip
from hermes.store import SessionDB

KEY = "cron:"  # how the keys of what jobs deliver begin
_JOBS = "cron.jobs"
_WENT_WELL = ("answered", "quiet", "removed")
_LONGEST_OUTPUT = 20_000  # characters of a script's output that the model reads
_NAME = Column("Name", 14, least=6)
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


class Extras(NamedTuple):
    """What a job may have beside its schedule and its prompt."""

    deliver: str = ""
    name: str = ""
    script: str = ""


def add(db: SessionDB, config: Config, schedule: str, prompt: str, extras: Extras = Extras()) -> Reply:
    """A new job; it is run by the gateway, or by `hermes cron run`."""
    deliver, name, script = extras
    if not prompt.strip() and not script:
        raise BadInput("Say what is to be done: hermes cron add 'daily at 9' 'Summarise the news.'")
    told = _remarks(config, deliver)
    if script:
        scripts.find(script)
    normal = schedules.normal(schedule)
    first = schedules.next_after(normal, time.time(), _zone(config))
    job = {
        "id": secrets.token_hex(3), "name": name, "schedule": schedule, "normal": normal, "prompt": prompt,
        "deliver": deliver, "script": script, "paused": False, "last": None, "next": first,
        "zone": config.settings.timezone,
    }  # fmt: skip
    with db.transaction() as tx:
        if name and any(one["name"] == name for one in jobs(tx)):
            raise BadInput(f"There is a job '{name}' already; give this one another name, or remove that one first.")
        tx.set_meta(_JOBS, json.dumps([*jobs(tx), job]))
    when = _next(job)
    return said(
        f"Job {job['id']} runs {schedule}, the next time on {when}, while `hermes gateway` runs.",
        notices=told,
        data=job,
    )


def _remarks(config: Config, deliver: str) -> tuple[str, ...]:
    """BadInput for what is no target; a line for one that nobody serves so far."""
    if not deliver:
        return ()
    platform = target(deliver).platform
    if platform in config.settings.platforms or (platform in PLATFORMS and is_on(config, platform)):
        return ()
    if is_known(platform):
        return (f"{platform} is not set up here yet; the answers wait in the outbox until a gateway serves it.",)
    return (f"'{platform}' is no platform that Hermes knows; the answers wait in the outbox until one serves it.",)


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
            clip(" ".join(filter(None, (job.get("script"), job["prompt"]))), 60, "…"),
        )
        for job in found
    )
    columns = _COLUMNS
    if any(job["name"] for job in found):
        columns = (_COLUMNS[0], _NAME, *_COLUMNS[1:])
        rows = tuple((row[0], job["name"] or "—", *row[1:]) for job, row in zip(found, rows, strict=True))
    return Reply((Table(columns, rows, 100),), data=found)


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
    return said(f"Job {job['id']} {'is paused' if paused else 'runs again'}.", data=job | changes)


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
        known["next"] = schedules.next_after(known["normal"], now, _zone_of(known))
        known["last"], known["status"], known["by"] = now, "running", os.getpid()
        tx.set_meta(_JOBS, json.dumps([known if one["id"] == job["id"] else one for one in jobs(tx)]))
    return True


def mark_lost(db: SessionDB) -> None:
    """Runs whose process ended in the middle are no longer under way; what they did is in their sessions."""
    for job in jobs(db):
        if job.get("status") == "running" and not _is_alive(job.get("by")):
            _change(db, job["id"], status="interrupted")


def _is_alive(process: Any) -> bool:
    try:
        os.kill(int(process), 0)
    except (ProcessLookupError, TypeError, ValueError):
        return False
    except PermissionError:
        pass  # somebody else's: it is there
    return True


def run(db: SessionDB, config: Config, wanted: str) -> Reply:
    """Run a job now, here; its schedule stays as it is. The exit code says whether it went well."""
    job = find(db, wanted)
    text = perform(db, config, job)
    told = (f"A running gateway delivers this to {job['deliver']}.",) if job["deliver"] and text else ()
    if not text and job.get("script"):
        told = (f"{job['script']} printed nothing, so nobody is told.",)
    status = next((one["status"] for one in jobs(db) if one["id"] == job["id"]), "removed")
    data = {"job": job["id"], "status": status, "text": text}
    return said(*text.splitlines(), notices=told, data=data, exit_code=0 if status in _WENT_WELL else 1)


def perform(db: SessionDB, config: Config, job: Job) -> str:
    """One run: a session of its own, and the answer to whoever is to be told. Returns the answer."""
    prompt = job["prompt"]
    if job.get("script"):
        found = scripts.printed(config, job["script"])
        if not (found.text or found.problem):
            _change(db, job["id"], status="quiet")
            return ""
        if not prompt.strip():
            return _as_it_is(db, config, job, found)
        prompt = _with_output(prompt, job["script"], found)
    return _asked(db, config, job, prompt)


def _with_output(prompt: str, script: str, found: scripts.Printed) -> str:
    problem = f" ({found.problem})" if found.problem else ""
    shown = clip(found.text, _LONGEST_OUTPUT, "\n[…]")
    return f"{prompt}\n\nWhat {script} printed{problem}:\n{fenced('output', shown)}"


def _as_it_is(db: SessionDB, config: Config, job: Job, found: scripts.Printed) -> str:
    """What the script printed, kept in a session without any model."""
    problem = f"{job['script']} failed: {found.problem}." if found.problem else ""
    text = "\n\n".join(filter(None, (problem, found.text)))
    session = new_cron_id(job["id"], datetime.now())
    with db.transaction() as tx:
        tx.create_session(session, "cron")
        tx.append_messages(session, [
            {"role": "user", "content": f"[script {job['script']}]"}, {"role": "assistant", "content": text},
        ])  # fmt: skip
        tx.end_session(session, "cron_complete")
    _told(db, config, job, text, session, "failed" if problem else "answered")
    return text


def _asked(db: SessionDB, config: Config, job: Job, prompt: str) -> str:
    folder = Path(config.settings.terminal.cwd).expanduser().resolve()
    options = SessionOptions(new_id=new_cron_id(job["id"], datetime.now()))
    chat = Chat(db, config, Wishes(cwd=folder, source="cron", titles_by_model=False, options=options))
    ended = None
    try:
        for event in chat.ask(prompt):
            ended = event if isinstance(event, TurnEnded) else ended
    finally:
        chat.close()
    assert ended is not None, "a turn ends with TurnEnded"
    text = ended.text.strip() or (str(ended.error) if ended.error is not None else "")
    _told(db, config, job, text, chat.agent.session_id, ended.reason)
    return text


def failed(db: SessionDB, config: Config, job: Job, error: HermesError) -> None:
    """A run that could not even begin is told, too."""
    _told(db, config, job, str(error), None, "failed")


def _told(db: SessionDB, config: Config, job: Job, text: str, session_id: str | None, status: str) -> None:
    _change(db, job["id"], status=status, **({"session": session_id} if session_id else {}))
    if job["deliver"] and text:
        _post(db, config, job, text, session_id)


def _post(db: SessionDB, config: Config, job: Job, text: str, session_id: str | None) -> None:
    """Into the outbox; the gateway that serves the platform sends it."""
    to = target(job["deliver"])
    if config.settings.cron.wrap_response:
        text = f"⏰ {job['name'] or job['schedule']}\n\n{text}"
    content = json.dumps({"place": to.place, "text": text}, ensure_ascii=False)
    mail = {"owner": to.owner, "key": f"{KEY}{job['id']}", "content": content}
    db.post(to.platform, mail | ({"session_id": session_id} if session_id else {}))
