"""The row on what may be opened, in a size for every run; `scripts/faults tools` has the full one."""

from tests.faults.rows import run_of
from tests.faults.web import nothing_private_is_opened


def test_nothing_but_the_public_internet_is_opened() -> None:
    with run_of(32, 1, quick=True) as run:
        outcome = nothing_private_is_opened(run)
    assert outcome.held, outcome.figure
