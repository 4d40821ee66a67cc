import logging
import os
import stat
from pathlib import Path

import pytest

from hermes import log
from hermes.store import SessionDB


@pytest.fixture
def logger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> logging.Logger:
    monkeypatch.setenv("HERMES_HOME", str(tmp_path / "home"))
    logger = logging.getLogger("hermes")
    before = (logger.handlers[:], logger.propagate, logger.level)
    logger.handlers.clear()
    log.set_up()
    yield logger
    for handler in logger.handlers:
        handler.close()
    logger.handlers[:], logger.propagate = before[0], before[1]
    logger.setLevel(before[2])


def test_the_file_is_opened_with_the_first_record_and_private(logger: logging.Logger, tmp_path: Path) -> None:
    file = tmp_path / "home" / "logs" / "hermes.log"
    assert not file.exists()
    old = os.umask(0)
    try:
        logger.getChild("store").warning("store opened")
    finally:
        os.umask(old)
    assert "store opened" in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_it_rotates_and_every_piece_is_private(logger: logging.Logger, tmp_path: Path) -> None:
    for number in range(60):
        logger.info("%d %s", number, "x" * 50_000)
    files = list((tmp_path / "home" / "logs").iterdir())
    assert 1 < len(files) <= 4
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in files)


def test_what_people_say_never_reaches_it(logger: logging.Logger, tmp_path: Path) -> None:
    logger.setLevel(logging.DEBUG)
    with SessionDB(tmp_path / "state.db") as db:
        db.create_session("s", "cli")
        for number in range(300):
            db.append_message("s", "user", f"sesquipedalian {number}")
        db.search_messages("sesquipedalian")
        with pytest.raises(ValueError, match="too long"):
            db.set_session_title("s", "sesquipedalian " * 20)
    logger.info("done")
    assert "sesquipedalian" not in (tmp_path / "home" / "logs" / "hermes.log").read_text()
