"""Pages over real HTTP: what is followed, what is cut, and what is never opened."""

import gzip
import ssl
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import trustme

from hermes.errors import ToolError
from hermes.tools.web.addresses import Access, resolved
from hermes.tools.web.fetch import Limits, Question, checked, fetch
from tests.unit.tools.web.sites import LOCAL, Answer, Site
from tests.unit.tools.web.targets import REFUSED, TARGETS

SITE = Access(frozenset({"site.example"}))


def names(*answers: Sequence[str]) -> Callable[[str, int], Sequence[str]]:
    """Looks up `site.example` in these answers, each in turn, the last one for ever."""
    waiting = list(answers)

    def resolve(host: str, port: int) -> Sequence[str]:
        if host != "site.example":
            return resolved(host, port)
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]

    return resolve


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS.keys())
def test_what_is_not_public_is_never_opened(target: str) -> None:
    with Site({"/": "secret"}) as site, pytest.raises(ToolError, match=REFUSED):
        fetch(target.format(port=site.port), Access())
    assert site.visits == []


@pytest.mark.parametrize("target", [one for one in TARGETS.values() if "//" in one])
def test_a_redirect_is_checked_like_any_other_address(target: str) -> None:
    with Site({"/": "secret"}) as inner:
        location = target.format(port=inner.port).replace("\r\n", " ")
        away = Answer(status=302, headers={"Location": location.encode().decode("latin-1")})
        with Site({"/": away}) as outer, pytest.raises(ToolError, match=REFUSED):
            fetch(f"http://site.example:{outer.port}/", SITE, resolve=names(["127.0.0.1"]))
    assert (len(outer.visits), inner.visits) == (1, [])


def test_a_name_that_changes_its_address_is_looked_up_once_and_used_as_it_was_checked() -> None:
    resolve = names(["127.0.0.1"], ["169.254.169.254"])
    with Site({"/": "hello"}) as site:
        page = fetch(f"http://site.example:{site.port}/", Access(private=True), resolve=resolve)
    assert page.body == b"hello"
    assert resolve("site.example", 80) == ["169.254.169.254"]  # the second answer was not asked for


def test_a_name_that_changes_between_a_page_and_its_redirect_is_checked_again() -> None:
    with Site({"/": Answer(status=302, headers={"Location": "/next"}), "/next": "secret"}) as site:
        resolve = names(["127.0.0.1"], ["169.254.169.254"])
        with pytest.raises(ToolError, match=r"169\.254\.169\.254\) is not on the public internet"):
            fetch(f"http://site.example:{site.port}/", Access(private=True), resolve=resolve)
    assert [visit.path for visit in site.visits] == ["/"]


def test_the_connection_goes_to_the_address_under_the_name_that_was_asked_for() -> None:
    with Site({"/page": "hello"}) as site:
        page = fetch(f"http://site.example:{site.port}/page?q=1#part", SITE, resolve=names(["127.0.0.1"]))
    assert (page.status, page.body, page.kind) == (200, b"hello", "text/html")
    [visit] = site.visits
    assert (visit.path, visit.headers["Host"]) == ("/page?q=1", f"site.example:{site.port}")


def test_a_second_address_is_tried_when_the_first_is_dead() -> None:
    with Site({"/": "hello"}) as site:
        page = fetch(f"http://site.example:{site.port}/", SITE, resolve=names(["127.0.0.2", "127.0.0.1"]))
    assert page.body == b"hello"


@pytest.fixture
def secure() -> Any:
    """A site with a certificate for site.example, the names it was asked for, and who trusts it."""
    authority = trustme.CA()
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("site.example").configure_cert(server)
    asked: list[str | None] = []
    server.sni_callback = lambda socket, name, context: asked.append(name)
    client = ssl.create_default_context()
    authority.configure_trust(client)
    with Site({"/": "hello"}, tls=server) as site:
        yield site, asked, client


def test_a_certificate_is_checked_for_the_name_not_for_the_address(secure: Any) -> None:
    site, asked, trust = secure
    page = fetch(f"https://site.example:{site.port}/", SITE, resolve=names(["127.0.0.1"]), trust=trust)
    assert (page.body, asked) == (b"hello", ["site.example"])


def test_a_certificate_nobody_vouches_for_is_refused(secure: Any) -> None:
    site, _, trust = secure
    with pytest.raises(ToolError, match="cannot be read"):
        fetch(f"https://site.example:{site.port}/", SITE, resolve=names(["127.0.0.1"]))
    with pytest.raises(ToolError, match="cannot be read"):
        fetch(f"https://127.0.0.1:{site.port}/", LOCAL, trust=trust)
    assert site.visits == []


def test_redirects_are_followed_so_far_and_no_further() -> None:
    def on(visit: Any) -> Answer:
        number = int(visit.path[1:])
        return Answer(status=302, headers={"Location": f"/{number - 1}"}) if number else Answer(b"there")

    with Site({f"/{number}": on for number in range(9)}) as site:
        assert fetch(f"{site.url}/5", LOCAL).body == b"there"
        with pytest.raises(ToolError, match="redirected more than 5 times"):
            fetch(f"{site.url}/6", LOCAL)


def test_a_large_page_is_cut() -> None:
    with Site({"/": Answer(b"x" * 500_000)}) as site:
        page = fetch(site.url, LOCAL, limits=Limits(size=100_000))
    assert (len(page.body), page.cut) == (100_000, True)


def test_a_small_answer_that_unpacks_to_much_is_unpacked_as_far_as_it_may_be_large() -> None:
    bomb = gzip.compress(bytes(50_000_000), 1)
    with Site({"/": Answer(bomb, headers={"Content-Encoding": "gzip"})}) as site:
        page = fetch(site.url, LOCAL, limits=Limits(size=100_000))
    assert (len(page.body), page.cut) == (100_000, True)


def test_packed_pages_are_unpacked() -> None:
    with Site({"/": Answer(gzip.compress(b"hello"), headers={"Content-Encoding": "gzip"})}) as site:
        assert fetch(site.url, LOCAL).body == b"hello"


def test_a_page_that_drips_is_given_up_in_time() -> None:
    def drip(out: Any) -> None:
        for _ in range(2000):
            out.write(b"x")
            time.sleep(0.05)

    with Site({"/": Answer(write=drip)}) as site:
        began = time.monotonic()
        with pytest.raises(ToolError, match="did not answer within"):
            fetch(site.url, LOCAL, limits=Limits(seconds=0.4))
    assert time.monotonic() - began < 30


def test_what_is_sent_arrives() -> None:
    with Site({"/": "ok"}) as site:
        fetch(site.url, LOCAL, Question("POST", {"X-Key": "k"}, b"{}"))
    [visit] = site.visits
    assert (visit.method, visit.headers["X-Key"], visit.body) == ("POST", "k", b"{}")


def test_nobody_there_is_one_line() -> None:
    with Site({}) as site:
        pass
    with pytest.raises(ToolError, match=rf"127\.0\.0\.1:{site.port} cannot be read"):
        fetch(site.url, LOCAL)


def test_an_address_is_written_in_one_form() -> None:
    assert checked(" HTTP://Bücher.example/ä?q=ü#x") == "http://xn--bcher-kva.example/%C3%A4?q=%C3%BC"
