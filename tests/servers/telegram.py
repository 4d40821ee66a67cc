"""A small Telegram: enough of the Bot API over real HTTP for the real SDK."""

import json
import threading
import time
import urllib.request
from email.parser import BytesParser
from email.policy import HTTP
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl

TOKEN = "4242:fake-token-for-tests"
ME = {"id": 4242, "is_bot": True, "first_name": "Hermes", "username": "hermes_bot"}
_JPEG = b"\xff\xd8\xff\xe0 not much of a picture"


class FakeTelegram:
    """`failures` are answers (status, description, parameters) for the next calls that send or edit something."""

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.edits: list[dict[str, Any]] = []
        self.actions: list[dict[str, Any]] = []
        self.files: list[tuple[Any, ...]] = []  # chat, kind, name, content, caption
        self.reactions: list[tuple[str, str]] = []
        self.away = False  # nothing works
        self.refused = 0  # what was asked meanwhile
        self.webhook: dict[str, Any] = {}
        self.failures: list[tuple[int, str, dict[str, Any]]] = []
        self._updates: list[dict[str, Any]] = []
        self._number = 100
        self._news = threading.Condition()
        self._over = False
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> "FakeTelegram":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over = True
        with self._news:
            self._news.notify_all()
        self._server.shutdown()
        self._server.server_close()

    # -- what tests do with it

    def says(
        self, user: int, text: str, *, chat: int | None = None, thread: int | None = None, **more: Any
    ) -> dict[str, Any]:
        """A person writes to the bot, or in a group."""
        self._number += 1
        kind = "private" if chat is None else "supergroup"
        message: dict[str, Any] = {
            "message_id": self._number,
            "date": int(time.time()),
            "chat": {"id": user if chat is None else chat, "type": kind, "title": "Room", "is_forum": bool(thread)},
            "from": {"id": user, "is_bot": False, "first_name": f"User{user}"},
            "text": text,
            **more,
        }
        if thread is not None:
            message |= {"message_thread_id": thread, "is_topic_message": True}
        update = {"update_id": self._number, "message": message}
        self.deliver(update)
        return update

    def deliver(self, update: dict[str, Any]) -> None:
        if self.webhook.get("url"):
            self.call(update, self.webhook["secret_token"])
            return
        with self._news:
            self._updates.append(update)
            self._news.notify_all()

    def call(self, update: Any, secret: str) -> int:
        """Deliver by webhook; the status that came back."""
        headers = {"Content-Type": "application/json", "X-Telegram-Bot-Api-Secret-Token": secret}
        request = urllib.request.Request(self.webhook["url"], json.dumps(update).encode(), headers)
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            with error:
                return error.code

    def heard(self, chat: int) -> list[str]:
        return [message["text"] for message in self.sent if message["chat_id"] == str(chat)]

    # -- methods

    def answer(self, method: str, given: dict[str, Any]) -> tuple[int, Any]:
        if self.away:
            self.refused += 1
            return 502, {"ok": False, "error_code": 502, "description": "Bad Gateway"}
        if method in ("sendMessage", "editMessageText") and self.failures:
            status, words, parameters = self.failures.pop(0)
            return status, {"ok": False, "error_code": status, "description": words, "parameters": parameters}
        handler = getattr(self, f"_{method}", None)
        return 200, {"ok": True, "result": handler(given) if handler else True}

    def _getMe(self, given: dict[str, Any]) -> Any:
        return ME

    def _getUpdates(self, given: dict[str, Any]) -> Any:
        """What is not acknowledged yet: everything before `offset` is."""
        offset, ends = int(given.get("offset") or 0), time.monotonic() + float(given.get("timeout") or 0)
        with self._news:
            while True:
                self._updates = [one for one in self._updates if one["update_id"] >= offset]
                left = ends - time.monotonic()
                if self._updates or left <= 0 or self._over:
                    return list(self._updates)
                self._news.wait(left)

    def _sendMessage(self, given: dict[str, Any]) -> Any:
        self._number += 1
        self.sent.append(given | {"id": self._number})
        return self._message(given, self._number)

    def _editMessageText(self, given: dict[str, Any]) -> Any:
        self.edits.append(given)
        for one in self.sent:
            if str(one["id"]) == given["message_id"]:
                one["text"] = given["text"]
        return self._message(given, int(given["message_id"]))

    def _message(self, given: dict[str, Any], number: int) -> Any:
        chat = {"id": int(given["chat_id"]), "type": "private"}
        return {"message_id": number, "date": 0, "chat": chat, "from": ME, "text": given["text"]}

    def _sendChatAction(self, given: dict[str, Any]) -> Any:
        self.actions.append(given)
        return True

    def _sendPhoto(self, given: dict[str, Any]) -> Any:
        return self._sent_file("photo", given)

    def _sendDocument(self, given: dict[str, Any]) -> Any:
        return self._sent_file("document", given)

    def _sent_file(self, kind: str, given: dict[str, Any]) -> Any:
        [file] = [value for value in given.values() if isinstance(value, tuple)]
        self.files.append((given["chat_id"], kind, *file, given.get("caption", "")))
        self._number += 1
        return self._message(given | {"text": ""}, self._number)

    def _setMessageReaction(self, given: dict[str, Any]) -> Any:
        self.reactions.append((given["message_id"], json.loads(given["reaction"])[0]["emoji"]))
        return True

    def _setWebhook(self, given: dict[str, Any]) -> Any:
        self.webhook = given
        return True

    def _getFile(self, given: dict[str, Any]) -> Any:
        return {"file_id": given["file_id"], "file_unique_id": "u", "file_path": "photos/1.jpg"}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    owner: FakeTelegram

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that is killed is part of the play."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._reply(200, _JPEG)

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        raw = self.rfile.read(length)
        if len(raw) < length:  # killed while it spoke
            self.close_connection = True
            return
        method = self.path.rpartition("/")[2]
        status, answer = self.server.owner.answer(method, self._given(raw))
        self._reply(status, json.dumps(answer).encode())

    def _given(self, raw: bytes) -> dict[str, Any]:
        """What was sent, with files as bytes."""
        kind = self.headers.get("Content-Type") or ""
        if not kind.startswith("multipart/"):
            return dict(parse_qsl(raw.decode()))
        parts = BytesParser(policy=HTTP).parsebytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + raw)
        found: dict[str, Any] = {}
        for part in parts.iter_parts():  # type: ignore[attr-defined]
            name, file = part.get_param("name", header="content-disposition"), part.get_filename()
            content = part.get_payload(decode=True)
            found[name] = (file, content) if file else content.decode()
        return found

    def _reply(self, status: int, content: bytes) -> None:
        try:
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        except OSError:
            pass  # the client left
