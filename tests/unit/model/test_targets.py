"""Where something is delivered."""

import pytest

from hermes.errors import BadInput
from hermes.model.targets import Target, target


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("telegram:12345", Target("telegram", "12345")),
        ("telegram:-100123/5", Target("telegram", "-100123", "5")),
        ("telegram:-100123:5", Target("telegram", "-100123", "5")),
        ("matrix:!room:example.org", Target("matrix", "!room:example.org")),
        ("matrix:!room:example.org:8448/$event", Target("matrix", "!room:example.org:8448", "$event")),
        ("email:a@example.org", Target("email", "a@example.org")),
    ],
)
def test_a_platform_a_chat_and_maybe_a_thread_are_told_apart(typed: str, meant: Target) -> None:
    assert target(typed) == meant


@pytest.mark.parametrize("typed", ["", "telegram", "telegram:", ":5", "telegram:/5", "cli:me", "cron:x"])
def test_anything_else_is_refused_in_one_line(typed: str) -> None:
    with pytest.raises(BadInput, match="telegram:12345"):
        target(typed)
