"""Which addresses are public, and what a host is."""

from ipaddress import IPv4Address, ip_address
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.config import Settings
from hermes.config.areas import state
from hermes.errors import ToolError
from hermes.tools.web.addresses import Access, access, inside, is_public, meant, reachable

PUBLIC = ("8.8.8.8", "93.184.215.14", "2606:4700:4700::1111", "2a00:1450:4001::1")


@pytest.mark.parametrize("address", PUBLIC)
def test_the_public_internet_is_public(address: str) -> None:
    assert is_public(ip_address(address))
    assert reachable("example.com", 443, Access(), lambda *_: [address]) == [address]


@given(st.integers(0, 2**32 - 1))
def test_what_is_inside_another_address_is_judged_as_itself(number: int) -> None:
    inner = IPv4Address(number)
    for outer in (f"64:ff9b::{inner}", f"::ffff:{inner}", f"::ffff:0:{inner}", f"2606:4700::5efe:{inner}"):
        assert inside(ip_address(outer)) == inner


def test_one_private_address_among_public_ones_is_enough_to_refuse() -> None:
    with pytest.raises(ToolError, match=r"10\.0\.0\.5"):
        reachable("example.com", 80, Access(), lambda *_: ["93.184.215.14", "10.0.0.5"])


def test_a_named_host_may_be_private() -> None:
    settings = Settings(security=state.Security(private_hosts=["Wiki.intra"]))
    assert reachable("wiki.intra", 80, access(settings), lambda *_: ["10.0.0.5"]) == ["10.0.0.5"]
    with pytest.raises(ToolError, match=r"hermes config set security\.private_hosts other\.intra"):
        reachable("other.intra", 80, access(settings), lambda *_: ["10.0.0.5"])


def test_the_whole_local_network_can_be_allowed_but_never_what_clouds_keep_secret() -> None:
    allowed = access(Settings(security=state.Security(allow_private_urls=True)))
    assert reachable("printer", 80, allowed, lambda *_: ["192.168.1.9"]) == ["192.168.1.9"]
    for secret in ("169.254.169.254", "::ffff:169.254.169.254", "fd00:ec2::254", "168.63.129.16"):
        with pytest.raises(ToolError, match="not on the public internet"):
            reachable("metadata", 80, allowed, lambda *_, secret=secret: [secret])


def test_blocked_sites_and_everything_below_them_are_not_opened(tmp_path: Path) -> None:
    more = tmp_path / "more.txt"
    more.write_text("# ours\n*.example.org\n")
    blocklist = state.WebsiteBlocklist(enabled=True, domains=["example.com"], shared_files=[str(more)])
    allowed = access(Settings(security=state.Security(website_blocklist=blocklist)))
    for host in ("example.com", "www.example.com", "a.b.example.org"):
        with pytest.raises(ToolError, match="website_blocklist"):
            reachable(host, 443, allowed, lambda *_: ["8.8.8.8"])
    assert reachable("notexample.com", 443, allowed, lambda *_: ["8.8.8.8"])


def test_a_blocklist_that_cannot_be_read_opens_nothing() -> None:
    blocklist = state.WebsiteBlocklist(enabled=True, shared_files=["/nowhere/list.txt"])
    with pytest.raises(ToolError, match="cannot be read"):
        access(Settings(security=state.Security(website_blocklist=blocklist)))


@pytest.mark.parametrize(
    ("written", "is_meant"),
    [("Example.COM.", "example.com"), ("bücher.example", "xn--bcher-kva.example"), ("8.8.8.8", "8.8.8.8")],
)
def test_a_host_is_taken_in_one_form(written: str, is_meant: str) -> None:
    assert meant(written) == is_meant


@pytest.mark.parametrize(
    "written", ["0x7f.1", "2130706433", "127.1", "a b", "-x.com", "x" * 300, "ex%61mple.com", ".."]
)
def test_what_is_no_host_is_refused(written: str) -> None:
    with pytest.raises(ToolError):
        meant(written)
