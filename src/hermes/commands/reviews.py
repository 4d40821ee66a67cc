"""The curator by itself: a review of one's own skills while nobody is at work. It proposes, and changes no skill."""

import json
import logging
import tarfile
import threading
import time
from pathlib import Path
from typing import Any, NamedTuple

from hermes import paths
from hermes.config import Config, save
from hermes.errors import ConfigError, HermesError, ProviderError
from hermes.model.sources import AUTOMATION_SOURCES
from hermes.skills.curating import Pins, Proposal, Standing, by_model, by_rule, standings
from hermes.skills.usage import Usage
from hermes.store import SessionDB
from hermes.store.base import ListQuery

log = logging.getLogger(__name__)
_TOKENS = 2000
_HOUR = 3600.0
_BACKUP = "skills-%Y%m%d-%H%M%S.tar.gz"


class Reviewed(NamedTuple):
    """The last review: when it began, and what came of it. `told`: whether the person heard of it."""

    at: float = 0.0
    proposals: tuple[Proposal, ...] = ()
    told: bool = True
    problem: str = ""  # why no model was asked


# -- one review


def review(config: Config, home: Path, *, ask_model: bool = True) -> Reviewed:
    """Look through the skills, note what could be better, and keep a copy of them as they are."""
    found = standing(config, home)
    proposals, problem = by_rule(found), ""
    if ask_model and found:
        try:
            proposals = [*proposals, *(one for one in _asked(config, found) if one not in proposals)]
        except ProviderError as error:
            problem = str(error)
    if found and config.settings.curator.backup.enabled:
        _copy(home, config.settings.curator.backup.keep)
    return Reviewed(time.time(), tuple(proposals), not proposals, problem)


def standing(config: Config, home: Path) -> list[Standing]:
    from hermes.agent.skilled import shelf_of

    pins = Pins(paths.skills_pins(home)).names()
    return standings(shelf_of(config).library, Usage(paths.skills_usage(home)), pins, config.settings.curator)


def _asked(config: Config, found: list[Standing]) -> list[Proposal]:
    from hermes.agent.side import SideTasks
    from hermes.providers.choose import auxiliary_provider

    settings = config.settings
    side = SideTasks(
        settings, lambda task: auxiliary_provider(settings, task, variables=config.environment), lambda usage: None
    )
    return by_model(found, lambda prompt: side("curator", prompt, most_tokens=_TOKENS))


def _copy(home: Path, keep: int) -> None:
    """The skills as they are, for whoever follows a proposal and regrets it."""
    folder = paths.curator_dir(home)
    paths.make_private_folder(folder)
    file = folder / time.strftime(_BACKUP)
    paths.create_private_file(file)
    with tarfile.open(file, "w:gz") as archive:
        archive.add(paths.skills_dir(home), "skills")
    for old in sorted(folder.glob("skills-*.tar.gz"))[:-keep]:
        old.unlink()


# -- what is known of the last one


def last(home: Path) -> Reviewed:
    """Nothing, where there was none or its file is damaged."""
    try:
        found: Any = json.loads(_file(home).read_text(encoding="utf-8"))
        proposals = tuple(Proposal(one[0], tuple(one[1]), one[2]) for one in found["proposals"])
        return Reviewed(float(found["at"]), proposals, bool(found["told"]), str(found["problem"]))
    except (OSError, ValueError, TypeError, LookupError):
        return Reviewed()


def remember(home: Path, reviewed: Reviewed) -> None:
    with save.alone(_file(home)):
        save.replace(_file(home), json.dumps(reviewed._asdict()))


def _file(home: Path) -> Path:
    return paths.curator_dir(home) / "review.json"


def news(home: Path) -> str:
    """What the person should hear of the last review, once; empty: nothing."""
    known = last(home)
    if known.told:
        return ""
    try:
        remember(home, known._replace(told=True))
    except ConfigError:
        pass  # heard of twice, then
    number = len(known.proposals)
    return (
        f"The curator looked through your skills and proposes {number} thing{'s' * (number > 1)}: hermes curator status"
    )


# -- by itself


class Idle:
    """For a program that stays: now and then it looks whether a review is due."""

    def __init__(self, db: SessionDB, config: Config, every: float = 600.0) -> None:
        self._db, self._config, self._every = db, config, every
        self._next = 0.0
        self._thread: threading.Thread | None = None

    def tick(self) -> None:
        busy = self._thread is not None and self._thread.is_alive()
        if not busy and time.monotonic() >= self._next:
            self._next = time.monotonic() + self._every
            self._thread = begin_when_due(self._db, self._config)


def begin_when_due(db: SessionDB, config: Config, home: Path | None = None) -> threading.Thread:
    """Look, behind everything else, whether a review is due, and do it then. Nobody waits for it, nothing is raised."""
    thread = threading.Thread(
        target=_unseen, args=(db, config, home or paths.hermes_home()), name="hermes-curator", daemon=True
    )
    thread.start()
    return thread


def _unseen(db: SessionDB, config: Config, home: Path) -> None:
    try:
        if _claimed(db, config, home):
            reviewed = review(config, home)
            remember(home, reviewed)
            log.info("the curator proposes %d things", len(reviewed.proposals))
    except (HermesError, OSError) as error:
        log.info("no review of the skills: %s", error)
    except Exception:  # the edge of a thread nobody waits for
        log.exception("the curator failed")


def _claimed(db: SessionDB, config: Config, home: Path) -> bool:
    """Whether it is due, and this process the one that does it; for the others it is done from now on."""
    settings = config.settings.curator
    if not settings.enabled or not standing(config, home):
        return False
    active = _last_active(db)
    with save.alone(_file(home)):
        known, now = last(home), time.time()
        idle = active is not None and now - active >= settings.min_idle_hours * _HOUR
        if not idle or now - known.at < settings.interval_hours * _HOUR:
            return False
        save.replace(_file(home), json.dumps(known._replace(at=now)._asdict()))
    return True


def _last_active(db: SessionDB) -> float | None:
    """When a person last said something, or was answered; None: never."""
    rows = db.list_conversations(ListQuery(order="active", limit=1, exclude_sources=tuple(AUTOMATION_SOURCES)))
    return float(rows[0]["last_active"]) if rows else None
