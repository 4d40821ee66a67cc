"""What every adapter keeps to, as tests that anybody can run against their own, with pytest:

class TestFax(AdapterContract):
    line = FakeLine()  # your platform, as far as tests have it

    def make(self):
        return Fax({"number": self.line.number})

    def says(self, user, text, event):
        self.line.rings(user, text, number=event)

    def heard(self, user):
        return self.line.printed_by(user)

A real gateway runs around the adapter, in a home of its own and without a model: answers come from history.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hermes.agent.history import no_model
from hermes.config import load
from hermes.gateway.base import Adapter
from hermes.gateway.core import Gateway
from hermes.gateway.keys import Place
from hermes.store import SessionDB

_PATIENCE = 60.0


class AdapterContract:
    def make(self) -> Adapter:
        """The adapter, nothing called yet. The next one made in the same test is of the same platform."""
        raise NotImplementedError

    def says(self, user: str, text: str, event: int) -> None:
        """Have a person write to the agent alone. The same event is the same message, delivered once more."""
        raise NotImplementedError

    def heard(self, user: str) -> list[str]:
        """What this person was told, one text a message, in order."""
        raise NotImplementedError

    @contextmanager
    def serving(self, home: Path, monkeypatch: Any) -> Iterator[Gateway]:
        """A gateway that lets anybody in, with this adapter."""
        monkeypatch.setenv("HERMES_HOME", str(home))
        home.mkdir(parents=True, exist_ok=True)
        (home / "config.yaml").write_text("gateway: {allow_all_users: true}\nmodel: {provider: auto}\n")
        with SessionDB(home / "state.db") as db:
            gateway = Gateway(db, load(home=home, process={}), [self.make()], tick=0.05)
            gateway.start()
            try:
                yield gateway
            finally:
                gateway.stop(5.0)

    def test_it_says_what_it_is(self) -> None:
        adapter = self.make()
        assert adapter.name
        assert adapter.name == adapter.name.strip().lower()
        assert adapter.longest >= 1
        assert adapter.length("") == 0
        assert adapter.length("word word") >= adapter.length("word")

    def test_a_text_is_received_and_answered(self, tmp_path: Path, monkeypatch: Any) -> None:
        with self.serving(tmp_path, monkeypatch) as gateway:
            self.says("7", "hello", 1)
            _until(lambda: _whole(self.heard("7")).startswith(_whole([no_model()])))
            [route] = gateway.db.list_routes()
            assert (route["platform"], route["user_id"]) == (next(iter(gateway.adapters)), "7")
            [session] = gateway.db.search_sessions()
            assert gateway.db.get_messages(session["id"])[0]["content"] == "hello"

    def test_people_are_told_apart(self, tmp_path: Path, monkeypatch: Any) -> None:
        with self.serving(tmp_path, monkeypatch) as gateway:
            self.says("7", "hello", 1)
            self.says("8", "hello", 2)
            _until(lambda: self.heard("7") and self.heard("8"))
            assert len({route["key"] for route in gateway.db.list_routes()}) == 2

    def test_what_comes_twice_counts_once_even_after_a_restart(self, tmp_path: Path, monkeypatch: Any) -> None:
        with self.serving(tmp_path, monkeypatch) as gateway:
            self.says("7", "hello", 1)
            self.says("7", "hello", 1)
            _until(lambda: self.heard("7"))
            _until(lambda: not gateway.db.arrivals("waiting", "running"))
        with self.serving(tmp_path, monkeypatch) as gateway:
            self.says("7", "hello", 1)
            self.says("7", "second", 2)
            asked = _until(lambda: [text for text in _asked(gateway) if text == "second"] and _asked(gateway))
            assert asked == ["hello", "second"]

    def test_a_long_text_arrives_whole_and_in_order(self, tmp_path: Path, monkeypatch: Any) -> None:
        words = " ".join(f"word{number}" for number in range(500))
        with self.serving(tmp_path, monkeypatch) as gateway:
            self.says("7", "hello", 1)
            _until(lambda: not gateway.db.posts("pending", "sending") and self.heard("7"))
            before, [route] = len(self.heard("7")), gateway.db.list_routes()
            place = Place(route["platform"], route["chat_type"], route["chat_id"], route["thread_id"], route["user_id"])
            gateway.delivery.say(place, route["key"], route["owner"], words)
            _until(lambda: _whole(self.heard("7")[before:]).endswith("word499"))
            assert " ".join(self.heard("7")[before:]).split() == words.split()

    def test_many_are_answered_at_once(self, tmp_path: Path, monkeypatch: Any) -> None:
        people = [str(number) for number in range(10, 18)]
        with self.serving(tmp_path, monkeypatch):
            threads = [threading.Thread(target=self.says, args=(one, f"I am {one}", int(one))) for one in people]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(_PATIENCE)
            _until(lambda: all(self.heard(one) for one in people))

    def test_an_end_is_an_end_and_a_second_one_is_fine(self, tmp_path: Path, monkeypatch: Any) -> None:
        with self.serving(tmp_path, monkeypatch) as gateway:
            [adapter] = gateway.adapters.values()
        assert [adapter.disconnect(), adapter.disconnect(), adapter.close(), adapter.close()] == [None] * 4


def _asked(gateway: Gateway) -> list[str]:
    rows = [row for one in gateway.db.search_sessions() for row in gateway.db.get_messages(one["id"])]
    return [str(row["content"]) for row in rows if row["role"] == "user"]


def _whole(said: list[str]) -> str:
    return "".join("".join(said).split())


def _until(what: Callable[[], Any]) -> Any:
    ends = time.monotonic() + _PATIENCE
    while time.monotonic() < ends:
        found = what()
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError("it did not happen in time")
