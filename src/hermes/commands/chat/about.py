"""/help."""

from hermes.commands.chat import slash
from hermes.commands.chat.chat import Chat
from hermes.commands.reply import Line, Reply, Span, Text


def help(chat: Chat, rest: str) -> Reply:
    """Every command that works here, with a line each."""
    shown = {name: one for name, one in slash.COMMANDS.items() if one.where in ("both", "terminal")}
    width = max(len(_form(name, one)) for name, one in shown.items())
    lines: list[Line] = [
        (Span(f"  {_form(name, one):<{width}}", "strong"), Span(f"  {one.about}", "")) for name, one in shown.items()
    ]
    return Reply((Text(tuple(lines)),), data=[{"name": name, **one._asdict()} for name, one in shown.items()])


def _form(name: str, one: slash.Slash) -> str:
    return f"/{name} {one.takes}".rstrip()
