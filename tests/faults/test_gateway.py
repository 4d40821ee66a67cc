"""Rows of the gateway in a size for every run; `scripts/faults gateway` has the full ones."""

import pytest

from tests.faults.gateway import damaged_transcripts, other_people, without_a_secret
from tests.faults.rows import Row, run_of


@pytest.mark.parametrize("row", [damaged_transcripts, other_people, without_a_secret])
def test_a_row_holds(row: Row) -> None:
    with run_of(0, 1, quick=True) as run:
        outcome = row(run)
    assert outcome.held, outcome.figure
