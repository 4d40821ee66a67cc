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
