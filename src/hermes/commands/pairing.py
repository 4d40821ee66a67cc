"""Pairing: a stranger gets a code, and the operator lets the stranger in by typing it."""

import json
import secrets
import time
from typing import Any

from hermes.commands.reply import Reply, count, said
from hermes.errors import NotFound
from hermes.store import SessionDB

_CODES, _PAIRED = "gateway.pairing_codes", "gateway.paired"
_LASTS = 3600.0
_MOST = 100  # codes at once: strangers cannot fill the store
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # none that look alike


def _read(db: Any, key: str) -> dict[str, Any]:
    try:
        found = json.loads(db.get_meta(key) or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def new_code(db: SessionDB, account: str) -> str | None:
    """A code for this account; the one it has, while that holds. None: too many wait already."""
    now = time.time()
    with db.transaction() as tx:
        codes = {code: one for code, one in _read(tx, _CODES).items() if 0 <= now - one["at"] < _LASTS}
        known = next((code for code, one in codes.items() if one["account"] == account), None)
        if known or len(codes) >= _MOST:
            return known
        code = "".join(secrets.choice(_LETTERS) for _ in range(8))
        tx.set_meta(_CODES, json.dumps(codes | {code: {"account": account, "at": now}}))
        return code


def is_paired(db: SessionDB, account: str) -> bool:
    return account in _read(db, _PAIRED)


def pair(db: SessionDB, code: str) -> Reply:
    """Let in whoever got this code."""
    now = time.time()
    with db.transaction() as tx:
        codes = _read(tx, _CODES)
        found = codes.pop(code.strip().upper(), None)
        if found is None or now - found["at"] >= _LASTS:
            raise NotFound(
                f"No code '{code}' is waiting; one holds for an hour, and `hermes gateway paired` lists them."
            )
        tx.set_meta(_CODES, json.dumps(codes))
        tx.set_meta(_PAIRED, json.dumps(_read(tx, _PAIRED) | {found["account"]: now}))
    return said(f"{found['account']} may talk to the agent now.", data=found)


def unpair(db: SessionDB, account: str) -> Reply:
    with db.transaction() as tx:
        known = _read(tx, _PAIRED)
        if account not in known:
            raise NotFound(f"'{account}' is not paired; `hermes gateway paired` lists who is.")
        tx.set_meta(_PAIRED, json.dumps({name: at for name, at in known.items() if name != account}))
    return said(f"{account} may not talk to the agent any more.", data={"account": account})


def paired(db: SessionDB) -> Reply:
    """Who was let in, and who waits."""
    now = time.time()
    known = _read(db, _PAIRED)
    waiting = {code: one for code, one in _read(db, _CODES).items() if now - one["at"] < _LASTS}
    lines = [f"{count(len(known), 'account')} paired.", *(f"  {name}" for name in known)]
    lines += ["Waiting:", *(f"  {code}  {one['account']}" for code, one in waiting.items())] if waiting else []
    data = [{"account": name, "at": at, "paired": True} for name, at in known.items()]
    return said(*lines, data=[*data, *({"code": code, **one, "paired": False} for code, one in waiting.items())])
