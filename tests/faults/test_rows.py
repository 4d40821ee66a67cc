"""Rows that need no root, mounts or strace, at their quick size."""

import importlib

import pytest

from tests.faults.rows import ROWS, run_of

for _name in ("kills", "power", "contention", "failing", "replaced", "inputs", "surroundings", "versions"):
    importlib.import_module(f"tests.faults.{_name}")


@pytest.mark.parametrize("number", [1, 2, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 20, 22, 23, 26])
def test_the_promise_of_a_row_holds(number: int) -> None:
    with run_of(number, seed=1, quick=True) as run:
        outcome = ROWS[number](run)
    assert outcome.held, f"{outcome.done}: {outcome.figure}"
