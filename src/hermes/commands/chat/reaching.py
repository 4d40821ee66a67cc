"""Tools that reach beyond the conversation: a message to another chat, a job for later.

Both go through the store, and the gateway that serves the platform does the rest. A person on a platform reaches
their own accounts alone; jobs are the operator's.
"""

import json
from collections.abc import Collection
from typing import Any

from hermes.commands import cron
from hermes.config import Config
from hermes.config.platforms import PLATFORMS, is_on
from hermes.errors import BadInput, NotFound, ToolError
from hermes.model.targets import target
from hermes.store import SessionDB
from hermes.tools.registry import Tool, function, text
from hermes.tools.work import Work

_SEND = "Send a message, or a file, to a person on a platform that the gateway serves."
_JOB = "Do something later, by itself: make, list, pause, resume or remove scheduled jobs."


def reaching_tools(db: Any, config: Config, plugged: Collection[str] = ()) -> list[Tool]:
    """`plugged`: platforms that plugins bring."""
    return [_send_message(db, config, plugged), _cronjob(db, config)]


def missing(config: Config, plugged: Collection[str] = ()) -> dict[str, str | None]:
    """Why the operator lacks one of them; None: it is there."""
    return {"send_message": _nobody(config, plugged), "cronjob": None}


def _send_message(db: Any, config: Config, plugged: Collection[str]) -> Tool:
    def send(arguments: dict[str, Any], work: Work) -> str:
        to, owner = _addressed(db, str(arguments.get("target") or ""), work)
        content = {"place": to, "text": arguments["message"], **_file(str(arguments.get("file") or ""), work)}
        mail = {"owner": owner, "key": f"{cron.KEY}message", "content": json.dumps(content)}
        try:
            db.post(to[0], mail)
        except BadInput:
            raise ToolError("Only this person's own accounts can be written to from here.") from None
        return "It is in the outbox; the gateway sends it."

    parameters = {
        "message": text("What to say"),
        "target": text("platform:chat, such as telegram:12345; empty: the chat this conversation is in"),
        "file": text("A file to send along, such as chart.png"),
    }
    schema = function("send_message", _SEND, parameters, ("message",))
    return Tool("send_message", "messaging", schema, send, check=lambda place: _nobody(config, plugged))


def _addressed(db: Any, named: str, work: Work) -> tuple[list[str], str]:
    """Where a message goes, and whose it is."""
    if named:
        try:
            to = target(named)
        except BadInput as error:
            raise ToolError(str(error)) from error
        return to.place, to.owner
    session = db.get_session(work.context.session_id)
    if session is None or not session["chat_id"]:
        raise ToolError("This conversation is in no chat; name a target, such as telegram:12345.")
    where = [session[name] or "" for name in ("source", "chat_type", "chat_id", "thread_id", "user_id")]
    return where, work.context.owner


def _file(named: str, work: Work) -> dict[str, str]:
    """What could be read may be sent, and nothing else: where it lies is kept, not a link that may lead elsewhere by
    the time it is sent."""
    if not named:
        return {}
    from hermes.tools.approvals.gate import allow_read
    from hermes.tools.files.places import located, readable

    path = located(named, work)
    readable(path)
    allow_read(path, work)
    return {"file": str(path.resolve())}


def _nobody(config: Config, plugged: Collection[str]) -> str | None:
    known = config.settings.platforms or plugged or any(is_on(config, name) for name in PLATFORMS)
    return None if known else "no platform is set up for the gateway"


def _cronjob(db: Any, config: Config) -> Tool:
    def job(arguments: dict[str, Any], work: Work) -> Any:
        try:
            return _done(db, config, arguments)
        except (BadInput, NotFound) as error:
            raise ToolError(str(error)) from error

    parameters = {
        "action": text("What to do", enum=["create", "list", "pause", "resume", "remove"]),
        "schedule": text("When: every 30m, daily at 9, weekdays at 8:30, or a cron expression (create)"),
        "prompt": text("What the agent is to do then (create)"),
        "deliver": text("Who is told, as platform:chat (create); empty: nobody"),
        "job": text("Which one: its id or name (pause, resume, remove)"),
    }
    schema = function("cronjob", _JOB, parameters, ("action",))
    return Tool("cronjob", "cronjob", schema, job, check=lambda place: _not_here(db))


def _not_here(db: Any) -> str | None:
    return None if isinstance(db, SessionDB) else "only for the operator of this machine"


def _done(db: SessionDB, config: Config, arguments: dict[str, Any]) -> Any:
    action, job = arguments["action"], str(arguments.get("job") or "")
    if action == "create":
        words = {name: str(arguments.get(name) or "") for name in ("schedule", "prompt", "deliver")}
        return cron.add(db, config, words["schedule"], words["prompt"], cron.Extras(words["deliver"])).data
    if action == "list":
        return cron.jobs(db)
    if action == "remove":
        return cron.remove(db, job).data
    cron.pause(db, job, paused=action == "pause")
    return cron.find(db, job)
