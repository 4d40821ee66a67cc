"""Whose session it is, and what a scope may see.

`local` is the operator of this machine; `<platform>:<user_id>` a person on a platform;
`<platform>:chat:<chat_id>[:<thread>]` a shared room. A scope is the set of owners one reader may
see: `None` stands for all of them (the operator), a set for exactly those.
"""

from collections.abc import Mapping, Sequence

from hermes.errors import BadInput
from hermes.model.sources import LOCAL_SOURCES
from hermes.model.text import is_storable

LOCAL = "local"

Scope = frozenset[str] | None


def owner_of(source: str, user_id: str | None) -> str:
    """The owner an old row, or a create without an explicit one, gets."""
    if source in LOCAL_SOURCES or not user_id:
        return LOCAL
    return f"{source}:{user_id}"


def check_owner(owner: object) -> str:
    if not isinstance(owner, str) or not owner.strip() or len(owner) > 400 or not is_storable(owner):
        raise BadInput("An owner is 'local', '<platform>:<user>' or '<platform>:chat:<chat>'.")
    return owner


def may_see(scope: Scope, owner: str) -> bool:
    return scope is None or owner in scope


def people(identities: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The accounts of each person, as owners: `cli` is another word for the operator of this machine."""
    return {
        person: [LOCAL if account == "cli" else account for account in accounts]
        for person, accounts in identities.items()
    }


def main_account(identities: Mapping[str, Sequence[str]], owner: str) -> str:
    """The one of a person's accounts under which things are kept that are theirs on all of them."""
    for accounts in people(identities).values():
        if owner in accounts:
            return LOCAL if LOCAL in accounts else accounts[0]
    return owner
