"""A small made-up home whose every word and moment is fixed, so that pictures of it can be compared."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from hermes.store import SessionDB

NOW = 1_773_500_400.0  # 2026-03-14 15:00 UTC
HOUR, DAY = 3600.0, 86400.0


class Talk(NamedTuple):
    name: str
    source: str
    title: str | None
    age: float
    said: tuple[str, ...]


TALKS = (
    Talk(
        "20260314_131102_4be1c0",
        "cli",
        "Deploy the billing service",
        1.6 * HOUR,
        (
            "How do I deploy the billing service to the new cluster?",
            "In three steps: build the image, push it to the registry, then run\n\n"
            "    kubectl rollout restart deployment/billing\n\nand watch it with `kubectl rollout status`.",
            "The rollout hangs at one of three replicas.",
            "Then a pod cannot be scheduled. `kubectl describe pod` names the reason; here it is most likely "
            "memory: billing asks for 2 GiB and every node has 1.5 GiB free. Lower the request and deploy again.",
            "That was it. Deployed!",
        ),
    ),
    Talk(
        "20260314_090500_91d2aa",
        "telegram",
        "Dinner for eight",
        5.9 * HOUR,
        (
            "Eight people on Saturday, two vegetarians. Ideas?",
            "Mushroom risotto, and a lemon tart made the day before.",
        ),
    ),
    Talk(
        "20260313_201530_77fe03",
        "cli",
        "Refactoring auth",
        DAY - 5 * HOUR,
        ("Help me refactor the auth module please", "Begin with the token check: it is in three places."),
    ),
    Talk(
        "20260313_074210_c2a9e1", "telegram", None, 1.3 * DAY, ("What's the weather in Las Vegas?", "18 °C and sunny.")
    ),
    Talk(
        "20260312_140000_0f3d55",
        "discord",
        "旅行の計画: 京都",
        2.1 * DAY,
        ("京都で二日間、何を見ればいいですか？", "一日目は伏見稲荷と東山、二日目は嵐山がおすすめです。"),
    ),
    Talk(
        "20260311_101010_5ac8b7",
        "cli",
        "my project",
        3.2 * DAY,
        ("Set up my project with tests", "Done: pytest runs in CI.", "Can you check the test failures?"),
    ),
    Talk(
        "20260309_183000_aa10f4",
        "slack",
        "Postgres upgrade plan",
        4.9 * DAY,
        ("We must upgrade Postgres 14 before November.", "Deploy a replica on 18 first, then switch over."),
    ),
    Talk("20260304_120000_d0d0d0", "cron", "Nightly backup report", 10 * DAY, ("Report", "All 4 backups are fine.")),
    Talk(
        "20260220_083000_1b2c3d",
        "cli",
        "Café names for the side project",
        22 * DAY,
        ("Ideas for a café in Zürich?", "Läckerli & Co., Zum Zeitzünder, Sächs Bohnen."),
    ),
)
DEPLOY, DINNER, AUTH, WEATHER, KYOTO, PROJECT, POSTGRES, BACKUP, CAFE = (talk.name for talk in TALKS)
PROJECT_TIP = "20260311_153000_5ac8b7"


def fill(db: SessionDB) -> None:
    for talk in TALKS:
        at = NOW - talk.age
        db.create_session(talk.name, talk.source, model="claude-sonnet-4.6", started_at=at - 600)
        for number, text in enumerate(talk.said):
            role = ("user", "assistant")[number % 2]
            db.append_message(talk.name, role, text, timestamp=at - 60 * (len(talk.said) - 1 - number))
        if talk.title is not None:
            db.set_session_title(talk.name, talk.title)
    db.split_session(PROJECT, PROJECT_TIP, [])
    db.append_message(PROJECT_TIP, "user", "And now the release notes", timestamp=NOW - 3 * DAY)
    db.pin_session(AUTH)
    db.tag_session(DEPLOY, ["work", "infra"])


@contextmanager
def home(folder: Path) -> Iterator[SessionDB]:
    """The demo store, open, and clocks that show UTC."""
    before = os.environ.get("TZ")
    os.environ["TZ"] = "UTC"
    time.tzset()
    try:
        with SessionDB(folder / "state.db") as db:
            fill(db)
            yield db
    finally:
        os.environ.pop("TZ") if before is None else os.environ.update(TZ=before)
        time.tzset()
