"""Whatever is sent to the API, it answers as its own document says."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from hermes.config import load
from hermes.gateway.adapters.api_server import ApiServer
from hermes.gateway.adapters.openapi import document
from hermes.gateway.core import Gateway
from hermes.store import SessionDB
from tests.servers.platform import running
from tests.servers.scripted import Say, Scripted
from tests.stories.api import KEYS, api_configured, get, post, url

CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
OPERATIONS = [(path, method) for path, methods in document()["paths"].items() for method in methods]


@pytest.fixture
def gateway(hermes_home: Path) -> Iterator[Gateway]:
    """One with something in it, and a model that always answers."""
    hermes_home.mkdir(parents=True)
    with Scripted(otherwise=Say("Yes.")) as model, SessionDB() as db:
        api_configured(hermes_home, model, gateway={"messages_per_minute": 0})
        with running(db, ApiServer(load())) as gateway:
            yield gateway


def known_id(gateway: Gateway, path: str) -> str:
    made = post(gateway, "/v1/responses", {"input": "hello"}).json()
    return made["id"] if "responses" in path else get(gateway, "/api/sessions").json()["sessions"][0]["id"]


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_every_answer_is_one_that_the_document_tells_of(gateway: Gateway, path: str, method: str) -> None:
    fuzz(gateway, path, method, 6)


@pytest.mark.slow
@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_so_are_many_more(gateway: Gateway, path: str, method: str) -> None:
    fuzz(gateway, path, method, 200)


def fuzz(gateway: Gateway, path: str, method: str, examples: int) -> None:
    operation = schemathesis.openapi.from_dict(document())[path][method.upper()]
    there = {"id": known_id(gateway, path)} if "{id}" in path else {}
    answered: list[int] = []

    def asked(case: Any) -> None:
        if there and len(answered) % 3 == 0:
            case.path_parameters = there
        if isinstance(case.body, dict) and isinstance(case.body.get("messages"), list) and len(answered) % 2:
            case.body["messages"].append({"role": "user", "content": "And now?"})
        got = case.call(url(gateway), headers={"Authorization": f"Bearer {KEYS['alice']}"}, timeout=60)
        answered.append(got.status_code)
        case.validate_response(got, checks=CHECKS)

    for mode in modes(document()["paths"][path][method]):
        settings(max_examples=examples, derandomize=True, database=None, deadline=None)(
            given(operation.as_strategy(mode))(asked)
        )()
    assert answered and (200 in answered or "{id}" in path)


def modes(operation: dict[str, Any]) -> list[GenerationMode]:
    """What takes nothing cannot be asked wrongly."""
    takes = operation.get("parameters") or "requestBody" in operation
    return [GenerationMode.POSITIVE, *([GenerationMode.NEGATIVE] if takes else [])]
