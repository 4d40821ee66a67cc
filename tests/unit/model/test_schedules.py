"""When jobs run."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from hermes.errors import BadInput
from hermes.model.schedules import next_after, normal

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("every 30m", "every 1800"),
        ("every hour", "every 3600"),
        ("every 2 days", "every 172800"),
        ("hourly", "0 * * * *"),
        ("daily", "0 9 * * *"),
        ("daily at 7", "0 7 * * *"),
        ("weekdays at 8:30", "30 8 * * 1-5"),
        ("weekends at 10", "0 10 * * 0,6"),
        ("Sundays at 18:05", "5 18 * * 0"),
        ("on tuesday at 6", "0 6 * * 2"),
        ("every Monday at 9pm", "0 21 * * 1"),
        ("daily at 9am", "0 9 * * *"),
        ("every day at 12:15 am", "15 0 * * *"),
        ("every weekday at 12 pm", "0 12 * * 1-5"),
        (" */15  9-17 * * 1-5 ", "*/15 9-17 * * 1-5"),
    ],
)
def test_words_intervals_and_expressions_are_understood(typed: str, kept: str) -> None:
    assert normal(typed) == kept


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "soon",
        "every 0m",
        "every 400 days",
        "daily at 25",
        "daily at 13pm",
        "daily at 0am",
        "every nonday at 9",
        "61 * * * *",
        "0 0 30 2 *",
    ],
)
def test_anything_else_is_refused_in_one_line(typed: str) -> None:
    with pytest.raises(BadInput) as refused:
        normal(typed)
    assert "\n" not in str(refused.value)


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN).timestamp()


def test_the_next_time_is_on_the_clock_of_the_zone() -> None:
    assert next_after("0 9 * * *", at("2026-03-28T10:00"), BERLIN) == at("2026-03-29T09:00")  # 23 hours later
    assert next_after("30 2 * * *", at("2026-10-24T12:00"), BERLIN) == at("2026-10-25T02:30")
    assert next_after("every 600", 1000.0) == 1600.0


def test_a_time_that_the_clock_skips_is_not_lost() -> None:
    found = next_after("30 2 * * *", at("2026-03-28T12:00"), BERLIN)
    assert at("2026-03-29T01:59") < found <= at("2026-03-29T03:30")
