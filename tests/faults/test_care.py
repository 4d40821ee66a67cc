"""The faults of care for data, in sizes for every run; `scripts/faults care` has the full ones."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from hermes.store import SessionDB
from tests.faults import care, care_damage, care_imports, care_secrets  # noqa: F401  (they enter their rows)
from tests.faults.children import ask
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


@pytest.mark.parametrize(
    "page", [b"\0" * 4096, bytes([13, 0, 0, 0, 0, 16, 0, 0]) + b"\0" * 4088], ids=["zero", "empty"]
)
def test_damage_to_any_table_of_the_index_is_mended(page: bytes, tmp_path: Path) -> None:
    sound = tmp_path / "sound.db"
    with SessionDB(sound) as db:
        db.create_session("s", "cli")
        db.append_messages("s", [{"role": "user", "content": f"hello {i} 修改服务 c++"} for i in range(200)])
    roots = ask(_index_roots, sound)
    assert len(roots) == 10
    for name, root in roots.items():
        store = Path(shutil.copy(sound, tmp_path / f"{name}.db"))
        with store.open("r+b") as file:
            file.seek((root - 1) * 4096)
            file.write(page)
        with SessionDB(store) as db:
            assert db.check() != []
            assert (db.repair(), len(db.search_messages("修改"))) == ([], 20)


def _index_roots(store: Path) -> dict[str, int]:
    with closing(sqlite3.connect(store)) as db:
        return dict(
            db.execute("SELECT name, rootpage FROM sqlite_master WHERE name GLOB 'messages_fts_*' AND rootpage > 0")
        )
