import re
from datetime import datetime

import pytest

from hermes.errors import BadInput
from hermes.model.ids import check_id, new_cron_id, new_session_id, sought_id
from hermes.model.owners import check_owner, may_see, owner_of
from hermes.model.sources import AUTOMATION_SOURCES, LOCAL_SOURCES, SOURCES, check_source

NOW = datetime(2025, 3, 5, 9, 15, 23)


def test_new_ids_have_the_documented_form() -> None:
    assert re.fullmatch(r"20250305_091523_[0-9a-f]{6}", new_session_id(NOW))
    assert re.fullmatch(r"20250305_091523_[0-9a-f]{8}", new_session_id(NOW, digits=8))
    assert new_cron_id("daily-report", NOW) == "cron_daily-report_20250305_091523"
    assert len({new_session_id(NOW, digits=8) for _ in range(200)}) == 200


def test_a_cron_job_cannot_smuggle_a_path_into_an_id() -> None:
    with pytest.raises(BadInput):
        new_cron_id("../../etc", NOW)


@pytest.mark.parametrize(
    "session_id", ["a", "x" * 200, "20250305_091523_a1b2c3", "agent:main:x", "日本", "a b", "a.b-c"]
)
def test_an_id_that_is_safe_as_a_name_is_accepted(session_id: str) -> None:
    assert check_id(session_id) == session_id
    assert sought_id(session_id) == session_id


@pytest.mark.parametrize(
    "session_id", ["", ".", "..", "a/b", "a\\b", "-x", "*", "a?b", "[x", " a", "a\n", "\x7f", "x" * 201]
)
def test_an_id_that_is_not_is_refused_but_can_be_asked_for(session_id: str) -> None:
    with pytest.raises(BadInput):
        check_id(session_id)
    assert sought_id(session_id) == session_id


@pytest.mark.parametrize("wrong", [None, 5, b"x", "a\0b", "\ud800"])
def test_what_no_store_can_hold_is_refused_everywhere(wrong: object) -> None:
    for check in (check_id, sought_id, check_owner, check_source):
        with pytest.raises(BadInput):
            check(wrong)


def test_the_22_documented_sources_are_known() -> None:
    documented = {
        "cli", "telegram", "discord", "slack", "whatsapp", "signal", "matrix", "mattermost", "email", "sms", "dingtalk",
        "feishu", "wecom", "weixin", "bluebubbles", "qqbot", "homeassistant", "webhook", "api-server", "acp", "cron",
        "batch",
    }  # fmt: skip
    assert set(SOURCES) == documented
    assert len(SOURCES) == 22
    assert all(check_source(source) == source for source in SOURCES)
    assert AUTOMATION_SOURCES <= LOCAL_SOURCES


@pytest.mark.parametrize(
    ("source", "user_id", "owner"),
    [("cli", "u", "local"), ("telegram", "42", "telegram:42"), ("telegram", None, "local"), ("telegram", "", "local")],
)
def test_the_owner_follows_from_source_and_user(source: str, user_id: str | None, owner: str) -> None:
    assert owner_of(source, user_id) == owner


def test_every_owner_is_seen_by_the_operator_and_by_those_who_are_named() -> None:
    assert may_see(None, "telegram:1")
    assert may_see(frozenset({"telegram:1"}), "telegram:1")
    assert not may_see(frozenset({"telegram:1"}), "telegram:11")
    assert not may_see(frozenset(), "local")
