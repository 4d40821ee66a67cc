"""/help, and what is said first."""

from hermes import paths
from hermes.commands.chat import slash
from hermes.commands.chat.chat import Chat
from hermes.commands.reply import Line, Reply, Span, Text


def help(chat: Chat, rest: str) -> Reply:
    """Every command that works here, with a line each."""
    where = "terminal" if chat.wishes.source == "cli" else "gateway"
    shown = {name: one for name, one in slash.COMMANDS.items() if one.where in ("both", where)}
    forms = {name: _form(name, one) for name, one in shown.items()}
    forms |= {name: f"/{name}" for name in slash.quick_names(chat) if name not in shown}
    width = max(map(len, forms.values()))
    lines: list[Line] = [
        (Span(f"  {form:<{width}}", "strong"), Span(f"  {_about(name, shown)}")) for name, form in forms.items()
    ]
    if where == "terminal":
        lines += ["", (Span(_KEYS, "dim"),)]
    return Reply((Text(tuple(lines)),), data=[{"name": name, **one._asdict()} for name, one in shown.items()])


_KEYS = "  Enter sends, Alt-Enter begins a line, Tab completes, Ctrl-C stops the turn (twice: leaves), Ctrl-D leaves."


def _form(name: str, one: slash.Slash) -> str:
    short = [alias for alias in one.aliases if len(alias) <= 2]
    return " ".join([f"/{name}", *(f"(/{alias})" for alias in short), one.takes]).rstrip()


def _about(name: str, shown: dict[str, slash.Slash]) -> str:
    return shown[name].about if name in shown else "a command of your own"


def greeting(chat: Chat) -> Reply:
    """What a person should know before the first message: nothing, unless nobody is there to answer, or the curator
    found something."""
    if not chat.answers_from_history:
        return Reply(notices=_proposed())
    told = "`hermes setup` does that. Until then your own history answers, and everything is saved."
    return Reply((Text(((Span("No model is set up yet: ", "warn"), Span(told)),)),))


def _proposed() -> tuple[str, ...]:
    """Most people have no skills of their own, and load nothing of this."""
    if not paths.curator_dir().exists():
        return ()
    from hermes.commands.reviews import news

    told = news(paths.hermes_home())
    return (told,) if told else ()


def stays(chat: Chat) -> None:
    """A person sits here, and the program has time: whatever can be done behind the conversation begins."""
    if chat.settings.curator.enabled and not chat.answers_from_history and paths.skills_dir().exists():
        from hermes.commands.reviews import begin_when_due

        begin_when_due(chat.db, chat.config)
