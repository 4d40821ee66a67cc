"""Approvals: what is allowed for good, what was decided lately, and taking it back."""

from typing import Any

from hermes.commands.reply import Ask, Column, Reply, Table, Text, count, said
from hermes.errors import BadInput, NotFound
from hermes.tools.approvals import record

_ALLOWED = (Column("Id", 8), Column("When", 12, "time"), Column("What", 8), Column("Allowed for good", 52))
_DECIDED = (Column("When", 12, "time"), Column("What", 8), Column("Answer", 11), Column("Command or file", 52))
_RULE = 84


def approvals(limit: int = 20) -> Reply:
    """Everything that is allowed for good, and the latest decisions."""
    if limit < 1:
        raise BadInput("--limit is 1 or more.")
    allowed, decided = record.always(), record.decided(limit)
    if not allowed and not decided:
        return said("Nothing was asked about yet.", data=[])
    parts: list[Any] = []
    if allowed:
        rows = tuple((one["key"][:8], one["at"], one["kind"], _one_line(one["subject"])) for one in allowed)
        parts.append(Table(_ALLOWED, rows, _RULE))
    if decided:
        rows = tuple((one["at"], one["kind"], _answer(one), _one_line(one["subject"])) for one in decided)
        parts += [Text(("",)) if allowed else Text(()), Table(_DECIDED, rows, _RULE)]
    data = [{**one, "always": True} for one in allowed] + [{**one, "always": False} for one in decided]
    return Reply(tuple(parts), data=data)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _answer(one: dict[str, Any]) -> str:
    """`yes: once`, `no: nobody`."""
    how = {"denied": "", "remembered": "as before"}.get(one["how"], one["how"])
    return ("yes" if one["allowed"] else "no") + (f": {how}" if how else "")


def revoke(ids: list[str], *, everything: bool = False, yes: bool = False) -> Reply:
    """Take back what was allowed for good, by its id or the beginning of it."""
    if not ids and not everything:
        raise BadInput("Name what to take back by its id (`hermes approvals list`), or say --all.")
    if ids and everything:
        raise BadInput("Name ids or say --all, not both.")
    found = [one for one in record.always() if everything or one["key"].startswith(tuple(ids))]
    for prefix in ids:
        if len(prefix) < 4 or not any(one["key"].startswith(prefix) for one in found):
            raise NotFound(f"Nothing with the id '{prefix}' is allowed for good; `hermes approvals list` shows them.")
    if not found:
        return said("Nothing is allowed for good.", data=[])

    def go() -> Reply:
        gone = record.revoke([one["key"] for one in found])
        lines = [f"{one['key'][:8]}  {_one_line(one['subject'])}" for one in gone]
        return said(f"Took back {count(len(gone), 'approval')}:", *lines, data=gone)

    if yes or not everything:
        return go()
    return Reply(ask=Ask(f"Take back {count(len(found), 'approval')}?", go))
