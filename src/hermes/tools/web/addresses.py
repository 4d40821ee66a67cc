"""Which addresses the model may have opened: those of the public internet, unless the person named others.

    host as it is written ──▶ as it is meant ──▶ every address it has ──▶ each one public, or nothing is opened

An address can hide in another one (IPv4 in IPv6, in four ways that routers still carry), so it is looked at from
inside. Whoever connects uses an address from here and never asks for the name again.
"""

import re
import socket
import threading
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import NamedTuple

from hermes.config import Settings
from hermes.errors import ToolError

Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Sequence[str]]

_NAT64 = ip_network("64:ff9b::/96")
_IN_THE_LAST_BITS = (_NAT64, ip_network("::/96"), ip_network("::ffff:0:0/96"), ip_network("::ffff:0:0:0/96"))
_TUNNELS = (ip_network("2002::/16"), ip_network("2001::/32"), ip_network("64:ff9b:1::/48"))
_GLOBAL_IPV6 = ip_network("2000::/3")
_ISATAP = (0x00005EFE, 0x02005EFE)  # the middle of an address that carries an IPv4 one
_NOT_PUBLIC = tuple(map(ip_network, ("192.88.99.0/24", "192.0.0.0/24", "198.18.0.0/15", "100.64.0.0/10")))
# Where clouds tell a machine its own secrets; one of them is an ordinary public address.
_METADATA = frozenset(
    map(ip_address, ("169.254.169.254", "169.254.170.2", "168.63.129.16", "100.100.100.200", "fd00:ec2::254"))
)
_ODD = re.compile(r"(0x[0-9a-f]*|[0-9]+)(\.(0x[0-9a-f]*|[0-9]+))*\.?", re.IGNORECASE)
_HOST = re.compile(r"[a-z0-9_]([a-z0-9._-]*[a-z0-9_.])?", re.IGNORECASE)
_DNS_SECONDS = 10.0


class Access(NamedTuple):
    """What may be reached besides the public internet, and what may not."""

    hosts: frozenset[str] = frozenset()  # named by the person: whatever their address is
    private: bool = False  # the whole local network, except where clouds keep secrets
    blocked: frozenset[str] = frozenset()

    def with_host(self, host: str) -> "Access":
        return self._replace(hosts=self.hosts | {host.lower()})


def access(settings: Settings) -> Access:
    """What the settings allow."""
    security = settings.security
    hosts = frozenset(host.lower() for host in security.private_hosts)
    blocklist = security.website_blocklist
    blocked = _blocked(blocklist.domains, blocklist.shared_files) if blocklist.enabled else frozenset()
    return Access(hosts, security.allow_private_urls, blocked)


def _blocked(domains: Sequence[str], files: Sequence[str]) -> frozenset[str]:
    from pathlib import Path

    lines = list(domains)
    for name in files:
        try:
            lines += Path(name).expanduser().read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise ToolError(f"security.website_blocklist: {name} cannot be read ({error}).") from None
    said = (line.partition("#")[0].strip().lower().removeprefix("*.").strip(".") for line in lines)
    return frozenset(filter(None, said))


def meant(host: str) -> str:
    """The host as a resolver takes it. Numbers that are no plain address are refused: what one program reads as a
    name, another reads as 127.0.0.1."""
    if ":" in host:
        return str(_literal(host))
    try:
        plain = host.encode("ascii").decode() if host.isascii() else host.encode("idna").decode()
    except UnicodeError:
        raise ToolError(f"'{host[:80]}' is not a host.") from None
    plain = plain.lower()
    if _ODD.fullmatch(plain):
        return str(_literal(plain))
    if not _HOST.fullmatch(plain) or len(plain) > 253:
        raise ToolError(f"'{host[:80]}' is not a host.")
    return plain.rstrip(".")


def _literal(host: str) -> Address:
    try:
        return ip_address(host if "%" not in host else "")  # a zone belongs to this machine's own network
    except ValueError:
        raise ToolError(f"'{host[:80]}' is not an address of the internet as addresses are written.") from None


def reachable(host: str, port: int, access: Access, resolve: Resolve | None = None) -> list[str]:
    """The addresses of a host to connect to, in order. ToolError when one of them may not be opened, or none is there.

    Every address counts: with one that is public and one that is not, it would be chance which one is used.
    """
    _check_blocklist(host, access)
    found = list(dict.fromkeys((resolve or resolved)(host, port)))
    if not found:
        raise ToolError(f"{host} has no address.")
    if host not in access.hosts:
        for text in found:
            _check(host, text, access)
    return found


def _check_blocklist(host: str, access: Access) -> None:
    labels = host.split(".")
    ends = (".".join(labels[at:]) for at in range(len(labels)))
    if access.blocked.intersection(ends):
        raise ToolError(f"{host} is on the list of sites that may not be opened (security.website_blocklist).")


def _check(host: str, text: str, access: Access) -> None:
    address = ip_address(text.partition("%")[0])
    inner = inside(address)
    if is_public(inner) and not _is_tunnel(address):
        return
    if access.private and not {address, inner} & _METADATA:
        return
    where = f"{host} ({address})" if host != str(address) else host
    raise ToolError(
        f"{where} is not on the public internet and was not opened. "
        f"The person can allow this host: hermes config set security.private_hosts {host}"
    )


def inside(address: Address) -> Address:
    """The IPv4 address that an IPv6 address stands for; any other is itself."""
    if isinstance(address, IPv4Address):
        return address
    number = int(address)
    carries = any(address in network for network in _IN_THE_LAST_BITS) or (number >> 32) & 0xFFFFFFFF in _ISATAP
    return IPv4Address(number & 0xFFFFFFFF) if carries and number > 1 else address


def is_public(address: Address) -> bool:
    """Whether this is an address of the public internet, where only public things are."""
    if address in _METADATA or address.is_multicast or address.is_reserved or not address.is_global:
        return False
    if isinstance(address, IPv6Address):
        return address in _GLOBAL_IPV6
    return not any(address in network for network in _NOT_PUBLIC)


def _is_tunnel(address: Address) -> bool:
    """6to4, Teredo and local NAT64 lead wherever their relay wants."""
    return isinstance(address, IPv6Address) and any(address in network for network in _TUNNELS)


def resolved(host: str, port: int) -> list[str]:
    """Every address of a host, as this machine sees it, within ten seconds."""
    outcome: list[list[str] | OSError | UnicodeError] = []

    def ask() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            outcome.append([str(entry[4][0]) for entry in found])
        except (OSError, UnicodeError) as error:
            outcome.append(error)

    thread = threading.Thread(target=ask, name="hermes-dns", daemon=True)
    thread.start()
    thread.join(_DNS_SECONDS)
    answer = outcome[0] if outcome else TimeoutError("no answer")
    if isinstance(answer, list):
        return answer
    raise ToolError(f"{host} cannot be found ({getattr(answer, 'strerror', None) or answer}).")
