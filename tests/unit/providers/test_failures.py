"""What providers say went wrong, in one line that can be shown."""

import time
from email.utils import formatdate

import pytest

from hermes.providers.failures import failure, one_line, retry_after, told


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (b'{"error": {"message": "No such model.", "code": "model_not_found"}}', "No such model. model_not_found"),
        (b'{"error": "plain"}', "plain"),
        (b'{"message": "there"}', "there"),
        (b'{"detail": "here"}', "here"),
        (b'[{"error": {"message": "in a list"}}]', "in a list"),
        (b'{"error": {"message": "Provider returned error", "metadata": {"raw": "too big"}}}', None),
        (b"<html>what a page</html>", ""),
        (b"just\n words\x1b[31m\x00 here", "just words [31m here"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"", ""),
        (b"null", "null"),
        (b'{"error": {"message": 7}}', '{"error": {"message": 7}}'),
    ],
)
def test_what_a_body_says(body: bytes, line: str | None) -> None:
    assert told(body) == (line if line is not None else "Provider returned error too big")


def test_a_line_is_short_and_has_no_secret() -> None:
    assert len(one_line("x" * 10_000)) == 300
    token = "ghp_" + "k3Jx9QmW2vTzB7yLr5Nc" + "P8dHs4GfA1uEoXqZ"
    assert token not in one_line(f"the token {token} is refused")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "9" * 400}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
    ],
)
def test_when_to_come_back(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_a_date_is_counted_from_now() -> None:
    seconds = retry_after({"retry-after": formatdate(time.time() + 100, usegmt=True)})
    assert seconds is not None
    assert 98 <= seconds <= 101


@pytest.mark.parametrize("status", [*range(100, 600, 7), 401, 402, 403, 404, 408, 413, 429, 529, 599])
def test_every_status_is_an_error_in_one_line(status: int) -> None:
    line = str(failure("x", status, {}, b'{"error": {"message": "because"}}'))
    assert "\n" not in line
    assert "because" in line
    assert line.endswith((".", "?"))
