"""A real Matrix homeserver on loopback: Synapse with SQLite, for as long as the tests need it."""

import base64
import hashlib
import hmac
import secrets
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx2
import yaml

from tests.servers.matrix import Person

# It ends with whoever started it, however that ends.
_PROGRAM = """
import ctypes, os, signal, sys
getattr(ctypes.CDLL(None), "prctl", lambda *_: 0)(1, signal.SIGTERM)
os.execv(sys.executable, [sys.executable, "-m", "synapse.app.homeserver", "-c", "homeserver.yaml"])
"""
_SECRET = "of the tests"
_PATIENCE = 120.0
_OPEN = {"per_second": 100_000, "burst_count": 100_000}
_LIMITS: dict[str, Any] = {
    **dict.fromkeys(
        ("rc_message", "rc_registration", "rc_joins_per_room", "rc_media_create", "rc_room_creation"), _OPEN
    ),
    "rc_login": dict.fromkeys(("address", "account", "failed_attempts"), _OPEN),
    "rc_joins": dict.fromkeys(("local", "remote"), _OPEN),
    "rc_invites": dict.fromkeys(("per_room", "per_user", "per_issuer"), _OPEN),
}


class Synapse:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names = 0
        self._process: subprocess.Popen[bytes] | None = None
        self.url = ""

    def start(self) -> "Synapse":
        for _ in range(3):  # somebody may take the port meanwhile
            if self._started():
                return self
        raise AssertionError(f"Synapse does not start:\n{self._log()}")

    def _started(self) -> bool:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self._configure(port)
        with (self._folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM],
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        ends = time.monotonic() + _PATIENCE
        while time.monotonic() < ends and self._process.poll() is None:
            try:
                if httpx2.get(f"{self.url}/health", timeout=10).text == "OK":
                    return True
            except httpx2.TransportError:
                time.sleep(0.1)
        self.stop()
        return False

    def _configure(self, port: int) -> None:
        key = base64.b64encode(secrets.token_bytes(32)).decode().rstrip("=")
        (self._folder / "signing.key").write_text(f"ed25519 a_test {key}\n")
        resources = [{"names": ["client", "media"], "compress": False}]
        listener = {"port": port, "bind_addresses": ["127.0.0.1"], "type": "http", "tls": False, "resources": resources}
        settings = {
            "server_name": "localhost", "listeners": [listener], "report_stats": False, "bcrypt_rounds": 4,
            "database": {"name": "sqlite3", "args": {"database": ":memory:"}}, "media_store_path": "media",
            "signing_key_path": "signing.key", "trusted_key_servers": [], "suppress_key_server_warning": True,
            "registration_shared_secret": _SECRET, "macaroon_secret_key": _SECRET, "pid_file": "pid", **_LIMITS,
        }  # fmt: skip
        (self._folder / "homeserver.yaml").write_text(yaml.safe_dump(settings))

    def _log(self) -> str:
        return "\n".join((self._folder / "log").read_text(errors="replace").splitlines()[-30:])

    def stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait(20)

    # -- accounts

    def person(self, name: str, *, admin: bool = False) -> Person:
        """A new account. The server keeps it to its end, so that no two tests have one in common."""
        self._names += 1
        user = f"{name.lower()}{self._names}"
        address = f"{self.url}/_synapse/admin/v1/register"
        nonce = httpx2.get(address, timeout=60).json()["nonce"]
        signed = "\0".join((nonce, user, "a password", "admin" if admin else "notadmin")).encode()
        mac = hmac.new(_SECRET.encode(), signed, hashlib.sha1).hexdigest()
        given = {"nonce": nonce, "username": user, "displayname": name, "password": "a password", "admin": admin}
        made = httpx2.post(address, json=given | {"mac": mac}, timeout=60).json()
        return Person(self.url, made["user_id"], made["access_token"])

    def limit(self, person: Person, *, per_second: int, burst: int) -> None:
        """How many messages this account may send from now on; 0, 0: as many as it likes."""
        boss = self.person("Boss", admin=True)
        path = f"/_synapse/admin/v1/users/{person.user}/override_ratelimit"
        boss.call("POST", path, {"messages_per_second": per_second, "burst_count": burst})
        boss.close()
