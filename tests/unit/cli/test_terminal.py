import pytest

from hermes.cli import terminal


@pytest.mark.parametrize(
    ("set", "command"),
    [("", ["less"]), ("more -d", ["more", "-d"]), ("'unbalanced", ["less"]), ("a 'b c'", ["a", "b c"])],
)
def test_the_pager_is_the_one_that_is_set_or_less(
    set: str, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGER", set)
    assert terminal.pager()[0] == command


def test_less_ends_by_itself_when_all_fits_unless_it_was_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LESS", raising=False)
    assert terminal.pager()[1]["LESS"] == "FRX"
    monkeypatch.setenv("LESS", "R")
    assert terminal.pager()[1]["LESS"] == "R"


@pytest.mark.parametrize(
    ("columns", "lines", "found"), [("132", "50", (132, 50)), ("", "x", (80, 24)), ("0", "-3", (80, 24))]
)
def test_the_size_is_what_the_environment_says_or_eighty_by_twenty_four(
    columns: str, lines: str, found: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("LINES", lines)
    monkeypatch.setattr("sys.__stdout__", None)
    assert terminal.size() == found
