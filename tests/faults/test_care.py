"""The faults of care for data, in sizes for every run; `scripts/faults care` has the full ones."""

import pytest

from tests.faults import care, care_damage, care_imports, care_secrets  # noqa: F401  (they enter their rows)
from tests.faults.rows import ROWS, run_of


@pytest.mark.parametrize("number", [24, 25, 27])
def test_the_row_holds(number: int) -> None:
    with run_of(number, 1, quick=True) as run:
        outcome = ROWS[number](run)
    assert outcome.held, outcome.figure


def test_salvage_of_damaged_pages_never_hides_a_loss(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("damage")
    store = folder / "state.db"
    truth = care_damage.build(store, 4, 20)
    pages = care_damage.pages_by_kind(store)
    jobs = [(numbers[0], kind) for kind, numbers in pages.items()]
    tally = care_damage.attack(store, truth, jobs, folder, 1.0)
    assert len(tally.damaged) >= 6
    assert (tally.silent, tally.unnoticed, tally.untyped, tally.touched) == ([], [], [], [])


def test_deleted_words_are_gone_from_every_file(tmp_path_factory: pytest.TempPathFactory) -> None:
    gone = care_secrets._gone(tmp_path_factory.mktemp("gone"), 20)
    assert (gone["left"], gone["beside_reader"]) == ([], False)
