import time

import pytest

from hermes.cli.times import relative
from hermes.errors import BadInput
from hermes.model.times import moment

NOON = time.mktime((2026, 3, 15, 12, 0, 0, 0, 0, -1))


@pytest.mark.parametrize(
    ("ago", "said"),
    [
        (-100, "just now"),
        (0, "just now"),
        (59, "just now"),
        (5 * 60 + 30, "5m ago"),
        (2 * 3600 + 1, "2h ago"),
        (23 * 3600, "23h ago"),
        (24 * 3600, "yesterday"),
        (35 * 3600, "yesterday"),
        (37 * 3600, "2d ago"),
        (3 * 86400, "3d ago"),
        (6 * 86400, "6d ago"),
        (8 * 86400, "2026-03-07"),
    ],
)
def test_times_are_said_as_people_say_them(ago: float, said: str) -> None:
    assert relative(NOON - ago, NOON) == said


@pytest.mark.parametrize(
    ("typed", "local"),
    [
        ("2026-03-01", (2026, 3, 1, 0, 0, 0)),
        ("2026-03", (2026, 3, 1, 0, 0, 0)),
        ("2025", (2025, 1, 1, 0, 0, 0)),
        ("2026-03-01 14:30", (2026, 3, 1, 14, 30, 0)),
        ("2026-03-01T14:30:05", (2026, 3, 1, 14, 30, 5)),
        ("today", (2026, 3, 15, 0, 0, 0)),
        ("Yesterday", (2026, 3, 14, 0, 0, 0)),
        ("3h", (2026, 3, 15, 9, 0, 0)),
        ("7d", (2026, 3, 8, 12, 0, 0)),
        ("2w", (2026, 3, 1, 12, 0, 0)),
    ],
)
def test_times_are_understood_as_people_type_them(typed: str, local: tuple[int, ...]) -> None:
    assert moment(typed, NOON) == time.mktime((*local, 0, 0, -1))


@pytest.mark.parametrize("typed", ["", "soon", "2026-13-01", "2026-02-30", "7x", "99999999d", "\x00"])
def test_what_is_no_time_is_refused_with_the_forms_that_are(typed: str) -> None:
    with pytest.raises(BadInput, match="2026-03-01"):
        moment(typed, NOON)


def test_no_time_stays_none() -> None:
    assert moment(None, NOON) is None
