"""A person with a Matrix client of a few lines, and a line to the homeserver that can be disturbed."""

import secrets
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote

import httpx2

_LOOK = 200  # milliseconds to wait for something new


class Person:
    def __init__(self, url: str, user: str, token: str) -> None:
        self.url, self.user, self.token = url, user, token
        self.typists: list[str] = []  # who was seen typing …
        self.typing: list[str] = []  # … and who types now
        self._client = httpx2.Client(timeout=60)
        self._events: dict[str, list[dict[str, Any]]] = {}
        self._since = ""
        self._lock = threading.Lock()

    def call(self, method: str, path: str, given: Any = None, **more: Any) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {self.token}", **more.pop("headers", {})}
        body = {} if given is None else {"json": given}
        answer = self._client.request(method, self.url + path, headers=headers, **body, **more)
        assert answer.status_code == 200, f"{method} {path}: {answer.status_code} {answer.text}"
        found: dict[str, Any] = answer.json()
        return found

    def close(self) -> None:
        self._client.close()

    # -- rooms

    def room(self, *invited: "Person", direct: bool = False, **more: Any) -> str:
        users = [one.user for one in invited]
        given = {"preset": "private_chat", "is_direct": direct, "invite": users, **more}
        return str(self.call("POST", "/_matrix/client/v3/createRoom", given)["room_id"])

    def joins(self, room: str) -> None:
        self.call("POST", f"/_matrix/client/v3/join/{quote(room)}", {})

    def rooms(self) -> list[str]:
        found: list[str] = self.call("GET", "/_matrix/client/v3/joined_rooms")["joined_rooms"]
        return found

    def members(self, room: str) -> dict[str, str]:
        found = self.call("GET", f"/_matrix/client/v3/rooms/{quote(room)}/members")["chunk"]
        return {one["state_key"]: one["content"]["membership"] for one in found}

    def invitations(self) -> dict[str, str]:
        """Rooms, and who asks there."""
        anew = quote(f'{{"event_fields": ["{secrets.token_hex(4)}", "*"]}}')  # or the server says what it said before
        found = self.call("GET", f"/_matrix/client/v3/sync?filter={anew}")
        invited = found.get("rooms", {}).get("invite", {})
        states = {room: one["invite_state"]["events"] for room, one in invited.items()}
        return {
            room: next(event["sender"] for event in events if event.get("state_key") == self.user)
            for room, events in states.items()
        }

    # -- what is said

    def says(self, room: str, text: str, *, name: str = "", thread: str = "", **more: Any) -> str:
        """Say something; `name` is what the client calls it, and the same one twice is one message. The event's id."""
        content: dict[str, Any] = {"msgtype": "m.text", "body": text, **more}
        if thread:
            content["m.relates_to"] = {"rel_type": "m.thread", "event_id": thread}
        return self.sends(room, "m.room.message", content, name)

    def sends(self, room: str, kind: str, content: dict[str, Any], name: str = "") -> str:
        path = f"/_matrix/client/v3/rooms/{quote(room)}/send/{kind}/{quote(name or secrets.token_hex(8))}"
        return str(self.call("PUT", path, content)["event_id"])

    def uploads(self, content: bytes, kind: str) -> str:
        headers = {"Content-Type": kind}
        return str(self.call("POST", "/_matrix/media/v3/upload", content=content, headers=headers)["content_uri"])

    def downloads(self, address: str) -> bytes:
        path = f"/_matrix/client/v1/media/download/{address.removeprefix('mxc://')}"
        return self._client.get(self.url + path, headers={"Authorization": f"Bearer {self.token}"}).content

    def looks(self) -> None:
        """Everything that is new."""
        with self._lock:
            since = f"&since={self._since}" if self._since else ""
            limit = quote('{"room": {"timeline": {"limit": 200}}}')
            news = self.call("GET", f"/_matrix/client/v3/sync?timeout={_LOOK}&filter={limit}{since}")
            self._since = news["next_batch"]
            for room, info in news.get("rooms", {}).get("join", {}).items():
                self._events.setdefault(room, []).extend(info["timeline"]["events"])
                for event in info["ephemeral"]["events"]:
                    if event["type"] == "m.typing":
                        self.typing = event["content"]["user_ids"]
                        self.typists += self.typing

    def events(self, room: str) -> list[dict[str, Any]]:
        """What others sent to a room, as it came."""
        self.looks()
        return [
            one for one in self._events.get(room, []) if one["type"] == "m.room.message" and one["sender"] != self.user
        ]

    def heard(self, room: str, *, of: "Person | None" = None, thread: str = "") -> list[str]:
        """What was said to a room: what was changed, as it is now."""
        told: dict[str, dict[str, Any]] = {}
        for event in self.events(room):
            relation = event["content"].get("m.relates_to", {})
            if of is not None and event["sender"] != of.user:
                continue
            if relation.get("rel_type") == "m.replace":
                told[relation["event_id"]]["body"] = event["content"]["m.new_content"]["body"]
            elif not thread or relation.get("event_id") == thread:
                told[event["event_id"]] = dict(event["content"])
        return [one["body"] for one in told.values()]


class Line:
    """Passes everything on to a homeserver, until it is told otherwise. `answers`: what the next messages that are
    sent get instead (status, body). `lost`: how many of them arrive while their answer does not. `cut`: nothing
    passes."""

    def __init__(self, url: str) -> None:
        self.target = url
        self.answers: list[tuple[int, bytes]] = []
        self.lost = 0
        self.cut = False
        self.refused = 0  # what did not pass
        self.sent: list[str] = []  # the paths of messages that were sent
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "Line":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    owner: Line

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves is part of the play."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *_: Any) -> None:
        pass

    def _pass(self) -> None:
        line = self.server.owner
        body = self._body()
        sending = "/send/" in self.path
        if line.cut:
            line.refused += 1
            self.close_connection = True
            return
        if sending:
            line.sent.append(self.path)
        if sending and line.answers:
            self._reply(*line.answers.pop(0), "application/json")
            return
        kept = {
            name: value for name, value in self.headers.items() if name.lower() in ("authorization", "content-type")
        }
        found = httpx2.request(self.command, line.target + self.path, headers=kept, content=body, timeout=90)
        if line.cut or (sending and line.lost):
            line.lost -= bool(sending and line.lost)
            self.close_connection = True
            return
        self._reply(found.status_code, found.content, found.headers.get("content-type", "application/json"))

    do_GET = do_PUT = do_POST = _pass

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = b""
        while size := int(self.rfile.readline().strip() or b"0", 16):
            parts += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return parts

    def _reply(self, status: int, content: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
