"""The log, by component, and as it grows."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hermes.commands.logs import logs
from hermes.commands.reply import Stream
from hermes.errors import BadInput

RECORD = "2026-03-05 09:15:23,123 {level} hermes.{name}[4711] {text}\n"
TEXT = "".join(
    [
        RECORD.format(level="INFO", name="store", text="opened"),
        RECORD.format(level="ERROR", name="cli", text="a command failed"),
        "Traceback (most recent call last):\n",
        "ZeroDivisionError\n",
        RECORD.format(level="INFO", name="store.care", text="tidied"),
        RECORD.format(level="INFO", name="storefront", text="another"),
    ]
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "hermes.log"
    path.write_text(TEXT)
    return path


def lines(file: Path, **options: object) -> Iterator[str]:
    (part,) = logs(file, **options).parts  # type: ignore[arg-type]
    assert isinstance(part, Stream)
    return iter(part.lines)


def test_the_newest_lines_are_shown(file: Path) -> None:
    assert list(lines(file)) == TEXT.splitlines()
    assert list(lines(file, lines=1)) == TEXT.splitlines()[-1:]
    assert list(lines(file, lines=0)) == []


def test_a_component_has_its_own_records_with_what_belongs_to_them(file: Path) -> None:
    assert [line.split("] ")[1] for line in lines(file, component="store")] == ["opened", "tidied"]
    assert [line.split("] ")[-1] for line in lines(file, component="cli")] == [
        "a command failed",
        "Traceback (most recent call last):",
        "ZeroDivisionError",
    ]
    assert "Nothing of gateway was logged yet" in str(logs(file, component="gateway").parts)


def test_what_comes_is_followed_through_a_rotation(file: Path) -> None:
    coming = lines(file, lines=1, follow=True)
    assert next(coming).endswith("another")
    with file.open("a") as log:
        log.write(RECORD.format(level="INFO", name="store", text="new"))
    assert next(coming).endswith("new")
    file.rename(file.with_name("hermes.log.1"))
    file.write_text(RECORD.format(level="INFO", name="store", text="fresh"))
    assert next(coming).endswith("fresh")


def test_a_log_that_comes_later_is_followed(tmp_path: Path) -> None:
    later = tmp_path / "later.log"
    coming = lines(later, follow=True)
    later.write_text("first\n")
    assert next(coming) == "first"


def test_no_log_yet_is_said_and_bad_bytes_are_shown(tmp_path: Path) -> None:
    assert "Nothing was logged yet" in str(logs(tmp_path / "none.log").parts)
    (tmp_path / "bad.log").write_bytes(b"bad \xff byte\n")
    assert list(lines(tmp_path / "bad.log")) == ["bad \ufffd byte"]
    with pytest.raises(BadInput):
        logs(tmp_path / "bad.log", lines=-1)
