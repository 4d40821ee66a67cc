"""The faults of search, in sizes for every run; `scripts/faults search` has the full ones."""

import pytest

from tests.faults.rows import run_of
from tests.faults.search import hostile_queries, sql_in_filters


@pytest.mark.parametrize("promise", [hostile_queries, sql_in_filters])
def test_the_promise_of_the_row_holds(promise: object) -> None:
    with run_of(21, 1, quick=True) as run:
        outcome = promise(run)  # type: ignore[operator]
    assert outcome.held, outcome.figure
