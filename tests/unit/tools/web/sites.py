"""A small web site over real HTTP on loopback: paths and what they answer."""

import json
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from hermes.tools.web.addresses import Access

LOCAL = Access(frozenset({"127.0.0.1"}))


class Visit(NamedTuple):
    """A request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Answer(NamedTuple):
    body: bytes = b""
    kind: str = "text/html; charset=utf-8"
    status: int = 200
    headers: Mapping[str, str] = {}
    write: Callable[[Any], None] | None = None  # writes the body itself


class Site:
    """`pages` are by path, without the query. What is not there is 404."""

    def __init__(self, pages: Mapping[str, Answer | str | Callable[[Visit], Answer]], *, tls: Any = None) -> None:
        self._tls = tls
        self.pages = dict(pages)
        self.visits: list[Visit] = []

    def __enter__(self) -> "Site":
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                visit = Visit(self.command, self.path, dict(self.headers), self.rfile.read(length))
                site.visits.append(visit)
                self._send(site._answer(visit))

            do_POST = do_GET

            def _send(self, answer: Answer) -> None:
                self.send_response(answer.status)
                for name, value in {"Content-Type": answer.kind, **answer.headers}.items():
                    self.send_header(name, value)
                if answer.write is None:
                    self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                try:
                    answer.write(self.wfile) if answer.write else self.wfile.write(answer.body)
                except OSError:
                    pass  # the client had enough

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        if self._tls is not None:
            self._server.socket = self._tls.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _answer(self, visit: Visit) -> Answer:
        page = self.pages.get(visit.path.partition("?")[0], Answer(b"nothing here", status=404))
        page = page(visit) if callable(page) else page
        return Answer(page.encode()) if isinstance(page, str) else page


def as_json(value: Any, status: int = 200) -> Answer:
    return Answer(json.dumps(value).encode(), "application/json", status)
