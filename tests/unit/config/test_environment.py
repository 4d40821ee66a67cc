"""`.env`: read as everybody else reads it, written without touching the other lines."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.config import environment


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("A=b", "b"),
        ("export A=b", "b"),
        ("  A = b  ", "b"),
        ("A=", ""),
        ("A=b # remark", "b"),
        ("A=b#c", "b#c"),
        ("A=#c", ""),
        ("A='b # c'", "b # c"),
        ('A="b # c" # remark', "b # c"),
        (r'A="two\nlines \"x\" \\"', 'two\nlines "x" \\'),
        (r"A='raw\n'", r"raw\n"),
        ("A=b=c==", "b=c=="),
        ("A=$OTHER", "$OTHER"),
        ("A=ключ", "ключ"),
    ],
)
def test_a_line_means_what_it_means_elsewhere(line: str, value: str) -> None:
    assert environment.parse(f"# remark\n\n{line}\n") == ({"A": value}, [])


def test_the_last_of_two_lines_counts() -> None:
    assert environment.parse("A=1\r\nA=2\r\n") == ({"A": "2"}, [])


@pytest.mark.parametrize("line", ["A", "1A=b", "A-B=c", "=x"])
def test_a_line_that_is_no_variable_is_a_problem(line: str) -> None:
    assert environment.parse(line) == ({}, [".env line 1: not of the form NAME=value; ignored."])


def test_both_together_are_one_mapping() -> None:
    both = environment.Environment({"A": "1", "B": "1"}, {"B": "2", "C": "2"}, [])
    assert dict(both) == {"A": "1", "B": "1", "C": "2"}
    assert (len(both), both.is_from_dotenv("C"), both.is_from_dotenv("B")) == (3, True, False)


def test_variables_in_a_traceback_show_no_secret() -> None:
    assert "hunter2" not in repr(environment.Environment({"A": "hunter2"}, {"B": "hunter2"}, []))


def test_setting_a_variable_keeps_the_other_lines() -> None:
    before = "# keys\nA=1\nexport B='2'\n\nnonsense\n"
    assert environment.with_variable(before, "B", "x y") == '# keys\nA=1\nB="x y"\n\nnonsense\n'
    assert environment.with_variable(before, "C", "3") == before + "C=3\n"
    assert environment.with_variable(before, "A", None) == "# keys\nexport B='2'\n\nnonsense\n"


@given(st.text(st.characters(codec="utf-8", exclude_characters="\x00")))
def test_every_value_is_read_back_as_it_was(value: str) -> None:
    text = environment.with_variable("Z=1\n", "A", value)
    assert environment.parse(text) == ({"Z": "1", "A": value}, [])


def test_a_file_that_is_not_text_is_a_problem_and_not_a_failure(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"A=\xff\n")
    both = environment.read(tmp_path / ".env", {"B": "1"})
    assert (dict(both), both.problems) == ({"B": "1"}, [".env cannot be read (it is not UTF-8 text)."])


@pytest.mark.parametrize(
    ("variables", "command"),
    [
        ({"VISUAL": "code --wait", "EDITOR": "nano"}, ["code", "--wait"]),
        ({"EDITOR": "nano"}, ["nano"]),
        ({}, ["vi"]),
        ({"EDITOR": "it's"}, ["it's"]),
    ],
)
def test_the_editor_is_the_one_a_person_chose(monkeypatch, variables: dict[str, str], command: list[str]) -> None:
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert environment.editor() == command
