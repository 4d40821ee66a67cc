"""Row 28: ways a provider can fail. However it does, a call ends in bounded time, with an answer or with an error that
says what to do, and takes no more memory than an answer may."""

import resource
import time
from collections.abc import Sequence
from email.utils import formatdate
from typing import Any, NamedTuple

from hermes.errors import ProviderError
from hermes.providers.anthropic import Anthropic
from hermes.providers.base import Finished, Request
from hermes.providers.chat import Chat
from hermes.providers.connection import Patience
from hermes.providers.endpoint import Endpoint, Format
from hermes.providers.keys import GivenKeys
from hermes.providers.responses import Responses
from tests.faults.chat_sessions import unusable_sessions
from tests.faults.children import ask
from tests.faults.rows import Outcome, Run, row
from tests.servers.rendering import render
from tests.servers.scripted import Bytes, Cut, Fail, Hang, Raw, Say, Scripted, Step

FORMATS: tuple[Format, ...] = (Chat(), Responses(), Anthropic())
PATIENCE = Patience(connect=1, read=0.25, silence=0.4, total=3, pause=0.02)
CALM = Patience(connect=5, read=10, silence=10, total=30, pause=0.02)  # for calls that are to be answered
LONGEST_SECONDS = 60.0
MOST_MEMORY_MB = 150
HELLO = Request([{"role": "user", "content": "hi"}])
TEXT = Say("one two three four five")
CALL = Say("wait", calls=[("echo", {"text": "x" * 50})])
DELTAS = {  # what stands before the text of a delta, and behind it
    "/chat/completions": (b'{"choices":[{"delta":{"content":"', b'"}}]}\n\n'),
    "/responses": (b'{"type":"response.output_text.delta","delta":"', b'"}\n\n'),
    "/messages": (b'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"', b'"}}\n\n'),
}
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"


class Way(NamedTuple):
    """One way to fail. `script` is what the server does, request by request; None: there is no server."""

    name: str
    script: Sequence[Step] | None
    recovers: bool = False  # the call ends with an answer all the same


def ways(path: str, megabytes: int) -> list[Way]:
    """Every way, in the wire format that is asked for at `path`."""
    begin, end = DELTAS[path]
    whole = b"".join(render(path, {}, TEXT))
    calls = b"".join(render(path, {}, CALL))
    flood = [b"x" * 65536] * (megabytes * 16)
    now = formatdate(time.time() + 0.2, usegmt=True)
    return [
        Way("nobody there", None),
        Way("silence", [Hang()] * 4),
        Way("silence in the middle", [Cut(TEXT, 4, "hang")] * 4),
        Way("signs of life for ever", [Raw([b": alive\n\n"] * 200, pause=0.05)] * 4),
        Way("a drip for ever", [Raw([b"data: " + begin + b"x" + end] * 400, pause=0.05)]),
        Way("one byte at a time, for ever", [Raw([b"x"] * 400, pause=0.05)] * 4),
        Way("401", [Fail(401)]),
        Way("403", [Fail(403)]),
        Way("402", [Fail(402)]),
        Way("429 with a short Retry-After", [Fail(429, headers={"Retry-After": "0.1"}), TEXT], recovers=True),
        Way("429 with a long Retry-After", [Fail(429, headers={"Retry-After": "86400"})]),
        Way("429 with a broken Retry-After", [Fail(429, headers={"Retry-After": "soon"}), TEXT], recovers=True),
        Way("429 for ever", [Fail(429)] * 9),
        Way("500 once", [Fail(500), TEXT], recovers=True),
        Way("500 for ever", [Fail(500)] * 9),
        Way("502 with a page", [Raw([b"<html>bad gateway"], status=502, content_type="text/html")] * 4),
        Way("503 with a date", [Fail(503, headers={"Retry-After": now}), TEXT], recovers=True),
        Way("529 overloaded", [Fail(529, code="overloaded_error")] * 4),
        Way("400 too long", [Fail(400, "maximum context length exceeded", code="context_length_exceeded")]),
        Way("404", [Fail(404, "no such model")]),
        Way("a redirect", [Raw([], status=302, headers={"Location": "http://127.0.0.1:9/"})]),
        Way("a page instead of an answer", [Raw([b"<html>log in"], content_type="text/html")]),
        Way("an empty answer", [Raw([])] * 4),
        Way("cut before the first event", [Cut(TEXT, 0), TEXT], recovers=True),
        Way("cut before the first event, for ever", [Cut(TEXT, 0)] * 4),
        Way("cut in the middle", [Cut(TEXT, 5)]),
        Way("cut in the middle of a tool call", [Raw([calls[: calls.index(b"xxxx") + 4]], "cut")] * 4),
        Way("ended as if complete in the middle", [Raw([whole[: len(whole) // 2]])] * 4),
        Way("reset in the middle", [Bytes(_HEAD + b"\r\n" + whole[: len(whole) // 2], "reset")] * 4),
        Way("less than its length", [Bytes(_HEAD + b"Content-Length: 99999\r\n\r\n" + whole[:200])] * 4),
        Way("a broken chunk size", [Bytes(_HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n" + whole)] * 4),
        Way("no HTTP at all", [Bytes(b"SSH-2.0-OpenSSH_9.2\r\n")] * 4),
        Way("a header without end", [Bytes(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 2_000_000)] * 4),
        Way("half a character at the end", [Raw([b"data: " + begin + "世".encode()[:2]])] * 4),
        Way("no UTF-8", [Raw([b"data: " + begin + b"\xff\xfe" + end])] * 4),
        Way("noise", [Raw([bytes(range(256)) * 64])] * 4),
        Way("no JSON", [Raw([b"data: {oops\n\n"])] * 4),
        Way("JSON of other types", [Raw([b'data: {"choices":{"a":1},"type":7,"usage":[],"delta":[]}\n\n'])] * 4),
        Way("JSON as deep as it gets", [Raw([b"data: " + b'{"a":' * 50_000 + b"\n\n"])] * 4),
        Way("an error inside the stream", [Raw([b'data: {"type":"error","error":{"type":"api_error"}}\n\n'])] * 4),
        Way(f"a delta of {megabytes} MB", [Raw([b"data: " + begin, *flood])] * 4),
        Way(f"an answer of {megabytes} MB", [Raw([b"data: " + begin + b"x" * 65000 + end] * (megabytes * 16))]),
        Way(f"an error of {megabytes} MB", [Raw(flood, status=500)] * 4),
        Way(f"an event of {megabytes} MB in lines", [Raw([b"data: " + b"x" * 65000 + b"\n"] * (megabytes * 16))] * 4),
        Way("a bomb that was compressed", [Raw([b"\x1f\x8b"], headers={"Content-Encoding": "gzip"})] * 4),
        Way("arguments that are no JSON", [Say(calls=[("echo", "{broken")])], recovers=True),
        Way("a tool call in single bytes", [Raw([calls[at : at + 1] for at in range(len(calls))])], recovers=True),
    ]  # fmt: skip


@row(28)
def failing_providers(run: Run) -> Outcome:
    formats = FORMATS[:1] if run.quick else FORMATS
    megabytes = run.size(100, 70)
    results = [result for format in formats for result in ask(_every_way, format, megabytes, patience=1800)]
    unusable = [f"{name}: {wrong}" for name, wrong, _, _ in results if wrong]
    unusable += [wrong for format in formats for wrong in ask(_every_session, format, run.size(1, 5), patience=1800)]
    slowest = max(results, key=lambda result: result[2])
    memory = max(result[3] for result in results)
    return Outcome(
        f"{len(results) // len(formats)} ways to fail, wire formats: {len(formats)}, up to {megabytes} MB in one delta",
        f"unusable calls and sessions {len(unusable)}; slowest {slowest[2]:.1f} s ({slowest[0]}), "
        f"memory {memory:.0f} MB more at most" + (f" (first: {unusable[0][:300]})" if unusable else ""),
        not unusable and slowest[2] < LONGEST_SECONDS and memory < MOST_MEMORY_MB,
    )


def _every_session(format: Format, step: int) -> list[str]:
    return unusable_sessions(format, ways(format.path, 1)[::step], PATIENCE)


def _every_way(format: Format, megabytes: int) -> list[tuple[str, str, float, float]]:
    """(name, what was wrong, seconds, memory it took) of each."""
    found = []
    with Scripted(otherwise=TEXT) as server:
        _call(server.url, format)
        before = _peak()
        for way in ways(format.path, megabytes):
            began = time.monotonic()
            wrong = _try(server, format, way)
            found.append((f"{way.name}, {format.path}", wrong, time.monotonic() - began, _peak() - before))
    return found


def _try(server: Scripted, format: Format, way: Way) -> str:
    """Nothing, when the call ended as it may and the next one is answered."""
    server.script[:] = way.script or ()
    wrong = ""
    try:
        url = "http://127.0.0.1:9/v1" if way.script is None else server.url
        events = _call(url, format, CALM if way.recovers else PATIENCE)
        if sum(isinstance(event, Finished) for event in events) != 1:
            wrong = "ended without an answer"
        elif not way.recovers:
            wrong = "was taken for an answer"
    except ProviderError as error:
        wrong = "should have recovered" if way.recovers else "more than a line" if "\n" in str(error) else ""
    except Exception as error:  # whatever else comes out is what this row looks for
        wrong = f"{type(error).__name__}: {error}"
    server.script.clear()
    return wrong or _usable(server, format)


def _usable(server: Scripted, format: Format) -> str:
    try:
        answer = _call(server.url, format)[-1]
    except ProviderError as error:
        return f"the next call fails: {error}"
    return "" if answer.message["content"] == TEXT.text else "the next call has another answer"


def _call(url: str, format: Format, patience: Patience = CALM) -> list[Any]:
    endpoint = Endpoint("test", "m", 8192, url, format, GivenKeys(["k"]), retries=3, patience=patience)
    return list(endpoint.stream(HELLO))


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
