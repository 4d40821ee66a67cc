"""What stories about the API share."""

from pathlib import Path
from typing import Any

import httpx2
import openai

from hermes.gateway.core import Gateway
from tests.servers.platform import configured
from tests.servers.scripted import Say, Scripted, Sent

KEYS = {"alice": "alice-key-0123456789", "bob": "bob-key-0123456789"}


def echo(sent: Sent) -> Say:
    return Say(f"You said: {sent.messages[-1]['content']}")


def api_configured(home: Path, model: Scripted, tools: tuple[str, ...] = (), **settings: Any) -> None:
    platforms = {"api-server": {"port": 0, "keys": KEYS}}
    configured(home, model, platforms=platforms, platform_toolsets={"api-server": list(tools)}, **settings)


def url(gateway: Gateway) -> str:
    return f"http://127.0.0.1:{gateway.adapters['api-server'].port}"  # type: ignore[attr-defined]


def client(gateway: Gateway, who: str = "alice") -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{url(gateway)}/v1", api_key=KEYS[who], max_retries=0)


def get(gateway: Gateway, path: str, who: str | None = "alice", **headers: str) -> httpx2.Response:
    key = {"Authorization": f"Bearer {KEYS[who]}"} if who else {}
    return httpx2.get(url(gateway) + path, headers={**key, **headers}, timeout=20)


def post(gateway: Gateway, path: str, body: Any) -> httpx2.Response:
    headers = {"Authorization": f"Bearer {KEYS['alice']}"}
    return httpx2.post(url(gateway) + path, json=body, headers=headers, timeout=60)
