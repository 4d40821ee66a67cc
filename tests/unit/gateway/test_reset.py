"""When a session is over: every mode, on every clock."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from hermes.config.areas.state import ResetRule, SessionReset
from hermes.gateway.keys import Place
from hermes.gateway.reset import Rule, due, last_daily, rule_for

BERLIN = ZoneInfo("Europe/Berlin")
DM = Place("telegram", "dm", "1", user="1")


def at(text: str, zone: ZoneInfo = BERLIN) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=zone).timestamp()


def rule(mode: str, hour: int = 4, minutes: int = 60) -> Rule:
    return Rule(mode, hour, minutes, True)


@pytest.mark.parametrize(
    ("mode", "active", "now", "why"),
    [
        ("idle", "2026-03-10T12:00", "2026-03-10T12:59", None),
        ("idle", "2026-03-10T12:00", "2026-03-10T13:00", "idle"),
        ("idle", "2026-03-10T12:00", "2026-03-10T11:00", None),  # the clock went back
        ("daily", "2026-03-10T03:59", "2026-03-10T04:00", "daily"),
        ("daily", "2026-03-10T04:00", "2026-03-11T03:59", None),
        ("daily", "2026-03-10T04:00", "2026-03-11T04:00", "daily"),
        ("daily", "2026-03-09T23:00", "2026-03-10T03:00", None),
        ("both", "2026-03-10T03:50", "2026-03-10T04:10", "daily"),
        ("both", "2026-03-10T12:00", "2026-03-10T13:30", "idle"),
        ("both", "2026-03-10T12:00", "2026-03-10T12:30", None),
        ("none", "2020-03-10T12:00", "2026-03-10T12:00", None),
    ],
)
def test_a_session_is_over_when_its_rule_says_so(mode: str, active: str, now: str, why: str | None) -> None:
    assert due(rule(mode), at(active), at(now), BERLIN) == why


def test_the_zone_decides_when_it_is_four_in_the_morning() -> None:
    now = at("2026-06-01T04:30")
    active = at("2026-06-01T03:30")
    assert due(rule("daily"), active, now, BERLIN) == "daily"
    assert due(rule("daily"), active, now, ZoneInfo("America/New_York")) is None


def test_an_hour_that_the_clock_skips_is_the_moment_of_the_change() -> None:
    change = datetime.fromisoformat("2026-03-29T01:00+00:00").timestamp()  # 02:00 becomes 03:00
    assert last_daily(2, change + 1, BERLIN) == change
    assert last_daily(2, change - 1, BERLIN) == at("2026-03-28T02:00")
    assert due(rule("daily", 2), change - 60, change, BERLIN) == "daily"


def test_an_hour_that_comes_twice_counts_once() -> None:
    first = datetime.fromisoformat("2026-10-25T00:00+00:00").timestamp()  # 02:00 in summer time
    assert last_daily(2, first + 30, BERLIN) == last_daily(2, first + 3600 + 30, BERLIN) == first
    assert due(rule("daily", 2), first + 60, first + 3700, BERLIN) is None


def test_days_of_23_and_25_hours_have_one_reset_each() -> None:
    for day in ("2026-03-29", "2026-10-25"):
        begin = at(f"{day}T00:00")
        moments = {last_daily(4, begin + minute * 60, BERLIN) for minute in range(24 * 60)}
        assert len(moments) == 2


def test_without_a_zone_the_clock_of_the_machine_counts() -> None:
    now = datetime(2026, 3, 10, 4, 30).timestamp()
    assert last_daily(4, now) == datetime(2026, 3, 10, 4).timestamp()
    assert last_daily(5, now) == datetime(2026, 3, 9, 5).timestamp()


def test_the_defaults_are_the_documented_ones() -> None:
    assert rule_for(SessionReset(), DM) == Rule("both", 4, 1440, True)
    assert rule_for(SessionReset(), Place("webhook", "dm", "1")).notify is False


def test_a_platform_goes_before_a_type_and_a_type_before_the_rest() -> None:
    settings = SessionReset(
        mode="idle",
        by_type={"group": ResetRule(mode="none", at_hour=6), "thread": ResetRule(idle_minutes=5)},
        by_platform={"slack": ResetRule(at_hour=7, notify=False)},
    )
    assert rule_for(settings, DM) == Rule("idle", 4, 1440, True)
    assert rule_for(settings, Place("telegram", "group", "g")) == Rule("none", 6, 1440, True)
    assert rule_for(settings, Place("slack", "group", "g", "t")) == Rule("none", 7, 5, False)
