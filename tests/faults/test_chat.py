"""The faults of providers, in sizes for every run; `scripts/faults chat` has the full ones."""

import pytest

from tests.faults.chat import failing_providers
from tests.faults.chat_kills import killed_in_a_turn
from tests.faults.rows import Row, run_of


@pytest.mark.parametrize(("number", "promise"), [(28, failing_providers), (18, killed_in_a_turn)])
def test_the_promise_of_the_row_holds(number: int, promise: Row) -> None:
    with run_of(number, 1, quick=True) as run:
        outcome = promise(run)
    assert outcome.held, outcome.figure
