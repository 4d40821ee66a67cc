"""Sessions out of one home and into another."""

import csv
import html.parser
import io
import json
import os
import shutil
import stat
from pathlib import Path

import pytest

from hermes.errors import BadInput
from hermes.store import SessionDB
from tests.unit.cli.program import AUTH, PROJECT, WEATHER, Hermes, fill_guide, refused

KEY = "sk-ant-api03-" + "bX9kQ2mT7vRz" * 8
PICTURE = "data:image/png;base64,iVBORw0KGgo="
OLD_STORE = Path(__file__).parents[1] / "upgrades" / "v06.db"


@pytest.fixture
def home(hermes_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    with SessionDB() as db:
        fill_guide(db)
        db.append_message(
            AUTH,
            "assistant",
            f"The key is {KEY}.",
            tool_calls=[{"id": "1", "function": {"name": "terminal", "arguments": '{"command": "ls"}'}}],
        )
        db.append_message(AUTH, "tool", "<script>alert(1)</script>\n```\nfence", tool_name="terminal")
        picture = [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": PICTURE}}]
        db.append_message(AUTH, "user", picture)
    return hermes_home


# -- out


def test_secrets_are_masked_counted_and_marked_unless_asked_for(home: Path, hermes: Hermes) -> None:
    done = hermes("sessions", "export", "masked.jsonl", "--session-id", AUTH)
    assert done.lines == ["Exported 1 session to masked.jsonl", "1 secret masked; --include-secrets keeps them."]
    text = Path("masked.jsonl").read_text()
    assert KEY not in text
    assert json.loads(text)["_redacted"] == 1
    done = hermes("sessions", "export", "whole.jsonl", "--session-id", AUTH, "--include-secrets")
    assert done.lines == ["Exported 1 session to whole.jsonl"]
    assert KEY in Path("whole.jsonl").read_text()


def test_a_pipe_gets_the_export_alone_and_the_rest_is_said_beside_it(home: Path, hermes: Hermes) -> None:
    done = hermes("sessions", "export", "-", "--session-id", AUTH)
    assert done.err == "hermes: 1 secret masked; --include-secrets keeps them.\n"
    assert json.loads(done.out)["id"] == AUTH


def test_a_file_is_private_and_never_takes_the_place_of_another(home: Path, hermes: Hermes) -> None:
    os.umask(0)
    try:
        hermes("sessions", "export", "a.jsonl")
    finally:
        os.umask(0o022)
    file = Path("a.jsonl")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.write_text("mine")
    assert "--force" in refused(hermes("sessions", "export", "a.jsonl"), 2)
    assert file.read_text() == "mine"
    assert hermes("sessions", "export", "a.jsonl", "--force").code == 0
    assert file.read_text() != "mine"


def test_an_export_never_goes_through_a_link(home: Path, hermes: Hermes) -> None:
    victim = Path("victim")
    victim.write_text("precious")
    for name, target in (("link.jsonl", "victim"), ("dangling.jsonl", "nowhere")):
        Path(name).symlink_to(target)
        refused(hermes("sessions", "export", name), 2)
    hermes("sessions", "export", "link.jsonl", "--force")
    assert victim.read_text() == "precious"
    assert not Path("nowhere").exists()


@pytest.mark.parametrize("target", ["nowhere/x.jsonl", "."])
def test_a_place_that_cannot_be_written_is_refused(target: str, home: Path, hermes: Hermes) -> None:
    refused(hermes("sessions", "export", target), 2)


def test_one_part_is_exported_and_the_others_are_offered(home: Path, hermes: Hermes) -> None:
    done = hermes("sessions", "export", "one.jsonl", "--session-id", "my project")
    assert done.lines == [
        "Exported 1 session to one.jsonl",
        "The conversation has 3 parts; --lineage exports all of them.",
    ]
    done = hermes("sessions", "export", "all.jsonl", "--session-id", "my project", "--lineage")
    assert done.lines == ["Exported 3 sessions to all.jsonl"]


def test_json_is_one_array(home: Path, hermes: Hermes) -> None:
    hermes("sessions", "export", "all.json")
    assert len(json.loads(Path("all.json").read_text())) == 5
    hermes("sessions", "export", "none.json", "--source", "nope")
    assert json.loads(Path("none.json").read_text()) == []


def test_csv_is_the_table_of_sessions_and_no_formula(home: Path, hermes: Hermes) -> None:
    with SessionDB() as db:
        db.set_session_title(WEATHER, "=1+1")
    hermes("sessions", "export", "sessions.csv")
    rows = list(csv.DictReader(io.StringIO(Path("sessions.csv").read_text())))
    assert len(rows) == 5
    titles = {row["id"]: row["title"] for row in rows}
    assert titles[WEATHER] == "'=1+1"
    assert titles[AUTH] == "refactoring auth"
    assert "messages" not in rows[0]


def test_markdown_reads_as_a_conversation(home: Path, hermes: Hermes) -> None:
    hermes("sessions", "export", "auth.md", "--session-id", AUTH)
    text = Path("auth.md").read_text()
    assert text.startswith("# refactoring auth\n\n*20250305_091523_a1b2c3d4 · cli · ")
    assert "1 secrets masked" in text or "1 secret masked" in text
    assert "\n## user · " in text
    assert "\n````\n<script>alert(1)</script>\n```\nfence\n````\n" in text
    assert '> [tool call] terminal {"command": "ls"}' in text


class Page(html.parser.HTMLParser):
    """Every tag with its attributes, and the text."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_html_page_is_readable_alone_and_runs_nothing(home: Path, hermes: Hermes) -> None:
    hermes("sessions", "export", "auth.html", "--session-id", AUTH)
    page = Page(Path("auth.html").read_text())
    names = [name for name, _ in page.tags]
    assert "Help me refactor the auth module please" in page.text
    assert "<script>alert(1)</script>" in page.text
    assert not {"script", "link", "iframe", "object", "form", "a"} & set(names)
    assert [attributes["src"] for name, attributes in page.tags if name == "img"] == [PICTURE]
    assert not any(key.startswith("on") for _, attributes in page.tags for key in attributes)
    assert any("default-src 'none'" in (attributes.get("content") or "") for _, attributes in page.tags)


# -- and in again


def other_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "other"
    monkeypatch.setenv("HERMES_HOME", str(home))
    return home


def test_what_was_exported_comes_in_whole_and_only_once(
    home: Path, tmp_path: Path, hermes: Hermes, monkeypatch: pytest.MonkeyPatch
) -> None:
    hermes("sessions", "export", "backup.jsonl", "--include-secrets")
    listing = hermes("sessions", "list").out
    other_home(tmp_path, monkeypatch)
    done = hermes("sessions", "import", "backup.jsonl", "--json")
    assert json.loads(done.out) == {"imported": 5, "messages": 8, "known": 0, "refused": []}
    assert hermes("sessions", "list").out == listing
    assert hermes("sessions", "import", "backup.jsonl").lines == [
        "Imported 0 sessions (0 messages) from backup.jsonl",
        "5 sessions known already, left as they are.",
    ]
    assert hermes("sessions", "lineage", PROJECT).lines[2].endswith("my project #3 · cli · 1 message")


def test_only_a_trusted_file_brings_owners_and_system_messages(home: Path, hermes: Hermes) -> None:
    messages = [{"role": "system", "content": "obey"}, {"role": "user", "content": "hello"}]
    told = {"id": "told", "source": "telegram", "user_id": "7", "owner": "telegram:7", "started_at": 1.0}
    Path("told.jsonl").write_text(json.dumps({**told, "messages": messages}) + "\n")
    refusal = hermes("sessions", "import", "told.jsonl")
    assert refusal.code == 2
    assert "system message" in refusal.out
    assert hermes("sessions", "import", "told.jsonl", "--keep-owners").code == 0
    with SessionDB() as db:
        assert [message["role"] for message in db.get_messages("told")] == ["system", "user"]
        assert [row["id"] for row in db.scoped("telegram:7").list_sessions_rich()] == ["told"]


def test_another_store_is_read_and_left_as_it_is(tmp_path: Path, hermes: Hermes) -> None:
    old = Path(shutil.copyfile(OLD_STORE, tmp_path / "old.db"))
    before = old.read_bytes()
    done = hermes("sessions", "import", str(old))
    assert done.code == 0
    assert done.lines[0].startswith("Imported ")
    assert old.read_bytes() == before


def test_bad_lines_are_named_and_the_good_ones_taken(home: Path, hermes: Hermes) -> None:
    good = {"id": "good", "source": "cli", "started_at": 1.0, "messages": [{"role": "user", "content": "hello"}]}
    lines = ["{torn", json.dumps(good), json.dumps({"id": "../bad", "source": "cli", "messages": []})]
    Path("mixed.jsonl").write_text("\n".join(lines))
    done = hermes("sessions", "import", "mixed.jsonl")
    assert done.code == 2
    assert done.lines[:2] == ["Imported 1 session (1 message) from mixed.jsonl", "2 refused:"]
    assert "line 1" in done.lines[2]
    assert "line 3" in done.lines[3]
    assert hermes("sessions", "show", "good").code == 0


def test_the_store_itself_a_folder_and_nothing_are_no_import(home: Path, hermes: Hermes) -> None:
    assert "this store itself" in refused(hermes("sessions", "import", str(home / "state.db")), 2)
    Path("hard").hardlink_to(home / "state.db")
    assert "this store itself" in refused(hermes("sessions", "import", "hard"), 2)
    refused(hermes("sessions", "import", str(home)), 2)
    refused(hermes("sessions", "import", "nowhere.jsonl"), 1)


@pytest.mark.parametrize("place", [".", "..", "/"])
def test_a_folder_is_no_file_to_export_to(home: Path, place: str) -> None:
    with SessionDB() as db, pytest.raises(BadInput, match="is a folder"):
        db.export_file(place)
