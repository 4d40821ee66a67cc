"""Row 32: whatever a model is talked into opening, nothing but the public internet is opened.

Every target is asked for directly, behind a redirect, and behind a name. Connections are counted where Python makes
them; none to a public address leaves this machine.
"""

import sys
from collections.abc import Sequence
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from hermes.errors import ToolError
from hermes.tools.web.addresses import Access, meant
from hermes.tools.web.fetch import Limits, fetch
from tests.faults.rows import Outcome, Run, row
from tests.unit.tools.web.sites import Answer, Site
from tests.unit.tools.web.targets import TARGETS

FRONT = "front.example"  # stands for a public site; it really is on loopback
PUBLIC = "93.184.215.14"
_LIMITS = Limits(seconds=5)


class Connections:
    """Every connection this process tries to make. One to a public address is refused here."""

    def __init__(self) -> None:
        self.tried: list[tuple[str, int]] = []
        sys.addaudithook(self._see)

    def _see(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "socket.connect" and isinstance(arguments[1], tuple):
            host, port = arguments[1][:2]
            self.tried.append((str(host), int(port)))
            if ip_address(str(host).partition("%")[0]).is_global:
                raise ConnectionRefusedError("the public internet is not part of this")


class Trial:
    """What was asked for, and what of it was opened that may not be."""

    def __init__(self) -> None:
        self.connections = Connections()
        self.asked = 0
        self.opened = 0

    def open(self, url: str, access: Access, resolve: Any, harmless: tuple[str, int] | None = None) -> None:
        """`harmless` may be connected to: the site that redirects."""
        self.asked += 1
        before = len(self.connections.tried)
        try:
            fetch(url, access, limits=_LIMITS, resolve=resolve)
        except ToolError:
            pass
        reached = {one for one in self.connections.tried[before:] if one != harmless}
        self.opened += any(host != PUBLIC for host, _ in reached)


@row(32)
def nothing_private_is_opened(run: Run) -> Outcome:
    trial = Trial()
    with Site({"/": "secret"}) as inner:
        for target in TARGETS.values():
            url = target.format(port=inner.port)
            trial.open(url, Access(), None)
            _behind_a_redirect(trial, url)
            _behind_a_name(trial, url, inner.port)
        direct = trial.asked
        flips = run.size(2000, 50)
        for _ in range(flips):
            _flipping(trial, run, inner.port)
        visits = len(inner.visits)
    asked = f"{len(TARGETS)} targets in {direct} ways, {flips} names that flip"
    return Outcome(asked, f"allowed {trial.opened + visits}", not trial.opened and not visits)


def _behind_a_redirect(trial: Trial, url: str) -> None:
    if "//" not in url:
        return  # stays on the site itself
    away = Answer(status=302, headers={"Location": url.replace("\r\n", " ").encode().decode("latin-1")})
    with Site({"/": away}) as front:
        start = f"http://{FRONT}:{front.port}/"
        trial.open(start, Access(frozenset({FRONT})), _at_home, ("127.0.0.1", front.port))


def _at_home(host: str, port: int) -> Sequence[str]:
    from hermes.tools.web.addresses import resolved

    return ["127.0.0.1"] if host == FRONT else resolved(host, port)


def _behind_a_name(trial: Trial, url: str, port: int) -> None:
    """A name in DNS that points there, alone and beside a public address."""
    try:
        address = str(ip_address(meant(urlsplit(url).hostname or "")))
    except (ToolError, ValueError):
        return  # cannot be in DNS
    for answer in ([address], [PUBLIC, address], [address, PUBLIC]):
        trial.open(f"http://rebind.example:{port}/", Access(), lambda *_, answer=answer: answer)


def _flipping(trial: Trial, run: Run, port: int) -> None:
    """A name that is public when it is asked for the first time, or the second, and private at any other."""
    answers = [[PUBLIC]] + [run.rng.choice(([PUBLIC], ["127.0.0.1"], ["::1"], ["169.254.169.254"])) for _ in range(5)]
    run.rng.shuffle(answers)

    def resolve(host: str, port: int) -> Sequence[str]:
        return answers.pop(0) if answers else ["127.0.0.1"]

    trial.open(f"http://flip.example:{port}/", Access(), resolve)
