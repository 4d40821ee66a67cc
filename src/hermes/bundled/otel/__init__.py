"""Every turn as a trace: `invoke_agent` with a span for each model call (`chat`) and each tool (`execute_tool`).

Names and attributes are those of OpenTelemetry's GenAI conventions. What was said is never sent: only who, what, how
long, how many tokens. Spans go to the collector from a thread of their own; when it is away, they are dropped.
"""

import json
import logging
import queue
import secrets
import threading
import time
import urllib.request

log = logging.getLogger(__name__)
_WAITING, _SECONDS = 1000, 5.0


class Exporter:
    """Sends spans from a thread; never waits for the collector while somebody talks."""

    def __init__(self, endpoint):
        self._url = endpoint.rstrip("/") + "/v1/traces"
        self._spans = queue.Queue(_WAITING)
        self._thread = None

    def send(self, span):
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="hermes-otel", daemon=True)
            self._thread.start()
        try:
            self._spans.put_nowait(span)
        except queue.Full:
            log.warning("the collector is too slow; a span is dropped")

    def flush(self, seconds):
        """Wait, not for long, until everything is sent."""
        deadline = time.monotonic() + seconds
        while self._spans.unfinished_tasks and time.monotonic() < deadline:
            time.sleep(0.01)

    def _work(self):
        while True:
            spans = [self._spans.get()]
            while not self._spans.empty() and len(spans) < 100:
                spans.append(self._spans.get())
            try:
                self._post(spans)
            except (OSError, ValueError) as error:
                log.warning("%s spans could not be sent: %s", len(spans), error)
            for _ in spans:
                self._spans.task_done()

    def _post(self, spans):
        scope = {"scope": {"name": "hermes"}, "spans": spans}
        resource = {"attributes": _attributes({"service.name": "hermes"})}
        body = json.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}).encode()
        request = urllib.request.Request(self._url, body, {"Content-Type": "application/json"})
        urllib.request.urlopen(request, timeout=_SECONDS).close()


class Tracer:
    """Hooks → spans. Turns of several sessions may run at once."""

    def __init__(self, exporter):
        self._exporter = exporter
        self._turns = {}  # session: (trace, span, began)
        self._requests = {}  # session: (began, provider, model)
        self._calls = {}  # call: began

    def turn_began(self, session_id):
        self._turns[session_id] = (secrets.token_hex(16), secrets.token_hex(8), time.time_ns())

    def turn_ended(self, session_id, reason):
        trace, span, began = self._turns.pop(session_id, (None, None, 0))
        if trace:
            about = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "hermes", **_of(session_id)}
            about["hermes.turn.reason"] = reason
            self._send("invoke_agent hermes", (trace, span, ""), began, about, failed=reason == "failed")

    def request_began(self, session_id, provider, model):
        self._requests[session_id] = (time.time_ns(), provider, model)

    def request_ended(self, session_id, usage):
        began, provider, model = self._requests.pop(session_id, (time.time_ns(), "", ""))
        about = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": provider,
            "gen_ai.request.model": model,
            "gen_ai.usage.input_tokens": usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
            "gen_ai.usage.output_tokens": usage.output_tokens,
            **_of(session_id),
        }
        self._send(f"chat {model}", self._place(session_id), began, about, kind=3)

    def tool_began(self, call_id):
        self._calls[call_id] = time.time_ns()

    def tool_ended(self, tool_name, call_id, session_id, ok):
        about = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool_name, **_of(session_id)}
        about["gen_ai.tool.call.id"] = call_id
        began = self._calls.pop(call_id, time.time_ns())
        self._send(f"execute_tool {tool_name}", self._place(session_id), began, about, failed=not ok)

    def left(self):
        self._exporter.flush(1.0)

    def _place(self, session_id):
        """The trace and the span above, for a new span."""
        trace, above, _ = self._turns.get(session_id, (secrets.token_hex(16), "", 0))
        return trace, secrets.token_hex(8), above

    def _send(self, name, place, began, about, *, kind=1, failed=False):
        trace, span, above = place
        self._exporter.send(
            {
                "traceId": trace,
                "spanId": span,
                "parentSpanId": above,
                "name": name,
                "kind": kind,
                "startTimeUnixNano": str(began),
                "endTimeUnixNano": str(time.time_ns()),
                "attributes": _attributes(about),
                "status": {"code": 2 if failed else 1},
            }
        )


def _of(session_id):
    return {"gen_ai.conversation.id": session_id}


def _attributes(values):
    return [
        {"key": key, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": str(value)}}
        for key, value in values.items()
    ]


def register(ctx):
    tracer = Tracer(Exporter(ctx.variables["OTEL_EXPORTER_OTLP_ENDPOINT"]))
    ctx.register_hook("pre_llm_call", tracer.turn_began)
    ctx.register_hook("post_llm_call", tracer.turn_ended)
    ctx.register_hook("pre_api_request", tracer.request_began)
    ctx.register_hook("post_api_request", tracer.request_ended)
    ctx.register_hook("pre_tool_call", tracer.tool_began)
    ctx.register_hook("post_tool_call", tracer.tool_ended)
    ctx.register_hook("on_session_end", tracer.left)
