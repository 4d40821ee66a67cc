"""Telegram, by polling or by webhook.

    TELEGRAM_BOT_TOKEN        from @BotFather
    TELEGRAM_WEBHOOK_URL      optional; then TELEGRAM_WEBHOOK_SECRET is required
    TELEGRAM_ALLOWED_USERS    who may talk to it, beside gateway.allowed_users

An update is acknowledged after it is in the inbox, never before, so a crash loses none.
"""

import asyncio
import base64
import hmac
import json
import logging
import threading
from collections.abc import Coroutine, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import telegram
from telegram.error import BadRequest, Forbidden, InvalidToken, NetworkError, RetryAfter, TelegramError, TimedOut
from telegram.request import HTTPXRequest

from hermes.config import Config
from hermes.config.platforms import port, section, whole
from hermes.errors import ConfigError, HermesError
from hermes.gateway.adapters.received import kept, plain_name
from hermes.gateway.adapters.telegram_text import as_html, utf16_length
from hermes.gateway.base import Adapter, Incoming, Receive, Undelivered
from hermes.gateway.delivery import pieces
from hermes.gateway.keys import Place

log = logging.getLogger("hermes.gateway")
T = TypeVar("T")
DEFAULT_PORT = 8443
_POLL_SECONDS = 20
_CALL_SECONDS = 30.0
_LONGEST_REST = 60.0
_LARGEST_PICTURE = 10_000_000
_LARGEST_FILE = 20_000_000  # that a bot may fetch
_LARGEST_SENT = 50_000_000  # that it may send
_LONGEST_CAPTION = 1000  # of 1024
_PICTURES = (".jpg", ".jpeg", ".png", ".webp")
_PICTURE_KINDS = ("image/jpeg", "image/png", "image/webp", "image/gif")
_NO_PICTURE = "[The picture could not be fetched.]"
_MOODS = {"working": "👀", "done": "👍", "failed": "👎"}
_KINDS = {"private": "dm", "group": "group", "supergroup": "group", "channel": "channel"}


class Telegram(Adapter):
    name: ClassVar[str] = "telegram"
    longest: ClassVar[int] = 4000  # of 4096: marking up needs some
    edits: ClassVar[bool] = True

    def __init__(self, config: Config) -> None:
        given = section(config, self.name)
        variables = config.environment
        self._settings = config.settings.telegram
        self._token = variables.get("TELEGRAM_BOT_TOKEN", "")
        self._url = variables.get("TELEGRAM_WEBHOOK_URL", "")
        self._secret = variables.get("TELEGRAM_WEBHOOK_SECRET", "")
        listens_on = port(given.get("port", DEFAULT_PORT), "platforms.telegram.port")
        self._address = (str(given.get("host") or "127.0.0.1"), listens_on)
        self._base = str(given.get("base_url") or "https://api.telegram.org").rstrip("/")
        self._wants_mention = bool(given.get("require_mention", True))
        self._poll_seconds = whole(given.get("poll_seconds", _POLL_SECONDS), "platforms.telegram.poll_seconds")
        self._loop: Any = None
        self._thread: threading.Thread | None = None
        self._polling: asyncio.Task[None] | None = None
        self._server: Any = None
        self._bot: Any = None
        self._receive: Receive | None = None
        self._reacted: dict[str, Future[None]] = {}  # by event: the reaction that says that it is worked on

    def length(self, text: str) -> int:
        return utf16_length(text)

    # -- listening

    def connect(self, receive: Receive) -> None:
        if not self._token:
            raise ConfigError("Telegram needs TELEGRAM_BOT_TOKEN in .env; @BotFather gives one.")
        if self._url and len(self._secret) < 8:
            raise ConfigError("TELEGRAM_WEBHOOK_URL needs TELEGRAM_WEBHOOK_SECRET, of 8 characters or more, beside it.")
        self._receive, self._loop = receive, asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="hermes-telegram", daemon=True)
        self._thread.start()
        try:
            self._wait(self._begin(), 60.0)
        except InvalidToken as error:
            raise ConfigError("Telegram refused TELEGRAM_BOT_TOKEN; ask @BotFather for the right one.") from error
        except (TelegramError, TimeoutError) as error:
            raise ConfigError(f"Telegram cannot be reached ({error}); check the network and try again.") from error

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.close()

    def _wait(self, work: "Coroutine[Any, Any, T]", seconds: float = _CALL_SECONDS) -> T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(seconds)

    async def _begin(self) -> None:
        calls = HTTPXRequest(connection_pool_size=64, read_timeout=20, pool_timeout=20)
        updates = HTTPXRequest(connection_pool_size=2, read_timeout=self._poll_seconds + 10)
        bot = f"{self._base}/bot"
        self._bot = telegram.Bot(
            self._token,
            base_url=bot,
            base_file_url=f"{self._base}/file/bot",
            request=calls,
            get_updates_request=updates,
        )
        await self._bot.initialize()
        if self._url:
            await asyncio.get_running_loop().run_in_executor(None, self._serve)
            await self._bot.set_webhook(self._url, secret_token=self._secret)
        else:
            await self._bot.delete_webhook()
            self._polling = self._loop.create_task(self._poll())

    async def _poll(self) -> None:
        """Ask for updates for ever; after trouble, wait a little longer each time."""
        offset, rest = 0, 1.0
        while True:
            try:
                found = await self._bot.get_updates(
                    offset=offset, timeout=self._poll_seconds, allowed_updates=["message", "channel_post"]
                )
                for update in found:
                    await self._take_safely(update)
                    offset = update.update_id + 1
                rest = 1.0
            except RetryAfter as busy:
                await asyncio.sleep(_seconds(busy))
            except Exception as error:  # the edge of a task that must not end: whatever it was, it is asked again
                known = isinstance(error, TelegramError | HermesError)
                log.warning("Telegram: %s; trying again in %.0f s", error, rest, exc_info=None if known else error)
                await asyncio.sleep(rest)
                rest = min(rest * 2, _LONGEST_REST)

    async def _take_safely(self, update: Any) -> None:
        """One update that goes wrong must not keep the others from being heard."""
        try:
            await self._take(update)
        except (TelegramError, HermesError):
            raise  # it comes again
        except Exception:  # what others send is an edge
            log.exception("an update could not be read: %s", update.update_id)

    def _serve(self) -> None:
        from starlette.applications import Starlette
        from starlette.routing import Route

        from hermes.gateway.adapters.http import Refusing, Server

        routes = [Route("/{path:path}", self._called, methods=["POST"])]
        # Whatever name the public address has: the secret tells who calls.
        self._server = Server(Refusing(Starlette(routes=routes), {"*"}), *self._address)
        self._server.start()
        self.port = self._server.port

    async def _called(self, request: Any) -> Any:
        from starlette.responses import JSONResponse

        given = request.headers.get("x-telegram-bot-api-secret-token", "")
        if not hmac.compare_digest(given.encode(), self._secret.encode()):
            return JSONResponse({"error": "The secret is missing or wrong."}, 401)
        try:
            update = telegram.Update.de_json(json.loads(await request.body()), self._bot)
        except (ValueError, KeyError, TypeError, AttributeError):
            return JSONResponse({"error": "That is no update."}, 400)
        work = asyncio.run_coroutine_threadsafe(self._take_safely(update), self._loop)
        await asyncio.wrap_future(work)
        return JSONResponse({"ok": True})

    async def _take(self, update: Any) -> None:
        incoming = await self._incoming(update)
        if incoming is not None and self._receive is not None:
            await asyncio.get_running_loop().run_in_executor(None, self._receive, incoming)

    async def _incoming(self, update: Any) -> Incoming | None:
        """What was said to the agent; None: nothing, or not to it."""
        message = update.message or update.channel_post
        if message is None or (message.from_user is not None and message.from_user.is_bot):
            return None
        chat, user = message.chat, message.from_user
        if self._settings.allowed_chats and str(chat.id) not in map(str, self._settings.allowed_chats):
            return None
        text, named = self._without_name(message.text or message.caption or "")
        kind = _KINDS.get(chat.type, "group")
        replied = message.reply_to_message is not None and message.reply_to_message.from_user is not None
        to_us = named or (replied and message.reply_to_message.from_user.id == self._bot.id) or text.startswith("/")
        if kind != "dm" and self._wants_mention and not to_us:
            return None
        thread = str(message.message_thread_id) if message.is_topic_message and message.message_thread_id else ""
        place = Place(self.name, kind, str(chat.id), thread, str(user.id) if user else "")
        images: tuple[str, ...] = ()
        if self.gateway is not None and self.gateway.access.may_talk(place):  # a stranger's files are not fetched
            images = await self._pictures(message)
            lost = _NO_PICTURE if message.photo and not images else ""
            text = "\n\n".join(filter(None, (text, lost, await self._document(message))))
        if not text.strip() and not images and not (message.photo or message.document):
            return None
        return Incoming(place, f"{chat.id}:{message.message_id}", text, user.full_name if user else "", images)

    def _without_name(self, text: str) -> tuple[str, bool]:
        """The text without the bot's own name, and whether it was there."""
        name = f"@{self._bot.username}"
        place = text.lower().find(name.lower())
        if place < 0:
            return text, False
        return (text[:place] + text[place + len(name) :]).strip(), True

    async def _pictures(self, message: Any) -> tuple[str, ...]:
        document = message.document if _is_picture(message.document) else None
        found = document or (message.photo[-1] if message.photo else None)
        if found is None or (found.file_size or 0) > _LARGEST_PICTURE:
            return ()
        content = await self._fetched(found)
        kind = document.mime_type if document else "image/jpeg"
        return (f"data:{kind};base64,{base64.b64encode(content).decode()}",) if content else ()

    async def _document(self, message: Any) -> str:
        """A line about the file that came along, which is kept where the agent can read it."""
        document = message.document
        if document is None or _is_picture(document):
            return ""
        name = plain_name(document.file_name or "file")
        if (document.file_size or 0) > _LARGEST_FILE:
            return f"[The file {name} is too large to be fetched: {document.file_size:,} bytes.]"
        content = await self._fetched(document)
        if content is None:
            return f"[The file {name} could not be fetched.]"
        return kept(self.name, f"{message.chat.id}-{message.message_id}", name, content)

    async def _fetched(self, found: Any) -> bytes | None:
        try:
            file = await found.get_file()
            return bytes(await file.download_as_bytearray())
        except TelegramError as error:
            log.warning("a file could not be fetched: %s", error)
            return None

    def disconnect(self) -> None:
        """Stop listening; what is to be sent still can be."""
        if self._polling is not None and not self._polling.done():
            self._loop.call_soon_threadsafe(self._polling.cancel)
        if self._server is not None:
            self._server.stop()

    def close(self) -> None:
        thread, self._thread = self._thread, None
        if thread is None:
            return
        try:
            self._wait(self._end(), 10.0)
        except (TelegramError, TimeoutError):
            log.warning("Telegram: the connection was not closed in good order")
        self._loop.call_soon_threadsafe(self._loop.stop)
        thread.join(10)

    async def _end(self) -> None:
        if self._polling is not None:
            self._polling.cancel()
            await asyncio.gather(self._polling, return_exceptions=True)
        if self._bot is not None:
            await self._bot.shutdown()

    # -- sending

    def send(self, place: Place, text: str, *, key: str) -> str:
        thread = int(place.thread) if place.thread else None

        def call(words: str, mode: str | None) -> Coroutine[Any, Any, Any]:
            sent: Coroutine[Any, Any, Any] = self._bot.send_message(
                _chat(place), words, parse_mode=mode, message_thread_id=thread
            )
            return sent

        return str(self._marked_up(text, call).message_id)

    def send_file(self, place: Place, file: Path, text: str, *, key: str) -> str:
        size = file.stat().st_size
        if size > _LARGEST_SENT:
            raise Undelivered(
                f"Telegram takes files of up to {_LARGEST_SENT:,} bytes; {file.name} is larger.", final=True
            )
        is_picture = file.suffix.lower() in _PICTURES and size <= _LARGEST_PICTURE
        name = "photo" if is_picture else "document"
        call = self._bot.send_photo if is_picture else self._bot.send_document
        thread = int(place.thread) if place.thread else None
        beside, *rest = pieces(text, _LONGEST_CAPTION, utf16_length) or [""]
        content = telegram.InputFile(file.read_bytes(), filename=file.name)
        sent: Any = self._asked(call(_chat(place), **{name: content}, caption=beside, message_thread_id=thread))
        for number, piece in enumerate(rest):
            self.send(place, piece, key=f"{key}-{number}")
        return str(sent.message_id)

    def react(self, place: Place, event: str, mood: str) -> None:
        chat, _, message = event.partition(":")
        if not self._settings.reactions or chat != place.chat or not message.isdecimal():
            return
        before = self._reacted.pop(event, None)
        work = self._bot.set_message_reaction(_chat(place), int(message), reaction=_MOODS[mood])
        now = asyncio.run_coroutine_threadsafe(_after(before, work), self._loop)
        if mood == "working":
            self._reacted[event] = now

    def prompt_for(self, place: Place) -> str:
        """Of the topic, or of the chat it is in."""
        prompts = {str(key): text for key, text in self._settings.channel_prompts.items()}
        return prompts.get(place.thread) or prompts.get(place.chat, "")

    def edit(self, place: Place, message: str, text: str) -> None:
        def call(words: str, mode: str | None) -> Coroutine[Any, Any, Any]:
            changed: Coroutine[Any, Any, Any] = self._bot.edit_message_text(
                words, chat_id=_chat(place), message_id=int(message), parse_mode=mode
            )
            return changed

        self._marked_up(text, call)

    def _marked_up(self, text: str, call: Any) -> Any:
        """With its marks where Telegram takes them, plainly where it does not."""
        try:
            return self._asked(call(as_html(text), "HTML"))
        except Undelivered as refused:
            if "parse entities" not in str(refused):
                raise
            return self._asked(call(text, None))

    def _asked(self, work: "Coroutine[Any, Any, T]") -> T | None:
        try:
            return self._wait(work)
        except RetryAfter as busy:
            raise Undelivered("Telegram is busy.", seconds=_seconds(busy)) from busy
        except (Forbidden, InvalidToken) as error:
            raise Undelivered(f"Telegram: {error}", final=True) from error
        except BadRequest as error:
            if "not modified" in str(error):
                return None
            raise Undelivered(f"Telegram: {error}", final=True) from error
        except (TimedOut, TimeoutError) as error:
            raise Undelivered("Telegram did not answer in time.", unsure=True) from error
        except NetworkError as error:
            never_left = "connect" in type(error.__cause__).__name__.lower()
            raise Undelivered(f"Telegram: {error}", unsure=not never_left) from error
        except TelegramError as error:
            raise Undelivered(f"Telegram: {error}") from error

    def typing(self, place: Place) -> None:
        thread = int(place.thread) if place.thread else None
        work = self._bot.send_chat_action(_chat(place), "typing", message_thread_id=thread)
        asyncio.run_coroutine_threadsafe(_quietly(work), self._loop)

    def chat_info(self, place: Place) -> Mapping[str, Any]:
        found = self._asked(self._bot.get_chat(_chat(place)))
        name = getattr(found, "title", None) or getattr(found, "full_name", None) or place.chat
        return {"name": name, "kind": place.kind}


async def _after(before: "Future[None] | None", work: "Coroutine[Any, Any, Any]") -> None:
    """One reaction replaces the other, so they are sent in order."""
    if before is not None:
        await asyncio.wrap_future(before)
    await _quietly(work)


async def _quietly(work: "Coroutine[Any, Any, Any]") -> None:
    try:
        await work
    except TelegramError:
        pass  # a courtesy


def _is_picture(document: Any) -> bool:
    return document is not None and str(document.mime_type or "") in _PICTURE_KINDS


def _chat(place: Place) -> int | str:
    return int(place.chat) if place.chat.lstrip("-").isdecimal() else place.chat


def _seconds(busy: RetryAfter) -> float:
    after: Any = busy.retry_after
    return float(after.total_seconds() if hasattr(after, "total_seconds") else after)
