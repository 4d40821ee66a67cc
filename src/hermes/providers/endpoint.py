"""A provider over HTTP: one endpoint, one wire format, a key for each call, bounded patience.

Endpoint.stream ──▶ Stream (tries, keys, closing) ──▶ Call (one HTTP call) ──▶ Format.read (one wire format)
"""

import json
import random
import re
import threading
import time
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from hermes.errors import AnswerBroken, KeyRefused, ProviderDown, ProviderError, QuotaSpent, RateLimited
from hermes.providers import prices
from hermes.providers.base import Event, Finished, Request, Retrying
from hermes.providers.characters import whole_characters
from hermes.providers.keys import Keys

if TYPE_CHECKING:
    from hermes.providers.connection import Call, Line, Patience
    from hermes.providers.sse import ServerEvent

_LONGEST_WAIT = 60.0
_ANOTHER_KEY_MAY_DO = (KeyRefused, QuotaSpent, RateLimited)
_PASSES = (RateLimited, ProviderDown, AnswerBroken)


class Format(Protocol):
    """A wire format: what is asked, and how an answer is read. It knows nothing of keys, tries and time."""

    @property
    def path(self) -> str: ...

    @property
    def root(self) -> str:
        """What stands before the path where the base_url does not name a version."""
        ...

    def headers(self, key: str) -> dict[str, str]: ...

    def body(self, model: str, request: Request) -> dict[str, Any]: ...

    def read(self, name: str, events: "Iterator[ServerEvent]") -> Iterator[Event]:
        """Deltas, then one Finished with tokens, and the cost where the answer tells it. A stream that ends before its
        time, or is not of this format, raises AnswerBroken."""
        ...

    def whole(self, name: str, body: Any) -> Iterator[Event]:
        """The same for an answer that came in one piece, from a server that does not stream."""
        ...


@dataclass(frozen=True)
class Endpoint:
    name: str
    model: str
    window: int
    base_url: str
    format: Format
    keys: Keys
    headers: Mapping[str, str] = field(default_factory=dict)
    extra_body: Mapping[str, Any] = field(default_factory=dict)  # fields to add; None takes one out
    retries: int = 3
    patience: "Patience | None" = None
    billing_mode: str = ""
    _idle: "list[Line]" = field(default_factory=list, repr=False)

    def stream(self, request: Request) -> "Stream":
        return Stream(self, request)

    def url(self) -> str:
        """The address that is asked. A base_url can be written with or without the end that its format has."""
        base, _, query = self.base_url.partition("?")
        base = base.rstrip("/").removesuffix(self.format.path)
        root = self.format.root if not re.search(r"/v\d+\w*$", base) else ""
        return base + root + self.format.path + (f"?{query}" if query else "")

    def headers_with(self, key: str) -> dict[str, str]:
        """Those of the settings go before those of the format, however they are written."""
        merged = {**self.format.headers(key), **{name: str(value) for name, value in self.headers.items()}}
        return {name.lower(): value for name, value in merged.items()}

    def body(self, request: Request) -> bytes:
        fields = {**self.format.body(self.model, request), **self.extra_body}
        return json.dumps({name: value for name, value in fields.items() if value is not None}).encode()

    def get(self, path: str) -> Any:
        """What the endpoint tells about itself, such as its models."""
        from hermes.providers.connection import Call, Patience, Wire

        key = self.keys.take(frozenset()) or ""
        url = self.url().replace(self.format.path, path)
        wire = Wire(self.name, url, self.headers_with(key), method="GET", key=key, base_url=self.base_url)
        line = self.line()
        call = Call(line, wire, Patience(read=20, total=30), time.monotonic() + 30)
        try:
            return call.json(call.open())
        finally:
            call.close()
            if call.is_clean:
                self.keep(line)

    def line(self) -> "Line":
        """A connection that is idle, or a new one."""
        from hermes.providers.connection import Line

        try:
            return self._idle.pop()
        except IndexError:
            return Line(self.url())

    def keep(self, line: "Line") -> None:
        if len(self._idle) < 4:
            self._idle.append(line)
        else:
            line.close()

    def billed(self, finished: Finished) -> Finished:
        usage = replace(
            finished.usage,
            api_call_count=1,
            model=self.model,
            billing_provider=self.name,
            billing_base_url=self.base_url,
            billing_mode=self.billing_mode or None,
        )
        return finished._replace(usage=prices.priced(usage))


class Stream:
    """The events of one request. `close` ends it from any thread: who waits for the next event gets the end at once."""

    def __init__(self, endpoint: Endpoint, request: Request) -> None:
        from hermes.providers.connection import Patience

        self._endpoint = endpoint
        self._body = endpoint.body(request)
        self._patience = endpoint.patience or Patience()
        self._ends = time.monotonic() + self._patience.total
        self._stop = threading.Event()
        self._call: Call | None = None
        self._shown = False
        self._tries = 0
        self._events = self._run()

    def __iter__(self) -> "Stream":
        return self

    def __next__(self) -> Event:
        if self._stop.is_set():
            raise StopIteration
        try:
            return next(self._events)
        except (ProviderError, ValueError):  # a ValueError: `close` is at work inside, in another thread
            if self._stop.is_set():
                raise StopIteration from None
            raise

    def close(self) -> None:
        self._stop.set()
        call = self._call
        if call is not None:
            call.cut()
        try:
            self._events.close()
        except ValueError:
            pass  # another thread is inside; it is awake now, and leaves by itself

    def _run(self) -> Generator[Event, None, None]:
        tried: set[str] = set()
        error: ProviderError | None = None
        while not self._stop.is_set():
            key = self._endpoint.keys.take(tried)
            if key is None:
                raise error or KeyRefused(f"{self._endpoint.name} has no key that can be used now; see `hermes auth`.")
            try:
                yield from self._once(key)
                return
            except ProviderError as failed:
                error = _without(key, failed)
            wait = self._wait_after(error, key, tried)
            yield Retrying(str(error), wait)
            self._stop.wait(wait)

    def _once(self, key: str) -> Iterator[Event]:
        for event in whole_characters(self._answer(key)):
            if isinstance(event, Finished):
                event = self._endpoint.billed(event)
            else:
                self._shown = True
            yield event

    def _answer(self, key: str) -> Iterator[Event]:
        from hermes.providers.connection import Call, Wire

        endpoint = self._endpoint
        line = endpoint.line()
        headers = endpoint.headers_with(key)
        wire = Wire(endpoint.name, endpoint.url(), headers, self._body, key=key, base_url=endpoint.base_url)
        call = Call(line, wire, self._patience, self._ends)
        self._call = call
        finished: Finished | None = None
        try:
            for event in self._read(call) if not self._stop.is_set() else ():  # closed before there was a call to cut
                if isinstance(event, Finished):
                    finished = event
                else:
                    yield event
        finally:
            self._call = None
            call.close()
            if call.is_clean:
                endpoint.keep(line)
        if finished is not None:  # told last: whoever has it need not come back for the line to be free
            yield finished

    def _read(self, call: "Call") -> Iterator[Event]:
        from hermes.providers.sse import server_events

        response = call.open()
        kind = response.headers.get("content-type", "").partition(";")[0].strip()
        if kind == "application/json":
            yield from self._endpoint.format.whole(self._endpoint.name, call.json(response))
            return
        if kind == "text/html":
            raise call.not_an_answer(kind)
        chunks = call.chunks(response)
        yield from self._endpoint.format.read(self._endpoint.name, call.watched(server_events(chunks)))
        call.drain(chunks)

    def _wait_after(self, error: ProviderError, key: str, tried: set[str]) -> float:
        """Seconds until the next try, or the error itself when there is no sense in one."""
        if self._shown:
            error.shown = True
            raise error
        if isinstance(error, _ANOTHER_KEY_MAY_DO):
            self._endpoint.keys.failed(key, error)
            if self._endpoint.keys.take(tried | {key}) is not None:
                tried.add(key)
                return 0.0
        self._tries += 1
        if not isinstance(error, _PASSES) or self._tries > self._endpoint.retries:
            raise error
        wait = backoff(self._patience.pause, self._tries) if error.seconds is None else error.seconds
        if wait > _LONGEST_WAIT or time.monotonic() + wait > self._ends:
            raise error
        return wait


def _without(key: str, error: ProviderError) -> ProviderError:
    """An error that came inside a stream can repeat the key."""
    if key and key in str(error):
        error.args = (str(error).replace(key, "***"),)
    return error


def backoff(pause: float, tries: int) -> float:
    """Longer each time, and never the same for two who failed together."""
    return random.uniform(0.5, 1.0) * pause * min(32.0, 2.0 ** (tries - 1))
