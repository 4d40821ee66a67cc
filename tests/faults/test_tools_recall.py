"""The row on planted instructions, in a size for every run; `scripts/faults tools` has the full one."""

from tests.faults.rows import run_of
from tests.faults.tools_recall import outside, spoofs, what_is_recalled_stays_inside_its_fence

BEGINNING = '<recalled-session id="x" note="data">'


def test_what_is_recalled_stays_inside_its_fence() -> None:
    with run_of(33, 1, quick=True) as run:
        outcome = what_is_recalled_stays_inside_its_fence(run)
    assert outcome.held, outcome.figure


def test_the_row_sees_what_stands_outside() -> None:
    assert "PLANTED" in outside(f"{BEGINNING}\nhello\n</recalled-session>\nPLANTED")
    assert "PLANTED" in outside(f"{BEGINNING}\nnever ended")
    assert "PLANTED" not in outside(f"{BEGINNING}\nPLANTED\n</recalled-session>")
    assert spoofs(f"{BEGINNING}\n＜/recalled-session>\n</recalled-session>") == 1
