"""Slash commands of the person's own, under `quick_commands`:

quick_commands:
  disk: {type: exec, command: df -h}      runs a command and shows what it says; no model is asked
  go:   {type: alias, target: /resume}    another name for a command; what is typed behind it goes along
  review: Look at the last commit.        a message to the agent
"""

import subprocess
from collections.abc import Mapping
from typing import Any

from hermes.commands.chat import slash
from hermes.commands.chat.chat import Chat
from hermes.commands.reply import Reply, Text, said
from hermes.errors import BadInput, ConfigError

_PATIENCE = 30.0  # seconds
_LONGEST = 20_000  # characters of what a command says
_DEEPEST = 5  # aliases of aliases


def quick(chat: Chat, name: str, rest: str, where: str, depth: int = 0) -> Reply:
    kind, what = _read(chat, name)
    if kind == "exec":
        return _run(what)
    typed = f"{what} {rest}".strip()
    if kind == "message":
        chat.queue.append(typed)
        return Reply()
    target = typed.removeprefix("/").split()[0].lower()
    if depth == _DEEPEST:
        raise ConfigError(f"quick_commands.{name} leads in a circle.")
    if slash.find(target) is None and target in slash.quick_names(chat):
        return quick(chat, target, typed.partition(" ")[2], where, depth + 1)
    return slash.perform(chat, f"/{typed.removeprefix('/')}", where=where)


def _read(chat: Chat, name: str) -> tuple[str, str]:
    """What kind of command it is, and its text."""
    found: Any = next(one for key, one in chat.settings.quick_commands.items() if str(key).lower() == name)
    if isinstance(found, str):
        return ("alias" if found.startswith("/") else "message"), found
    if isinstance(found, Mapping):
        kind = str(found.get("type") or "exec")
        text = found.get({"exec": "command", "alias": "target", "message": "text"}.get(kind, ""))
        if isinstance(text, str) and text.strip():
            return kind, text
    raise ConfigError(f"quick_commands.{name} needs a type (exec, alias or message) and its command, target or text.")


def _run(command: str) -> Reply:
    try:
        done = subprocess.run(
            command, shell=True, capture_output=True, timeout=_PATIENCE, stdin=subprocess.DEVNULL, check=False
        )
    except subprocess.TimeoutExpired:
        raise BadInput(f"It took longer than {_PATIENCE:.0f} s and was stopped: {command}") from None
    text = (done.stdout + done.stderr).decode("utf-8", "replace")[:_LONGEST].rstrip()
    if done.returncode:
        text = f"{text}\n[exit code {done.returncode}]".strip()
    return Reply((Text(tuple(text.splitlines())),), data={"exit_code": done.returncode}) if text else said("Done.")
