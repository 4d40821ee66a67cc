"""Every public method of the store with arguments for one session, for tests that go through all of them.

A new public method of these subjects has to be entered here: `test_every_public_method_is_known` says so.
"""

import inspect
from collections.abc import Callable
from typing import Any

from hermes.model.usage import Usage
from hermes.store.base import ListQuery
from hermes_state import SessionDB

Arguments = Callable[[str], tuple[Any, ...]]

READS: dict[str, Arguments] = {
    "get_session": lambda s: (s,),
    "resolve_session_id": lambda s: (s,),
    "matching_session_ids": lambda s: (s[:1],),
    "session_count": lambda s: (),
    "get_meta": lambda s: ("setting",),
    "meta_keys": lambda s: ("sett",),
    "get_messages": lambda s: (s,),
    "get_messages_as_conversation": lambda s: (s, True),
    "message_count": lambda s: (s,),
    "get_session_title": lambda s: (s,),
    "get_session_by_title": lambda s: (f"title {s}",),
    "resolve_session_by_title": lambda s: (f"title {s}",),
    "get_next_title_in_lineage": lambda s: (f"title {s}",),
    "get_compression_tip": lambda s: (s,),
    "resolve_resume_session_id": lambda s: (s,),
    "get_ancestors": lambda s: (s,),
    "get_descendants": lambda s: (s,),
    "get_lineage": lambda s: (s,),
    "list_sessions_rich": lambda s: (None, None, 1000, 0, True),
    "list_conversations": lambda s: (ListQuery(limit=1000),),
    "search_sessions": lambda s: (None, 1000),
    "stats": lambda s: (),
    "usage_by": lambda s: ("session",),
    "get_handoff_state": lambda s: (s,),
    "list_pending_handoffs": lambda s: (),
    "prunable_sessions": lambda s: (0,),
    "get_tags": lambda s: (s,),
    "get_route": lambda s: (f"key {s}",),
    "list_routes": lambda s: (),
    "arrivals": lambda s: (),
    "posts": lambda s: (),
}
WRITES: dict[str, Arguments] = {
    "create_session": lambda s: (s, "cli"),
    "ensure_session": lambda s: (s,),
    "end_session": lambda s: (s, "ended by a stranger"),
    "reopen_session": lambda s: (s,),
    "update_system_prompt": lambda s: (s, "changed"),
    "update_model": lambda s: (s, "changed", {"changed": 1}),
    "append_message": lambda s: (s, "user", "changed"),
    "append_messages": lambda s: (s, [{"role": "user", "content": "changed"}]),
    "replace_messages": lambda s: (s, [{"role": "user", "content": "changed"}]),
    "clear_messages": lambda s: (s,),
    "delete_messages_from": lambda s: (s, 1),
    "set_session_title": lambda s: (s, "changed"),
    "set_free_title": lambda s: (s, "changed"),
    "split_session": lambda s: (s, f"{s}-split"),
    "branch_session": lambda s: (s, f"{s}-branch"),
    "record_usage": lambda s: (s, Usage(input_tokens=1)),
    "update_token_counts": lambda s: (s, 1, 1),
    "request_handoff": lambda s: (s, "telegram"),
    "claim_handoff": lambda s: (s,),
    "complete_handoff": lambda s: (s,),
    "fail_handoff": lambda s: (s, "changed"),
    "set_meta": lambda s: ("setting", "changed"),
    "link_identity": lambda s: ("telegram:alice", "Bob"),
    "delete_session": lambda s: (s,),
    "delete_lineage": lambda s: (s,),
    "trash_session": lambda s: (s,),
    "restore_session": lambda s: (s,),
    "archive_session": lambda s: (s,),
    "unarchive_session": lambda s: (s,),
    "pin_session": lambda s: (s,),
    "tag_session": lambda s: (s, ["changed"]),
    "set_route": lambda s: (f"key {s}", {"session_id": "changed"}),
    "drop_route": lambda s: (f"key {s}",),
    "receive": lambda s: ("platform", s, {"owner": "telegram:alice", "key": f"key {s}", "content": "changed"}),
    "settle_arrival": lambda s: (1, "done"),
    "post": lambda s: ("platform", {"owner": "telegram:alice", "key": f"key {s}", "content": "changed"}),
    "settle_post": lambda s: (1, "sent"),
}
SWEEPS: dict[str, Arguments] = {
    "prune_sessions": lambda s: (0,),
    "empty_trash": lambda s: (),
    "forget_mail": lambda s: (0,),
    "maybe_auto_prune_and_vacuum": lambda s: (0, 0, False),
}
FOUND: dict[str, Arguments] = {
    "search_messages": lambda s: ("secret", None, None, None, 1000),
    "recall": lambda s: ("what was the secret?", 1000),
}
EXPORTS: dict[str, Arguments] = {
    "export_session": lambda s: (s,),
    "export_all": lambda s: (),
}
ALL = READS | WRITES | SWEEPS | FOUND | EXPORTS
SUBJECTS = ("sessions", "messages", "titles", "lineage", "lists", "usage", "handoff", "routing")


def public_methods() -> set[str]:
    found = inspect.getmembers(SessionDB, inspect.isfunction)
    modules = {f"hermes.store.{subject}" for subject in SUBJECTS}
    return {name for name, method in found if not name.startswith("_") and method.__module__ in modules} - NO_STORE


NO_STORE = {"sanitize_title"}
