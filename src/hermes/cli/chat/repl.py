"""The prompt, and everything around it. Loads prompt_toolkit; whatever else is slow loads while the person types.

The prompt stays while a turn runs in a thread of its own: finished lines are printed above it, the line under way is
part of it. What is typed meanwhile interrupts, waits, or steers, as `display.busy_input_mode` says.
"""

import asyncio
import logging
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.filters import Condition, to_filter
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.patch_stdout import StdoutProxy, patch_stdout
from prompt_toolkit.styles import Style

from hermes.cli import terminal
from hermes.cli.chat.asked import Asked
from hermes.cli.chat.bar import Bar
from hermes.cli.chat.early import PROMPT
from hermes.cli.chat.keyboard import Keyboard
from hermes.cli.chat.keys import Leave, bindings
from hermes.cli.screen import safe
from hermes.errors import HermesError

if TYPE_CHECKING:
    from hermes.cli.chat.drawing import Drawing
    from hermes.commands.chat.chat import Chat
    from hermes.commands.reply import Ask, Reply

log = logging.getLogger(__name__)
_STYLE = {"prompt": "bold ansicyan", "live": "", "bottom-toolbar": "noreverse ansibrightblack", "question": "bold"}
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_TWICE = 2.0  # seconds between two Ctrl-C that leave
_END_OF_TURN = 5.0  # seconds a turn gets to end when the person leaves
_TITLE_COMES = 10.0  # seconds after a turn in which a title may still come


class Repl:
    """`load` opens the chat; it runs beside the first prompt."""

    def __init__(self, load: "Callable[[], Chat]") -> None:
        self._load = load
        self._chat: Chat | None = None
        self._failed: BaseException | None = None
        self._loaded = threading.Event()
        self._turn: threading.Thread | None = None
        self._working = False  # whether somebody takes what is queued
        self._lock = threading.Lock()
        self._drawing: Drawing | None = None
        self._question: Ask | None = None  # of a command
        self._asked: Asked | None = None  # of a tool, which waits for it
        self._interrupted = 0.0
        self._bar = Bar()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._code = 0
        self._keyboard = Keyboard()
        self._session: PromptSession[str] = self._prompt()

    def run(self) -> int:
        with patch_stdout(raw=True), self._keyboard.raw_mode():
            threading.Thread(target=self._open, name="hermes-open", daemon=True).start()
            if isinstance(sys.stdout, StdoutProxy):
                sys.stdout.sleep_between_writes = 0.02
            try:
                asyncio.run(self._converse())
            finally:
                self._leave()
        self._say_farewell()
        return self._code

    def _open(self) -> None:
        """Open the chat, then load what the first answer needs."""
        try:
            from hermes.commands.chat.about import greeting, stays

            self._chat = self._load()
            self._chat.ask_person = self._ask_person
            self._show(greeting(self._chat))
            self._bar.refresh(self._chat)
        except BaseException as error:  # told, or raised again, by the thread that waits for it
            self._failed = error
            return
        finally:
            self._loaded.set()
            self._redraw()
        import hermes.cli.chat.drawing
        import hermes.cli.chat.markdown
        import hermes.providers.connection  # noqa: F401  # for the first answer

        stays(self._chat)

    # -- the prompt

    def _prompt(self) -> PromptSession[str]:
        from hermes.cli.chat.completing import SlashCompleter
        from hermes.cli.chat.typed import typed_before

        session: PromptSession[str] = PromptSession(
            message=self._message,
            multiline=True,
            history=typed_before(),
            completer=SlashCompleter(lambda: self._chat),
            complete_while_typing=Condition(self._types_a_command),
            complete_in_thread=True,
            input=self._keyboard,
            key_bindings=bindings(self, self._keyboard),
            bottom_toolbar=self._toolbar,
            style=Style.from_dict(_STYLE) if terminal.wants_colour() else None,
            include_default_pygments_style=False,
            prompt_continuation="  ",
            reserve_space_for_menu=6,
        )
        session.layout.current_window.dont_extend_height = to_filter(True)  # the bar stands right under the prompt
        return session

    def _types_a_command(self) -> bool:
        return self._session.default_buffer.text.startswith("/")

    def _message(self) -> StyleAndTextTuples:
        shown: StyleAndTextTuples = []
        drawing = self._drawing
        if drawing is not None and not get_app().is_done:
            shown += [("class:live", line + "\n") for line in drawing.live()]
        if self._asked is not None:
            shown.append(("class:question", self._asked.text() + "\n"))
        elif self._question is not None:
            shown.append(("class:question", f"{safe(self._question.question)} [y/N] "))
        shown.append(("class:prompt", PROMPT))
        return shown

    def _toolbar(self) -> str | None:
        chat = self._chat
        if chat is not None and not chat.statusbar:
            return None
        return self._bar.line(len(chat.queue) if chat is not None else 0)

    def _redraw(self) -> None:
        """From any thread; when the prompt is gone there is nothing to draw."""
        try:
            self._session.app.invalidate()
        except RuntimeError:
            pass  # its loop was closed at this very moment

    def above(self, text: str) -> None:
        """Print lines above the prompt, from any thread."""
        print(text if terminal.wants_colour() else _COLOUR.sub("", text))

    # -- the conversation

    async def _converse(self) -> None:
        self._loop = asyncio.get_running_loop()
        for ending in (signal.SIGTERM, signal.SIGHUP):  # the window was closed, or the machine goes down
            self._loop.add_signal_handler(ending, self._told_to_end, 128 + ending)
        watching = asyncio.create_task(self._leave_if_it_cannot_open())
        while not (self._chat is not None and self._chat.leaving):
            try:
                typed = await self._session.prompt_async()
            except EOFError:
                return
            except Leave as left:
                self._code = left.code
                return
            await watching
            if self._failed is not None:
                raise self._failed
            if typed.strip() or self._question or self._asked:
                await asyncio.to_thread(self._take, typed.rstrip())

    def _told_to_end(self, code: int) -> None:
        if self._session.app.is_running:
            self._session.app.exit(exception=Leave(code))

    async def _leave_if_it_cannot_open(self) -> None:
        await asyncio.to_thread(self._loaded.wait)
        if self._failed is not None and self._session.app.is_running:
            self._session.app.exit(exception=self._failed)

    @property
    def chat(self) -> "Chat":
        assert self._chat is not None  # nothing is taken before it is loaded
        return self._chat

    @property
    def busy(self) -> bool:
        return self._working

    def _take(self, typed: str) -> None:
        """What was typed: an answer to a question, a command, or a message."""
        from hermes.commands.chat.slash import is_command, perform

        try:
            if self._asked is not None:
                self._asked.answer(typed)
            elif self._question is not None:
                self._answer_question(typed)
            elif is_command(self.chat, typed):
                self._show(perform(self.chat, typed))
            elif self.busy:
                self._meanwhile(typed)
            else:
                self.chat.queue.append(typed)
        except HermesError as error:
            self.above(f"hermes: {safe(str(error))}")
        except Exception as error:  # the edge of the person's own commands: a bug is logged, and the chat goes on
            log.exception("a command failed")
            self.above(f"hermes: this should not have happened ({type(error).__name__}: {safe(str(error))})")
        self._begin()
        self._bar.refresh(self.chat)
        if self.chat.redraw:
            self.chat.redraw = False
            self.above("\x1b[2J\x1b[3J\x1b[H")

    def _ask_person(self, question: str, choices: Sequence[str]) -> str | None:
        """What a tool asks while the turn waits; None: nobody answered. Called from the tool's own thread."""
        self._asked = Asked(question, choices)
        self._redraw()
        try:
            return self._asked.wait(self.chat.settings.agent.clarify_timeout)
        finally:
            self._asked = None
            self._redraw()

    def _answer_question(self, typed: str) -> None:
        question, self._question = self._question, None
        if question is not None and typed.strip().lower() in ("y", "yes"):
            self._show(question.then())
        else:
            self.above("Cancelled.")

    def _show(self, reply: "Reply") -> None:
        from hermes.cli.draw import lines_of
        from hermes.cli.screen import Screen

        screen = Screen(sys.__stdout__)
        for part in reply.parts:
            self.above("\n".join(line.rstrip() for line in lines_of(part, screen)))
        for notice in reply.notices:
            self.above(safe(notice))
        self._question = reply.ask

    def _meanwhile(self, typed: str) -> None:
        """A message while a turn is under way."""
        mode = self.chat.busy_mode
        if mode == "steer" and self.chat.agent.steer(typed):
            return
        if mode == "interrupt":
            self.chat.queue.appendleft(typed)
            self.chat.agent.stop()
        else:
            self.chat.queue.append(typed)

    # -- turns

    def _begin(self) -> None:
        with self._lock:
            if self._working or not self.chat.queue:
                return
            self._working = True
        self._turn = threading.Thread(target=self._turns, name="hermes-turn", daemon=True)
        self._turn.start()
        if self._loop is not None:
            asyncio.run_coroutine_threadsafe(self._keep_moving(), self._loop)

    async def _keep_moving(self) -> None:
        """Redraw while something moves: a turn, or the title that comes after it."""
        ends = time.monotonic() + _TITLE_COMES
        while self.busy or (time.monotonic() < ends and self.chat.agent.title is None):
            await asyncio.sleep(0.12 if self.busy else 1)
            if self.busy:
                ends = time.monotonic() + _TITLE_COMES
            elif self.chat.agent.title is not None:
                self._bar.refresh(self.chat)
            self._redraw()

    def _turns(self) -> None:
        """One turn after the other, until nothing waits."""
        from hermes.cli.chat.drawing import Drawing

        while (content := self._next()) is not None:
            self._drawing = Drawing(self.chat.settings.display, self.above)
            self._bar.working(time.monotonic())
            try:
                self._one_turn(self._drawing, content)
            except HermesError as error:
                self.above(f"hermes: {safe(str(error))}")
            except Exception as error:  # the edge of a turn: whatever broke, the person can go on
                log.exception("a turn failed")
                self.above(f"hermes: this should not have happened ({type(error).__name__}: {safe(str(error))})")
            finally:
                self._drawing = None
                self._bar.working(None)
        self._redraw()

    def _next(self) -> Any | None:
        """What waits; if nothing does, whoever queues something next begins anew."""
        with self._lock:
            try:
                content = None if self.chat.leaving else self.chat.queue.popleft()
            except IndexError:
                content = None
            self._working = content is not None
            return content

    def _one_turn(self, drawing: "Drawing", content: Any) -> None:
        from hermes.agent.base import ToolEnded, TurnEnded

        chat = self.chat
        for event in chat.ask(content):
            drawing.show(event)
            if isinstance(event, ToolEnded | TurnEnded) and self._asked is not None:
                self._asked.give_up()  # whoever asked waits no longer
            self._redraw()
        self._bar.refresh(chat)
        if chat.footer:
            self.above(f"\x1b[2m{self._bar.footer(chat)}\x1b[0m")
        if chat.settings.display.bell_on_complete:
            self.above("\a")

    # -- leaving

    def interrupt(self, app: Any) -> None:
        """Ctrl-C: once stops the turn (or empties the line), twice leaves."""
        now = time.monotonic()
        twice, self._interrupted = now - self._interrupted < _TWICE, now
        if twice and not app.current_buffer.text:
            app.exit(exception=Leave(130))
        elif self.busy:
            self.chat.queue.clear()
            self.chat.agent.stop()
            if self._asked is not None:
                self._asked.give_up()
        elif app.current_buffer.text:
            app.current_buffer.reset()
            self._interrupted = 0.0
        else:
            self.above("\x1b[2mCtrl-C once more leaves; so does Ctrl-D.\x1b[0m")

    def _leave(self) -> None:
        """What was said is kept, whatever the turn is doing."""
        if self._chat is None:
            return
        self._chat.queue.clear()
        self._chat.agent.stop()
        if self._turn is not None:
            self._turn.join(_END_OF_TURN)
        self._chat.close()

    def _say_farewell(self) -> None:
        from hermes.cli.screen import Screen
        from hermes.commands.chat.resuming import farewell

        if self._chat is not None:
            Screen().show(farewell(self._chat))
            self._chat.db.close()
