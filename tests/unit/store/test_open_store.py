from pathlib import Path

import pytest

from hermes.errors import ConfigError
from hermes.store import open_store
from tests.stories.stock import run


@pytest.mark.parametrize("form", ["{path}", "sqlite://{path}", "sqlite:///{path}"])
def test_a_path_and_an_address_lead_to_the_same_store(tmp_path: Path, form: str) -> None:
    path = tmp_path / "state.db"
    with open_store(form.format(path=path)) as db:
        assert db.db_path == path


def test_without_an_address_the_store_lies_in_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "home"))
    with open_store() as db:
        assert db.db_path == tmp_path / "home" / "state.db"


def test_another_kind_of_store_is_refused_with_what_to_use() -> None:
    with pytest.raises(ConfigError, match="use a path"):
        open_store("mongodb://localhost/x")


def test_a_store_made_before_there_was_a_gateway_gets_its_tables(tmp_path: Path) -> None:
    with open_store(tmp_path / "state.db") as db:
        db.create_session("s", "cli")
    run(tmp_path / "state.db", *((f"DROP TABLE {name}", ()) for name in ("routes", "inbox", "outbox")))
    with open_store(tmp_path / "state.db") as db:
        assert db.list_routes() == []
        assert db.delete_session("s")
