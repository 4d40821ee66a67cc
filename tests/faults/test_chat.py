"""The faults of providers, in sizes for every run; `scripts/faults chat` has the full ones."""

from tests.faults.chat import failing_providers
from tests.faults.rows import run_of


def test_the_promise_of_the_row_holds() -> None:
    with run_of(28, 1, quick=True) as run:
        outcome = failing_providers(run)
    assert outcome.held, outcome.figure
