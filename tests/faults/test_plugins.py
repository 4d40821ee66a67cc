"""The row on plugins, in a size for every run; `scripts/faults plugins` has the full one."""

import pytest

from tests.faults.plugins import plugins_never_cost_a_turn
from tests.faults.rows import run_of


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")  # what this plugin does is the point
def test_a_plugin_never_costs_a_turn() -> None:
    with run_of(30, 1, quick=True) as run:
        outcome = plugins_never_cost_a_turn(run)
    assert outcome.held, outcome.figure
