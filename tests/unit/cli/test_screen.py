"""What reaches the terminal, whatever was stored."""

import io
import json
from typing import Any

import pytest

from hermes.cli.draw import lines_of
from hermes.cli.screen import Screen, safe, say, write
from hermes.commands.reply import Column, Facts, Reply, Span, Table, Text, Tree, said


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return Terminal()


HIT = Text(((Span("a "), Span("hit", "hit")),))


def test_a_hit_is_coloured_on_a_terminal(terminal: Terminal) -> None:
    assert Screen(terminal).show(Reply((HIT,))) == 0
    assert terminal.getvalue() == "a \x1b[1;33mhit\x1b[0m\n"


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_a_hit_is_marked_where_there_is_no_colour(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    Screen(terminal).show(Reply((HIT,)))
    assert terminal.getvalue() == "a >>>hit<<<\n"


def test_a_pipe_gets_no_colour(capsys: pytest.CaptureFixture[str]) -> None:
    Screen().show(Reply((HIT,)))
    assert capsys.readouterr().out == "a >>>hit<<<\n"


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\x9b2J", "\\x9b2J"),
        ("bell\x07", "bell\\x07"),
        ("line\rover", "line\\rover"),
        ("abc\u202edef", "abc\\u202edef"),
        ("half \ud800", "half \\ud800"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("日本語 👩‍👩‍👧", "日本語 👩‍👩‍👧"),
    ],
)
def test_what_a_terminal_would_obey_is_shown_instead(stored: str, shown: str) -> None:
    assert safe(stored) == shown


def test_an_error_is_one_line_without_control_characters(capsys: pytest.CaptureFixture[str]) -> None:
    say("No session 'a\nb\x1b[2J'.")
    assert capsys.readouterr().err == "hermes: No session 'a b\\x1b[2J'.\n"


@pytest.mark.parametrize(
    ("encoding", "written"),
    [("ascii", b'--- caf\\xe9 \\u65e5 "x"'), ("latin-1", b'--- caf\xe9 \\u65e5 "x"'), ("utf-8", None)],
)
def test_an_encoding_without_the_character_spells_it_out(encoding: str, written: bytes | None) -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding)
    write(stream, "─── café 日 “x”")
    stream.flush()
    assert raw.getvalue() == (written or "─── café 日 “x”".encode())


def test_nothing_is_written_where_there_is_no_stream() -> None:
    write(None, "x")


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_json_parses_in_every_encoding(encoding: str) -> None:
    data = {"title": "日本語 \x9b \u202e \ud800 \x07", "n": 1}
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding=encoding)
    Screen(out, as_json=True).show(said("x", data=[data, data]))
    out.flush()
    text = raw.getvalue().decode(encoding)
    assert [json.loads(line) for line in text.splitlines()] == [data, data]
    assert not any(ord(char) in (0x9B, 0x202E) for char in text)


# -- tables

COLUMNS = (Column("Title", 10, least=4), Column("When", 8, "time"), Column("N", 5, "number"), Column("ID", 2, "id"))


def drawn(rows: list[tuple[Any, ...]], columns: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    screen = Screen(Terminal())
    table = Table(COLUMNS, tuple(rows), 30)
    return [line.rstrip() for line in lines_of(table, screen)]


def test_columns_align_for_every_script(monkeypatch: pytest.MonkeyPatch) -> None:
    now = Screen().now
    rows = [("plain", now, 7, "one"), ("日本語のタイトル", now, 1234, "two"), ("👩‍👩‍👧 x", now, 12, "three")]
    assert drawn(rows, 80, monkeypatch) == [
        "Title      When         N ID",
        "─" * 30,
        "plain      just now     7 one",
        "日本語の…  just now 1,234 two",
        "👩‍👩‍👧 x       just now    12 three",
    ]


def test_columns_shrink_on_a_narrow_terminal_and_ids_stay_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    now = Screen().now
    lines = drawn([("a longer title", now, 7, "20250305_0915")], 34, monkeypatch)
    assert lines[2] == "a lo… just now     7 20250305_0915"
    assert all(len(line) <= 34 for line in lines)


def test_a_very_narrow_terminal_gets_each_row_in_lines_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    now = Screen().now
    lines = drawn([("a longer title", now, 7, "20250305_0915")], 20, monkeypatch)
    assert lines == ["a longer title", "  just now  7", "  20250305_0915"]


PROSE = Column("About", 20, least=12)


def test_a_last_column_of_words_is_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    row = ("web", "read what stands on a page")
    monkeypatch.setenv("COLUMNS", "24")
    screen = Screen(Terminal())
    lines = [line.rstrip() for line in lines_of(Table((Column("Name", 8, least=4), PROSE), (row,), 30), screen)]
    assert lines[2:] == ["web      read what", "         stands on a", "         page"]
    monkeypatch.setenv("COLUMNS", "16")
    narrow = [line.rstrip() for line in lines_of(Table((Column("Name", 8, least=4), PROSE), (row,), 30), screen)]
    assert narrow == ["web", "  read what", "  stands on a", "  page"]


def test_prose_is_folded_on_a_terminal_and_whole_in_a_pipe(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setenv("NO_COLOR", "1")
    line = (Span("a hit in "), Span("the middle", "hit"), Span(" of a line"))
    folded = [line.rstrip() for line in lines_of(Text((line,), prose=True), Screen(Terminal()))]
    assert folded == ["a hit in >>>the", "  middle<<< of a", "  line"]
    assert list(lines_of(Text(("a command that is to be copied",)), Screen(Terminal()))) == [
        "a command that is to be copied"
    ]
    Screen().show(Reply((Text((line,), prose=True),)))
    assert capsys.readouterr().out == "a hit in >>>the middle<<< of a line\n"


def test_facts_are_folded_between_words_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    facts = Facts((("Tokens", "1.1M (206K in, 48K out)", "text"), ("Home", "/a/long/path/to/the/home", "text")))
    assert [line.rstrip() for line in lines_of(facts, Screen(Terminal()))] == [
        "Tokens: 1.1M (206K",
        "  in, 48K out)",
        "Home: /a/long/path/to/the/home",
    ]


def test_facts_are_lines_with_their_sizes_readable(capsys: pytest.CaptureFixture[str]) -> None:
    Screen().show(Reply((Facts((("Size", 12_400_000, "bytes"), ("Small", 12, "bytes"), ("N", 1204, "number"))),)))
    assert capsys.readouterr().out == "Size: 12.4 MB\nSmall: 12 bytes\nN: 1,204\n"


def test_a_tree_is_drawn_with_its_branches(capsys: pytest.CaptureFixture[str]) -> None:
    tree = Tree(((0, "root"), (1, "first"), (2, "inner"), (1, "last"), (2, "leaf")))
    Screen().show(Reply((tree,)))
    assert capsys.readouterr().out.splitlines() == ["root", "├─ first", "│  └─ inner", "└─ last", "   └─ leaf"]
