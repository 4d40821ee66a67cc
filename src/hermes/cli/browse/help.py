"""The page behind `?`."""

from textual.content import Content

_TYPING = {
    "letters": "search titles and messages as you type",
    "↑ ↓ PgUp PgDn": "move in the list",
    "Enter": "resume the conversation",
    "Tab or Esc": "go to the list, where the keys are:",
}
_LIST = {
    "Enter": "resume",
    "r": "rename",
    "p": "pin, so that it is never pruned; or unpin",
    "t": "tags",
    "a": "archive, or put back",
    "d": "delete: to the trash",
    "u": "undo the last delete or archive",
    "e": "export to a file",
    "l": "lineage: what it grew from, and into",
    "n N": "next and previous hit",
    "s": "only one source",
    "w": "only a time",
    "A": "archived ones",
    "/": "search",
    "Tab": "read on in the conversation",
    "Esc": "everything again; then leave",
    "q Ctrl-Q": "leave",
}
_SEARCH = (
    'Every word counts, the last one may be unfinished. "A phrase", OR, NOT, prefix* and (groups) work as in '
    "`hermes sessions search`. A click looks at a conversation, a double click resumes it."
)


def _keys(keys: dict[str, str]) -> Content:
    return Content("\n").join(Content.assemble((f"{key:<14}", "bold"), what) for key, what in keys.items())


HELP = Content("\n\n").join([_keys(_TYPING), _keys(_LIST), Content(_SEARCH)])
