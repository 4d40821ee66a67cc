"""No secret is shown, whatever it looks like and wherever it stands; what is no secret stays readable."""

import pytest

from hermes.config.area import MASK
from hermes.config.masking import masked

SHAPED = "ghp_" + "a1B2c3D4e5" * 4


@pytest.mark.parametrize(
    "tree",
    [
        {"api_key": "hunter2"},
        {"API_KEY": "hunter2"},
        {"password": 12345},
        {"bot_token": "hunter2"},
        {"client-secret": "hunter2"},
        {"headers": {"Authorization": "Bearer hunter2"}},
        {"tokens": ["hunter2", "hunter2"]},
        {"secrets": {"a": {"b": "hunter2"}}},
        {"api_key": "${A}hunter2"},
        {"prompt": f"use {SHAPED}"},
        {"args": ["--key", SHAPED]},
        {"database": "postgres://me:hunter2-Xq9@host/db"},
    ],
)
def test_a_secret_is_masked(tree: dict) -> None:
    shown = repr(masked(tree))
    assert "hunter2" not in shown
    assert "12345" not in shown
    assert SHAPED not in shown


@pytest.mark.parametrize(
    "tree",
    [
        {"api_key": ""},
        {"api_key": None},
        {"api_key": "${OPENROUTER_API_KEY}"},
        {"max_tokens": 4096, "extra_body": {"max_completion_tokens": 9}},
        {"redact_secrets": True},
        {"show_token_analytics": False},
        {"skin": "default", "list": ["a", 1, {"b": 0.5}]},
    ],
)
def test_what_is_no_secret_stays(tree: dict) -> None:
    assert masked(tree) == tree


def test_a_single_value_is_masked_by_its_name() -> None:
    assert masked("hunter2", "api_key") == MASK
