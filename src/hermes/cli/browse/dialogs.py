"""What is asked, and shown, on top of the screen. Escape always leads back without a change."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from hermes.cli.browse.options import Options
from hermes.errors import HermesError

_BACK = Binding("escape", "dismiss(None)", "Back")


class Prompt(ModalScreen[str | None]):
    """One line to type. `check` refuses it with an error, which is shown."""

    BINDINGS: ClassVar[list[BindingType]] = [_BACK]

    def __init__(self, title: str, text: str, hint: str, check: Callable[[str], object] | None = None) -> None:
        super().__init__()
        self._title, self._text, self._hint = title, text, hint
        self._check = check

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = self._title
            yield Input(self._text, compact=True, select_on_focus=False)
            yield Label(Content(self._hint), classes="hint")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        try:
            if self._check is not None:
                self._check(event.value)
        except HermesError as error:
            self.query_one(Label).update(Content(str(error)))
            return
        self.dismiss(event.value)


class Choice(ModalScreen[str | None]):
    """One of several: (what it is, how it is shown)."""

    BINDINGS: ClassVar[list[BindingType]] = [_BACK]

    def __init__(self, title: str, choices: Sequence[tuple[str, str]], chosen: str) -> None:
        super().__init__()
        self._title, self._choices, self._chosen = title, choices, chosen

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = self._title
            yield Options(*(Option(Content(shown)) for _, shown in self._choices), compact=True)

    def on_mount(self) -> None:
        values = [value for value, _ in self._choices]
        self.query_one(Options).highlighted = values.index(self._chosen) if self._chosen in values else 0

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._choices[event.option_index][0])


class Page(ModalScreen[None]):
    """Something to read."""

    BINDINGS: ClassVar[list[BindingType]] = [_BACK, Binding("q,enter,question_mark,f1", "dismiss(None)", show=False)]

    def __init__(self, title: str, content: Content) -> None:
        super().__init__()
        self._title, self._content = title, content

    def compose(self) -> ComposeResult:
        with VerticalScroll(classes="dialog page") as box:
            box.border_title = self._title
            box.border_subtitle = "Esc leads back"
            yield Static(self._content)
