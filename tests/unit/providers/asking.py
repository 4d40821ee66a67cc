"""Asking a scripted server through a real endpoint."""

from typing import Any

from hermes.providers.base import Request
from hermes.providers.chat import Chat
from hermes.providers.connection import Patience
from hermes.providers.endpoint import Endpoint
from hermes.providers.keys import GivenKeys
from tests.servers.scripted import Scripted

QUICK = Patience(connect=5, read=10, silence=10, total=30, pause=0.02)


def endpoint(server: Scripted | str, **options: Any) -> Endpoint:
    url = server if isinstance(server, str) else server.url
    keys = GivenKeys(options.pop("keys", ["sk-test"]))
    given = {"format": Chat(), "retries": 0, "patience": QUICK, **options}
    return Endpoint("test", "scripted", 8192, url, keys=keys, **given)


def ask(provider: Endpoint, request: Request) -> list[Any]:
    return list(provider.stream(request))
