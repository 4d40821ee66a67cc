"""File tools: text keeps what it is made of, nothing is half written, nothing is too large."""

import os
import stat
import time
from pathlib import Path
from typing import Any

import pytest

from hermes.tools.base import ToolResult
from hermes.tools.registry import registry
from hermes.tools.work import Work
from tests.unit.tools.working import work_in

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def work(folder: Path) -> Work:
    return work_in(folder)


def do(work: Work, name: str, **arguments: Any) -> ToolResult:
    result: ToolResult = registry.dispatch(name, arguments, work)
    return result


def test_read_file_has_the_printed_schema(work: Work) -> None:
    (definition,) = registry.get_definitions(["read_file"], work.place)
    function = definition["function"]
    assert function["description"].startswith("Read a text file with line numbers")
    assert function["parameters"] == {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Path to the file to read"},
            "offset": {"type": "integer", "default": 1, "minimum": 1},
            "limit": {"type": "integer", "default": 500, "maximum": 2000},
        },
        "required": ["path"],
    }


def test_a_long_file_comes_in_parts(work: Work, folder: Path) -> None:
    (folder / "n.txt").write_text("".join(f"line {n}\n" for n in range(1, 1201)))
    first = do(work, "read_file", path="n.txt").content.split("\n")
    assert (first[0], first[499], first[500]) == (
        "1|line 1",
        "500|line 500",
        "[lines 1-500 of 1,200; offset=501 goes on]",
    )
    last = do(work, "read_file", path="n.txt", offset=1199).content
    assert last == "1199|line 1199\n1200|line 1200"
    assert (
        do(work, "read_file", path="n.txt", offset=5000).content == "[the file has 1,200 lines; there is no line 5000]"
    )


def test_a_huge_file_is_read_without_loading_it(work: Work, folder: Path) -> None:
    with (folder / "huge").open("wb") as file:
        file.write(b"first\n" + b"text " * 2000)
        file.truncate(8_000_000_000)  # sparse: no line end for eight gigabytes
    began = time.monotonic()
    assert do(work, "read_file", path="huge", limit=1).content == "1|first\n[lines 1-1; offset=2 goes on]"
    assert time.monotonic() - began < 30


def test_a_line_without_an_end_is_cut(work: Work, folder: Path) -> None:
    (folder / "x").write_text("x" * 300_000 + "\nend")
    assert do(work, "read_file", path="x").content == f"1|{'x' * 2000} [… 298,000 more]\n2|end"


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        ("é\n".encode(), "1|é"),
        ("\ufeffé\n".encode(), "1|é"),
        ("é\r\nb\r\n".encode("utf-16"), "1|é\n2|b"),
        ("é\n".encode("latin-1"), "1|é"),
        (b"a\r\nb\r\n", "1|a\n2|b"),
        (b"", "[the file is empty]"),
    ],
)
def test_every_encoding_is_read(work: Work, folder: Path, raw: bytes, told: str) -> None:
    (folder / "f").write_bytes(raw)
    assert do(work, "read_file", path="f").content == told


@pytest.mark.parametrize("tool", ["read_file", "patch"])
def test_what_is_no_text_is_said_to_be_none(work: Work, folder: Path, tool: str) -> None:
    (folder / "p.png").write_bytes(PNG)
    more = {"old_string": "a", "new_string": "b"} if tool == "patch" else {}
    assert "is binary" in do(work, tool, path="p.png", **more).content
    assert (folder / "p.png").read_bytes() == PNG


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("gone.txt", "There is no file"),
        ("nots.txt", "near to it: notes.txt."),
        (".", "is a folder"),
        ("/dev/zero", "not a regular file"),
        ("", "The path is empty"),
        ("a\0b", "The path is empty"),
        ("~/.hermes-no-such", "There is no file"),
        ("notes.txt/x", "Not a directory"),
    ],
)
def test_what_cannot_be_read_is_explained(work: Work, folder: Path, path: str, told: str) -> None:
    (folder / "notes.txt").write_text("a")
    result = do(work, "read_file", path=path)
    assert not result.ok
    assert told in result.content


def test_a_pipe_does_not_hang_the_reader(work: Work, folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    assert "not a regular file" in do(work, "read_file", path="pipe").content


def test_nobody_opens_the_store(work: Work, hermes_home: Path) -> None:
    hermes_home.mkdir()
    (hermes_home / "state.db").write_bytes(b"x")
    for path in (hermes_home / "state.db", hermes_home / "state.db-wal"):
        assert "session_search reads it" in do(work, "read_file", path=str(path)).content


def test_a_new_file_gets_its_folders(work: Work, folder: Path) -> None:
    assert do(work, "write_file", path="a/b/c.txt", content="é\n").content == (
        f"Created {folder}/a/b/c.txt (1 lines, 3 bytes)."
    )
    assert (folder / "a/b/c.txt").read_bytes() == "é\n".encode()


def test_a_replaced_file_keeps_line_ends_encoding_and_mode(work: Work, folder: Path) -> None:
    script = folder / "s.bat"
    script.write_bytes("rem é\r\npause\r\n".encode("utf-16"))
    script.chmod(0o750)
    assert do(work, "write_file", path="s.bat", content="rem ü\nexit\n").ok
    assert script.read_bytes().decode("utf-16") == "rem ü\r\nexit\r\n"
    assert stat.S_IMODE(script.stat().st_mode) == 0o750


def test_a_link_stays_a_link(work: Work, folder: Path) -> None:
    (folder / "real.txt").write_text("a")
    (folder / "link.txt").symlink_to("real.txt")
    do(work, "write_file", path="link.txt", content="b")
    assert (folder / "link.txt").is_symlink()
    assert (folder / "real.txt").read_text() == "b"


def test_a_write_that_fails_changes_nothing(work: Work, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "a.txt").write_text("before")

    def no_room(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", no_room)
    result = do(work, "write_file", path="a.txt", content="after")
    assert "No space left on device; nothing was changed" in result.content
    assert [(file.name, file.read_text()) for file in folder.iterdir()] == [("a.txt", "before")]


def test_patch_changes_one_place_and_shows_it(work: Work, folder: Path) -> None:
    (folder / "a.py").write_bytes(b"def f():\r\n    return 1\r\n")
    result = do(work, "patch", path="a.py", old_string="f():\n    return 1", new_string="g():\n    return 2")
    assert "-    return 1\n+def g():\n+    return 2" in result.content
    assert (folder / "a.py").read_bytes() == b"def g():\r\n    return 2\r\n"


def test_patch_forgives_blanks_at_the_ends_of_lines(work: Work, folder: Path) -> None:
    (folder / "a.py").write_text("if x:   \n    y()\n")
    assert do(work, "patch", path="a.py", old_string="if x:\n    y()", new_string="z()").ok
    assert (folder / "a.py").read_text() == "z()\n"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("x", "y", "is 2 times in"),
        ("count = 3", "y", "Near to its first line: 1|count = 1"),
        ("nothing like it at all", "y", "Read the file again"),
        ("", "y", "old_string is empty"),
        ("x", "x", "are the same"),
    ],
)
def test_a_patch_that_does_not_fit_says_why(work: Work, folder: Path, old: str, new: str, told: str) -> None:
    (folder / "a.py").write_text("count = 1\nx x\n")
    result = do(work, "patch", path="a.py", old_string=old, new_string=new)
    assert not result.ok
    assert told in result.content
    assert (folder / "a.py").read_text() == "count = 1\nx x\n"


def test_patch_changes_every_place_when_asked(work: Work, folder: Path) -> None:
    (folder / "a.py").write_text("x x x")
    do(work, "patch", path="a.py", old_string="x", new_string="y", replace_all=True)
    assert (folder / "a.py").read_text() == "y y y"


# -- search, by ripgrep where it is and by our own program


@pytest.fixture
def project(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small project, on a machine without ripgrep."""
    (folder / "src").mkdir()
    (folder / "src/a.py").write_text("import os\n\ndef find_me():\n    return os\n")
    (folder / "src/b.txt").write_text("find_me too\n")
    (folder / ".git").mkdir()
    (folder / ".git/c.py").write_text("find_me not\n")
    (folder / "p.png").write_bytes(PNG + b"find_me")
    bare = folder.parent / "bin"
    bare.mkdir()
    monkeypatch.setenv("PATH", str(bare))
    return folder


def test_content_is_found_with_its_place(project: Path, work: Work) -> None:
    found = do(work, "search_files", pattern=r"find_\w+").content
    assert found == "src/a.py:3:def find_me():\nsrc/b.txt:1:find_me too"
    assert (
        do(work, "search_files", pattern="find_me", path="src", file_glob="*.txt").content == "src/b.txt:1:find_me too"
    )
    assert do(work, "search_files", pattern="find_me", path="src/a.py", context=1).content == (
        "src/a.py-2-\nsrc/a.py:3:def find_me():\nsrc/a.py-4-    return os"
    )
    assert do(work, "search_files", pattern="nowhere").content == "Nothing found."


def test_files_are_found_newest_first(project: Path, work: Work) -> None:
    for age, name in enumerate(("src/b.txt", "p.png", "src/a.py")):
        os.utime(project / name, (1000 - age, 1000 - age))
    assert do(work, "search_files", pattern="*.*", target="files").content == "src/b.txt\np.png\nsrc/a.py"
    assert do(work, "search_files", pattern="src/*.py", target="files").content == "src/a.py"


@pytest.mark.parametrize("ripgrep", [False, True])
def test_a_search_shows_no_secrets_unless_somebody_says_yes(
    project: Path, monkeypatch: pytest.MonkeyPatch, ripgrep: bool
) -> None:
    if ripgrep:
        monkeypatch.setenv("PATH", os.defpath)
    home, asked = project / "home", []
    monkeypatch.setenv("HERMES_HOME", str(home))
    (home / "sessions").mkdir(parents=True)
    for name in ("server.key", "home/credentials.json", "home/sessions/bob.md", ".env", "src/open.md"):
        (project / name).write_text("hunter2\n")
    (project / "link.txt").symlink_to(project / ".env")

    def ask(question: str, choices: object) -> str:
        asked.append(question)
        return "once" if len(asked) == 1 else "deny"

    work = work_in(project, ask=ask)
    assert do(work, "search_files", pattern="hunter").content == "src/open.md:1:hunter2" and not asked
    assert "server.key:1:hunter2" in do(work, "search_files", pattern="hunter", path="server.key").content
    for place in (".env", "home", "home/sessions", "link.txt"):
        assert "refused by the person" in do(work, "search_files", pattern="hunter", path=place).content
    assert len(asked) == 5


def test_more_than_the_limit_is_counted(project: Path, work: Work) -> None:
    (project / "many.txt").write_text("hit\n" * 30)
    shown = do(work, "search_files", pattern="hit", limit=5).content.split("\n")
    assert (len(shown), shown[-1]) == (6, "[25 more; narrow the search or raise limit]")


def test_a_pattern_that_takes_for_ever_is_ended(project: Path, work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    from hermes.tools.files import searching

    monkeypatch.setattr(searching, "_SECONDS", 1.0)
    (project / "a.txt").write_text("a" * 40 + "!")
    began = time.monotonic()
    assert "took more than 1 s" in do(work, "search_files", pattern="(a+)+$").content
    assert time.monotonic() - began < 30


@pytest.mark.parametrize(
    ("arguments", "told"),
    [({"pattern": "("}, "not a regular expression"), ({"pattern": "x", "path": "nowhere"}, "There is no")],
)
def test_a_search_that_makes_no_sense_says_so(project: Path, work: Work, arguments: Any, told: str) -> None:
    assert told in do(work, "search_files", **arguments).content
