"""The gateway as a service: start it, stop it, ask how it is."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from itertools import takewhile
from pathlib import Path
from typing import Any

from hermes import paths
from hermes.commands.reply import Facts, Kind, Reply, count, said
from hermes.config import load
from hermes.errors import ConfigError, HermesError, NotFound
from hermes.store import SessionDB

PROGRAM = (sys.executable, "-m", "hermes.gateway")
SERVES = "The gateway serves"  # how the line begins that says that it is ready
_START_SECONDS = 60.0
_STOP_SECONDS = 40.0
_HEALTH_SECONDS = 10.0


def running() -> dict[str, Any] | None:
    """What the gateway of this home says about itself; None: none runs."""
    try:
        descriptor = os.open(paths.gateway_file(), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return None  # nobody holds it: what it says is old
    except OSError:
        found: dict[str, Any] = json.loads(os.pread(descriptor, 100_000, 0) or b"{}")
        return found
    finally:
        os.close(descriptor)


def start() -> Reply:
    found = running()
    if found is not None:
        return said(f"The gateway runs already (process {found['pid']}), and serves {found['serves']}.", data=found)
    paths.make_private_folder(paths.logs_dir())
    output = paths.logs_dir() / "gateway.out"
    descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, paths.PRIVATE_FILE)
    with os.fdopen(descriptor, "wb") as out:
        process = subprocess.Popen(PROGRAM, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)
    ends = time.monotonic() + _START_SECONDS
    while time.monotonic() < ends:
        found = running()
        if found is not None and found.get("pid") == process.pid:
            told = f"The gateway runs (process {found['pid']}), and serves {found['serves']}."
            return said(told, notices=_remarks(output), data=found)
        if process.poll() is not None:
            problem = ConfigError if process.returncode == ConfigError.exit_code else HermesError
            raise problem(_last_words(output) or f"The gateway did not start; {output} may say why.")
        time.sleep(0.05)
    raise HermesError(f"The gateway is not ready yet; `hermes gateway status` tells, {output} may say why.")


def _last_words(output: Path) -> str:
    lines = output.read_text(errors="replace").strip().splitlines()
    return lines[-1].removeprefix("hermes: ") if lines else ""


def _remarks(output: Path) -> tuple[str, ...]:
    """What it said before it served: a setting that is wrong, a platform that is left out."""
    lines = (line.removeprefix("hermes: ") for line in output.read_text(errors="replace").splitlines())
    return tuple(takewhile(lambda line: not line.startswith(SERVES), lines))


def stop() -> Reply:
    """Turns are finished or parked, and go on with the next start."""
    found = running()
    if found is None:
        raise NotFound("No gateway runs here; `hermes gateway start` starts one.")
    os.kill(found["pid"], signal.SIGTERM)
    ends = time.monotonic() + load().settings.agent.restart_drain_timeout + _STOP_SECONDS
    while time.monotonic() < ends:
        if running() is None:
            return said("The gateway has stopped.", data={"running": False})
        time.sleep(0.05)
    raise HermesError(f"The gateway (process {found['pid']}) has not stopped yet; try again, or end the process.")


def restart() -> Reply:
    if running() is not None:
        stop()
    return start()


def status(db: SessionDB) -> Reply:
    found = running()
    chats, waiting = len(db.list_routes()), len(db.arrivals("waiting", "running"))
    unsent, undelivered = len(db.posts("pending", "sending")), len(db.posts("undelivered"))
    health = _health(found.get("health")) if found else None
    data = {
        "running": found is not None,
        **(found or {}),
        "health": health,
        "health_url": found.get("health") if found else None,
        "chats": chats,
        "waiting": waiting,
        "unsent": unsent,
        "undelivered": undelivered,
    }
    facts: list[tuple[str, Any, Kind]] = [
        ("Gateway", f"runs (process {found['pid']})" if found else "does not run", "text")
    ]
    if found:
        facts += [("Serves", found["serves"], "text"), ("Since", found["began"], "time")]
    if found and health is not None:
        facts.append(("Health", f"{health} ({found['health']})", "text"))
    facts += [
        ("Chats", count(chats, "chat"), "text"),
        ("Waiting", count(waiting, "message"), "text"),
        ("To be sent", count(unsent, "message"), "text"),
        ("Undelivered", count(undelivered, "message"), "text"),
    ]
    return Reply((Facts(tuple(facts)),), data=data, exit_code=0 if found and health in ("ok", None) else 1)


def _health(address: str | None) -> str | None:
    """What the gateway answers there; None: it has no such address."""
    if not address:
        return None
    from http.client import HTTPConnection, HTTPException
    from urllib.parse import urlsplit

    parts = urlsplit(address)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=_HEALTH_SECONDS)
    try:
        connection.request("GET", parts.path, headers={"Host": "localhost"})
        return str(json.loads(connection.getresponse().read(10_000))["status"])
    except (OSError, HTTPException, ValueError, KeyError):
        return "does not answer"
    finally:
        connection.close()


_UNIT = """[Unit]
Description=Hermes gateway{of}
StartLimitIntervalSec=0

[Service]
ExecStart={program}
Environment={home}
Restart=on-failure
RestartSec=10
TimeoutStopSec={seconds}

[Install]
WantedBy=default.target
"""


def install() -> Reply:
    """A systemd user unit for this home. It tries again for as long as a platform cannot be reached, as at boot."""
    profile = paths.profile_name()
    name = "hermes-gateway" if profile == "default" else f"hermes-gateway-{profile}"
    file = paths.user_units() / f"{name}.service"
    file.parent.mkdir(parents=True, exist_ok=True)
    seconds = int(load().settings.agent.restart_drain_timeout + _STOP_SECONDS)
    program, home = " ".join(map(_quoted, PROGRAM)).replace("$", "$$"), _quoted(f"HERMES_HOME={paths.hermes_home()}")
    of = "" if profile == "default" else f" ({profile})"
    file.write_text(_UNIT.format(of=of, program=program, home=home, seconds=seconds))
    command = f"systemctl --user enable --now {name}"
    told = (f"Wrote {file}.", "Start it now and with every login:", f"  {command}")
    return said(*told, data={"file": str(file), "next": command})


def _quoted(word: str) -> str:
    """As systemd reads it: whatever is in a path is part of it."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'
