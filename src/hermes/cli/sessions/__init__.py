"""`hermes sessions …`"""

from hermes.cli.parsing import Command

_HERE = "hermes.cli.sessions"
ACTIONS = {
    "list": (f"{_HERE}.lists", "recent sessions"),
    "browse": (f"{_HERE}.browse", "find, read and look after sessions on one screen"),
    "show": (f"{_HERE}.lists", "read a conversation"),
    "search": (f"{_HERE}.search", "find messages that hold every word"),
    "recall": (f"{_HERE}.search", "find conversations by a question in plain words"),
    "lineage": (f"{_HERE}.lists", "what a session grew from, and what grew from it"),
    "stats": (f"{_HERE}.lists", "how much there is"),
    "rename": (f"{_HERE}.care", "give a session a title"),
    "tag": (f"{_HERE}.care", "label a session"),
    "pin": (f"{_HERE}.care", "keep a session from ever being pruned"),
    "unpin": (f"{_HERE}.care", "let a pinned session be pruned again"),
    "archive": (f"{_HERE}.care", "take a session out of the lists"),
    "unarchive": (f"{_HERE}.care", "put an archived session back into the lists"),
    "delete": (f"{_HERE}.care", "move a session to the trash"),
    "restore": (f"{_HERE}.care", "bring a session back from the trash"),
    "trash": (f"{_HERE}.care", "what is in the trash, and emptying it"),
    "purge": (f"{_HERE}.care", "delete a session for good"),
    "prune": (f"{_HERE}.care", "delete old sessions for good"),
    "export": (f"{_HERE}.transfer", "write sessions to a file"),
    "import": (f"{_HERE}.transfer", "take in sessions from a file or another store"),
    "backup": (f"{_HERE}.upkeep", "copy the whole store while it is in use"),
    "restore-backup": (f"{_HERE}.upkeep", "take back the content of a backup"),
    "check": (f"{_HERE}.upkeep", "look for anything that is not as it should be"),
    "repair": (f"{_HERE}.upkeep", "mend what can be mended, or salvage a damaged store"),
    "optimize": (f"{_HERE}.upkeep", "tidy the index and give free space back"),
    "undo-upgrade": (f"{_HERE}.upkeep", "go back to the store as it was before an upgrade"),
}


def add_sessions(command: Command) -> None:
    command.examples("hermes sessions list", "hermes sessions search docker deployment", "hermes sessions stats")
    command.add_commands(ACTIONS, "ACTION")
