"""One HTTP call whose answer is a stream, and which can be cut from any thread while another waits for it.

A blocked read does not notice that its socket was closed, only that it was shut down: so a connection remembers its
socket. Before there is one (names are looked up, the connection is made) the call is left to a thread of its own.
"""

import json
import re
import socket
import ssl
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from queue import SimpleQueue
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import httpx2

from hermes.errors import AnswerBroken, ProviderDown, ProviderError, RequestRefused
from hermes.providers.failures import failure, one_line
from hermes.providers.sse import LARGEST_ANSWER, ServerEvent

_LARGEST_ERROR = 64 * 1024
_DRAIN = 0.05


class Patience(NamedTuple):
    """Seconds: how long a call is waited for, and how long the next try."""

    connect: float = 15.0
    read: float = 180.0  # without a byte
    silence: float = 600.0  # without an event: a server can keep a line warm for ever
    total: float = 3600.0
    pause: float = 0.5  # before the second try; twice as long before each one after that


class Wire(NamedTuple):
    """Where a call goes, and what goes there."""

    name: str  # of the provider, for messages
    url: str
    headers: Mapping[str, str]
    body: bytes = b""
    method: str = "POST"
    key: str = ""  # never to be shown, should the answer repeat it
    base_url: str = ""  # as the person knows it


class Line:
    """A client with one connection, which is kept for the next call when an answer came to its end."""

    def __init__(self, url: str) -> None:
        try:
            address = urlsplit(url)
        except ValueError:
            raise RequestRefused(f"'{one_line(url)}' is not an address; see the base_url.") from None
        self._client = httpx2.Client(
            verify=_trust() if address.scheme == "https" else False,
            trust_env=not _is_local(address.hostname or ""),  # a proxy of the environment is not for this machine
            limits=httpx2.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=60),
            http2=False,
        )
        self._stream: Any = None
        self._has_served = False
        weakref.finalize(self, self._client.close).atexit = False  # an idle line goes with the endpoint that kept it

    def send(self, wire: Wire, patience: Patience, is_cut: Callable[[], bool]) -> httpx2.Response:
        def note(event: str, info: Mapping[str, Any]) -> None:
            if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
                self._stream = info["return_value"]
                if is_cut():
                    self.shut()

        request = self._client.build_request(
            wire.method,
            wire.url,
            content=wire.body or None,
            headers={"Content-Type": "application/json", "Accept-Encoding": "identity", **wire.headers},
            timeout=httpx2.Timeout(patience.read, connect=patience.connect, write=patience.read, pool=patience.connect),
            extensions={"trace": note},
        )
        response = self._sent(request, is_cut)
        self._has_served = True
        return response

    def _sent(self, request: httpx2.Request, is_cut: Callable[[], bool]) -> httpx2.Response:
        """A server may close an idle connection in the moment it is used again; then a new one is made."""
        try:
            return self._client.send(request, stream=True)
        except (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.WriteError):
            if not self._has_served or is_cut():
                raise
            return self._client.send(request, stream=True)

    def shut(self) -> None:
        """Wake whoever reads. Safe from any thread, at any time."""
        sock = self._stream.get_extra_info("socket") if self._stream is not None else None
        if sock is not None:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it is closed already

    def close(self) -> None:
        self._client.close()


class Call:
    """One call on a line. `open` waits for the status, `chunks` are what comes then; `cut` ends both."""

    def __init__(self, line: Line, wire: Wire, patience: Patience, ends: float) -> None:
        self._line = line
        self._wire = wire
        self._ends = ends
        self._last = time.monotonic()
        self._patience = patience._replace(read=max(0.05, min(patience.read, ends - self._last)))
        self._answers: SimpleQueue[httpx2.Response | Exception | None] = SimpleQueue()  # None: it was cut
        self._lock = threading.Lock()
        self._is_cut = False
        self._is_over = False
        self._response: httpx2.Response | None = None
        self.is_clean = False  # the answer was read to its end: the line can be used again

    def open(self) -> httpx2.Response:
        """The response, its body unread. Raises for every status but 200."""
        threading.Thread(target=self._send, name="hermes-call", daemon=True).start()
        answer = self._answers.get()
        if isinstance(answer, BaseException):
            raise self._translated(answer) from None
        if not isinstance(answer, httpx2.Response):
            raise ProviderDown(f"{self._wire.name}: the call was ended.")
        if answer.status_code != 200:
            raise failure(self._wire.name, answer.status_code, answer.headers, self._told(answer))
        if answer.headers.get("content-encoding", "identity") != "identity":
            raise AnswerBroken(f"{self._wire.name}: the answer is compressed, which was not asked for.")
        return answer

    def _send(self) -> None:
        try:
            response = self._line.send(self._wire, self._patience, lambda: self._is_cut)
        except Exception as error:  # the edge of a thread: whoever waits gets it
            self._answers.put(error)
            self._line.close()
            return
        with self._lock:
            self._response = response
            late = self._is_cut
        if late:
            self._let_go()
        else:
            self._answers.put(response)

    def chunks(self, response: httpx2.Response) -> Iterator[bytes]:
        """The body as it comes. Raises ProviderDown when it stays away, AnswerBroken when it is cut."""
        for chunk in self._read(response):
            self._check_time()
            yield chunk
        self.is_clean = True

    def _told(self, response: httpx2.Response) -> bytes:
        """The beginning of what came with an error; the status counts when that breaks off."""
        body = bytearray()
        try:
            for chunk in self._read(response):
                self._check_time()
                body += chunk
                if len(body) > _LARGEST_ERROR:
                    break
        except ProviderError:
            pass
        key = self._wire.key.encode()
        return bytes(body[:_LARGEST_ERROR]).replace(key, b"***") if key else bytes(body[:_LARGEST_ERROR])

    def _read(self, response: httpx2.Response) -> Iterator[bytes]:
        try:
            yield from response.iter_raw()
        except (httpx2.HTTPError, httpx2.StreamError, OSError) as error:
            raise self._translated(error, in_answer=True) from None

    def watched(self, events: Iterator[ServerEvent]) -> Iterator[ServerEvent]:
        """The events, with a note of when the last one came."""
        for event in events:
            self._last = time.monotonic()
            yield event

    def json(self, response: httpx2.Response) -> Any:
        """An answer that came in one piece."""
        body = bytearray()
        for chunk in self.chunks(response):
            body += chunk
            if len(body) > LARGEST_ANSWER:
                raise AnswerBroken(f"{self._wire.name}: the answer is larger than {LARGEST_ANSWER // 2**20} MB.")
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            raise AnswerBroken(f"{self._wire.name}: the answer is not JSON.") from None

    def drain(self, chunks: Iterator[bytes]) -> None:
        """Read what is left behind a complete answer, so that the line can be used again. A server that has not come to
        an end by then is not waited for."""
        limit = threading.Timer(_DRAIN, self._line.shut)
        limit.start()
        try:
            for _ in chunks:
                pass
        except ProviderError:
            pass  # the answer is complete without it
        finally:
            limit.cancel()

    def not_an_answer(self, kind: str) -> ProviderError:
        where = _host(self._wire.url)
        return RequestRefused(f"{where} sent {kind}, not an answer; is the base_url of {self._wire.name} right?")

    def _check_time(self) -> None:
        now = time.monotonic()
        if now > self._ends:
            raise ProviderDown(f"{self._wire.name} did not come to an end within {self._patience.total:.0f} s.")
        if now - self._last > self._patience.silence:
            raise ProviderDown(f"{self._wire.name} sent nothing but signs of life for {self._patience.silence:.0f} s.")

    def _translated(self, error: BaseException, *, in_answer: bool = False) -> ProviderError:
        name = self._wire.name
        if isinstance(error, httpx2.ConnectTimeout):
            return self._unreachable("no answer")
        if isinstance(error, httpx2.TimeoutException):
            return ProviderDown(f"{name} sent nothing for {self._patience.read:.0f} s.")
        if isinstance(error, httpx2.ConnectError | httpx2.ProxyError):
            return self._unreachable(re.sub(r"^\[Errno -?\d+\] ", "", one_line(str(error))))
        if isinstance(error, httpx2.LocalProtocolError | UnicodeEncodeError):  # what it is about may be the key itself
            return RequestRefused(f"{name}: the key, or one of extra_headers, has characters that cannot be sent.")
        if isinstance(error, httpx2.UnsupportedProtocol | httpx2.InvalidURL | UnicodeError):
            return RequestRefused(f"{name}: '{one_line(self._wire.url)}' is not an address; see its base_url.")
        if isinstance(error, httpx2.DecodingError) or in_answer:
            return AnswerBroken(f"{name}: the answer was cut off ({one_line(str(error)) or type(error).__name__}).")
        if isinstance(error, httpx2.HTTPError | OSError):
            return ProviderDown(f"{name} ended the connection ({one_line(str(error)) or type(error).__name__}).")
        raise error

    def _unreachable(self, reason: str) -> ProviderDown:
        url = self._wire.base_url or self._wire.url
        there = "is the server running" if _is_local(urlsplit(url).hostname or "") else "is the network up"
        return ProviderDown(
            f"{self._wire.name} cannot be reached at {_address(url)} ({reason}); {there}, and is the base_url right? "
            "`hermes model test` tries it."
        )

    def cut(self) -> None:
        """End the call now, whoever waits for it. Safe from any thread, and more than once."""
        with self._lock:
            if self._is_over:
                return
            self._is_cut = True
            self._answers.put(None)
            self._line.shut()

    def close(self) -> None:
        """Let go of the connection, by the thread that reads. A clean one stays open for the next call."""
        with self._lock:
            self._is_over = True
            self._is_cut = self._is_cut or self._response is None
        if self._response is not None:
            self._let_go()
        else:
            self._line.shut()  # the sending thread lets go when it notices

    def _let_go(self) -> None:
        try:
            if self._response is not None:
                self._response.close()
        except (httpx2.HTTPError, OSError):
            pass  # it is gone, which is what was wanted
        if not self.is_clean:
            self._line.close()


@cache
def _trust() -> ssl.SSLContext:
    """Loading the certificates takes 20 ms; every line shares them."""
    return httpx2.create_ssl_context()


def _is_local(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")


def _host(url: str) -> str:
    return urlsplit(url).netloc.rpartition("@")[2]


def _address(url: str) -> str:
    """A URL as it can be shown: without a name and password, and without what is behind the `?`."""
    return f"{urlsplit(url).scheme}://{_host(url)}{urlsplit(url).path}"
