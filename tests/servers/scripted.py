"""A model provider that follows a script, over real HTTP on loopback. It speaks all three wire formats.

    with Scripted(Say("Hello."), Fail(429, headers={"Retry-After": "0"}), Say(calls=[("echo", {"a": 1})])) as server:
        ...  # model.base_url is server.url; each request takes the next answer
        server.sent[0].body["messages"]

An answer can also be a function of what was sent that returns one. When the script is over, `otherwise` answers;
without it a request gets status 500, and a test that asks too often fails. One answer serves whichever format asks
for it: `POST /v1/chat/completions`, `/v1/responses` or `/v1/messages`.
"""

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from tests.servers.rendering import render

Json = dict[str, Any]


class Sent(NamedTuple):
    """A request as it arrived."""

    path: str
    headers: Mapping[str, str]
    body: Any
    port: int = 0  # of the client: the same for calls on one connection

    @property
    def messages(self) -> list[Json]:
        return self.body.get("messages") or self.body.get("input")


class Say(NamedTuple):
    """An answer. `calls` are (name, arguments) or (name, arguments, id); arguments can be text that is no JSON. `text`
    is sent in `pieces` (its words, unless told otherwise), `pause` seconds apart, after `delay` seconds."""

    text: str = ""
    calls: Sequence[tuple[Any, ...]] = ()
    reasoning: str = ""
    signature: str = "sig-1"
    finish: str = ""
    input_tokens: int = 100
    output_tokens: int = 20
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0
    cost: float | None = None
    pieces: Sequence[str] | None = None
    pause: float = 0.0
    delay: float = 0.0
    model: str = "scripted"

    def words(self) -> Sequence[str]:
        if self.pieces is not None:
            return self.pieces
        words = self.text.split(" ")
        return [word + (" " if at < len(words) - 1 else "") for at, word in enumerate(words)] if self.text else []


class Fail(NamedTuple):
    """An answer with an error status."""

    status: int
    message: str = "scripted failure"
    headers: Mapping[str, str] = {}
    code: str = ""
    delay: float = 0.0


class Raw(NamedTuple):
    """Bytes as they are. After them the stream ends as it should (`end`), is cut (`cut`), or stays open (`hang`) until
    the client leaves."""

    chunks: Sequence[bytes]
    then: str = "end"
    status: int = 200
    content_type: str = "text/event-stream"
    headers: Mapping[str, str] = {}
    pause: float = 0.0
    delay: float = 0.0


class Cut(NamedTuple):
    """The beginning of an answer: so many of its server-sent events, and then the connection breaks, or hangs."""

    answer: Say
    events: int
    then: str = "cut"


class Hang(NamedTuple):
    """No answer at all for so many seconds, or until the client leaves."""

    seconds: float = 30.0


class Bytes(NamedTuple):
    """What goes over the connection is this and no more, HTTP or not; then it is closed (`end`), reset (`reset`), or
    stays open (`hang`)."""

    content: bytes
    then: str = "end"


Answer = Say | Fail | Raw | Cut | Hang | Bytes
Step = Answer | Callable[[Sent], Answer]


class Scripted:
    def __init__(self, *script: Step, otherwise: Step | None = None) -> None:
        self.script = list(script)
        self.otherwise = otherwise
        self.sent: list[Sent] = []
        self.left: list[float] = []  # when a client went away before its answer was complete
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="scripted", daemon=True)

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self) -> str:
        """The base_url, for every format."""
        return self.root + "/v1"

    @property
    def settings(self) -> str:
        """A config.yaml in which it is the model."""
        return f"model:\n  default: scripted\n  provider: custom\n  base_url: {self.url}\n"

    def add(self, *steps: Step) -> None:
        with self._lock:
            self.script += steps

    def start(self) -> "Scripted":
        self._thread.start()
        return self

    def stop(self) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(60)

    def __enter__(self) -> "Scripted":
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def next_answer(self, sent: Sent) -> Answer:
        with self._lock:
            self.sent.append(sent)
            step = self.script.pop(0) if self.script else self.otherwise
        if step is None:
            return Fail(500, "the script is over")
        return step(sent) if callable(step) else step

    def wait(self, seconds: float) -> bool:
        """Sleep, unless the server is stopped meanwhile."""
        return self._over.wait(seconds)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    owner: Scripted

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves is part of the play."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        """`/v1/models`, which is what a set-up asks for first."""
        models = {"object": "list", "data": [{"id": name, "object": "model"} for name in ("scripted", "scripted-mini")]}
        self._plain(200, models if self.path.rstrip("/").endswith("/models") else {})

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length) or b"null")
        sent = Sent(
            self.path, {name.lower(): value for name, value in self.headers.items()}, body, self.client_address[1]
        )
        answer = self.server.owner.next_answer(sent)
        try:
            self._answer(sent, answer)
        except OSError:
            self.server.owner.left.append(time.monotonic())
            self.close_connection = True

    def _answer(self, sent: Sent, answer: Answer) -> None:
        if isinstance(answer, Hang):
            self._hang(answer.seconds)
        elif isinstance(answer, Bytes):
            self._bytes(answer)
        elif isinstance(answer, Fail):
            self._fail(answer)
        elif isinstance(answer, Raw):
            self._raw(answer)
        elif isinstance(answer, Cut):
            events = list(render(sent.path, sent.body, answer.answer))
            self._raw(Raw(events[: answer.events], answer.then))
        elif sent.body.get("stream"):
            self.server.owner.wait(answer.delay)
            self._raw(Raw(list(render(sent.path, sent.body, answer)), pause=answer.pause))
        else:
            self.server.owner.wait(answer.delay)
            self._plain(200, render(sent.path, sent.body, answer, whole=True))

    def _fail(self, answer: Fail) -> None:
        self.server.owner.wait(answer.delay)
        error = {"message": answer.message, "type": answer.code or "error", "code": answer.code or None}
        self._plain(answer.status, {"type": "error", "error": error}, answer.headers)

    def _plain(self, status: int, body: Any, headers: Mapping[str, str] = {}) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _raw(self, answer: Raw) -> None:
        self.server.owner.wait(answer.delay)
        self.send_response(answer.status)
        for name, value in {"Content-Type": answer.content_type, **answer.headers}.items():
            self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for chunk in answer.chunks:
            self._chunk(chunk)
            if answer.pause and self.server.owner.wait(answer.pause):
                break
        if answer.then == "end":
            self.wfile.write(b"0\r\n\r\n")
        elif answer.then == "hang":
            self._hang(30.0)
        self.close_connection = answer.then != "end"

    def _bytes(self, answer: Bytes) -> None:
        self.wfile.write(answer.content)
        self.close_connection = True
        if answer.then == "hang":
            self._hang(30.0)
        elif answer.then == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()

    def _chunk(self, chunk: bytes) -> None:
        if chunk:
            self.wfile.write(b"%x\r\n" % len(chunk) + chunk + b"\r\n")
            self.wfile.flush()

    def _hang(self, seconds: float) -> None:
        """Wait, and notice it when the client leaves."""
        self.connection.settimeout(0.05)
        ends = time.monotonic() + seconds
        while time.monotonic() < ends and not self.server.owner.wait(0):
            try:
                if not self.connection.recv(1):
                    raise ConnectionResetError("the client left")
            except TimeoutError:
                continue
        self.close_connection = True
