"""The faults of tools, in sizes for every run; `scripts/faults tools` has the full ones."""

import pytest

from tests.faults.rows import Row, run_of
from tests.faults.tools import dangerous_commands
from tests.faults.tools_output import output_bombs


@pytest.mark.parametrize(("number", "promise"), [(29, output_bombs), (31, dangerous_commands)])
def test_the_promise_of_the_row_holds(number: int, promise: Row) -> None:
    with run_of(number, 1, quick=True) as run:
        outcome = promise(run)
    assert outcome.held, outcome.figure
